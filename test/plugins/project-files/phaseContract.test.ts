import { parsePhaseContract } from "@proofline/plugins/adapters/project-files"
import { placeholders } from "@proofline/plugins/policies/evidence"
import { assert, describe, expect, it } from "vitest"
import { messages } from "../../../packages/plugins/src/policies/evidence/rejections.ts"
import { told } from "./told.ts"

const read = (text: string) => parsePhaseContract(text, "phase_contract.yml", placeholders)

const messagesOf = (text: string) => {
  const { messages, problems, warnings } = read(text)
  assert.deepStrictEqual(problems, [])
  assert.deepStrictEqual(warnings, [])
  return messages
}

const problemsOf = (text: string) => {
  const { messages, problems } = read(text)
  assert.strictEqual(messages, null)
  return told(problems)
}

/** A contract with one sentence, which begins on line 4. */
const saying = (message: string, key = "checklist_evidence_line_out_of_range"): string =>
  `failures:\n  READY:\n    ${key}:\n      message: ${message}\n`

describe("a phase contract", () => {
  it("may be empty, and hold anything beside the sentences", () => {
    assert.deepStrictEqual(messagesOf(""), {})
    assert.deepStrictEqual(messagesOf("failures:\n"), {})
    assert.deepStrictEqual(messagesOf("failures: {READY: }\n"), {})
    assert.deepStrictEqual(
      messagesOf(`phases:
  - {name: READY, instruction: "Do {anything}"}
common_failures:
  summary_required: {error: x, message: "{whatever} {"}
failures:
  EXPLORATION:
    checklist_evidence_required: {message: "{nothing} here is read"}
  READY:
    unknown_task: {error: unknown_task, message: "No task {task_id}"}
    empty_tasks: 3
`),
      {}
    )
  })

  it("gives the sentences of the known keys, as entries or alone, in a fixed order", () => {
    const messages = messagesOf(`failures:
  READY:
    checklist_reason_required: "Why is '{item}' skipped?"
    checklist_evidence_line_out_of_range:
      error: payload_mismatch
      message: "Line {line} of {total}, of {total}"
      instruction: "Read {the file}"
    checklist_evidence_required:
      message: |
        No placeholder is needed.
`)
    assert.deepStrictEqual(Object.entries(messages ?? {}), [
      ["checklist_evidence_required", "No placeholder is needed."],
      ["checklist_evidence_line_out_of_range", "Line {line} of {total}, of {total}"],
      ["checklist_reason_required", "Why is '{item}' skipped?"]
    ])
  })

  it("may say exactly what is built in", () => {
    const failures = { READY: messages }
    assert.deepStrictEqual(messagesOf(JSON.stringify({ failures })), { ...messages })
  })

  it("takes braces that hold no name as text", () => {
    for (const text of ['Write {"line": {line}}, not {}', "{{ }} and } or {", "{1}", "Instead of { return null }"]) {
      assert.deepStrictEqual(messagesOf(saying(JSON.stringify(text))), { checklist_evidence_line_out_of_range: text })
    }
  })
})

describe("a placeholder that the key does not have", () => {
  it("is refused at its place, with those that are allowed", () => {
    expect(problemsOf(saying(`"Line {lines} of {total}, {item}"`))).toMatchInlineSnapshot(`
      "4:22 placeholder_unknown
        \`message\` of \`checklist_evidence_line_out_of_range\` holds "{lines}", which is no placeholder of it.
        Did you mean \`{line}\`? Allowed here: \`{line}\` and \`{total}\`.
      4:42 placeholder_unknown
        \`message\` of \`checklist_evidence_line_out_of_range\` holds "{item}", which is no placeholder of it.
        Allowed here: \`{line}\` and \`{total}\`; write other words without braces."
    `)
  })

  it.each([
    ["{Line}"],
    ["{ line }"],
    ["{line!r}"],
    ["{line:>4}"],
    ["{{line}}"],
    ["{line"],
    ["line}"],
    ["{ line of {total}"],
    ["{constructor}"],
    ["{toString}"],
    ["{$line}"]
  ])("also as %s", (text) => {
    const { messages, problems } = read(saying(JSON.stringify(`Beyond ${text}`)))
    assert.isNull(messages)
    assert.deepStrictEqual(
      problems.map(({ code, column, hint, line }) => ({ code, line, column, told: hint.includes("{line}") })),
      [{ code: "placeholder_unknown", line: 4, column: 24, told: true }]
    )
  })

  it("is told where the key has none at all", () => {
    expect(problemsOf(saying("Report all of {items}.", "checklist_items_mismatch"))).toMatchInlineSnapshot(`
      "4:30 placeholder_unknown
        \`message\` of \`checklist_items_mismatch\` holds "{items}", which is no placeholder of it.
        Write it without braces: this sentence has no placeholders."
    `)
  })
})

describe("what else is refused", () => {
  it.each([
    ["message that is no text", saying("[a, b]"), "wrong_type"],
    ["message without content", saying('"  "'), "blank_value"],
    ["message left out", "failures: {READY: {checklist_reason_required: {error: payload_mismatch}}}", "missing_key"],
    ["sentence that is a number", "failures: {READY: {checklist_reason_required: 3}}", "wrong_type"],
    ["message that never ends", saying(JSON.stringify("a".repeat(4_001))), "message_too_long"],
    ["key given twice", `${saying("a")}    checklist_evidence_line_out_of_range: b\n`, "yaml_duplicate_key"],
    ["section that is a list", "failures: []", "wrong_type"],
    ["phase that is a text", "failures: {READY: no}", "wrong_type"],
    ["file that is a list", "- a", "wrong_type"],
    ["file that is no YAML", "failures: {", "yaml_syntax"]
  ])("%s", (_, text, code) => {
    assert.deepStrictEqual(
      read(text).problems.map((problem) => problem.code),
      [code]
    )
    assert.isNull(read(text).messages)
  })

  it("all of it at once, each at its place", () => {
    expect(
      problemsOf(`failures:
  READY:
    checklist_item_pending: {message: "{itm} {item} {itm}"}
    checklist_evidence_required: {message: }
    checklist_reason_required:
      message: >
        Long text,
        {reason} on its third line
`)
    ).toMatchInlineSnapshot(`
      "3:40 placeholder_unknown
        \`message\` of \`checklist_item_pending\` holds "{itm}", which is no placeholder of it.
        Did you mean \`{item}\`? Allowed here: \`{item}\`.
      3:53 placeholder_unknown
        \`message\` of \`checklist_item_pending\` holds "{itm}", which is no placeholder of it.
        Did you mean \`{item}\`? Allowed here: \`{item}\`.
      4:35 blank_value
        \`message\` of \`checklist_evidence_required\` has no content.
        Write the sentence, or remove the entry.
      8:9 placeholder_unknown
        \`message\` of \`checklist_reason_required\` holds "{reason}", which is no placeholder of it.
        Allowed here: \`{item}\`; write other words without braces."
    `)
  })
})

describe("a key that is nearly a known one", () => {
  it.each([
    ["failure: {READY: {}}", 1, 1],
    ["failures: {Ready: {}}", 1, 12],
    ["failures:\n  READY:\n    checklist_evidence_requird: x", 3, 5]
  ])("%j is warned of, because what it says is not used", (text, line, column) => {
    const { messages, warnings } = read(text)
    assert.deepStrictEqual(messages, {})
    assert.deepStrictEqual(
      warnings.map((warning) => [warning.code, warning.line, warning.column]),
      [["unknown_key", line, column]]
    )
    assert.match(warnings[0]?.hint ?? "", /^Did you mean `/)
  })
})
