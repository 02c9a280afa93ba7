import { existsSync, readFileSync } from "node:fs"
import { payloadType, seal, statementOf } from "@proofline/plugins/adapters/dsse"
import { Effect } from "effect"
import { pathsOf, placeNamed } from "../base/paths.ts"
import { exitCodes } from "../base/problems.ts"
import { noFile, writeWhole } from "../base/writeWhole.ts"
import { newFile } from "../moving/archiveFile.ts"
import { print, say } from "../process/output.ts"
import { provenReceipts, receiptsText, type SigningOptions } from "../reading/provenReceipts.ts"

export interface ExportOptions extends SigningOptions {
  readonly out?: string | undefined
}

/** `proofline receipts export [run]`: the receipts as an in-toto statement in a DSSE envelope, signed with a key. */
export const exportReceipts = Effect.fnUntraced(function* (options: ExportOptions) {
  const { key, receipts } = yield* provenReceipts(options)
  const envelope = seal(payloadType, statementOf(receipts), key)
  if (options.out === undefined) yield* print(envelope)
  else {
    const file = placeNamed(options.out, pathsOf(options))
    if (!isReplaceable(file)) yield* newFile(file, "--out")
    yield* writeWhole(file, envelope)
  }
  yield* say(`${receiptsText(receipts, key)}.`)
  return exitCodes.proven
})

/** Nothing is there, or receipts that were exported before. */
const isReplaceable = (file: string): boolean => {
  // of what is no file writing says so
  if (!existsSync(file) || noFile(file) !== null) return true
  try {
    return JSON.parse(readFileSync(file, "utf8")).payloadType === payloadType
  } catch {
    return false
  }
}
