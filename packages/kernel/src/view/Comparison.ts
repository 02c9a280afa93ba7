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

/** A task in both runs, or in one; null: the other has none that is the same. */
export interface Pair {
  /** As A calls it, where A has it. */
  readonly task_id: string
  readonly title: string
  readonly a: TaskRow | null
  readonly b: TaskRow | null
  readonly differs: boolean
}

/** What it came to, and why; what it is called and how long it took is no difference. */
const outcomeOf = ({ attempts, items_closed, items_total, reason, refusals, status, verdict }: TaskRow) =>
  JSON.stringify([status, reason, verdict, attempts, refusals, items_closed, items_total])

const pairOf = (a: TaskRow | null, b: TaskRow | null): Pair => ({
  task_id: (a ?? b)?.task_id ?? "",
  title: (a ?? b)?.title ?? "",
  a,
  b,
  differs: a === null || b === null || outcomeOf(a) !== outcomeOf(b)
})

/**
 * Tasks joined by their ids, and those that are left by their titles, where only one of each run has it: plans of two
 * runs may call the same work differently. Those that differ come first.
 */
export const pairsOf = (a: ReadonlyArray<TaskRow>, b: ReadonlyArray<TaskRow>): ReadonlyArray<Pair> => {
  const inA = new Set(a.map(({ task_id }) => task_id))
  const inB = new Map(b.map((task) => [task.task_id, task] as const))
  const restOfB = byTitle(b.filter(({ task_id }) => !inA.has(task_id)))
  const restOfA = byTitle(a.filter(({ task_id }) => !inB.has(task_id)))
  const joined = new Set<TaskRow>()
  const partnerOf = (task: TaskRow): TaskRow | null => {
    const same = inB.get(task.task_id) ?? (restOfA.get(task.title) === task ? restOfB.get(task.title) : null) ?? null
    if (same !== null) joined.add(same)
    return same
  }
  const pairs = a.map((task) => pairOf(task, partnerOf(task)))
  const all = [...pairs, ...b.filter((task) => !joined.has(task)).map((task) => pairOf(null, task))]
  return [...all.filter(({ differs }) => differs), ...all.filter(({ differs }) => !differs)]
}

/** Null: several have this title, or it says nothing. */
const byTitle = (tasks: ReadonlyArray<TaskRow>): ReadonlyMap<string, TaskRow | null> => {
  const found = new Map<string, TaskRow | null>()
  for (const task of tasks) found.set(task.title, task.title === "" || found.has(task.title) ? null : task)
  return found
}

/** A line of the summary: what each of the runs has. */
export interface Line {
  readonly name: string
  readonly a: string
  readonly b: string
  /** How much more it is in B than in A, e.g. `+2` or `−1.5 s (−20 %)`; empty: as much, or nothing that is counted. */
  readonly delta: string
  /** It means something else. What something took is told by `delta`, and is no difference. */
  readonly differs: boolean
}

/** How long something took, and how that is said. */
export interface Durations {
  readonly between: (from: string | null, to: string | null) => number | null
  readonly text: (ms: number) => string
}

interface Value {
  readonly text: string
  /** What is compared, where that is not the text; null: nothing. */
  readonly meaning?: string | null
  /** What is counted, and how so much is said. */
  readonly count?: number | null
  readonly say?: (count: number) => string
  /** With the share of it. */
  readonly isMeasured?: true
}

const inThousands = (n: number): string => n.toLocaleString("en")
const dollars = (amount: number): string => `$${amount.toFixed(2)}`

const counted = (count: number, text = inThousands(count)): Value => ({ text, count })

/** What something took: always another figure, and no difference. */
const measured = (count: number | null, say: (count: number) => string): Value => ({
  text: count === null ? "" : say(count),
  meaning: null,
  count,
  say,
  isMeasured: true
})

