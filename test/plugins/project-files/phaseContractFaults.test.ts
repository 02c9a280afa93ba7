import { assert, describe, expect, it } from "vitest"
import { readContract, shipped } from "./contracts.ts"
import { told } from "./told.ts"

const bases = shipped()

/** Line, column and code of everything that is wrong. */
const placesOf = (text: string): ReadonlyArray<string> => {
  const { contract, merged, problems } = readContract(text, bases)
  assert.strictEqual(contract === null, problems.length > 0)
  assert.strictEqual(merged === null, problems.length > 0)
  return problems.map(({ code, column, line }) => `${line}:${column} ${code}`)
}

const warningsOf = (text: string): ReadonlyArray<string> => {
  const { problems, warnings } = readContract(text, bases)
  assert.strictEqual(told(problems), "")
  return warnings.map(({ code, column, line }) => `${line}:${column} ${code}`)
}

/** A whole contract; `more` stands in phase A, from line 9 on, and `below` behind all phases. */
const contract = (more: string, below = ""): string => `extends: none
start: A
phases:
  A:
    instruction: Do it.
    expected_payload:
      files: list[str]
      note?: {text: str}
${more.replaceAll(/^(?=.)/gm, "    ")}
  Z: {kind: end}
${below}`

const next = "next: Z"
const leading = (rest: string): string => `transitions:\n  - to: Z\n    ${rest}\n  - Z`

