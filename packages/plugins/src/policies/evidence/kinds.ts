import { type EvidenceFact, isLineFact, type Json, type KindReceipt } from "@proofline/kernel"
import { Result, Schema } from "effect"
import type { EvidenceKind } from "./contract.ts"
import type { Fault } from "./fault.ts"
import { maxLength } from "./reference.ts"

/** Evidence of another kind than lines. */
export interface KindCitation {
  readonly kind: EvidenceKind
  /** What is cited, without the scheme. */
  readonly reference: string
}

/** The kind that evidence is of, by its scheme; null: it is none of these, and so it has to be lines. */
export const citedKind = (kinds: ReadonlyArray<EvidenceKind>, evidence: string): KindCitation | null => {
  const at = evidence.indexOf(":")
  const reference = evidence.slice(at + 1)
  if (at === -1 || reference.trim() === "" || evidence.length > maxLength || invisible.test(evidence)) return null
  const kind = kinds.find(({ scheme }) => scheme === evidence.slice(0, at))
  return kind === undefined ? null : { kind, reference }
}

const invisible = /[\p{C}\p{Zl}\p{Zp}]/u

/** Kinds as an agent is told of them. */
export const told = (kinds: ReadonlyArray<EvidenceKind>): ReadonlyArray<string> =>
  kinds.map(({ cites, scheme }) => `\`${scheme}:<reference>\`${cites === undefined ? "" : `, ${cites}`}`)

/** The receipt of evidence of a kind that holds, or why it does not. */
export const kindReceiptOf = (
  { kind, reference }: KindCitation,
  evidence: string,
  item: string,
  found: EvidenceFact | undefined
): Result.Result<KindReceipt, Fault> => {
  const fault = (detail: string) =>
    Result.fail<Fault>({ key: "checklist_evidence_refuted", fields: { evidence }, detail })
  if (found === undefined || isLineFact(found) || found.evidence !== evidence || found.scheme !== kind.scheme) {
    return fault("Nobody looked at it.")
  }
  const { fact } = found
  const misfit = misfitOf(kind, fact)
  if (misfit !== null) return fault(`What was found does not fit the schema of ${kind.scheme}: ${misfit}`)
  const verdict = kind.judge(fact, item)
  return verdict.holds === true
    ? Result.succeed({ kind: "kind", scheme: kind.scheme, reference, fact })
    : fault(verdict.message)
}

const misfitOf = ({ schema }: EvidenceKind, fact: Json): string | null => {
  const decoded = Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })(fact)
  return Result.isSuccess(decoded)
    ? null
    : `${decoded.failure.message
        .split("\n")
        .map((line) => line.trim())
        .join(" ")}.`
}
