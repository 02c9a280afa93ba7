import { Effect } from "effect"
import type { Where } from "../base/paths.ts"
import { exitCodes, problemText, stop } from "../base/problems.ts"
import { logCopyDocument } from "../documents/log.ts"
import { type Copied, copyUnit, leftOut } from "../moving/copy.ts"
import { existing, isSame, open, openToRead, type Place, placeOf } from "../moving/side.ts"
import { atHome, type Unit, unitsOf } from "../moving/units.ts"
import { print, printDocument } from "../process/output.ts"
import { runsThere } from "../reading/historyIds.ts"
import { readRows } from "../reading/rows.ts"
import { count } from "../render/lines.ts"

export interface LogCopyOptions extends Where {
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** All when there are none. */
  readonly runs: ReadonlyArray<string>
  readonly json: boolean
}

/** `proofline log copy --from X --to Y [run…]`: takes runs over into another log, with their blobs and heads. */
export const logCopy = Effect.fnUntraced(function* (options: LogCopyOptions) {
  const [from, to] = [yield* placeOf(options.from, options), yield* placeOf(options.to, options)]
  if (isSame(from, to)) return yield* sameLog(from)
  yield* existing(from)
  const rows = yield* readRows(from.paths)
  const named = yield* runsThere(options.runs, rows, from.paths)
  const units = unitsOf(rows, named.length === 0 ? null : new Set(named))
  const runs = yield* Effect.scoped(copyAll(from, to, units))
  const verified = runs.filter(({ outcome }) => outcome === "copied" || outcome === "there").length
  yield* options.json
    ? printDocument(logCopyDocument, { from: from.name, to: to.name, runs, verified })
    : print(textOf(from, to, runs, verified))
  if (runs.some(({ outcome }) => outcome === "refused")) return exitCodes.integrity
  return runs.some(({ outcome }) => outcome === "left_out") ? exitCodes.unmet : exitCodes.proven
})

const copyAll = Effect.fnUntraced(function* (from: Place, to: Place, units: ReadonlyArray<Unit>) {
  if (units.length === 0) return []
  const [source, target] = [yield* openToRead(from), yield* open(to)]
  const copied = yield* Effect.forEach(units, (unit) => {
    const problem = atHome(unit, source)
    return problem === null
      ? copyUnit(source, target, unit)
      : Effect.succeed(unit.map(({ run_id }) => leftOut(run_id, problem)))
  })
  return copied.flat()
})

const textOf = (from: Place, to: Place, runs: ReadonlyArray<Copied>, verified: number): string =>
  [
    `From ${from.name} to ${to.name}:`,
    ...(runs.length === 0 ? ["  There is no run so far."] : runs.map((run) => `  ${lineOf(run)}`)),
    `${count(verified, "run")} of ${runs.length} ${verified === 1 ? "is" : "are"} there, every hash computed again.`,
    ""
  ].join("\n")

const lineOf = ({ added, blobs, blobs_missing, events, hash, moved, outcome, problem, run_id }: Copied): string => {
  if (problem !== null) return `${run_id}  ${outcome === "refused" ? "refused" : "left out"}: ${problemText(problem)}`
  if (outcome === "there") return `${run_id}  was there: ${count(events, "event")}, hash ${hash}`
  const gone = blobs_missing.length === 0 ? "" : `, ${count(blobs_missing.length, "blob")} missing in the source`
  const goes = moved ? "; it goes on there" : ""
  return `${run_id}  ${count(added, "event")} of ${events} and ${count(blobs, "blob")} copied${gone}, hash ${hash}${goes}`
}

const sameLog = ({ name }: Place) =>
  stop(exitCodes.usage, {
    code: "log_same",
    message: `--from and --to are the same log: ${name}.`,
    hint: "Name another one: a state directory, the file of a log, or the URL of a database. What is left out is the log of the project."
  })
