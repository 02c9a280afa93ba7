import { type EvidenceFact, isLineFact, type LineReceipt } from "@proofline/kernel"
import { Result } from "effect"
import type { FileRefused } from "../../port/index.ts"
import type { EvidenceKind } from "./contract.ts"
import { citedKind, kindReceiptOf } from "./kinds.ts"
import { toShowHidden } from "./reasons.ts"
import { parse } from "./reference.ts"
import { type Fault, type Fields, type RejectionKey, sentence, type Templates } from "./rejections.ts"

/** The receipt of lines that hold, or why they do not. `item` is what they are cited for; no fact: nobody looked. */
export const receiptOf = (
  evidence: string,
  item: string,
  fact: EvidenceFact | undefined
): Result.Result<LineReceipt, Fault> => {
  const fault = (key: RejectionKey, fields: Fields, detail = "") => Result.fail({ key, fields, detail })
  if (evidence.trim() === "") return fault("checklist_evidence_required", { item })
  const reference = parse(evidence)
  if (Result.isFailure(reference)) return fault("checklist_evidence_format_invalid", { evidence }, reference.failure)
  const { end, path, start } = reference.success
  const notFound = (detail: string) => fault("checklist_evidence_file_not_found", { file_path: path }, detail)
  if (fact === undefined || !isLineFact(fact) || fact.evidence !== evidence) return notFound("Nobody looked at it.")
  switch (fact.outcome) {
    case "ok": {
      const { receipt } = fact
      return receipt === null || receipt.path !== path || receipt.start !== start || receipt.end !== end
        ? notFound("What was read is not what is cited.")
        : Result.succeed(receipt)
    }
    case "format_invalid":
      return fault("checklist_evidence_format_invalid", { evidence }, fact.detail)
    case "file_not_found":
      return notFound(fact.detail)
    case "out_of_range": {
      const total = fact.total ?? 0
      return fault("checklist_evidence_line_out_of_range", { line: start > total ? start : end, total }, fact.detail)
    }
    case "empty":
      return fault(emptyKey(fact), { evidence }, fact.detail)
  }
}

/** With which key what is empty is refused: it is a stub, or it is none and does nothing. */
export const emptyKey = ({ idle }: { readonly idle?: true }) =>
  idle === true ? "checklist_evidence_idle" : "checklist_evidence_empty_impl"

/** Both of them. */
export const emptyKeys: ReadonlySet<string> = new Set([emptyKey({}), emptyKey({ idle: true })])

/** What is said of a file that could not be read, beside that it was not found: the sentence of the key has that already. */
export const whyUnread = ({ detail = "", message, reason }: FileRefused): string =>
  reason === "not_found" ? detail : message

/** Words for lines that hold neither a stub nor anything else that could be one: they come before a sentence about stubs. */
export const isNoStub = (detail: string): boolean =>
  /^The lines hold only (?:comments|imports|brackets|blank lines|headings|closing tags|rules)\b/.test(detail)

/** The verdict on one piece of evidence outside of a run. */
export interface EvidenceVerdict {
  readonly evidence: string
  readonly ok: boolean
  /** Failure key; null: it holds. */
  readonly key: RejectionKey | null
  /** The sentence of that key with its placeholders filled; null: it holds. */
  readonly message: string | null
  /** What the sentence leaves open, in words; null: nothing. */
  readonly reason: string | null
  /** Name of the declaration around the lines; null where there is none or none is known. */
  readonly declaration: string | null
}

/** Judges one piece of evidence as a run does; `item` stands for the checklist item, which there is none of here. */
export const judgeEvidence = (
  evidence: string,
  item: string,
  fact: EvidenceFact | undefined,
  templates: Templates,
  kinds: ReadonlyArray<EvidenceKind> = []
): EvidenceVerdict => {
  const cited = citedKind(kinds, evidence)
  const declaration = fact !== undefined && isLineFact(fact) ? fact.declaration : null
  const shown: Result.Result<unknown, Fault> =
    cited === null ? receiptOf(evidence, item, fact) : kindReceiptOf(cited, evidence, item, fact)
  const hidden = fact !== undefined && isLineFact(fact) ? fact.hidden : undefined
  if (Result.isSuccess(shown) && hidden !== undefined) {
    const key = "checklist_evidence_weak"
    const fields = { evidence, weakness: `${hidden} ${toShowHidden}`, reasons: "hidden" }
    return { evidence, ok: false, key, message: sentence(templates, key, fields), reason: null, declaration }
  }
  return Result.match(shown, {
    onSuccess: () => ({ evidence, ok: true, key: null, message: null, reason: null, declaration }),
    onFailure: ({ detail, fields, key }) => ({
      evidence,
      ok: false,
      key,
      message: sentence(templates, key, fields),
      reason: detail === "" ? null : detail,
      declaration
    })
  })
}
