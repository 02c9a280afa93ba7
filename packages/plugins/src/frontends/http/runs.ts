import {
  checkContinuation,
  type Digest,
  Engine,
  EventLog,
  newestFirst,
  type Recorded,
  type RunId,
  type RunSummary,
  rejectConflict,
  shownRowStatus,
  toExport
} from "@proofline/kernel"
import { Effect, Schema, Stream } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { runKinds } from "../../options/index.ts"
import { answerQuestion, cancelRun, questionOf } from "../../policies/oversight/contract.ts"
import { runIn } from "../../policies/sessions/contract.ts"
import { Api } from "./api.ts"
import { followed } from "./followed.ts"
import { Lookup, maxFolded } from "./lookup.ts"
import { Project } from "./Project.ts"
import { cursorOf, listOf, readCursor, usualLimit } from "./pages.ts"
import { Conflicting, Malformed } from "./problems.ts"
import { logUnavailable, refusedInBody, refusing } from "./refusals.ts"
import { approvalOf, rowOf, runStatuses } from "./rows.ts"
import type { Events } from "./stream.ts"

/** What the handlers of runs ask. */
interface Asked {
  readonly engine: Engine["Service"]
  readonly log: EventLog["Service"]
  readonly lookup: Lookup["Service"]
  readonly project: Project["Service"]
}

export const runsHandlers = HttpApiBuilder.group(Api, "runs", (handlers) =>
  Effect.gen(function* () {
    const lookup = yield* Lookup
    const project = yield* Project
    const asked: Asked = { engine: yield* Engine, log: yield* EventLog, lookup, project }
    const services = yield* Effect.context<Digest | Engine | EventLog | Events>()
    const idOf = ({ run }: { readonly run: string }) => Effect.map(lookup.run(run), ({ run }) => run.run_id)
    return handlers.handleAll({
      list: ({ query }) => list(lookup, query),
      start: ({ payload }) =>
        project.start === null
          ? Effect.fail(startsNothing)
          : refusedInBody(refusing(Effect.map(project.start(payload), (run_id) => ({ run_id })))),
      get: ({ params }) => lookup.view(params.run),
      cancel: ({ params, payload }) => refusing(cancel(asked, params.run, payload.reason ?? "cancelled by a person")),
      resume: Effect.fnUntraced(function* ({ params, payload }) {
        const id = yield* idOf(params)
        if (project.resume === null) return yield* Effect.fail(startsNothing)
        return yield* refusedInBody(refusing(Effect.map(project.resume(id, payload), (run_id) => ({ run_id }))))
      }),
      answer: ({ params, payload }) =>
        Effect.provide(refusing(answer(lookup, params.run, payload.answer, payload)), services),
      approve: ({ params, payload }) => Effect.provide(refusing(approve(asked, params.run, payload)), services),
      verify: ({ params }) => refusing(Effect.flatMap(idOf(params), project.verify)),
      report: ({ params }) => refusing(Effect.flatMap(idOf(params), project.report)),
      receipts: ({ params }) => refusing(Effect.flatMap(idOf(params), project.receipts)),
      events: ({ params, query }) => events(asked, params.run, query),
      stream: (asked) => Effect.flatMap(idOf(asked.params), (id) => Effect.provide(followed(id, asked), services))
    })
  })
)

const cancel = Effect.fnUntraced(function* ({ engine, lookup }: Asked, named: string, reason: string) {
  const { run, runs } = yield* lookup.run(named)
  const id = run.run_id
  yield* Effect.provideService(cancelRun(id, runs, reason), Engine, engine)
  return yield* lookup.standing(id)
})

/** How a question is answered, beside the answer. */
interface How {
  readonly comment?: string
  readonly question_id?: string
}

const answer = Effect.fnUntraced(function* (lookup: Lookup["Service"], named: string, text: string, how: How) {
  const id = (yield* lookup.run(named)).run.run_id
  yield* checkContinuation(id)
  yield* answerQuestion(id, text.trim(), how.comment ?? null, { question_id: how.question_id })
  return yield* lookup.standing(id)
})

const approve = Effect.fnUntraced(function* ({ engine, lookup }: Asked, named: string, how: How) {
  const id = (yield* lookup.run(named)).run.run_id
  const question = questionOf(runIn(yield* engine.load(id)))
  if (question === null) return yield* noQuestion(id)
  const approval = approvalOf(question)
  return approval === null
    ? yield* ambiguous(question.answers)
    : yield* answer(lookup, id, approval, { question_id: question.id, ...how })
})

interface ListQuery {
  readonly cursor?: string | undefined
  readonly kind?: string | undefined
  readonly limit?: number | undefined
  readonly parent?: string | undefined
  readonly q?: string | undefined
  readonly status?: string | undefined
}