describe("given a contract with one fault", () => {
  it.each([
    ["a transition to nowhere", contract(leading("").replace("to: Z", "to: X")), ["10:13 phase_unknown"]],
    ["a short transition to nowhere", contract("transitions: [Y, Z]"), ["9:19 phase_unknown"]],
    ["a next to nowhere", contract("next: Q"), ["9:11 phase_unknown"]],
    ["a start nowhere", contract(next).replace("start: A", "start: QQ"), ["2:8 phase_unknown"]],
    ["no start", contract(next).replace("start: A\n", ""), ["2:1 start_missing"]],
    ["an empty list of starts", contract(next).replace("start: A", "start: []"), ["2:1 start_missing"]],
    ["no way out", contract(""), ["4:3 no_way_out"]],
    ["ways out left empty", contract("transitions: []"), ["4:3 no_way_out"]],
    ["a way out of an end", contract(next).replace("kind: end", "kind: end, next: A"), ["10:24 end_with_transitions"]],
    [
      "an unreachable phase",
      contract(next, "").replace("  Z:", "  B: {instruction: x, next: Z}\n  Z:"),
      ["10:3 phase_unreachable"]
    ],
    ["no end in reach", contract("next: A"), ["2:8 end_unreachable", "10:3 phase_unreachable"]],
    ["no end at all", contract("next: A").replace("  Z: {kind: end}\n", ""), ["2:8 end_unreachable"]],
    ["an unknown kind", contract(`kind: submitt\n${next}`), ["9:11 value_not_allowed"]],
    ["an unknown key of a phase", contract(`writable: true\n${next}`), ["9:5 unknown_key"]],
    ["an unknown key of a transition", contract(leading("with: 3")), ["11:9 unknown_key"]],
    ["an unknown key of a condition", contract(leading("when: {flagz: [x]}")), ["11:16 unknown_key"]],
    ["an unknown flag", contract(leading("when: {flags: [quick]}")), ["11:24 flag_unknown"]],
    ["an unknown flag alone", contract(leading("unless: {flags: quick}")), ["11:25 flag_unknown"]],
    ["an unknown intent", contract(leading("when: {intent: [fix]}")), ["11:25 intent_unknown"]],
    ["an unknown gate", contract(leading("when: {gate: [none]}")), ["11:23 value_not_allowed"]],
    ["an unknown outcome", contract(leading("when: {outcome: pass}")), ["11:25 value_not_allowed"]],
    ["an outcome of nothing", contract(leading("when: {outcome: passed}")), ["11:25 outcome_unknown"]],
    [
      "an outcome before the start",
      contract(next).replace("start: A", "start: [{to: A, when: {outcome: passed}}]"),
      ["2:33 outcome_unknown"]
    ],
    ["a counter without a limit", contract(leading("when: {reached: [tries]}")), ["11:26 limit_missing"]],
    [
      "a counter that nothing counts",
      contract(leading("when: {reached: [tries]}"), "limits: {tries: 2}"),
      ["11:26 counter_unknown"]
    ],
    ["a reset of what nothing counts", contract(leading("reset: tries")), ["11:16 counter_unknown"]],
    ["a condition on no field", contract(leading("when: {payload: {filez: x}}")), ["11:26 field_unknown"]],
    ["emptiness of no field", contract(leading("when: {empty: [note, text]}")), ["11:30 field_unknown"]],
    ["fullness of no field", contract(leading("when: {filled: nte}")), ["11:24 field_unknown"]],
    [
      "a payload before the start",
      contract(next).replace("start: A", "start: {to: A, when: {filled: files}}"),
      ["2:31 field_unknown"]
    ],
    ["explores of no field", contract(`explores: [files, file]\n${next}`), ["9:23 field_unknown"]],
    ["not_empty of no field", contract(`not_empty:\n  - files\n  - x\n${next}`), ["11:9 field_unknown"]],
    ["min_chars of no field", contract(`min_chars: {note: 3, text: 3}\n${next}`), ["9:26 field_unknown"]],
    ["min_chars that is no number", contract(`min_chars: {note: few}\n${next}`), ["9:23 wrong_type"]],
    ["also an unknown phase", contract(`also: [B]\n${next}`), ["9:12 phase_unknown"]],
    ["also itself", contract(`also: A\n${next}`), ["9:11 also_itself"]],
    ["a plan without tasks", contract(`kind: plan\n${next}`), ["6:5 plan_without_tasks"]],
    ["no instruction", contract(next).replace("    instruction: Do it.\n", ""), ["4:3 instruction_missing"]],
    ["next and transitions", contract(`${next}\ntransitions: [Z]`), ["9:5 key_conflict"]],
    ["a phase that is a text", contract(next).replace("{kind: end}", "end"), ["10:6 wrong_type"]],
    [
      "a phase name with a blank",
      contract(next).replace("  Z:", "  Z z:"),
      ["9:11 phase_unknown", "10:3 name_invalid"]
    ],
    ["phases as a list", "phases: [A]", ["1:9 wrong_type"]],
    ["a limit that is no number", contract(next, "limits: {tries: many}"), ["11:17 wrong_type"]],
    ["a limit below zero", contract(next, "limits: {tries: -1}"), ["11:17 number_not_allowed"]],
    ["a write target of another kind", contract(next, "write_targets: {fresh: all}"), ["11:24 value_not_allowed"]],
    ["extending nothing known", "extends: defaults", ["1:10 value_not_allowed"]],
    ["a phase twice", "READY_PLAN: {instruction: x}\nphases: {READY_PLAN: {instruction: y}}", ["1:1 phase_twice"]],
    ["a phase at the top that none has", "EXPLORATON: {instruction: x}", ["1:1 phase_misplaced"]],
    ["a key twice", "phases: {READY_PLAN: {writes: true, writes: false}}", ["1:37 yaml_duplicate_key"]],
    [
      "a placeholder of no key",
      'failures: {READY: {checklist_reason_required: "Why {itm}?"}}',
      ["1:52 placeholder_unknown"]
    ],
    [
      "a placeholder in another phase",
      'failures: {READY_IMPL: {checklist_reason_required: {message: "{why}"}}}',
      ["1:63 placeholder_unknown"]
    ],
    ["a failure without a sentence", "failures: {READY: {mine: {error: x}}}", ["1:20 missing_key"]],
    ["a failure that is a number", "common_failures: {mine: 3}", ["1:25 wrong_type"]],
    ["failures that are a list", "failures: [x]", ["1:11 wrong_type"]],
    ["no YAML", "phases: {", ["1:9 yaml_syntax"]],
    ["a list", "- phases", ["1:1 wrong_type"]],
    [
      "a kind that other faults would rest on",
      contract(`kind: verifi\nchecks: [ls]\n${leading("when: {outcome: passed}")}`),
      ["9:11 value_not_allowed"]
    ],
    ["an instruction that is a number", contract(next).replace("Do it.", "3"), ["5:18 wrong_type"]],
    [
      "a payload that is a list",
      contract(next)
        .replace("  A:\n", "  A:\n    not_empty: [x]\n")
        .replace(/expected_payload:[^}]*\}/, "expected_payload: [x]"),
      ["7:23 wrong_type"]
    ],
    [
      "a limit that conditions rest on",
      contract(leading("when: {reached: tries}\n    count: tries"), "limits: {tries: x}"),
      ["15:17 wrong_type"]
    ],
    ["transitions that are numbers", contract("transitions: [3]"), ["9:19 wrong_type"]],
    ["a next that is a list", contract("next: [Z]"), ["9:11 wrong_type"]],
    ["an end that is misspelt", contract(next).replace("kind: end", "kind: ended"), ["10:13 value_not_allowed"]],
    [
      "a slip in a name and a phase that is lost",
      contract("next: SECND").replace(
        "  Z:",
        "  SECOND: {instruction: x, next: Z}\n  LOST: {instruction: x, next: Z}\n  Z:"
      ),
      ["9:11 phase_unknown", "11:3 phase_unreachable"]
    ],
    [
      "flags that conditions rest on",
      contract(leading("when: {flags: quick}"), "flags: {quick: 3}"),
      ["14:16 wrong_type"]
    ],
    [
      "intents that conditions rest on",
      contract(leading("when: {intent: fix}"), "intents: {fix: x}"),
      ["14:10 wrong_type"]
    ]
  ])("when it has %s, it is told at its place", (_, text, expected) => {
    assert.deepStrictEqual(placesOf(text).toSorted(), [...expected].toSorted())
  })
})

