import { type StatsKey, statsKeys, Workers } from "@proofline/kernel"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { momentHint, momentOf } from "../../options/index.ts"
import { makeStats } from "../../policies/oversight/contract.ts"
import { Api } from "./api.ts"
import { followed } from "./followed.ts"
import { Lookup } from "./lookup.ts"
import { Project } from "./Project.ts"
import { listOf } from "./pages.ts"
import { Malformed } from "./problems.ts"
import { logUnavailable } from "./refusals.ts"
import { Events } from "./stream.ts"

export const aboutHandlers = HttpApiBuilder.group(Api, "about", (handlers) =>
  Effect.gen(function* () {
    const events = yield* Events
    const lookup = yield* Lookup
    const project = yield* Project
    const { list } = yield* Workers
    const stats = yield* makeStats
    const services = yield* Effect.context<Events>()
    return handlers.handleAll({
      about: () =>
        Effect.map(Effect.mapError(events.head, logUnavailable), (position) => ({
          name: project.name,
          version: project.version,
          root: project.root,
          can_start: project.start !== null,
          agents: project.agents,
          position
        })),
      inputs: () => Effect.map(project.inputs, (inputs) => ({ inputs })),
      approvals: () => Effect.map(lookup.approvals, (approvals) => ({ approvals })),
      workers: () => Effect.map(Effect.mapError(list, logUnavailable), (workers) => ({ workers })),
      stats: Effect.fnUntraced(function* ({ query }) {
        const by = yield* keysOf(query.by)
        const since = yield* sinceOf(query.since)
        return yield* Effect.mapError(stats({ by, since, runs: yield* lookup.runs }), logUnavailable)
      }),
      stream: (asked) => Effect.provide(followed(null, asked), services)
    })
  })
)

/** In the order in which they were asked for. */
const keysOf = (by: string | undefined) =>
  Effect.map(listOf("by", statsKeys, by), (known): ReadonlyArray<StatsKey> => {
    const named = (by ?? "").split(",").map((one) => one.trim())
    return known === undefined ? ["agent"] : [...known].toSorted((a, b) => named.indexOf(a) - named.indexOf(b))
  })

const sinceOf = (since: string | undefined) => {
  if (since === undefined || since === "") return Effect.succeed(null)
  const moment = momentOf(since)
  return moment === undefined
    ? Effect.fail(new Malformed({ code: "request_invalid", detail: "`since` is no date.", hint: momentHint }))
    : Effect.succeed(moment)
}
