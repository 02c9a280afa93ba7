// Two runs side by side, for every front-end. Nothing here loads Effect: the page does not wait for that.
import type { AnyEvent, Json } from "../core/contract.ts"
import type { RunDetail } from "./RunShapes.ts"
import type { TaskRow } from "./TaskShapes.ts"

/** A run with all of its tasks. */
export interface Side {
  readonly run: RunDetail & {
    /** How far the loop of a requirements run is; null: it is none. */
    readonly loop: {
      readonly iteration: number
      readonly max_iterations: number
      readonly requirements_total: number
      readonly requirements_met: number
    } | null
  }
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

/** How long something took, in words. */
type Duration = (from: string | null, to: string | null) => string

const linesOf = ({ run, tasks }: Side, duration: Duration): ReadonlyArray<readonly [string, string]> => {
  const sum = (of: (task: TaskRow) => number) => tasks.reduce((all, task) => all + of(task), 0).toLocaleString("en")
  const { spent } = run
  return [
    ["Status", run.status],
    ["Verdict", run.verdict],
    ["Kind", run.kind],
    ["Duration", duration(run.started_at, run.ended_at)],
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
export const comparedLines = (a: Side, b: Side, duration: Duration): ReadonlyArray<Line> => {
  const [ofA, ofB] = [new Map(linesOf(a, duration)), new Map(linesOf(b, duration))]
  return [...new Set([...ofA.keys(), ...ofB.keys()])].map((name) => ({
    name,
    a: ofA.get(name) ?? "",
    b: ofB.get(name) ?? ""
  }))
}

/** Fields that say who did something, when, how long it took and in which words: the same happened all the same. */
const circumstances: ReadonlySet<string> = new Set([
  ...["item_id", "lease", "worker_id", "session_id", "driver", "root", "labels", "agents", "plugins", "snapshot"],
  ...["at", "since", "started_at", "ended_at", "duration_ms", "usage", "spent"],
  ...["prompt", "stdout", "stderr", "steps", "exchange", "output", "output_tail", "output_sha256", "summary"]
])

/** What an event says of a run, whichever run it is; how it is to be run stands in `config`, and is compared apart. */
export const meaningOf = ({ content, type }: AnyEvent, run_id: string): AnyEvent => {
  const meant = (value: Json): Json => {
    if (typeof value === "string") return value.replaceAll(run_id, "<run>")
    if (Array.isArray(value)) return value.map(meant)
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, one]) => (circumstances.has(key) ? [] : [[key, meant(one as Json)]]))
    )
  }
  const { config: _, ...rest } = content as Readonly<Record<string, Json>>
  return { type, content: meant(rest) }
}
