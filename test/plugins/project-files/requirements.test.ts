import { parseRequirements, parseTasks } from "@proofline/plugins/adapters/project-files"
import { assert, describe, expect, it } from "vitest"
import { requirementsProblems } from "./told.ts"

const documentOf = (text: string) => {
  const { problems, requirements } = parseRequirements(text, "requirements.yaml")
  assert.deepStrictEqual(problems, [])
  assert(requirements !== null)
  return requirements
}

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
})

describe("generation and verification", () => {
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
