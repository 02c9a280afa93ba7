import type { RunProgress } from "@proofline/kernel"
import type { ReportView } from "@proofline/plugins/frontends/http/api"
import type { Loop } from "@proofline/plugins/policies/requirements"
import type { State } from "../project/state.ts"
import { waitingLines } from "./asked.ts"
import { givenUpText, nextSteps, runNotes } from "./report.ts"
import { iterationLines } from "./requirements.ts"
import { oneLine, type Style } from "./style.ts"
import { traceBody, traceHead } from "./traceabilityText.ts"

/** All there is to show of a run. */
export interface ShownRun {
  readonly trace: ReportView
  readonly state: State
  readonly loop: Loop
  /** Its task runs, by id. */
  readonly children: ReadonlyMap<string, State>
  readonly tree: ReadonlyArray<string>
  /** Of each task run, or of the run itself. */
  readonly progress: ReadonlyArray<RunProgress>
  readonly refusals: ReadonlyArray<string>
}

/** A run for people: what it has shown, its tree, what was refused and why, the evidence with its code, and what is next. */
export const showText = (shown: ShownRun, style: Style, command: (words: string) => string): string => {
  const { children, loop, progress, refusals, state, trace, tree } = shown
  const iterations = loop.iterations.flatMap((iteration) => iterationLines(iteration, children, style))
  return [
    ...waitingLines(trace, style, command, state.run.status === "running"),
    ...traceHead(trace, style),
    "",
    ...tree,
    ...progress.flatMap(planLines).map(style.dim),
    "",
    ...(iterations.length === 0 ? [] : [...iterations, ""]),
    ...refusals,
    ...traceBody(trace, style),
    ...runNotes(state, style),
    ...nextSteps(state, command),
    ""
  ].join("\n")
}

/** How tasks were split: what is run before what, what becomes of files that two of them changed, and what was given up. */
export const planLines = ({ chunked_tasks }: RunProgress): ReadonlyArray<string> =>
  chunked_tasks.flatMap(
    ({
      aggregation_strategy: { conflict_resolution, type },
      execution_mode,
      given_up = [],
      parent_task_id,
      subtasks
    }) => {
      const number = new Map(subtasks.map(({ subtask_id }, i) => [subtask_id, i + 1]))
      const order = subtasks.flatMap(({ dependencies }, i) =>
        dependencies.length === 0
          ? []
          : [`${i + 1} after ${dependencies.map((id) => number.get(id) ?? id).join(" and ")}`]
      )
      return [
        oneLine(
          `Plan of ${parent_task_id}: ${execution_mode}${order.length === 0 ? "" : `; ${order.join(", ")}`}; where two change one file: ${type === "merge_all" ? conflict_resolution : type}`,
          200
        ),
        ...given_up.map((one) => `  ${oneLine(givenUpText(one), 300)}`)
      ]
    }
  )
