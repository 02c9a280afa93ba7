import {
  type AttemptTrees,
  type Base,
  type BlobRef,
  EventLog,
  endTreeOf,
  type LogUnavailable,
  type ProjectTree,
  type Recorded
} from "@proofline/kernel"
import { treeRecorded } from "@proofline/plugins/policies/checkouts"
import { Effect, Stream } from "effect"

/** An attempt as the log tells of it. */
export interface AttemptSeen {
  readonly run_id: string
  readonly task_id: string
  readonly attempt: number
  readonly agent: string | null
  /** Version of the event with which it began. */
  readonly started: number
  /** Version of the event with which it ended; null: it has not. */
  readonly ended: number | null
  readonly outcome: string | null
  /** What its agent said at its end. */
  readonly summary: string | null
  /** Null: nobody looked. */
  readonly files: ReadonlyArray<string> | null
  readonly trees: AttemptTrees | null
  /** What it told while it worked. */
  readonly steps: BlobRef | null
}

export type Moment =
  | { readonly _tag: "begin" }
  | { readonly _tag: "before" | "after"; readonly attempt: AttemptSeen }
  /** Subtasks were put together. */
  | { readonly _tag: "together"; readonly task_id: string }
  /** The work was brought in from elsewhere, of an attempt where it is one. */
  | { readonly _tag: "recorded"; readonly attempt: AttemptSeen | null }

/** What the project was at some version of a run. */
export interface TreePoint {
  readonly run_id: string
  /** Version of the event, in the run that has it. */
  readonly version: number
  /** In the run that was asked for; the same but for what task runs of a requirements run have done. */
  readonly asked_version: number
  readonly tree: Base | ProjectTree
  readonly moment: Moment
}

/** What is known of the files of a run, over time. */
export interface RunTrees {
  readonly run_id: string
  readonly kind: string
  /** Version of its newest event. */
  readonly version: number
  /** In order; no two neighbours are the same. */
  readonly points: ReadonlyArray<TreePoint>
  readonly attempts: ReadonlyArray<AttemptSeen>
  /** Subtasks whose work was put together with that of others. */
  readonly completed: ReadonlySet<string>
  /** How long a command may take; null: the log does not say. */
  readonly check_timeout_ms: number | null
}

/** The trees of a run, with those of its task runs. */
export const treesOfRun = (run_id: string): Effect.Effect<RunTrees, LogUnavailable, EventLog> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const own = makeFold(run_id)
    yield* Stream.runForEach(log.read(run_id), (event) => Effect.sync(() => own.add(event)))
    const children = yield* Effect.forEach(own.children, ({ run }) => treesOfRun(run))
    const points = [
      ...own.points(),
      ...children.flatMap((child, i) => {
        const { ended, linked } = own.children[i] ?? { linked: 0, ended: null }
        return child.points.map((point) => ({
          ...point,
          asked_version: point.moment._tag === "begin" ? linked : (ended ?? linked)
        }))
      })
    ]
    return {
      ...own.about(),
      points: distinct(points.toSorted((a, b) => a.asked_version - b.asked_version)),
      attempts: [...own.attempts.values(), ...children.flatMap(({ attempts }) => attempts)],
      completed: new Set([...own.completed, ...children.flatMap(({ completed }) => [...completed])])
    }
  })

/** The newest tree that was there at a version of the run; undefined: none was kept by then. */
export const treeAt = ({ points }: Pick<RunTrees, "points">, version: number): TreePoint | undefined =>
  points.findLast(({ asked_version }) => asked_version <= version)

const distinct = (points: ReadonlyArray<TreePoint>): ReadonlyArray<TreePoint> =>
  points.filter((point, i) => i === 0 || nameOf(point.tree) !== nameOf(points[i - 1]?.tree))

const nameOf = (tree: Base | ProjectTree | undefined): string => `${tree?.commit} ${tree?.snapshot?.sha256}`

interface AttemptKey {
  readonly task_id: string
  readonly attempt: number
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }

