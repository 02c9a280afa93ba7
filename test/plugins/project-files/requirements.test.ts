import { parseRequirements, parseTasks } from "@proofline/plugins/adapters/project-files"
import { assert, describe, expect, it } from "vitest"
import { requirementsProblems, requirementsWarnings, tasksProblems } from "./told.ts"

const documentOf = (text: string) => {
  const { problems, requirements } = parseRequirements(text, "requirements.yaml")
  assert.deepStrictEqual(problems, [])
  assert(requirements !== null)
  return requirements
}

/** A file of one requirement that is sound but for the given lines, which begin on line 6. */
const withLines = (...lines: ReadonlyArray<string>): string =>
  [
    "name: N",
    "requirements:",
    "  - id: a",
    "    description: A",
    "    acceptance_criteria: [C]",
    ...lines.map((line) => `    ${line}`),
    ""
  ].join("\n")

/** A sound file of one requirement with these lines below, which begin on line 3. */
const withSection = (...lines: ReadonlyArray<string>): string =>
  ["name: N", "requirements: [{id: a, description: A, acceptance_criteria: [C]}]", ...lines, ""].join("\n")

const full = `# yaml-language-server: $schema=./schema.json
$schema: ./schema.json
schema_version: 1
name: |
  Password reset
context: |
  Node, no framework.
  Tests: node --test
requirements:
  - id: req_1
    name: Ask
    description: >
      Who has forgotten it
      can ask.
    acceptance_criteria:
      - "It answers 202"
      - {criterion: One link is sent, check: "npm test", verify: Look into the outbox}
    priority: required
  - id: req-2.b
    name: Redeem
    acceptance_criteria: It works once
    priority: optional
constraints: No new dependencies
generation:
  tasks: [plans/one.yaml, ../two.yaml]
verification: {verifier: none}
defaults: {agent: claude, reviewer: none, workers: 2}
`

describe("a sound file of requirements", () => {
  it("becomes a definition, with criteria that are numbered from 1", () => {
    assert.deepStrictEqual(documentOf(full), {
      definition: {
        name: "Password reset",
        context: "Node, no framework.\nTests: node --test",
        requirements: [
          {
            id: "req_1",
            name: "Ask",
            description: "Who has forgotten it can ask.",
            acceptance_criteria: [
              { id: "req_1.1", criterion: "It answers 202", check: null, verify: null },
              { id: "req_1.2", criterion: "One link is sent", check: "npm test", verify: "Look into the outbox" }
            ],
            priority: "required"
          },
          {
            id: "req-2.b",
            name: null,
            description: "Redeem",
            acceptance_criteria: [{ id: "req-2.b.1", criterion: "It works once", check: null, verify: null }],
            priority: "optional"
          }
        ],
        constraints: ["No new dependencies"],
        generation: { generator: "files", tasks: ["plans/one.yaml", "../two.yaml"] },
        verification: { verifier: "none", trust_agent: false }
      },
      defaults: { agent: "claude", reviewer: null, workers: 2 },
      at: { generator: null, verifier: { line: 26, column: 26 } }
    })
  })

  it("says the same as JSON", () => {
    const json = JSON.stringify({
      name: "N",
      context: "C",
      requirements: [{ id: "a", description: "A", acceptance_criteria: [{ criterion: "1", check: "x" }] }],
      constraints: []
    })
    const yaml = `name: N
context: C
requirements:
  - id: a
    description: A
    acceptance_criteria:
      - criterion: "1"
        check: x
`
    assert.deepStrictEqual(documentOf(json), documentOf(yaml))
  })

  it("needs no more than a name, a description and a criterion", () => {
    const { definition, defaults } = documentOf(withSection())
    assert.deepStrictEqual(defaults, {})
    assert.deepStrictEqual(
      { ...definition, requirements: [] },
      {
        name: "N",
        context: "",
        requirements: [],
        constraints: [],
        generation: { generator: "agent", tasks: [] },
        verification: { verifier: "agent", trust_agent: false }
      }
    )
    assert.strictEqual(definition.requirements[0]?.priority, "required")
  })

  it("takes tasks files for a generator of a plugin too, and one path for a list", () => {
    const { generation } = documentOf(withSection("generation: {generator: mine, tasks: plan.yaml}")).definition
    assert.deepStrictEqual(generation, { generator: "mine", tasks: ["plan.yaml"] })
  })

  it("may believe its verifier", () => {
    const { verification } = documentOf(withSection("verification: {trust_agent: true}")).definition
    assert.deepStrictEqual(verification, { verifier: "agent", trust_agent: true })
  })

  it("keeps blanks and line ends of a check, which is a program", () => {
    const [requirement] = documentOf(
      'name: N\nrequirements:\n  - id: a\n    name: A\n    acceptance_criteria:\n      - criterion: "  C "\n        check: |\n          x\n            y\n'
    ).definition.requirements
    assert.deepStrictEqual(requirement?.acceptance_criteria, [
      { id: "a.1", criterion: "C", check: "x\n  y\n", verify: null }
    ])
  })
})