describe("given a phase that no transition leads to", () => {
  it("when another takes its payload too, nothing is wrong with it", () => {
    const text = contract(`also: B\n${next}`).replace("  Z:", "  B: {instruction: x, next: Z}\n  Z:")
    assert.deepStrictEqual(placesOf(text), [])
  })
})

describe("given a payload with a fault", () => {
  it.each([
    ["a: list[", "9:15", "notation_invalid"],
    ["a: list[{b: strr}]", "9:19", "notation_invalid"],
    ["a: list[{b: [c}]", "9:19", "notation_invalid"],
    ["a: {b: str, b}", "9:19", "notation_invalid"],
    ['a: "list[{b: strr}]"', "9:20", "notation_invalid"],
    ["ä: list[{ü: strr}]  # x", "9:19", "notation_invalid"],
    ["a:\n  b: strr", "10:12", "notation_invalid"],
    ["a: list[{b,  # x\n    c: strr}]", "10:14", "notation_invalid"],
    ["a: [str]", "9:10", "notation_invalid"],
    ["a:\n  - str", "10:9", "wrong_type"],
    ["a b: str", "9:7", "field_invalid"],
    ["a: ''", "9:10", "blank_value"],
    ["a: str\na?: str", "10:7", "field_twice"]
  ])("when it is %j, it is told at %s", (lines, place, code) => {
    const text = `extends: none
start: A
phases:
  A:
    instruction: Do it.
    next: Z
    expected_payload:
      x: str
${lines.replaceAll(/^(?=.)/gm, "      ")}
  Z: {kind: end}
`
    const places = placesOf(text)
    assert.strictEqual(places.length, 1, told(readContract(text).problems))
    const [where = "", what] = places[0]?.split(" ") ?? []
    assert.strictEqual(what, code)
    assert.strictEqual(where, place)
  })
})

