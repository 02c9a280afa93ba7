import { filledIn, staleMessage } from "@proofline/kernel"

/** Why a report is refused. Keys, placeholders and sentences are a contract with agents and with project files. */
export const messages = {
  checklist_items_mismatch:
    "Reported checklist items don't match registered items. Include all items from the original checklist.",
  checklist_item_pending:
    "Checklist item '{item}' is still pending. Set status to 'done' (with evidence) or 'skipped' (with reason).",
  checklist_evidence_required:
    "Checklist item '{item}' with status 'done' requires evidence. Format: 'file.py:42' or 'file.py:42-58'.",
  checklist_evidence_format_invalid:
    "Evidence '{evidence}' has invalid format. Required format: <file_path>:<line> or <file_path>:<start>-<end>. Examples: 'auth.py:42', 'src/auth.py:42-58'.",
  checklist_evidence_file_not_found:
    "Evidence file not found: {file_path}. Verify the file path is correct and the file exists.",
  checklist_evidence_line_out_of_range:
    "Evidence line {line} exceeds file length ({total} lines). Use a valid line number within 1-{total}.",
  checklist_evidence_empty_impl:
    "Empty implementation detected at '{evidence}'. Contains only pass/TODO/NotImplementedError. Add actual implementation code.",
  checklist_evidence_idle: "Evidence '{evidence}' does nothing for the item. Cite what does the work.",
  checklist_evidence_refuted: "Evidence '{evidence}' does not hold.",
  checklist_evidence_weak: "Evidence '{evidence}' shows too little: {weakness}",
  checklist_evidence_stale: staleMessage,
  checklist_waived_too_many:
    "{waived} of {total} items are skipped; at most {allowed} may be, unless a person allows more (`max_waived`).",
  checklist_reason_required:
    "Checklist item '{item}' with status 'skipped' requires reason (min 10 chars). Explain why this item is not needed.",
  checklist_cannot_reason_required:
    "Checklist item '{item}' with status 'cannot' requires reason (min 10 chars). Say what stands in the way: a contradiction between two requirements, something that is missing."
} as const

export type RejectionKey = keyof typeof messages

/**
 * Sentences that say more than those above. A run records them when it begins, like those of the project, so logs of before
 * are told in the words of then.
 */
export const currentMessages: Readonly<Partial<Record<RejectionKey, string>>> = {
  checklist_evidence_refuted: `${messages.checklist_evidence_refuted} Cite what shows the item now, or finish it first.`,
  checklist_waived_too_many: `${messages.checklist_waived_too_many} Do the others, or report what cannot be done as 'cannot': a person is asked then.`
}

/** What a sentence may hold in braces, by key: exactly the fields that every failure of the key has. */
export const placeholders: Readonly<Record<RejectionKey, ReadonlyArray<string>>> = {
  checklist_items_mismatch: [],
  checklist_item_pending: ["item"],
  checklist_evidence_required: ["item"],
  checklist_evidence_format_invalid: ["evidence"],
  checklist_evidence_file_not_found: ["file_path"],
  checklist_evidence_line_out_of_range: ["line", "total"],
  checklist_evidence_empty_impl: ["evidence"],
  checklist_evidence_idle: ["evidence"],
  checklist_evidence_refuted: ["evidence"],
  checklist_evidence_weak: ["evidence", "weakness"],
  checklist_evidence_stale: ["evidence", "why"],
  checklist_waived_too_many: ["waived", "total", "allowed"],
  checklist_reason_required: ["item"],
  checklist_cannot_reason_required: ["item"]
}

/** A project's own sentences, by key; for a key left out the built-in one is taken. */
export type Templates = Readonly<Record<string, string>>

export type Fields = Readonly<Record<string, string | number>>

/** Why evidence does not hold. `detail` says more in words; empty: there is nothing more to say. */
export interface Fault {
  readonly key: RejectionKey
  readonly fields: Fields
  readonly detail: string
}

/** What is said of a failure. */
export const sentence = (templates: Templates, key: RejectionKey, fields: Fields): string =>
  filledIn((Object.hasOwn(templates, key) ? templates[key] : undefined) ?? messages[key], fields)
