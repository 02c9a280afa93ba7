import { type StatsKey, statsBy, statsKeys } from "@proofline/kernel"
import { makeStats } from "@proofline/plugins/policies/oversight"
import { Effect } from "effect"
import { momentSaid } from "../base/moment.ts"
import { pathsOf, type Where } from "../base/paths.ts"
import { brokenLogs, exitCodes, type Stop, stop } from "../base/problems.ts"
import { wordUnknown } from "../base/selection.ts"
import { statsDocument } from "../documents/stats.ts"
import { print, printDocument } from "../process/output.ts"
import { withKernel } from "../project/withKernel.ts"
import { withStorageToRead } from "../reading/readable.ts"
import { readRows } from "../reading/rows.ts"
import { statsText } from "../render/stats.ts"
import { styleFor, wantsColor } from "../render/style.ts"

export interface StatsOptions extends Where {
  readonly by?: string | undefined
  readonly since?: string | undefined
  readonly json: boolean
}

/** `proofline stats`: what agents claimed, what held, and what it cost, counted from the log. */
export const stats = Effect.fnUntraced(function* (options: StatsOptions) {
  const by = yield* keysSaid(options.by ?? "agent")
  const since = options.since === undefined ? null : yield* momentSaid("--since", options.since)
  const paths = pathsOf(options)
  const runs = yield* readRows(paths)
  const nothing = Effect.succeed(statsBy(by, [], { since, left_out: [] }))
  const found = yield* withStorageToRead(
    paths,
    nothing,
    withKernel(
      paths,
      {},
      Effect.flatMap(makeStats, (count) => count({ by, since, runs }))
    )
  )
  yield* options.json
    ? printDocument(statsDocument, found)
    : print(statsText(found, styleFor(wantsColor(process.stdout))))
  return found.left_out.some(({ code }) => brokenLogs.has(code)) ? exitCodes.integrity : exitCodes.proven
})

/** Keys in the order in which they were named, each once. */
const keysSaid = (text: string): Effect.Effect<ReadonlyArray<StatsKey>, Stop> => {
  const named = [...new Set(text.split(",").map((one) => one.trim()))]
  const unknown = named.find((one) => !(statsKeys as ReadonlyArray<string>).includes(one))
  return unknown === undefined
    ? Effect.succeed(named as ReadonlyArray<StatsKey>)
    : stop(exitCodes.usage, wordUnknown("by_unknown", "by", unknown, statsKeys))
}
