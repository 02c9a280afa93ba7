import {
  type Digest,
  Engine,
  EventLog,
  faultText,
  LogUnavailable,
  type LogVerification,
  type Rejection,
  type RunReceipts,
  rejectConflict,
  rejectUnknown
} from "@proofline/kernel"
import { layer as treeSitter } from "@proofline/plugins/adapters/tree-sitter"
import { judgeReceipts, verificationOf } from "@proofline/plugins/policies/evidence"
import { oversightLayer } from "@proofline/plugins/policies/oversight"
import type { Syntax } from "@proofline/plugins/ports"
import { Effect, Layer } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import type { Stop } from "../base/problems.ts"
import { filesOf } from "../project/filesOf.ts"
import { kindsOf } from "../project/kindsOf.ts"
import { claimOf, readLog } from "../reading/receiptLog.ts"
import { readRows } from "../reading/rows.ts"

/** What whoever looks after the project may ask of all its runs, over the kernel. */
export const projectOversight = (paths: ProjectPaths) =>
  Layer.unwrap(
    Effect.gen(function* () {
      // as `proofline verify`: receipts are read with the grammars that are shipped, not with those of plugins
      const services = yield* Effect.context<Digest | Engine | EventLog | Syntax>()
      const { check } = yield* EventLog
      return oversightLayer({
        // they are read from the file, which may be another by now
        runs: Effect.andThen(check, Effect.mapError(readRows(paths), asUnavailable)),
        verify: (run) => Effect.provide(verifyRun(run, paths), services)
      })
    })
  ).pipe(Layer.provide(treeSitter()))

/** What a run proved, as `proofline receipts export` has it; refused when its log is not as it was written. */
export const receiptsOfRun = Effect.fnUntraced(function* (
  run: string
): Effect.fn.Return<RunReceipts, LogUnavailable | Rejection, Digest | EventLog> {
  const { broken, receipts } = (yield* readLog(run)) ?? (yield* runUnknown(run))
  if (broken === null) return receipts
  return yield* rejectConflict(
    broken.code,
    faultText(run, broken),
    "Restore it from a backup; what a changed log says shows nothing."
  )
})

const runUnknown = (run: string): Rejection =>
  rejectUnknown("run_unknown", `There is no run ${run}.`, "Call list_runs for those there are.")

/** The verification of `proofline verify`, of a log that is open, against the files as they are. */
export const verifyRun = Effect.fnUntraced(function* (
  run: string,
  paths: ProjectPaths
): Effect.fn.Return<LogVerification, LogUnavailable | Rejection, Digest | Engine | EventLog | Syntax> {
  const read = (yield* readLog(run)) ?? (yield* runUnknown(run))
  const claim = claimOf(read)
  const isIntact = read.broken === null
  const kinds = kindsOf((yield* Engine).composition)
  const judged = isIntact ? yield* judgeReceipts(claim.receipts.receipts, yield* filesOf(paths.root), kinds) : []
  return verificationOf({ ...claim, ref: null, judged })
})

/** A log that cannot be read. */
export const asUnavailable = ({ problems: [problem] }: Stop): LogUnavailable =>
  new LogUnavailable({
    code: "log_corrupt",
    message: problem?.message ?? "The log cannot be read.",
    hint: problem?.hint ?? ""
  })
