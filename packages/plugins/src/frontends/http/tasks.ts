import {
  type BlobRef,
  historyOf,
  isInWorktree,
  isShown,
  makeTaskRows,
  Rejection,
  type TaskPlace,
  taskOf,
  taskPlacesOf,
  taskViewOf,
  treesAround
} from "@proofline/kernel"
import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { takingUpIn } from "../../policies/oversight/contract.ts"
import type { AnyRun } from "../../policies/sessions/contract.ts"
import { BlobStore } from "../../port/index.ts"
import { Api } from "./api.ts"
import { Lookup } from "./lookup.ts"
import { Project } from "./Project.ts"
import { cursorInvalid, cursorOf, readCursor, usualLimit } from "./pages.ts"
import { pieceOf } from "./pieces.ts"
import { Conflicting } from "./problems.ts"
import { attemptUnknown, blobMissing, itemUnknown, logUnavailable, refusing, taskUnknown } from "./refusals.ts"
import type { OutputStream, TextView } from "./schemas.ts"

interface TaskOf {
  readonly run: string
  readonly task: string
}

/** What the handlers of tasks ask. */
interface Asked {
  readonly blobs: BlobStore["Service"]
  readonly lookup: Lookup["Service"]
  readonly project: Project["Service"]
  /** Of the tasks of a run at a moment. */
  readonly placesOf: (state: AnyRun) => ReadonlyArray<TaskPlace>
}

export const tasksHandlers = HttpApiBuilder.group(Api, "tasks", (handlers) =>
  Effect.gen(function* () {
    const asked: Asked = {
      blobs: yield* BlobStore,
      lookup: yield* Lookup,
      project: yield* Project,
      placesOf: makePlaces()
    }
    return handlers.handleAll({
      list: ({ params, query }) => list(asked, params.run, query),
      get: ({ params }) => taskIn(asked, params),
      retry: ({ params }) => retry(asked, params),
      attempts: ({ params }) => Effect.map(taskIn(asked, params), ({ history }) => ({ attempts: history })),
      attempt: ({ params }) => attemptIn(asked, params),
      prompt: ({ params, query }) =>
        Effect.flatMap(attemptIn(asked, params), ({ prompt }) =>
          prompt === null ? Effect.succeed(nothing(0)) : blob(asked, prompt, query.from ?? 0)
        ),
      output: ({ params, query }) => output(asked, params, query),
      cited: ({ params, query }) => cited(asked, params, query.evidence),
      checklist: ({ params }) => Effect.map(taskIn(asked, params), ({ checklist }) => ({ checklist })),
      evidence: ({ params }) => evidence(asked, params)
    })
  })
)

/** Whoever reads a list page by page asks for the places of the same moment again and again. */
const makePlaces = (): Asked["placesOf"] => {
  const known = new WeakMap<AnyRun, ReadonlyArray<TaskPlace>>()
  return (state) => {
    const places = known.get(state) ?? taskPlacesOf(state)
    known.set(state, places)
    return places
  }
}

const taskIn = Effect.fnUntraced(function* ({ lookup }: Asked, { run, task }: TaskOf) {
  const { history, state } = yield* lookup.detail(run)
  return taskViewOf(state, history, task) ?? (yield* Effect.fail(taskUnknown(run, task)))
})

const retry = Effect.fnUntraced(function* ({ lookup }: Asked, { run, task }: TaskOf) {
  const { state } = yield* lookup.detail(run)
  if (taskOf(state, task) === undefined) return yield* Effect.fail(taskUnknown(run, task))
  const found = takingUpIn(state, [task])
  if (found instanceof Rejection) return yield* refusing(Effect.fail(found))
  return state.run.status === "running" ? { ...found, text: `${ofDriven} ${found.text}` } : found
})

/** Whether it is driven, only who resumes it finds out. */
const ofDriven = "For a run whose process has ended without a word: while one is at work on it, this is refused."

interface AttemptOf extends TaskOf {
  readonly attempt: number
}

const attemptIn = (asked: Asked, of: AttemptOf) => Effect.map(attemptAndRun(asked, of), ({ attempt }) => attempt)

/** An attempt, and its run as it was when it was found there. */
const attemptAndRun = Effect.fnUntraced(function* ({ lookup }: Asked, of: AttemptOf) {
  const run = yield* lookup.detail(of.run)
  if (taskOf(run.state, of.task) === undefined) return yield* Effect.fail(taskUnknown(of.run, of.task))
  const { attempts } = historyOf(run.history, of.task)
  const attempt = attempts.find((one) => one.attempt === of.attempt)
  return attempt === undefined
    ? yield* Effect.fail(attemptUnknown(of.task, of.attempt, attempts.length))
    : { attempt, run }
})

