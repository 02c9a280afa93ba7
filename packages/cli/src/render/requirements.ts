import {
  proofOf,
  type RunProgress,
  rootsOf,
  shownStatus,
  standingText,
  stoppedOf,
  type Verdict
} from "@proofline/kernel"
import type { Loop, LoopBIteration, LoopProgress, Requirement } from "@proofline/plugins/policies/requirements"
import { loopStatus } from "../documents/requirements.ts"
import type { State } from "../project/state.ts"
import { count } from "./lines.ts"
import { oneLine, type Style, withEnd } from "./style.ts"

/** A requirements run as `history --show` prints it. */
export interface ShownLoop {
  readonly loop: Loop
  readonly state: State
  /** ISO 8601, UTC. */
  readonly started_at: string
  readonly ended_at: string | null
  /** Its task runs, by id. */
  readonly children: ReadonlyMap<string, State>
}

/** A requirements run for people: its requirements with the verdict of every criterion, and what every iteration did. */
export const requirementsText = ({ children, ended_at, loop, started_at, state }: ShownLoop, style: Style): string => {
  const requirements = loop.definition?.requirements ?? []
  const met = requirements.filter(({ id }) => loop.requirements.get(id)?.met === true)
  return [
    `${style.bold(oneLine(state.run.name, 80))}: ${loopWord(loop, state, style)}`,
    `${state.run.run_id}, ${oneLine(loop.requirements_path, 120)}, tasks in ${oneLine(loop.tasks_output_dir, 120)}`,
    `Begun ${timeText(started_at)}${ended_at === null ? "" : `, ended ${timeText(ended_at)}`}; iteration ${loop.iteration} of ${loop.limit}.`,
    ...(loop.error === null || loop.error === stoppedOf(state.run)?.message
      ? []
      : [style.yellow(oneLine(loop.error, 300))]),
    ...notYetVerified(loop, style),
    "",
    ...requirements.flatMap((requirement) => requirementLines(loop, requirement, style)),
    "",
    ...loop.iterations.flatMap((iteration) => iterationLines(iteration, children, style)),
    `${met.length} of ${count(requirements.length, "requirement")} met.`,
    oneLine(standingText(shownStatus(state.run), proofOf(state)), 300),
    ""
  ].join("\n")
}

/** What is said of the requirements was seen before the tasks of an iteration that is not verified yet. */
const notYetVerified = ({ iterations }: Loop, style: Style): ReadonlyArray<string> => {
  const last = iterations.at(-1)
  return last === undefined || last.loop_c_history_id === null || last.verification_result !== null
    ? []
    : [style.dim(`Seen before the tasks of iteration ${last.iteration_number}, after which nothing is verified yet:`)]
}

const loopWord = (loop: Loop, state: State, style: Style): string => {
  const status = loopStatus(loop, state)
  const stopped = stoppedOf(state.run)
  if (stopped !== null) return style.yellow(`stopped at ${status}: ${oneLine(stopped.message, 200)}`)
  const paint = status === "completed" ? style.green : status === "failed" ? style.red : style.bold
  return `${paint(status)}${state.run.status === "running" || state.run.status === status ? "" : `, run ${state.run.status}`}`
}

export const timeText = (at: string): string => `${at.slice(0, 19).replace("T", " ")} UTC`

const requirementLines = (loop: Loop, requirement: Requirement, style: Style): ReadonlyArray<string> => {
  const { acceptance_criteria, id, priority } = requirement
  const seen = loop.requirements.get(id)
  const verdict = seen?.verdict ?? "unproven"
  return [
    `  ${verdictMark(verdict, style)} ${id} ${verdict}  ${oneLine(titleOf(requirement), 80)}${priority === "optional" ? " (optional)" : ""}`,
    ...acceptance_criteria.flatMap((criterion) => {
      const one = seen?.criteria.find((verdict) => verdict.id === criterion.id)
      const line = `      ${verdictMark(one?.verdict ?? "unproven", style)} ${criterion.id} ${one?.verdict ?? "unproven"}  ${oneLine(criterion.criterion, 100)}`
      return one === undefined || one.message === ""
        ? [line]
        : [line, `        ${style.dim(withEnd(one.message, 300))}`]
    })
  ]
}

export const titleOf = ({ description, name }: Pick<Requirement, "description" | "name">): string => name ?? description

/** What an iteration has made, and what its verification found. */
export const iterationLines = (
  iteration: LoopBIteration,
  children: ReadonlyMap<string, State>,
  style: Style
): ReadonlyArray<string> => {
  const { iteration_number, loop_c_history_id, tasks, tasks_yaml_path, unmet_requirements, verification_result } =
    iteration
  const child = children.get(loop_c_history_id ?? "")
  const made = tasks_yaml_path === null ? "no tasks" : oneLine(tasks_yaml_path, 120)
  const lines =
    child === undefined
      ? tasks.map(({ id, title }) => `    ${id} pending  ${oneLine(title, 80)}`)
      : rootsOf(child).map(
          ({ attempts, message, spec, status }) =>
            `    ${taskMark(status, style)} ${spec.id} ${status}  ${oneLine(spec.title, 80)} (${count(attempts, "attempt")})${status === "completed" || message === "" ? "" : `: ${withEnd(message, 400)}`}`
        )
  return [
    `Iteration ${iteration_number}: ${made}${loop_c_history_id === null ? "" : `, run ${loop_c_history_id}${child === undefined ? "" : ` ${shownStatus(child.run)}`}`}`,
    ...lines,
    ...(verification_result === null
      ? []
      : [
          unmet_requirements.length === 0
            ? "    all requirements met"
            : `    not met after it: ${unmet_requirements.join(", ")}`
        ])
  ]
}

export const verdictMark = (verdict: Verdict, style: Style): string =>
  ({
    proven: style.green("✔"),
    reviewed: style.green("✔"),
    weak: style.yellow("✔"),
    waived: style.yellow("~"),
    refuted: style.red("✘"),
    stale: style.red("✘"),
    unproven: style.yellow("!")
  })[verdict]

/** Of an item that is still worked on, nothing speaks against what nothing shows. */
export const itemMark = (verdict: Verdict, style: Style): string =>
  verdict === "unproven" ? style.dim("·") : verdictMark(verdict, style)

const taskMark = (status: string, style: Style): string =>
  status === "completed" ? style.green("✔") : status === "failed" ? style.red("✘") : "·"

/** Where the loop of a requirements run stands. */
export const loopLine = ({ name, status }: RunProgress, loop: LoopProgress, style: Style, width: number): string => {
  const { iteration, loop_status, max_iterations, requirements_met, requirements_total } = loop
  const progress = `[iter:${iteration}/${max_iterations}] [met:${requirements_met}/${requirements_total}] ${loop_status}`
  return `${style.bold(oneLine(name, width - progress.length - 12))} ${status} ${progress}`
}
