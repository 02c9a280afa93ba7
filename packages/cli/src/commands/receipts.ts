import type { KeyObject } from "node:crypto"
import { keyId, payloadType, privateKey, seal, statementOf } from "@proofline/plugins/adapters/dsse"
import { Effect, type Result } from "effect"
import { print, say } from "../output.ts"
import { fileNamed, pathsOf, placeNamed } from "../paths.ts"
import { exitCodes, type Stop, stop } from "../problems.ts"
import { count } from "../render/lines.ts"
import { writeWhole } from "../writeWhole.ts"
import { readText } from "./files.ts"
import type { RunChoice } from "./history.ts"
import { type ReadRun, readRun } from "./receiptLog.ts"

export interface ExportOptions extends RunChoice {
  readonly out?: string | undefined
  readonly key?: string | undefined
}

/** `proofline receipts export [run]`: the receipts as an in-toto statement in a DSSE envelope, signed with a key. */
export const exportReceipts = Effect.fnUntraced(function* (options: ExportOptions) {
  const key = yield* signingKey(options)
  const run = yield* readRun(options)
  if (run.broken !== null) return yield* logBroken(run.run_id, run.broken)
  const { receipts } = run.receipts
  if (receipts.length === 0) {
    return yield* stop(exitCodes.unmet, {
      code: "receipts_none",
      message: `Run ${run.run_id} has no receipt: none of its items is proven.`,
      hint: "An empty statement would look like proof; nothing was written. See `proofline show`."
    })
  }
  const envelope = seal(payloadType, statementOf(run.receipts), key)
  yield* options.out === undefined ? print(envelope) : writeWhole(placeNamed(options.out, pathsOf(options)), envelope)
  yield* say(
    `${count(receipts.length, "receipt")} of ${run.run_id}, ${key === null ? "not signed: name a key with --key or PROOFLINE_SIGNING_KEY" : `signed with the key ${keyId(key)}`}.`
  )
  return exitCodes.proven
})

/** Named with `--key`; or in the environment, as a path or, as secrets are mostly given, as the key itself. */
const signingKey = Effect.fnUntraced(function* (options: ExportOptions) {
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

/** What is to be said of a log that is not as it was written. */
export const logBroken = (run: string, { code, message, version }: NonNullable<ReadRun["broken"]>): Stop =>
  stop(exitCodes.integrity, {
    code,
    message: code === "log_changed" ? `The hash chain of ${run} is broken at version ${version}: ${message}` : message,
    hint: "Restore the log from a backup; receipts of a log that was changed prove nothing."
  })
