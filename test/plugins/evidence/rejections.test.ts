import { assert, it } from "@effect/vitest"
import { filledIn } from "@proofline/kernel"
import { messages } from "../../../packages/plugins/src/policies/evidence/rejections.ts"

it("puts fields into every template, and leaves no placeholder", () => {
  const fields = {
    item: "Add login",
    evidence: "a.py:1",
    file_path: "a.py",
    line: 9,
    total: 3,
    weakness: "It was there before.",
    why: "It is gone.",
    waived: 2,
    allowed: 1
  }
  const rendered = Object.values(messages).map((template) => filledIn(template, fields))
  for (const message of rendered) assert.notMatch(message, /\{\w+\}/)
  assert.include(rendered, "Evidence line 9 exceeds file length (3 lines). Use a valid line number within 1-3.")
})

it("takes a field as text, whatever it holds", () => {
  assert.strictEqual(filledIn("'{item}' at {line}", { item: "{line} $& $1", line: 3 }), "'{line} $& $1' at 3")
})

it("leaves a placeholder without a field, also one that every object has", () => {
  assert.strictEqual(filledIn("{item} {toString}", {}), "{item} {toString}")
})

it("has the eight keys of the contract, and those for what shows too little or does not hold any more", () => {
  assert.deepStrictEqual(Object.keys(messages), [
    "checklist_items_mismatch",
    "checklist_item_pending",
    "checklist_evidence_required",
    "checklist_evidence_format_invalid",
    "checklist_evidence_file_not_found",
    "checklist_evidence_line_out_of_range",
    "checklist_evidence_empty_impl",
    "checklist_evidence_idle",
    "checklist_evidence_refuted",
    "checklist_evidence_weak",
    "checklist_evidence_stale",
    "checklist_waived_too_many",
    "checklist_reason_required",
    "checklist_cannot_reason_required"
  ])
})
