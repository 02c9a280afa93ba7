import { readFileSync } from "node:fs"
import { mergeContract, parsePhaseContract } from "@proofline/plugins/adapters/project-files"
import { placeholders } from "@proofline/plugins/policies/evidence"
import type { Phase, PhaseContract } from "@proofline/plugins/policies/sessions"
import { assert, describe, it } from "vitest"
import { contractOf, readContract, shipped, template } from "./contracts.ts"
import { told } from "./told.ts"

const bases = shipped()
const base = bases["default"] as PhaseContract

const shippedPhase = (name: string): Phase => base.phases[name] ?? assert.fail(name)

/** The changes to the contract as the description of the checklists prints them. */
const plan = `READY_PLAN:
  expected_payload:
    tasks: list[{id, description, status, checklist: list[{item, status}]}]
    # Added checklist
  instruction: >-
    If .code-intel/task_planning.md exists, read it and create a task list following the guidelines.
    Each task MUST include a checklist of specific implementation items.
    Submit via submit_phase.
`
const implement = `READY_IMPL:
  expected_payload:
    task_id: str
    checklist: list[{item, status, evidence?, reason?}]
    # Added checklist report
  instruction: >-
    Run check_write_target before modifying files.
    After implementation, report task completion with checklist status:
    - For each checklist item, set status to "done" or "skipped"
    - "done" requires evidence in strict format: <file_path>:<line> or <file_path>:<start>-<end>
      Examples: "auth.py:42", "src/services/auth.py:42-58"
      Invalid: "auth.py line 42", "line 42 in auth.py"
    - "skipped" requires reason (min 10 characters explaining why not needed)
    Submit via complete_task(task_id, data={summary, checklist}).
`
const failures = `failures:
  READY:
    checklist_items_mismatch:
      error: payload_mismatch
      message: "Reported checklist items don't match registered items. Include all items from the original checklist."
    checklist_item_pending:
      error: payload_mismatch
      message: "Checklist item '{item}' is still pending. Set status to 'done' (with evidence) or 'skipped' (with reason)."
    checklist_evidence_required:
      error: payload_mismatch
      message: "Checklist item '{item}' with status 'done' requires evidence. Format: 'file.py:42' or 'file.py:42-58'."
    checklist_evidence_format_invalid:
      error: payload_mismatch
      message: "Evidence '{evidence}' has invalid format. Required format: <file_path>:<line> or <file_path>:<start>-<end>. Examples: 'auth.py:42', 'src/auth.py:42-58'."
    checklist_evidence_file_not_found:
      error: payload_mismatch
      message: "Evidence file not found: {file_path}. Verify the file path is correct and the file exists."
    checklist_evidence_line_out_of_range:
      error: payload_mismatch
      message: "Evidence line {line} exceeds file length ({total} lines). Use a valid line number within 1-{total}."
    checklist_evidence_empty_impl:
      error: payload_mismatch
      message: "Empty implementation detected at '{evidence}'. Contains only pass/TODO/NotImplementedError. Add actual implementation code."
    checklist_reason_required:
      error: payload_mismatch
      message: "Checklist item '{item}' with status 'skipped' requires reason (min 10 chars). Explain why this item is not needed."
`

const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, "  ")

const tasksNotation = "list[{id, description, status, checklist: list[{item, status}]}]"
const checklistNotation = "list[{item, status, evidence?, reason?}]"

/** A contract with one phase, whose payload is these lines. */
const expecting = (lines: string): string =>
  `extends: none
start: A
phases:
  A:
    expected_payload:
${lines.replaceAll(/^(?=.)/gm, "      ")}
    instruction: Do it.
    next: Z
  Z: {kind: end}
`

const payloadOf = (lines: string) => contractOf(expecting(lines)).phases["A"]?.expected_payload