describe("a file of requirements as a whole", () => {
  it("is told to be empty", () => {
    expect(requirementsProblems("# nothing\n")).toMatchInlineSnapshot(`
      "1:1 file_empty
        The file is empty.
        Write a \`name\`, and a list of requirements under the key \`requirements\`."
    `)
  })

  it("is told to be a tasks file, and nothing else is", () => {
    expect(requirementsProblems("name: N\ntasks:\n  - id: a\n    nonsense: 3\n")).toMatchInlineSnapshot(`
      "2:1 not_requirements
        The file holds tasks, not requirements.
        Give it to \`proofline run\`, or write requirements under the key \`requirements\`."
    `)
  })

  it("is told to be no tasks file, and nothing else is", () => {
    expect(tasksProblems(withLines("nonsense: 3"))).toMatchInlineSnapshot(`
      "2:1 not_tasks
        The file holds requirements, not tasks.
        Give it to \`proofline run-requirements\`, or write tasks under the key \`tasks\`."
    `)
  })

  it("may not hold tasks beside requirements", () => {
    expect(requirementsProblems(withSection("tasks: [{id: x}]"))).toMatchInlineSnapshot(`
      "3:1 unknown_key
        The key "tasks" is not known.
        Write tasks in a file of their own, and name it under \`generation.tasks\`."
    `)
    assert.deepInclude(parseTasks(withSection("tasks: [{id: a, name: A, instruction: I}]"), "f").problems[0], {
      code: "unknown_key"
    })
  })

  it("must have a name and requirements", () => {
    expect(requirementsProblems("context: x\n")).toMatchInlineSnapshot(`
      "1:1 missing_key
        The file has no \`name\`.
        Add \`name:\` with a name.
      1:1 missing_key
        The file has no \`requirements\`.
        Add \`requirements:\` with a list of requirements."
    `)
  })

  it("must have at least one requirement", () => {
    expect(requirementsProblems("name: N\nrequirements:\n")).toMatchInlineSnapshot(`
      "2:1 requirements_empty
        \`requirements\` holds no requirement.
        Write at least one requirement with \`id\`, \`description\` and \`acceptance_criteria\`."
    `)
  })

  it("knows what people write instead of its keys", () => {
    expect(
      requirementsProblems(
        withSection(
          "background: x",
          "description: x",
          "max_iterations: 5",
          "common_validation: [x]",
          "design_decisions: [x]",
          "notes: x",
          "verifier: none",
          "defaults: {max_iterations: 2}"
        )
      )
    ).toMatchInlineSnapshot(`
      "3:1 unknown_key
        The key "background" is not known.
        Did you mean \`context\`?
      4:1 unknown_key
        The key "description" is not known.
        Write it in \`context\`.
      5:1 unknown_key
        The key "max_iterations" is not known.
        Say it on the command line: \`--max-iterations\`.
      6:1 unknown_key
        The key "common_validation" is not known.
        Write it in \`common_checks\` or \`common_validation\` of the tasks files, or under \`constraints\`.
      7:1 unknown_key
        The key "design_decisions" is not known.
        Write them under \`constraints\`.
      8:1 unknown_key
        The key "notes" is not known.
        Write it in \`context\`.
      9:1 unknown_key
        The key "verifier" is not known.
        Write it under \`verification\`.
      10:12 unknown_key
        The key "max_iterations" is not known in \`defaults\`.
        Say it on the command line: \`--max-iterations\`."
    `)
  })

  it("tells everything at once, in the order of the file", () => {
    expect(
      requirementsProblems(`requirements:
  - id: a b
    acceptance_criteria: []
    priority: must
    design_decisions: [x]
  - id: c
    title: C
    criteria: [x]
  - {id: c, description: "", acceptance_criteria: [3, "", {check: x}, {criterion: x, id: c.1}, Given: when]}
constraints: {a: b}
generation: {generator: Files}
`)
    ).toMatchInlineSnapshot(`
      "1:1 missing_key
        The file has no \`name\`.
        Add \`name:\` with a name.
      2:5 description_missing
        Requirement "a b" has neither a \`description\` nor a \`name\`.
        Add \`description:\` with what is required.
      2:9 id_invalid
        \`id\` of requirement "a b" cannot be "a b".
        Use letters, digits, \`_\`, \`.\` and \`-\` only, at most 100.
      3:26 criteria_empty
        \`acceptance_criteria\` of requirement "a b" holds no criterion, so nothing could show that the requirement is met.
        Write at least one criterion: what must hold.
      4:15 value_not_allowed
        \`priority\` of requirement "a b" cannot be "must".
        Did you mean \`required\`? Allowed is \`required\` or \`optional\`.
      5:5 unknown_key
        The key "design_decisions" is not known in requirement "a b".
        Write each as an acceptance criterion, or under \`constraints\` of the file when it holds for everything.
      6:5 missing_key
        Requirement "c" has no \`acceptance_criteria\`.
        Add \`acceptance_criteria:\` with what must hold, at least one criterion.
      6:5 description_missing
        Requirement "c" has neither a \`description\` nor a \`name\`.
        Add \`description:\` with what is required.
      7:5 unknown_key
        The key "title" is not known in requirement "c".
        Did you mean \`name\`?
      8:5 unknown_key
        The key "criteria" is not known in requirement "c".
        Did you mean \`acceptance_criteria\`?
      9:10 id_duplicate
        The id "c" is already taken by the requirement on line 6.
        Give every requirement an id of its own.
      9:26 blank_value
        \`description\` of requirement "c" has no content.
        Write what is required, or leave the key out.
      9:52 wrong_type
        Item 1 of \`acceptance_criteria\` of requirement "c" must be text, not the number 3.
        Put it in quotes: "3".
      9:55 blank_value
        Item 2 of \`acceptance_criteria\` of requirement "c" has no content.
        Write what must hold, or remove the item.
      9:59 missing_key
        Item 3 of \`acceptance_criteria\` of requirement "c" has no \`criterion\`.
        Add \`criterion:\` with what must hold.
      9:86 unknown_key
        The key "id" is not known in item 4 of \`acceptance_criteria\` of requirement "c".
        Remove it: criteria are numbered by their place, \`<requirement>.<n>\` from 1.
      9:96 unquoted_colon
        Item 5 of \`acceptance_criteria\` of requirement "c" is read as a mapping, because its text holds a colon.
        Put the whole text in quotes, or write a mapping of \`criterion\`, \`check\` and \`verify\`.
      10:14 wrong_type
        \`constraints\` must be text, not a mapping.
        Put the text in quotes if its colon made it a mapping; otherwise write one text.
      11:25 generator_invalid
        \`generation.generator\` cannot be "Files".
        Use lower-case letters, digits and \`-\` only, at most 100, e.g. \`agent\` or \`files\`."
    `)
  })
})