const makeFold = (run_id: string) => {
  const attempts = new Map<string, Writable<AttemptSeen>>()
  const items = new Map<string, AttemptSeen>()
  const children: Array<{ readonly run: string; readonly linked: number; ended: number | null }> = []
  const completed = new Set<string>()
  const points: Array<TreePoint> = []
  let version = 0
  let kind = ""
  let check_timeout_ms: number | null = null
  const at = (key: AttemptKey) => attempts.get(`${key.task_id}\n${key.attempt}`)
  const add = (tree: Base | ProjectTree | null | undefined, moment: Moment, when = version) => {
    if (tree !== null && tree !== undefined) points.push({ run_id, version: when, asked_version: when, tree, moment })
  }
  const handlers: Readonly<Record<string, (content: never) => void>> = {
    RUN_STARTED: ({ base, config, kind: is }: Started) => {
      kind = is
      check_timeout_ms = config?.check_timeout_ms ?? null
      add(base, { _tag: "begin" })
    },
    ATTEMPT_STARTED: (begun: AttemptKey & { readonly agent: string; readonly item_id: string }) => {
      const one: AttemptSeen = {
        ...{ run_id, task_id: begun.task_id, attempt: begun.attempt, agent: begun.agent, started: version },
        ...{ ended: null, outcome: null, summary: null, files: null, trees: null, steps: null }
      }
      attempts.set(`${begun.task_id}\n${begun.attempt}`, one)
      items.set(begun.item_id, one)
    },
    ATTEMPT_OUTPUT_SUMMARIZED: (output: AttemptKey & { readonly steps?: BlobRef }) => {
      const one = at(output)
      if (one !== undefined) one.steps = output.steps ?? null
    },
    CHECKLIST_REPORTED: (report: AttemptKey & { readonly summary: string }) => {
      const one = at(report)
      if (one !== undefined) one.summary = report.summary
    },
    ATTEMPT_ENDED: (end: Ended) => {
      const one = at(end)
      if (one === undefined) return
      one.ended = version
      one.outcome = end.outcome
      one.files = end.files_modified === null ? null : [...end.files_modified, ...(end.files_undecided ?? [])]
      one.trees = end.trees ?? null
      if (end.trees === undefined || end.trees.worktree === true) return
      add(end.trees.before, { _tag: "before", attempt: one }, one.started)
      add(endTreeOf(end.trees), { _tag: "after", attempt: one })
    },
    SUBTASK_COMPLETE: ({ subtask_id }: { readonly subtask_id: string }) => void completed.add(subtask_id),
    CHUNKING_AGGREGATION: ({ aggregation_result: { tree }, parent_task_id: task_id }: Together) =>
      add(tree, { _tag: "together", task_id }),
    TASK_RUN_LINKED: ({ run_id: run }: { readonly run_id: string }) =>
      void children.push({ run, linked: version, ended: null }),
    TASK_RUN_ENDED: ({ run_id: run }: { readonly run_id: string }) => {
      for (const child of children) if (child.run === run) child.ended = version
    },
    [treeRecorded]: ({ by, commit }: { readonly commit: string; readonly by: { readonly item: string } | null }) =>
      add({ commit }, { _tag: "recorded", attempt: by === null ? null : (items.get(by.item) ?? null) })
  }
  return {
    add: ({ content, event_type, version: now }: Recorded) => {
      version = now
      if (Object.hasOwn(handlers, event_type)) handlers[event_type]?.(content as never)
    },
    attempts,
    children,
    completed,
    points: () => points.toSorted((a, b) => a.version - b.version),
    about: () => ({ run_id, kind, version, check_timeout_ms })
  }
}

interface Started {
  readonly kind: string
  readonly base: Base | null
  readonly config?: { readonly check_timeout_ms?: number }
}

interface Ended extends AttemptKey {
  readonly outcome: string
  readonly files_modified: ReadonlyArray<string> | null
  readonly files_undecided?: ReadonlyArray<string>
  readonly trees?: AttemptTrees
}

interface Together {
  readonly parent_task_id: string
  readonly aggregation_result: { readonly tree?: ProjectTree }
}