describe("given changes to a contract that do not fit it", () => {
  it.each([
    ["a new phase nothing leads to", "phases: {REVIEW: {instruction: x, next: DONE}}", ["1:10 phase_unreachable"]],
    [
      "a field taken away that a way depends on",
      "phases:\n  VERIFY_INTERVENTION:\n    expected_payload: {reply: str}",
      ["2:3 field_unknown", "3:5 person_without_answer"]
    ],
    ["a phase that leads nowhere any more", "phases:\n  READY_PLAN: {transitions: []}", ["2:3 no_way_out"]],
    ["a kind its ways do not fit", "phases:\n  POST_IMPL_VERIFY:\n    kind: submit", ["2:3 outcome_unknown"]],
    ["a start that does not exist", "start: READY", ["1:8 phase_unknown"]]
  ])("when they are %s, it is told where the file has them", (_, text, expected) => {
    assert.deepStrictEqual(Array.from(new Set(placesOf(text))), expected)
  })

  it("when the extended contract has a fault of its own, the file is not blamed", () => {
    const broken = {
      default: {
        ...(bases["default"] ?? assert.fail()),
        flags: {},
        start: [{ to: "EXPLORATION", when: { flags: ["x"] } }]
      }
    }
    assert.deepStrictEqual(readContract("name: mine", broken).problems, [])
  })
})

describe("given something that has no effect", () => {
  it.each([
    ["a key that is nearly a section", "limit: {task_failures: 2}", ["1:1 unknown_key"]],
    ["a section of other readers", "session_messages: {a: b}", ["1:1 unknown_key"]],
    ["a failure of a phase that is nearly one", "failures: {EXPLORATON: {x: y}}", ["1:12 unknown_key"]],
    ["a failure key that is nearly one", "failures: {READY: {checklist_reason_requird: x}}", ["1:20 unknown_key"]],
    ["a key that is no instruction", "instructions: {wrk: x, zzz: y}", ["1:16 unknown_key", "1:24 unknown_key"]],
    [
      "a code that is not the refusal's",
      "failures: {READY: {empty_tasks: {error: e, message: x}}}",
      ["1:41 error_fixed"]
    ],
    [
      "a code of its own",
      "common_failures: {phase_mismatch: {error: payload_mismatch, message: x}}",
      ["1:43 error_fixed"]
    ],
    ["an unknown key of a failure", "failures: {READY: {mine: {message: x, severity: 3}}}", ["1:39 unknown_key"]],
    ["a transition behind one that is always taken", contract("transitions: [Z, A]"), ["9:22 transition_unreachable"]],
    ["a transition that nothing allows", contract(leading("unless: {}")), ["10:9 transition_unreachable"]],
    ["commands that are not run", contract(`checks: [ls]\n${next}`), ["9:5 checks_unused"]]
  ])("when it is %s, it is warned of", (_, text, expected) => {
    assert.deepStrictEqual(warningsOf(text), expected)
  })

  it("when failures are of another shipped contract, nothing is said", () => {
    assert.deepStrictEqual(warningsOf("failures: {POST_IMPL_VERIFY: {x: y}, QUALITY_REVIEW: {x: y}}"), [])
  })
})

