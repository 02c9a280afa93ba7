import {
  type Failure,
  type LogUnavailable,
  RecordActivityFailure,
  type Rejection,
  ReportedItem,
  step,
  type TaskState,
  taskOf,
  waitsForPerson
} from "@proofline/kernel"
import { Effect, Option, Result, Schema } from "effect"
import type { Body } from "../../operations/Answer.ts"
import { findNow } from "../../operations/findNow.ts"
import { outstandingOf } from "../../operations/outstanding.ts"
import type { Asking } from "./asking.ts"
import { isBeingChecked } from "./rules/assignment.ts"
import { SubmitPhase } from "./rules/commands.ts"
import { type Looked, PhaseRejected } from "./rules/events.ts"
import { refusedAs } from "./rules/instructions.ts"
import { pathsIn } from "./rules/paths.ts"
import { phaseOf } from "./rules/phase.ts"
import type { SubmitPhaseArgs } from "./rules/requests.ts"
import { isRepeated, reportedId } from "./rules/taskReport.ts"
import { type AnyRun, runIn } from "./state.ts"

/** What has to be read from the disk before a payload can be judged. */
export const lookedAt = Effect.fnUntraced(function* (
  asking: Asking,
  request: SubmitPhaseArgs,
  payload: Body
): Effect.fn.Return<Looked, Rejection | LogUnavailable> {
  const { state } = asking
  const task = taskOf(state, reportedId(payload))
  const isAgain = task?.status === "completed" && !isRepeated(state, payload)
  const absent = yield* absentOf(asking, payload)
  const beside = task === undefined || isAgain ? [] : yield* besideFaults(asking, request, task, payload)
  return {
    absent,
    rejudged: isAgain ? yield* rejudged(asking, request, reportedId(payload)) : null,
    ...(beside.length === 0 ? {} : { beside })
  }
})

/**
 * What is wrong with the evidence of a report that is refused for something else, such as a field of another type: of the
 * items that can be read, as if the others had been left out. Whoever sends it is told everything at once.
 */
const besideFaults = Effect.fnUntraced(function* (
  asking: Asking,
  request: SubmitPhaseArgs,
  task: TaskState,
  payload: Body
): Effect.fn.Return<ReadonlyArray<Failure>, LogUnavailable> {
  const { engine, ref } = asking
  const sent = listIn(payload["checklist"])
  if (task.spec.checklist.length === 0 || !Array.isArray(sent)) return []
  const handedIn = Effect.flatMap(engine.load(ref.run), (before) =>
    Effect.fromResult(step(engine.composition, before, SubmitPhase({ ...request, looked: null })))
  )
  const tried = yield* Effect.option(handedIn)
  if (Option.isNone(tried) || tried.value.events.every(({ type }) => type !== PhaseRejected.name)) return []
  const readable = new Map(
    sent.flatMap((one: unknown) => {
      const item = decodeItem(one)
      return Option.isSome(item) ? [[item.value.item, item.value] as const] : []
    })
  )
  const left = { status: "skipped", reason: "It cannot be read as it was reported." }
  const checklist = task.spec.checklist.map(({ item }) => ({ ...(readable.get(item) ?? { item, ...left }) }))
  const repaired = { task_id: task.spec.id, summary: "", checklist }
  const found = yield* rejudged(asking, { ...request, payload: repaired as never, isReport: true }, task.spec.id).pipe(
    Effect.catchTag("Rejection", () => Effect.succeed<ReadonlyArray<Failure>>([]))
  )
  return found.filter(({ item, key }) => key.startsWith("checklist_evidence") && readable.has(item ?? ""))
})

const decodeItem = Schema.decodeUnknownOption(ReportedItem)

/** Files that are said to have been looked at are counted up to here; nobody reads more. */
const maxFiles = 500

/** Of the files that a payload says were looked at, those that are not there. */
const absentOf = Effect.fnUntraced(function* ({ projectFiles, state }: Asking, payload: Body) {
  const { phases } = state.sessions
  const current = phases === null ? undefined : phaseOf(phases, phases.phase)
  if (phases === null || current === undefined) return []
  const names = [phases.phase, ...current.also]
  const fields = new Set(names.flatMap((name) => phaseOf(phases, name)?.explores ?? []))
  const paths = [...fields].flatMap((field) => pathsIn(listIn(payload[field]), state.run.root))
  return yield* Effect.filter(
    [...new Set(paths)].slice(0, maxFiles),
    (path) => Effect.map(projectFiles.resolveTarget(path === "" ? "." : path), ({ kind }) => kind === "missing"),
    { concurrency: 8 }
  )
})

/** Some clients send a list as a text of JSON. */
const listIn = (value: unknown): unknown => {
  if (typeof value !== "string" || !value.trimStart().startsWith("[")) return value
  const read = Result.try((): unknown => JSON.parse(value))
  return Result.isSuccess(read) ? read.success : value
}

/**
 * What is wrong with the report of a task that is done already: the rules and the look at the disk that it would meet,
 * with nothing of it recorded. Empty: it holds, and may take the place of the one before.
 */
const rejudged = Effect.fnUntraced(function* (
  { engine, ref }: Asking,
  request: SubmitPhaseArgs,
  id: string
): Effect.fn.Return<ReadonlyArray<Failure>, Rejection | LogUnavailable> {
  const { composition } = engine
  const before = yield* engine.load(ref.run)
  const handedIn = step(composition, before, SubmitPhase({ ...request, looked: { absent: [], rejudged: [] } }))
  // what speaks against it without a look is found again when it is decided
  if (Result.isFailure(handedIn)) return []
  const state = runIn(handedIn.success.after)
  const task = taskOf(state, id)
  const next = task === undefined || !isBeingChecked(task) ? null : outstandingOf(state, task)
  if (next === null) return []
  const found = yield* findNow(engine, next, {
    run: ref.run,
    task_id: id,
    after: handedIn.success.after,
    refused: notJudged(state, "It asked for more than a look.")
  })
  if (found === null || found._tag === RecordActivityFailure.name) {
    return yield* notJudged(state, found === null ? "Nothing was found." : String(found["message"]))
  }
  const { after } = yield* Effect.fromResult(step(composition, handedIn.success.after, found))
  const looked = taskOf(runIn(after), id)
  if (looked?.status === "completed") return []
  if (looked !== undefined && waitsForPerson(looked)) return [shownAlready(looked)]
  const failures = looked?.current?.failures ?? []
  return failures.length > 0
    ? failures
    : yield* notJudged(state, looked?.refused?.error?.message ?? "Nothing was found.")
})

/** What was shown once can be done. */
const shownAlready = ({ spec }: TaskState): Failure => ({
  key: "already_completed",
  item: null,
  fields: { task_id: spec.id },
  message: `Task '${spec.id}' is completed already, so every item of it can be done: what was accepted stands. Report it again only with better evidence.`
})

const notJudged = (state: AnyRun, why: string): Rejection => refusedAs(state, "report_not_judged__again", { why })