describe("given the contract as the checklists describe it", () => {
  const below = contractOf(`phases:\n${indented(plan)}${indented(implement)}${failures}`, bases)

  it("when it is read, its phases change what they name of the shipped ones and nothing else", () => {
    const { READY_IMPL, READY_PLAN, ...others } = below.phases
    const { READY_IMPL: impl, READY_PLAN: _, ...same } = base.phases
    assert.deepStrictEqual(others, same)
    assert.deepStrictEqual(READY_PLAN, {
      ...shippedPhase("READY_PLAN"),
      expected_payload: { tasks: tasksNotation },
      instruction:
        "If .code-intel/task_planning.md exists, read it and create a task list following the guidelines. Each task MUST include a checklist of specific implementation items. Submit via submit_phase."
    })
    assert.deepStrictEqual(READY_IMPL?.expected_payload, { task_id: "str", checklist: checklistNotation })
    assert.match(READY_IMPL?.instruction ?? "", /^Run check_write_target .*\{summary, checklist\}\)\.$/s)
    assert.deepStrictEqual({ ...READY_IMPL, instruction: "" }, { ...impl, instruction: "" })
    assert.deepStrictEqual(below.start, base.start)
    assert.deepStrictEqual(below.failures, base.failures)
  })

  it("when its phases stand at the top of the file, as printed, it says the same", () => {
    assert.deepStrictEqual(contractOf(plan + implement + failures, bases), below)
  })

  it("when only its sentences are asked for, they are found beside payloads without quotes", () => {
    const { messages, problems, warnings } = parsePhaseContract(plan + implement + failures, "f.yml", placeholders)
    assert.strictEqual(told([...problems, ...warnings]), "")
    assert.strictEqual(Object.keys(messages ?? {}).length, 8)
  })

  it("when the whole file has Windows line ends and a byte order mark, it says the same", () => {
    const text = `\uFEFF${plan}${implement}${failures}`.replaceAll("\n", "\r\n")
    assert.deepStrictEqual(contractOf(text, bases), below)
  })
})

describe("given a payload", () => {
  it.each([
    ["a: list[{b: c|d, e?}]", { a: "list[{b: c|d, e?}]" }],
    ["a: list[{b: str}]   # a comment: [", { a: "list[{b: str}]" }],
    ["# first\n\na: str\n\n  # between: {\nb: int", { a: "str", b: "int" }],
    ["a: {b, c?: str}", { a: "{b, c?: str}" }],
    ["a: \"x\"|'y: z'", { a: "\"x\"|'y: z'" }],
    ["a: \"list[{b: str}]\"\nb: 'x|y'", { a: "list[{b: str}]", b: "x|y" }],
    ["a: |\n  list[{b: str,\n    c}]", { a: "list[{b: str, c}]" }],
    ["a: list[{b: str,   # why\n    c: int}]\nd: str", { a: "list[{b: str, c: int}]", d: "str" }],
    ["a:\n  b: list[{c: d|e}]\n  f?:\n  g: {h: str}", { a: "{b: list[{c: d|e}], f?, g: {h: str}}" }],
    ["a:\nb?:", { a: "any", "b?": "any" }],
    ["'a?': str\n\"b\": {c: d|e}", { "a?": "str", b: "{c: d|e}" }],
    ["a: str?", { a: "str?" }],
    ["a: list[str]|{b: str}", { a: "list[str]|{b: str}" }]
  ])("when it is written as %j, it is understood", (lines, expected) => {
    assert.deepStrictEqual(payloadOf(lines), expected)
  })

  it.each([
    ["{a: list[{b: c|d, e?}], f?: str}", { a: "list[{b: c|d, e?}]", "f?": "str" }],
    ["{a, b?}", { a: "any", "b?": "any" }],
    ["{a: {b: str, c}, \"d\": 'x|y'}", { a: "{b: str, c}", d: "x|y" }],
    ["{a: list[{b: str}],\n      c: str}", { a: "list[{b: str}]", c: "str" }],
    ["{}", {}]
  ])("when it is written in braces as %j, it is understood", (braces, expected) => {
    const text = expecting("").replace("expected_payload:\n", `expected_payload: ${braces}\n`)
    assert.deepStrictEqual(contractOf(text).phases["A"]?.expected_payload, expected)
    const inBraces = `extends: none\nstart: A\nphases: {A: {expected_payload: ${braces}, instruction: x, next: Z}, Z: {kind: end}}`
    assert.deepStrictEqual(contractOf(inBraces).phases["A"]?.expected_payload, expected)
  })

  it("when it is shared by an alias, every phase has it", () => {
    const text = `extends: none
start: A
phases:
  A:
    expected_payload: &same
      a: list[{b: str}]
    instruction: x
    next: B
  B: {expected_payload: *same, instruction: x, next: Z}
  Z: {kind: end}
`
    assert.deepStrictEqual(contractOf(text).phases["B"]?.expected_payload, { a: "list[{b: str}]" })
  })

  it.each([["|"], [">-"], [""], ['"'], ["'"]])(
    "when only a text in the style %j speaks of one, the text stays as it is",
    (style) => {
      const quote = style === "'" || style === '"' ? style : ""
      const opened = quote === "" ? style : quote
      const lines = ["Hand in", "expected_payload:", "  a: list[{b}] and", `so on${quote}`]
      const isRead = style === "" ? lines.map((line) => line.replace(":", "")) : lines
      const text = expecting("a: list[{b: str}]").replace(
        "Do it.",
        `${opened}\n${isRead.map((line) => `        ${line}`).join("\n")}`
      )
      assert.match(contractOf(text).phases["A"]?.instruction ?? "", /list\[\{b\}\] and\s*so on$/)
    }
  )
})

