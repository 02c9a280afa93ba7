import type { KeyObject } from "node:crypto"
import type { RunReceipts } from "@proofline/kernel"
import { keyId, privateKey } from "@proofline/plugins/adapters/dsse"
import { Effect, type Result } from "effect"
import { fileNamed, pathsOf } from "../base/paths.ts"
import { exitCodes, type Stop, stop } from "../base/problems.ts"
import { readText } from "../project/files.ts"
import { count } from "../render/lines.ts"
import { type ReadRun, readRun } from "./receiptLog.ts"
import type { RunChoice } from "./withRun.ts"

export interface SigningOptions extends RunChoice {
  readonly key?: string | undefined
}

/** The receipts of a run that has some, and the key to sign them with; null: there is none. */
export const provenReceipts = Effect.fnUntraced(function* (options: SigningOptions) {
  const key = yield* signingKey(options)
  const run = yield* readRun(options)
  if (run.broken !== null) return yield* logBroken(run.run_id, run.broken)
  if (run.redacted) return yield* runRedacted(run)
  if (run.receipts.receipts.length > 0) return { key, receipts: run.receipts }
  return yield* stop(exitCodes.unmet, {
    code: "receipts_none",
    message: `Run ${run.run_id} has no receipt: none of its items is proven.`,
    hint: "An empty statement would look like proof; nothing was written. See `proofline show`."
  })
})

/** How many there are, and whether they are signed; without a full stop. */
export const receiptsText = ({ receipts, run_id }: RunReceipts, key: KeyObject | null): string =>
  `${count(receipts.length, "receipt")} of ${run_id}, ${key === null ? "not signed: name a key with --key or PROOFLINE_SIGNING_KEY" : `signed with the key ${keyId(key)}`}`

/** Named with `--key`; or in the environment, as a path or, as secrets are mostly given, as the key itself. */
const signingKey = Effect.fnUntraced(function* (options: SigningOptions) {
  const named = (file: string) => readKey(fileNamed(file, pathsOf(options)).file, privateKey, makeKey)
  if (options.key !== undefined) return yield* named(options.key)
  const secret = process.env["PROOFLINE_SIGNING_KEY"] ?? ""
  if (secret === "") return null
  // what has the look of a key, a damaged one too, is not taken for a path and shown
  if (!/[\r\n]|-----/.test(secret)) return yield* named(secret)
  return yield* Effect.mapError(Effect.fromResult(privateKey(secret)), (message) =>
    stop(exitCodes.usage, { code: "key_unusable", message: `PROOFLINE_SIGNING_KEY: ${message}`, hint: makeKey })
  )
})

const makeKey = "Make one with `openssl genpkey -algorithm ed25519 -out key.pem`."

/** A key from a PEM file, or a clear refusal. */
export const readKey = Effect.fnUntraced(function* (
  file: string,
  parse: (pem: string) => Result.Result<KeyObject, string>,
  hint: string
) {
  const pem = yield* readText(file, file)
  return yield* Effect.mapError(Effect.fromResult(parse(pem)), (message) =>
    stop(exitCodes.usage, { code: "key_unusable", message, file, hint })
  )
})

/** What is to be said of a run whose texts are pseudonyms, where it could be taken for proof. */
export const runRedacted = ({ events, run_id }: Pick<ReadRun, "events" | "run_id">): Stop =>
  stop(exitCodes.unmet, {
    code: "run_redacted",
    kind: "conflict",
    message: `Run ${run_id} is redacted: its hash chain is intact over ${count(events, "event")}, and its evidence consists of pseudonyms, which prove nothing of any files.`,
    hint: "Verify the run it was made of. Who has that and the key can compare both: `proofline verify FILE --redaction-key KEY`."
  })

/** What is to be said of a log that is not as it was written. */
export const logBroken = (run: string, { code, message, version }: NonNullable<ReadRun["broken"]>): Stop =>
  stop(exitCodes.integrity, {
    code,
    message: code === "log_changed" ? `The hash chain of ${run} is broken at version ${version}: ${message}` : message,
    hint: "Restore the log from a backup; receipts of a log that was changed prove nothing."
  })
