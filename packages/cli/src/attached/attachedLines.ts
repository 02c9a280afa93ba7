import type { KeyObject } from "node:crypto"
import type { RunReceipts } from "@proofline/kernel"
import { type NotOpened, openBy, projectIn, receiptsOf } from "@proofline/plugins/adapters/dsse"
import { Result } from "effect"

/** An envelope that was attached. */
export interface AttachedEnvelope {
  readonly line: string
  readonly receipts: RunReceipts
  /** The folder of the project in its repository, with a `/` at the end; empty: the top. */
  readonly folder: string
  /** The trusted key that signed it; null: none. */
  readonly signer: KeyObject | null
  /** Ids of the keys that are said to have signed it. */
  readonly claimed: ReadonlyArray<string>
}

/** What a line that was attached holds; or why nothing of it is believed. */
export const envelopeIn = (
  line: string,
  keys: ReadonlyArray<KeyObject>
): Result.Result<AttachedEnvelope, NotOpened> => {
  const opened = openBy(line, keys)
  if (Result.isFailure(opened)) return Result.fail(opened.failure)
  const { claimed, payload, signer } = opened.success
  const receipts = receiptsOf(opened.success)
  if (Result.isFailure(receipts)) return malformed(receipts.failure)
  // nothing is exported without one: it would claim that all is proven, and show nothing
  if (receipts.success.receipts.length === 0) return malformed("It holds not one receipt.")
  const folder = folderOf(projectIn(payload))
  return folder === null
    ? malformed("It names a project outside of the repository.")
    : Result.succeed({ line, receipts: receipts.success, folder, signer, claimed })
}

const malformed = (message: string) => Result.fail<NotOpened>({ reason: "malformed", message })

const folderOf = (project: string): string | null => {
  if (project === "") return ""
  const parts = project.split("/")
  return parts.some((part) => part === "" || part === "." || part === "..") ? null : `${project}/`
}

/**
 * Of lines that come together those that remain: of a run its latest receipts, unless the earlier ones are signed by
 * somebody who has not signed those. What is none of ours stays.
 */
export const combineLines = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const all = [...new Set(lines)].map((line) => ({ line, found: Result.getOrNull(envelopeIn(line, [])) }))
  return all
    .filter((one, i) => !all.some((other, j) => isReplaced(one.found, other.found, j < i)))
    .map(({ line }) => line)
}

/** `isFirst`: of two that say the same, the other one stays. */
const isReplaced = (one: AttachedEnvelope | null, other: AttachedEnvelope | null, isFirst: boolean): boolean => {
  if (one === null || other === null || one === other || !isSameRun(one, other)) return false
  const [before, after] = [versionOf(one), versionOf(other)]
  if (before > after || !one.claimed.every((id) => other.claimed.includes(id))) return false
  return before < after || one.claimed.length < other.claimed.length || isFirst
}

export const isSameRun = (one: AttachedEnvelope, other: AttachedEnvelope): boolean =>
  one.receipts.run_id === other.receipts.run_id && one.folder === other.folder

export const versionOf = ({ receipts }: AttachedEnvelope): number => receipts.head?.version ?? 0
