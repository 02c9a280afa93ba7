import type { RunView, TaskRow } from "@proofline/plugins/frontends/http/api"
import { between, durationText } from "../../parts/when.ts"

/** A run with all of its tasks. */
export interface Side {
  readonly run: RunView
  readonly tasks: ReadonlyArray<TaskRow>
}

/** A task in both runs, or in one; null: the other has none with this id. */
export interface Pair {
  readonly task_id: string
  readonly title: string
  readonly a: TaskRow | null
  readonly b: TaskRow | null
  readonly differs: boolean
}

const outcomeOf = ({ attempts, items_closed, items_total, refusals, status, verdict }: TaskRow) =>
  JSON.stringify([status, verdict, attempts, refusals, items_closed, items_total])

const pairOf = (a: TaskRow | null, b: TaskRow | null): Pair => ({
  task_id: (a ?? b)?.task_id ?? "",
  title: (a ?? b)?.title ?? "",
  a,
  b,
  differs: a === null || b === null || outcomeOf(a) !== outcomeOf(b)
})

/** Tasks joined by their ids. Those that differ come first; how long one took is no difference. */
export const pairsOf = (a: ReadonlyArray<TaskRow>, b: ReadonlyArray<TaskRow>): ReadonlyArray<Pair> => {
  const inA = new Set(a.map(({ task_id }) => task_id))
  const inB = new Map(b.map((task) => [task.task_id, task] as const))
  const pairs = [
    ...a.map((task) => pairOf(task, inB.get(task.task_id) ?? null)),
    ...b.filter(({ task_id }) => !inA.has(task_id)).map((task) => pairOf(null, task))
  ]
  return [...pairs.filter(({ differs }) => differs), ...pairs.filter(({ differs }) => !differs)]
}

/** A line of the summary: what each of the runs has. */
export interface Line {
  readonly name: string
  readonly a: string
  readonly b: string
}

const linesOf = ({ run, tasks }: Side, now: number): ReadonlyArray<readonly [string, string]> => {
  const sum = (of: (task: TaskRow) => number) => tasks.reduce((all, task) => all + of(task), 0).toLocaleString("en")
  const { spent } = run
  return [
    ["Status", run.status],
    ["Kind", run.kind],
    ["Duration", durationText(between(run.started_at, run.ended_at, now))],
    ["Tasks done", `${run.tasks_completed} of ${run.tasks_total}`],
    ["Tasks failed", String(run.tasks_failed)],
    ["Tasks skipped", String(run.tasks_skipped)],
    ["Items closed", `${sum(({ items_closed }) => items_closed)} of ${sum(({ items_total }) => items_total)}`],
    ["Attempts", sum(({ attempts }) => attempts)],
    ["Claims refused", sum(({ refusals }) => refusals)],
    ...(run.loop === null
      ? []
      : ([
          ["Requirements met", `${run.loop.requirements_met} of ${run.loop.requirements_total}`],
          ["Iteration", `${run.loop.iteration} of ${run.loop.max_iterations}`]
        ] as const)),
    ["Agent", run.agent],
    ["Reviewer", run.reviewer ?? "none"],
    ["Workers", String(run.workers)],
    // of agents that do not say what they use nothing is known: that is not 0
    ...(spent.calls === 0 ? [] : [["Calls", spent.calls.toLocaleString("en")] as const]),
    ...(spent.tokens === 0 ? [] : [["Tokens", spent.tokens.toLocaleString("en")] as const]),
    ...(spent.cost_usd === 0 ? [] : [["Cost", `$${spent.cost_usd.toFixed(2)}`] as const]),
    [
      "File",
      run.input === null || run.input.path === "-" ? "none" : `${run.input.path} (${run.input.sha256.slice(0, 12)})`
    ]
  ]
}

/** What two runs come to, line by line; a line that one of them has not is empty there. */
export const summaryOf = (a: Side, b: Side, now: number): ReadonlyArray<Line> => {
  const [ofA, ofB] = [new Map(linesOf(a, now)), new Map(linesOf(b, now))]
  return [...new Set([...ofA.keys(), ...ofB.keys()])].map((name) => ({
    name,
    a: ofA.get(name) ?? "",
    b: ofB.get(name) ?? ""
  }))
}