describe("given a file that extends a contract", () => {
  it.each([[""], ["# nothing\n"], ["{}"], ["phases:\n"], ["failures: {READY: }"]])(
    "when it says nothing, as %j, the contract stays as it is",
    (text) => {
      assert.deepStrictEqual(contractOf(text, bases), base)
      assert.deepStrictEqual(readContract(text, bases).contract, { base: "default", phases: {} })
    }
  )

  it("when it adds a phase with a way to it, the others keep their place", () => {
    const text = `phases:
  READY_PLAN:
    next: PLAN_REVIEW
  PLAN_REVIEW:
    kind: person
    expected_payload:
      answer: continue|stop
    instruction: Show the plan to a person.
    transitions:
      - {to: READY_IMPL, when: {payload: {answer: continue}}}
      - STOPPED
limits: {task_failures: 5}
`
    const merged = contractOf(text, bases)
    assert.deepStrictEqual(Object.keys(merged.phases), [...Object.keys(base.phases), "PLAN_REVIEW"])
    assert.deepStrictEqual(merged.phases["READY_PLAN"], {
      ...shippedPhase("READY_PLAN"),
      transitions: [{ to: "PLAN_REVIEW" }]
    })
    assert.deepStrictEqual(merged.phases["PLAN_REVIEW"]?.transitions, [
      { to: "READY_IMPL", when: { payload: { answer: "continue" } } },
      { to: "STOPPED" }
    ])
    assert.deepStrictEqual(merged.limits, { task_failures: 5 })
    const { contract } = readContract(text, bases)
    assert(contract !== null)
    assert.deepStrictEqual(mergeContract(base, contract), merged)
  })

  it("when it begins later, the phases before it may be left unused", () => {
    assert.deepStrictEqual(contractOf("start: READY_PLAN", bases), { ...base, start: [{ to: "READY_PLAN" }] })
  })

  it("when it takes a field away, what was demanded of the field goes with it", () => {
    const merged = contractOf("phases: {EXPLORATION: {expected_payload: {explored_files: list}}}", bases)
    assert.deepStrictEqual(merged.phases["EXPLORATION"]?.not_empty, ["explored_files"])
    assert.deepStrictEqual(merged.phases["EXPLORATION"]?.explores, ["explored_files"])
  })

  it("when it words failures, the other sentences stay, and common ones may stand in a section of their own", () => {
    const text = `failures:
  READY:
    checklist_reason_required: "Why skip '{item}'?"
    review_missing: {error: review_missing, message: "Ask {anybody}.", instruction: x, requires_user_intervention: true}
common_failures:
  unknown_task: No such task.
`
    const merged = contractOf(text, bases)
    const { READY = {}, common = {} } = base.failures
    assert.deepStrictEqual(merged.failures, {
      READY: {
        ...READY,
        checklist_reason_required: { error: "payload_mismatch", message: "Why skip '{item}'?" },
        review_missing: { error: "review_missing", message: "Ask {anybody}." }
      },
      common: { ...common, unknown_task: { error: "payload_mismatch", message: "No such task." } }
    })
  })

  it("when it words instructions, the other sentences stay", () => {
    const merged = contractOf('instructions: {work: "{task} {finish}", tasks_left: Go on.}', bases)
    const words = { work: "{task} {finish}", tasks_left: "Go on." }
    assert.deepStrictEqual(merged, { ...base, instructions: { ...base.instructions, ...words } })
  })

  it("when it names a contract, that one is extended", () => {
    const other = contractOf(expecting("a: str").replace("extends: none", "extends: none\nname: other"))
    assert.deepStrictEqual(contractOf("extends: other\nname: mine\n", { ...bases, other }), { ...other, name: "mine" })
    assert.strictEqual(readContract("extends: other", { ...bases, other }).contract?.base, "other")
  })
})