/** What stands in the lines that an attempt cited, as it left them and now. */
const cited = Effect.fnUntraced(function* (asked: Asked, of: AttemptOf, evidence: string) {
  const { attempt, run } = yield* attemptAndRun(asked, of)
  const { after, before } = treesAround(run.state, run.history, attempt)
  return yield* asked.project.citedLines(evidence, after ?? before)
})

const blob = ({ blobs }: Asked, ref: BlobRef, from: number) =>
  blobs.get(ref.sha256).pipe(
    Effect.map((bytes) => pieceOf(bytes, from)),
    Effect.catchTags({
      BlobMissing: ({ sha256 }) => Effect.fail(blobMissing(sha256)),
      LogUnavailable: (error) => Effect.fail(logUnavailable(error))
    })
  )

interface ListQuery {
  readonly cursor?: string | undefined
  readonly limit?: number | undefined
  readonly q?: string | undefined
}

const list = Effect.fnUntraced(function* ({ lookup, placesOf }: Asked, run: string, query: ListQuery) {
  const { cursor, limit = usualLimit, q = "" } = query
  const { history, state } = yield* lookup.detail(run)
  const words = q.toLowerCase().split(/\s+/).filter(Boolean)
  const all = placesOf(state)
  const isMeant = ({ task: { spec } }: TaskPlace): boolean => {
    const text = `${spec.id}\n${spec.title}`.toLowerCase()
    return words.every((word) => text.includes(word))
  }
  const places = words.length === 0 ? all : all.filter(isMeant)
  const after = yield* readCursor("tasks", Schema.Tuple([Schema.String]), cursor)
  // parts may be added before it: it is found by its name
  const index = after === undefined ? 0 : places.findIndex(({ task }) => task.spec.id === after[0]) + 1
  if (after !== undefined && index === 0) return yield* Effect.fail(cursorInvalid)
  // only those of the page are made
  const tasks = places.slice(index, index + limit).map(makeTaskRows(state, history))
  const last = index + limit < places.length ? tasks.at(-1) : undefined
  return { tasks, next_cursor: last === undefined ? null : cursorOf("tasks", last.task_id) }
})

interface OutputQuery {
  readonly from?: number | undefined
  readonly stream?: OutputStream | undefined
}

/** What an attempt has written: what is kept of it, or what stands there so far. */
const output = Effect.fnUntraced(function* (asked: Asked, of: AttemptOf, query: OutputQuery) {
  const { from = 0, stream = "stdout" } = query
  const { project } = asked
  const { run: run_id, task: task_id } = of
  const before = yield* attemptIn(asked, of)
  if (before[stream] === null) {
    const live = yield* project.liveOutput({ run_id, task_id, attempt: before.attempt }, stream, from)
    // one that was killed leaves its files behind
    if (live !== null) return { ...live, is_live: yield* project.isDriven(run_id) }
  }
  // the files of an agent go before its end stands in the log: by now it may, or whoever asks has to ask again
  const { ended_at, [stream]: kept } = before[stream] === null ? yield* attemptIn(asked, of) : before
  if (kept !== null) return yield* blob(asked, kept, from)
  return nothing(from, ended_at === null && (yield* project.isDriven(run_id)))
})

const evidence = Effect.fnUntraced(function* (asked: Asked, of: TaskOf & { readonly index: number }) {
  const { checklist, task_id } = yield* taskIn(asked, of)
  const item = checklist[of.index]
  if (item === undefined) return yield* Effect.fail(itemUnknown(task_id, of.index, checklist.length))
  const { receipt } = item
  if (!isShown(item.verdict) || receipt === null) return yield* Effect.fail(notProven(item.index, item.verdict))
  const { state } = yield* asked.lookup.detail(of.run)
  const found = taskOf(state, task_id)
  const place = found !== undefined && isInWorktree(state, found) ? { in_worktree: true as const } : {}
  return {
    task_id,
    index: item.index,
    item: item.item,
    evidence: item.evidence ?? "",
    receipt,
    weak: item.weak.map(({ message }) => message),
    ...place,
    ...(yield* Effect.mapError(asked.project.evidenceNow({ receipt, task_id, ...place }), logUnavailable))
  }
})

/** There is no more than whoever asks has seen. */
const nothing = (from: number, is_live = false): TextView => {
  const at = Math.max(0, from)
  return { from: at, next: at, total: at, text: "", is_live }
}

const notProven = (index: number, verdict: string) =>
  new Conflicting({
    code: "not_proven",
    detail: `Item ${index} is ${verdict}: nothing was accepted for it.`,
    hint: "Its attempts say what was claimed and why it was refused."
  })