describe("a requirement", () => {
  it("says in a name or a description what it is about", () => {
    expect(requirementsProblems("name: N\nrequirements: [{id: a, acceptance_criteria: [C]}]\n")).toMatchInlineSnapshot(`
      "2:16 description_missing
        Requirement "a" has neither a \`description\` nor a \`name\`.
        Add \`description:\` with what is required."
    `)
  })

  it("has at least one criterion", () => {
    expect(
      requirementsProblems(
        "name: N\nrequirements:\n  - {id: a, name: A, acceptance_criteria: []}\n  - {id: b, name: B, acceptance_criteria: }\n  - {id: c, name: C}\n"
      )
    ).toMatchInlineSnapshot(`
      "3:43 criteria_empty
        \`acceptance_criteria\` of requirement "a" holds no criterion, so nothing could show that the requirement is met.
        Write at least one criterion: what must hold.
      4:22 criteria_empty
        \`acceptance_criteria\` of requirement "b" holds no criterion, so nothing could show that the requirement is met.
        Write at least one criterion: what must hold.
      5:5 missing_key
        Requirement "c" has no \`acceptance_criteria\`.
        Add \`acceptance_criteria:\` with what must hold, at least one criterion."
    `)
  })

  it("has one of two priorities", () => {
    expect(requirementsProblems(withLines("priority: should"))).toMatchInlineSnapshot(`
      "6:15 value_not_allowed
        \`priority\` of requirement "a" cannot be "should".
        Did you mean \`optional\`? Allowed is \`required\` or \`optional\`."
    `)
    expect(requirementsProblems(withLines("priority: requird"))).toMatchInlineSnapshot(`
      "6:15 value_not_allowed
        \`priority\` of requirement "a" cannot be "requird".
        Did you mean \`required\`? Allowed is \`required\` or \`optional\`."
    `)
    expect(requirementsProblems(withLines("priority: 1"))).toMatchInlineSnapshot(`
      "6:15 wrong_type
        \`priority\` of requirement "a" must be \`required\` or \`optional\`, not the number 1.
        Write \`required\` or \`optional\`."
    `)
  })

  it("has no keys of later or other forms", () => {
    expect(
      requirementsProblems(withLines("notes: x", "depends_on: [b]", "check: npm test", "optional: true"))
    ).toMatchInlineSnapshot(`
      "6:5 unknown_key
        The key "notes" is not known in requirement "a".
        Write it in \`description\`, or in \`context\` of the file.
      7:5 unknown_key
        The key "depends_on" is not known in requirement "a".
        Remove it: only tasks wait for each other.
      8:5 unknown_key
        The key "check" is not known in requirement "a".
        Write it beside its criterion: \`{criterion, check}\`.
      9:5 unknown_key
        The key "optional" is not known in requirement "a".
        Write \`priority: optional\`."
    `)
  })

  it("is warned of when two of its criteria are equal", () => {
    expect(
      requirementsWarnings(
        "name: N\nrequirements:\n  - id: a\n    name: A\n    acceptance_criteria:\n      - C\n      - {criterion: C, check: x}\n"
      )
    ).toMatchInlineSnapshot(`
      "7:9 criterion_duplicate
        The criterion "C" is already on line 6.
        Remove it, or say what is different; as it is, each of the two must be shown."
    `)
  })

  it("is warned of when none is required", () => {
    expect(requirementsWarnings(withLines("priority: optional"))).toMatchInlineSnapshot(`
      "3:5 requirements_optional
        Every requirement is optional, so all of them decide whether the run succeeds.
        Leave \`priority\` out where a requirement must be met, so that the others need not be."
    `)
  })
})