const list = Effect.fnUntraced(function* (lookup: Lookup["Service"], query: ListQuery) {
  const { cursor, kind, limit = usualLimit, parent, q, status } = query
  const after = yield* readCursor("runs", Schema.Tuple([Schema.String, Schema.String]), cursor)
  const statuses = yield* listOf("status", runStatuses, status)
  const all = yield* lookup.runs
  const kinds = yield* listOf("kind", runKinds(all), kind)
  const waiting = yield* lookup.waitingIn(all)
  const text = q?.toLowerCase() ?? ""
  const statusesOf = (run: RunSummary): ReadonlyArray<(typeof runStatuses)[number]> => {
    const waits = waiting.has(run.run_id)
    // of most runs no row is made
    const mayWait = waits || run.asked !== undefined || run.permissions !== undefined
    return mayWait && rowOf(run, null, waits).shown_as.word === "waiting"
      ? ["waiting", shownRowStatus(run)]
      : [shownRowStatus(run)]
  }
  const meant = all
    .filter(
      (run) =>
        (parent === undefined || run.parent_run_id === parent) &&
        (run.run_id.toLowerCase().includes(text) || run.name.toLowerCase().includes(text))
    )
    .map((run) => {
      const its = statusesOf(run)
      const isOfStatus = statuses === undefined || its.some((one) => statuses.has(one))
      return { run, statuses: its, isOfStatus, isOfKind: kinds === undefined || kinds.has(run.kind) }
    })
  const found = meant
    .filter(
      ({ isOfKind, isOfStatus, run }) =>
        (after === undefined || newestFirst(run, { started_at: after[0], run_id: after[1] }) > 0) &&
        isOfStatus &&
        isOfKind
    )
    .map(({ run }) => run)
  const underWay = new Set(
    found
      .slice(0, limit)
      .filter(({ kind, status }) => status === "running" && kind !== "requirements")
      .slice(0, maxFolded)
  )
  const runs = yield* Effect.forEach(
    found.slice(0, limit),
    (run) =>
      underWay.has(run)
        ? Effect.map(lookup.soon(run.run_id), (folded) => rowOf(run, folded, waiting.has(run.run_id)))
        : Effect.succeed(rowOf(run, null, waiting.has(run.run_id))),
    { concurrency: maxFolded }
  )
  const last = found.length > limit ? runs.at(-1) : undefined
  return {
    runs,
    next_cursor: last === undefined ? null : cursorOf("runs", last.started_at, last.run_id),
    facets: {
      status: countsOf(meant.flatMap(({ isOfKind, statuses }) => (isOfKind ? statuses : []))),
      kind: countsOf(meant.flatMap(({ isOfStatus, run }) => (isOfStatus ? [run.kind] : [])))
    }
  }
})

const countsOf = (values: ReadonlyArray<string>): Readonly<Record<string, number>> => {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return Object.fromEntries(counts)
}

interface EventsQuery {
  readonly cursor?: string | undefined
  readonly limit?: number | undefined
  readonly types?: string | undefined
  readonly visibility?: string | undefined
}

const events = Effect.fnUntraced(function* ({ log, lookup }: Asked, named: string, query: EventsQuery) {
  const { cursor, limit = usualLimit, types, visibility } = query
  const id = (yield* lookup.run(named)).run.run_id
  const [after] = (yield* readCursor("events", Schema.Tuple([Schema.Int]), cursor)) ?? [0]
  const typeFilter = yield* typesOf(types)
  const isWanted = (event: Recorded) =>
    (visibility !== "summary" || event.visibility === "summary") &&
    (typeFilter === undefined || typeFilter.has(event.event_type))
  const found = yield* log.read(id, after + 1).pipe(
    Stream.filter(isWanted),
    // one more, to know whether there is one
    Stream.take(limit + 1),
    Stream.runCollect,
    Effect.mapError(logUnavailable)
  )
  const events = found.slice(0, limit).map(toExport)
  const last = found.length > limit ? events.at(-1) : undefined
  return { events, next_cursor: last === undefined ? null : cursorOf("events", last.version) }
})

/** Plugins have types of their own, also those that are not here any more: any name is taken. */
const typesOf = (types: string | undefined) => {
  if (types === undefined || types.trim() === "") return Effect.succeed(undefined)
  const asked = types.split(",").map((one) => one.trim())
  return asked.every((one) => /^\w+$/.test(one))
    ? Effect.succeed(new Set(asked))
    : Effect.fail(
        new Malformed({
          code: "request_invalid",
          detail: "`types` is no list of event types separated by commas.",
          hint: "Name types such as ATTEMPT_STARTED,ATTEMPT_ENDED."
        })
      )
}

const startsNothing = new Conflicting({
  code: "start_not_possible",
  detail: "This server shows what is run elsewhere, and starts nothing.",
  hint: "Use `proofline serve`, or `proofline run` and `proofline resume` on a terminal."
})

const noQuestion = (run: RunId) =>
  Effect.fail(
    rejectConflict("no_question", `Run ${run} asks nobody anything.`, "GET …/approvals lists what waits for a person.")
  )

const ambiguous = (answers: ReadonlyArray<{ readonly answer: ReadonlyArray<string> }>) => {
  const named = answers.flatMap(({ answer }) => answer)
  return Effect.fail(
    new Conflicting({
      code: "approval_ambiguous",
      detail:
        named.length === 0
          ? "The question takes any text for an answer: none means yes for certain."
          : `It is not certain which answer means yes: ${named.join(", ")}.`,
      hint: "Give the answer itself, with POST …/answer."
    })
  )
}
