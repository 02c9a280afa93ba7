import { reject } from "@proofline/kernel"
import { Effect, Schema } from "effect"
import { accepted } from "../../../operations/answers.ts"
import { operation } from "../../../operations/Operation.ts"
import { type Asking, run_id, runNamed } from "../context.ts"
import { lastPage, maxEvents, pageFrom } from "../eventPage.ts"
import { lastVersion } from "../lastVersion.ts"

export const getEvents = operation({
  name: "get_events",
  level: "standard",
  subject: "project",
  title: "Get events",
  description: "Events of a run in order, a page at a time: go on with next_from. The log is never rewritten.",
  readOnly: true,
  idempotent: true,
  args: Schema.Struct({
    run_id,
    from: Schema.optionalKey(
      Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).annotate({
        description: "Version to begin with, from 1; the last page when left out."
      })
    ),
    limit: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxEvents })).annotate({
        description: "How many at most, from 1 to 200; as many as fit when left out."
      })
    )
  }),
  answer: Schema.Struct({
    run_id: Schema.String,
    events_total: Schema.Int,
    next_from: Schema.NullOr(Schema.Int),
    events: Schema.Array(Schema.Unknown)
  }),
  run: Effect.fnUntraced(function* (asking: Asking, { from, limit = maxEvents, run_id }) {
    const { log } = asking
    const run = yield* runNamed(asking, run_id)
    const version = yield* lastVersion(log, run)
    if (from === undefined) return accepted(yield* lastPage(log, run, { limit, version }))
    if (from <= version + 1) return accepted(yield* pageFrom(log, run, { first: from, limit, version }))
    return yield* reject(
      "from_out_of_range",
      `Run ${run} has ${version} events.`,
      `Name a version from 1 to ${version + 1}.`
    )
  })
})