const valuesOf = ({ run, tasks }: Side, { between, text }: Durations): ReadonlyArray<readonly [string, Value]> => {
  const sum = (of: (task: TaskRow) => number) => tasks.reduce((all, task) => all + of(task), 0)
  const of = (count: number, whole: number): Value => counted(count, `${inThousands(count)} of ${inThousands(whole)}`)
  const { input, spent } = run
  return [
    ["Status", { text: run.status }],
    ["Verdict", { text: run.verdict }],
    ["Kind", { text: run.kind }],
    ["Duration", measured(between(run.started_at, run.ended_at), text)],
    ["Tasks done", of(run.tasks_completed, run.tasks_total)],
    ["Tasks failed", counted(run.tasks_failed)],
    ["Tasks skipped", counted(run.tasks_skipped)],
    [
      "Items closed",
      of(
        sum(({ items_closed }) => items_closed),
        sum(({ items_total }) => items_total)
      )
    ],
    ["Attempts", counted(sum(({ attempts }) => attempts))],
    ["Claims refused", counted(sum(({ refusals }) => refusals))],
    ...(run.loop === null
      ? []
      : ([
          ["Requirements met", of(run.loop.requirements_met, run.loop.requirements_total)],
          ["Iteration", of(run.loop.iteration, run.loop.max_iterations)]
        ] as const)),
    ["Agent", { text: run.agent }],
    ["Reviewer", { text: run.reviewer ?? "none" }],
    ["Workers", counted(run.workers)],
    // of agents that do not say what they use nothing is known: that is not 0
    ...(spent.calls === 0 ? [] : [["Calls", counted(spent.calls)] as const]),
    ...(spent.tokens === 0 ? [] : [["Tokens", measured(spent.tokens, inThousands)] as const]),
    ...(spent.cost_usd === 0 ? [] : [["Cost", measured(spent.cost_usd, dollars)] as const]),
    [
      "File",
      input === null || input.path === "-"
        ? { text: "none" }
        : // the same text under another name is the same file
          { text: `${input.path} (${input.sha256.slice(0, 12)})`, meaning: input.sha256 }
    ]
  ]
}

/** `+2`, `−3`; empty for none. A minus as wide as the plus. */
const signed = (by: number, say: (count: number) => string): string => {
  const text = say(Math.abs(by))
  return by === 0 || text === say(0) ? "" : `${by > 0 ? "+" : "−"}${text}`
}

const deltaOf = (a: Value | undefined, b: Value | undefined): string => {
  if (a?.count == null || b?.count == null) return ""
  const { isMeasured, say = inThousands } = a
  const text = signed(b.count - a.count, say)
  if (text === "" || isMeasured === undefined || a.count <= 0) return text
  const share = signed(Math.round((b.count / a.count - 1) * 100), inThousands)
  return share === "" ? text : `${text} (${share} %)`
}

const meaning = (value: Value | undefined): string | null | undefined =>
  value === undefined ? undefined : value.meaning === undefined ? value.text : value.meaning

/** What two runs come to, line by line; a line that one of them has not is empty there. */
export const comparedLines = (a: Side, b: Side, durations: Durations): ReadonlyArray<Line> => {
  const [ofA, ofB] = [new Map(valuesOf(a, durations)), new Map(valuesOf(b, durations))]
  return [...new Set([...ofA.keys(), ...ofB.keys()])].map((name) => {
    const [mine, theirs] = [ofA.get(name), ofB.get(name)]
    const isMeasured = mine?.isMeasured === true || theirs?.isMeasured === true
    return {
      name,
      a: mine?.text ?? "",
      b: theirs?.text ?? "",
      delta: deltaOf(mine, theirs),
      differs: !isMeasured && meaning(mine) !== meaning(theirs)
    }
  })
}

/** How much more of it there is of a task in B than in A, e.g. `+1 attempt`, `−2.5 s`; empty where one has it not. */
export const taskDeltas = ({ a, b }: Pair, { between, text }: Durations): ReadonlyArray<string> => {
  if (a === null || b === null) return []
  const noun = (one: string, many: string) => (count: number) => `${inThousands(count)} ${count === 1 ? one : many}`
  const [tookA, tookB] = [between(a.started_at, a.ended_at), between(b.started_at, b.ended_at)]
  return [
    signed(b.attempts - a.attempts, noun("attempt", "attempts")),
    signed(b.items_closed - a.items_closed, noun("item", "items")),
    signed(b.refusals - a.refusals, noun("refusal", "refusals")),
    tookA === null || tookB === null ? "" : signed(tookB - tookA, text)
  ].filter((delta) => delta !== "")
}

/** Fields that say who did something, when, how long it took and in which words: the same happened all the same. */
const circumstances: ReadonlySet<string> = new Set([
  ...[
    "item_id",
    "lease",
    "worker_id",
    "host",
    "session_id",
    "driver",
    "root",
    "labels",
    "agents",
    "plugins",
    "snapshot"
  ],
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