describe("given the contracts that are shipped", () => {
  it.each([["phase_contract"], ["phase_contract.full"]])("when %s is read, nothing is wrong with it", (name) => {
    const contract = contractOf(template(name))
    assert.isAbove(Object.keys(contract.phases).length, 7)
    assert.isAbove(Object.keys(contract.failures["common"] ?? {}).length, 5)
  })

  it("when the notations of their payloads lose their quotes, they say the same", () => {
    for (const name of ["phase_contract", "phase_contract.full"]) {
      const [phases = "", rest = ""] = template(name).split(/^(?=limits:)/m)
      const bare = phases.replaceAll(/^( {6}[a-z_]+\??: )"(.*)"$/gm, "$1$2") + rest
      assert.notStrictEqual(bare, template(name))
      assert.deepStrictEqual(contractOf(bare), contractOf(template(name)))
    }
  })
})

describe("given a whole contract of a project's own", () => {
  it("when it uses everything, all of it is read", () => {
    const text = readFileSync(new URL("./custom-contract.yml", import.meta.url), "utf8")
    assert.deepStrictEqual(contractOf(text, bases), {
      name: "Release",
      start: [
        { to: "FIX", when: { flags: ["urgent"], gate: ["full"] } },
        { to: "ASK", unless: { intent: ["fix", "add"] } },
        { to: "FIX" }
      ],
      phases: {
        ASK: {
          kind: "person",
          expected_payload: { answer: "go|stop", "why?": "str" },
          instruction: "Ask whether\nto go on.",
          not_empty: [],
          min_chars: { why: 10 },
          writes: false,
          explores: [],
          also: [],
          checks: [],
          transitions: [
            { to: "FIX", when: { payload: { answer: "go" } }, count: "asked" },
            { to: "OVER", when: { filled: ["why"] }, unless: { tasks: "open" } },
            { to: "OVER", when: { reached: ["asked", "task_failures"] } }
          ]
        },
        FIX: {
          kind: "plan",
          expected_payload: { tasks: "list[{id, checklist: list[{item, status}]}]", "files?": "list[str]" },
          instruction: "Plan.",
          not_empty: ["tasks"],
          min_chars: {},
          writes: true,
          explores: ["files"],
          also: ["NOTE"],
          checks: [],
          transitions: [{ to: "CHECK", when: { empty: ["files"] } }, { to: "CHECK" }]
        },
        NOTE: {
          kind: "submit",
          expected_payload: { note: "str" },
          instruction: "Note it.",
          not_empty: [],
          min_chars: {},
          writes: false,
          explores: [],
          also: [],
          checks: [],
          transitions: [{ to: "CHECK" }]
        },
        CHECK: {
          kind: "verify",
          expected_payload: {},
          instruction: "Run it.",
          not_empty: [],
          min_chars: {},
          writes: false,
          explores: [],
          also: [],
          checks: ["npm test", "npm run lint # all"],
          transitions: [
            { to: "OVER", when: { outcome: "passed" } },
            { to: "FIX", when: { outcome: "failed" }, reset: ["asked", "task_failures"] }
          ]
        },
        OVER: {
          kind: "end",
          expected_payload: {},
          instruction: "",
          not_empty: [],
          min_chars: {},
          writes: false,
          explores: [],
          also: [],
          checks: [],
          transitions: []
        }
      },
      limits: { asked: 2, task_failures: 3 },
      flags: { urgent: "Nobody is asked" },
      intents: ["fix", "add"],
      write_targets: { existing: "explored", fresh: "any", required: false },
      failures: { FIX: { empty_tasks: { error: "payload_mismatch", message: "Plan {more}." } } }
    })
  })
})
