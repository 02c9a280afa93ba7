import { type EvidenceFact, isLineFact, type Json, type KindReceipt } from "@proofline/kernel"
import { Result, Schema } from "effect"
import { Evidence, type EvidenceKind, type KindFailure, type KindVerdict } from "./contract.ts"
import { maxLength } from "./reference.ts"
import type { Fault, Fields } from "./rejections.ts"

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
  if (kind === undefined || (kind.by === Evidence.name && lineNumbers.test(reference))) return null
  return { kind, reference }
}

/** `file:3` has always been the third line of a file of that name. */
const lineNumbers = /^[1-9]\d*(?:-[1-9]\d*)?$/

const invisible = /[\p{C}\p{Zl}\p{Zp}]/u

/** Kinds as an agent is told of them. */
export const told = (kinds: ReadonlyArray<EvidenceKind>): ReadonlyArray<string> =>
  kinds.map(
    ({ cites, path, scheme }) =>
      `\`${scheme}:<${path === undefined ? "reference" : "path"}>\`${cites === undefined ? "" : `, ${cites}`}`
  )

/** What evidence of a kind shows where it holds. */
export interface KindShown {
  readonly receipt: KindReceipt
  readonly verdict: Extract<KindVerdict, { readonly holds: true }>
}

/** The receipt of evidence of a kind that holds, or why it does not. */
export const kindReceiptOf = (
  { kind, reference }: KindCitation,
  evidence: string,
  item: string,
  found: EvidenceFact | undefined
): Result.Result<KindShown, Fault> => {
  const fault = (detail: string, key: KindFailure = "checklist_evidence_refuted") =>
    Result.fail<Fault>({ key, fields: fieldsOf[key](evidence, kind.path?.(reference) ?? reference), detail })
  if (found === undefined || isLineFact(found) || found.evidence !== evidence || found.scheme !== kind.scheme) {
    return fault("Nobody looked at it.")
  }
  const { fact } = found
  const misfit = misfitOf(kind, fact)
  if (misfit !== null) return fault(`What was found does not fit the schema of ${kind.scheme}: ${misfit}`)
  const verdict = kind.judge(fact, item)
  return verdict.holds === true
    ? Result.succeed({ receipt: { kind: "kind", scheme: kind.scheme, reference, fact }, verdict })
    : fault(verdict.message, verdict.key)
}

const byEvidence = (evidence: string): Fields => ({ evidence })

/** What the sentence of a key leaves open. */
const fieldsOf: Readonly<Record<KindFailure, (evidence: string, path: string) => Fields>> = {
  checklist_evidence_refuted: byEvidence,
  checklist_evidence_format_invalid: byEvidence,
  checklist_evidence_empty_impl: byEvidence,
  checklist_evidence_idle: byEvidence,
  checklist_evidence_file_not_found: (_, path) => ({ file_path: path })
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