describe("given a contract with many faults", () => {
  it("when it is read, all are told at once, in their order, with what to do", () => {
    const text = `name: " "
start: EXPLORATON
phases:
  READY_PLAN:
    kind: plans
    expected_payload:
      tasks: list[{id, checklist: list[{item, status}]}]   # without status
      risk: hihg
    not_empty: [tasks, risks]
    transitions:
      - to: READY_IMP
        when: {reached: [task_failure], flags: [quick]}
  LOST:
    kind: submit
limits: {task_failures: x}
failures:
  READY:
    checklist_item_pending: "{itm}"
`
    expect(told(readContract(text, bases).problems)).toMatchInlineSnapshot(`
      "1:7 blank_value
        \`name\` has no content.
        Write the name of the contract, or leave the key out.
      2:8 phase_unknown
        A transition of \`start\` names the phase "EXPLORATON", which does not exist.
        Did you mean \`EXPLORATION\`?
      5:11 value_not_allowed
        \`kind\` of phase "READY_PLAN" cannot be "plans".
        Did you mean \`plan\`? Allowed is \`submit\`, \`plan\`, \`tasks\`, \`complete\`, \`verify\`, \`person\`, \`end\` or \`stop\`.
      9:24 field_unknown
        \`not_empty\` of phase "READY_PLAN" names the field "risks", which the payload does not have.
        Did you mean \`risk\`?
      11:13 phase_unknown
        A transition of phase "READY_PLAN" names the phase "READY_IMP", which does not exist.
        Did you mean \`READY_IMPL\`?
      12:26 limit_missing
        \`when\` of a transition of phase "READY_PLAN" names the counter "task_failure", which has no limit.
        Did you mean \`task_failures\`?
      12:49 flag_unknown
        \`when\` of a transition of phase "READY_PLAN" names the flag "quick", which is not declared.
        Declare it under \`flags\`, with what it does.
      13:3 instruction_missing
        Phase "LOST" has no \`instruction\`, so nobody is told what to do in it.
        Add \`instruction:\` with a sentence for the agent.
      13:3 no_way_out
        No transition leads out of phase "LOST".
        Add \`next:\` with the name of a phase, or \`kind: end\` if a run ends in it.
      15:25 wrong_type
        \`task_failures\` of \`limits\` must be a whole number, not the text "x".
        Write a whole number from 0 to 1000000.
      18:30 placeholder_unknown
        \`checklist_item_pending\` holds "{itm}", which is no placeholder of it.
        Did you mean \`{item}\`? Allowed here: \`{item}\`."
    `)
  })

  it("when an error of YAML leads the reading astray, nothing is told behind it", () => {
    assert.deepStrictEqual(
      placesOf("phases:\n  READY_PLAN:\n    next: READY_IMPL\n   also: [X]\n  LOST: {next: Q}\n"),
      ["4:1 yaml_syntax"]
    )
  })
})

describe("given a phase that is left in another way than by a payload", () => {
  const besides = (kind: string): string =>
    contract("also: P\nnext: P").replace("  Z:", `  P: {kind: ${kind}, ${waysOf[kind] ?? ""}}\n  Z:`)
  const waysOf: Readonly<Record<string, string>> = {
    submit: "instruction: x, next: Z",
    complete: "instruction: x, next: Z",
    verify: "instruction: x, next: Z",
    person: 'instruction: x, next: Z, expected_payload: {answer: "yes|no"}',
    end: "instruction: x",
    stop: "instruction: x"
  }

  it.each(["verify", "person", "end", "stop"])("when it is of the kind %s, no other takes its payload", (kind) => {
    const places = placesOf(besides(kind))
    assert.include(places, "9:11 also_unfit", places.join(", "))
    assert.deepStrictEqual(
      places.filter((place) => place.startsWith("9:")),
      ["9:11 also_unfit"]
    )
  })

  it.each(["submit", "complete"])("when it is of the kind %s, another may", (kind) => {
    assert.deepStrictEqual(placesOf(besides(kind)), [])
  })

  it("when it is one of a list, it is told at its own place", () => {
    const text = contract("also: [B, P]\nnext: P").replace(
      "  Z:",
      "  B: {instruction: x, next: Z}\n  P: {kind: verify, instruction: x, next: Z}\n  Z:"
    )
    assert.deepStrictEqual(placesOf(text), ["9:15 also_unfit"])
  })
})

describe("given a phase that waits for a person", () => {
  const asking = (payload: string): string => `extends: none
start: P
phases:
  P:
    kind: person
    instruction: Decide.
    expected_payload: {${payload}}
    next: Z
  Z: {kind: end}
`

  it.each([
    ["nothing", "", ["7:5 person_without_answer"]],
    ["no answer", "reason: str", ["7:5 person_without_answer"]],
    ["no answer, but what may be left out", "comment?: str", ["7:5 person_without_answer"]],
    ["more than an answer", "answer: yes|no, reason: str", ["7:5 person_asked_too_much"]],
    ["an answer and a comment that it must give", "answer: str, comment: str", ["7:5 person_asked_too_much"]],
    ["an answer", "answer: yes|no", []],
    ["an answer that may be left out", "answer?: str", []],
    ["an answer and what may be left out", "answer: yes|no, comment?: str, reason?: str", []]
  ])("when it asks for %s, that is judged", (_, payload, expected) => {
    assert.deepStrictEqual(placesOf(asking(payload)), expected)
  })
})