describe("generation and verification", () => {
  it("by files need files", () => {
    expect(requirementsProblems(withSection("generation: {generator: files}"))).toMatchInlineSnapshot(`
      "3:25 plans_missing
        \`generation.generator\` is \`files\`, but no tasks file is named.
        Add \`tasks:\` under \`generation\`, with the path of one tasks file for each iteration."
    `)
    expect(requirementsProblems(withSection("generation: {tasks: []}"))).toMatchInlineSnapshot(`
      "3:21 plans_empty
        \`generation.tasks\` names no tasks file.
        Name one for each iteration, or leave the key out."
    `)
  })

  it("by an agent take no files", () => {
    expect(requirementsProblems(withSection("generation: {generator: agent, tasks: [a.yaml]}"))).toMatchInlineSnapshot(`
      "3:39 plans_unused
        \`generation.tasks\` names tasks files, but the generator \`agent\` reads none.
        Write \`generator: files\`, or remove \`tasks\`."
    `)
  })

  it("by nobody leave nobody to believe", () => {
    expect(
      requirementsProblems(withSection("verification: {verifier: none, trust_agent: true}"))
    ).toMatchInlineSnapshot(`
      "3:45 nobody_to_trust
        \`verification.trust_agent\` is true, but with the verifier \`none\` nobody is asked.
        Write \`verifier: agent\`, or remove \`trust_agent\`."
    `)
    assert.strictEqual(requirementsProblems(withSection("verification: {verifier: none, trust_agent: false}")), "")
  })
})
