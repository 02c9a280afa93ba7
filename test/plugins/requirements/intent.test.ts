import { assert, describe, it } from "@effect/vitest"
import { given } from "@proofline/kernel/testing"
import {
  intentChanges,
  loopOf,
  type Requirement,
  type RequirementDefinition,
  requirementsRules
} from "@proofline/plugins/policies/requirements"
import { Schema } from "effect"
import { typesOf } from "../../kernel/support/words.ts"
import { aDefinition, aRequirement, loading, starting } from "./stage.ts"

const one = aRequirement("req_1", ["logs in", { criterion: "logs out", check: "npm test" }])
const two = aRequirement("req_2", ["resets a password"])
const before: RequirementDefinition = { ...aDefinition([one, two]), constraints: ["No new dependencies", "Plain HTML"] }

const withOne = (more: Partial<Requirement>): RequirementDefinition => ({
  ...before,
  requirements: [{ ...one, ...more }, two]
})
const [logsIn, logsOut] = one.acceptance_criteria as [
  Requirement["acceptance_criteria"][number],
  Requirement["acceptance_criteria"][number]
]
const told = (now: RequirementDefinition) =>
  intentChanges(before, now).map(({ after, change, id }) => [id, change, after])

describe("a requirements file that is loaded again", () => {
  it.each<readonly [string, RequirementDefinition]>([
    ["nothing changes", before],
    ["a requirement is added in front", { ...before, requirements: [aRequirement("req_0", ["x"]), one, two] }],
    [
      "a criterion is added in front",
      withOne({ acceptance_criteria: [{ ...logsIn, id: "req_1.3", criterion: "x" }, logsIn, logsOut] })
    ],
    ["criteria change places", withOne({ acceptance_criteria: [logsOut, logsIn] })],
    ["a check is added", withOne({ acceptance_criteria: [{ ...logsIn, check: "npm run e2e" }, logsOut] })],
    ["a constraint is added", { ...before, constraints: ["x", ...before.constraints] }],
    ["lines break elsewhere", withOne({ acceptance_criteria: [{ ...logsIn, criterion: " logs\n  in" }, logsOut] })],
    ["other words tell of the project", { ...before, name: "other", context: "other" }],
    ["no agent is trusted", { ...before, verification: { ...before.verification, trust_agent: false } }]
  ])("given %s, then nothing less is asked for", (_, now) => {
    assert.deepStrictEqual(told(now), [])
  })

  it.each<readonly [string, RequirementDefinition, ReadonlyArray<unknown>]>([
    ["a requirement is gone", { ...before, requirements: [one] }, ["req_2", "dropped", null]],
    ["a criterion is gone", withOne({ acceptance_criteria: [logsIn] }), ["req_1.2", "dropped", null]],
    [
      "a criterion has other words",
      withOne({ acceptance_criteria: [{ ...logsIn, criterion: "may log in" }, logsOut] }),
      ["req_1.1", "reworded", "may log in"]
    ],
    [
      "another one takes its place beside one that was there",
      withOne({ acceptance_criteria: [logsOut, { ...logsIn, criterion: "may log in" }] }),
      ["req_1.1", "dropped", null]
    ],
    [
      "a check is gone",
      withOne({ acceptance_criteria: [logsIn, { ...logsOut, check: null }] }),
      ["req_1.2", "check_removed", null]
    ],
    [
      "a check is another one",
      withOne({ acceptance_criteria: [logsIn, { ...logsOut, check: "true" }] }),
      ["req_1.2", "check_changed", "true"]
    ],
    ["it is optional now", withOne({ priority: "optional" }), ["req_1", "made_optional", one.description]],
    ["its description is another one", withOne({ description: "less" }), ["req_1", "reworded", "less"]],
    ["a constraint is gone", { ...before, constraints: ["Plain HTML"] }, ["constraints", "dropped", null]],
    [
      "agents are trusted",
      { ...before, verification: { ...before.verification, trust_agent: true } },
      ["verification.trust_agent", "loosened", "true"]
    ]
  ])("given %s, then that is told", (_, now, expected) => {
    assert.deepStrictEqual(told(now), [expected])
  })

  const texts = Schema.NonEmptyArray(Schema.NonEmptyString).pipe(
    Schema.check(
      Schema.makeFilter((all) => new Set(all.map((text) => text.trim().replace(/\s+/g, " "))).size === all.length)
    )
  )
  it.prop(
    "given any criteria of which some are gone, then each of these is named, and no other",
    { criteria: texts, kept: Schema.Array(Schema.Boolean), added: Schema.Array(Schema.NonEmptyString) },
    ({ added, criteria, kept }) => {
      const staying = criteria.filter((_, index) => kept[index] !== false)
      const gone = criteria.filter((_, index) => kept[index] === false)
      const changes = intentChanges(
        aDefinition([aRequirement("req_1", criteria)]),
        aDefinition([aRequirement("req_1", [...staying, ...added])])
      )
      const normal = (text: string) => text.trim().replace(/\s+/g, " ")
      const asked = new Set([...staying, ...added].map(normal))
      assert.deepStrictEqual(
        changes.map((change) => change.before),
        gone.filter((text) => !asked.has(normal(text)))
      )
    }
  )
})

describe("what a run asks for", () => {
  const less = withOne({ acceptance_criteria: [logsIn] })
  const loaded = () => given([], [requirementsRules]).after(starting("/project"), loading(before, { intent: "kept" }))
  const again = (definition: RequirementDefinition, intent?: "kept" | "decided") =>
    loading(definition, { sha256: "other", ...(intent === undefined ? {} : { intent }) })

  it("given less is asked for and no person has decided it, then it is refused, with what is missing and the way on", () => {
    const { events, rejected } = loaded().when(again(less, "kept"))
    assert.deepStrictEqual([events.length, rejected?.code], [0, "requirements_narrowed"])
    assert.include(rejected?.message, "req_1.2 was dropped (logs out)")
    assert.include(rejected?.hint, "--take-over")
  })

  it("given a person has decided it, then that is an event of its own, before what counts now", () => {
    const when = loaded().when(again(less, "decided"))
    assert.deepStrictEqual(typesOf(when.events), ["INTENT_CHANGED", "REQUIREMENTS_LOADED"])
    assert.deepInclude(when.events[0]?.content, { sha256: "other", decided_by: "person" })
    const loop = loopOf(loaded().after(again(less, "decided")).snapshot)
    assert.deepStrictEqual(
      loop.intent_changes.map(({ change, id }) => [id, change]),
      [["req_1.2", "dropped"]]
    )
  })

  it.each([
    ["more is asked for", again({ ...before, constraints: [...before.constraints, "x"] }, "kept")],
    ["a person takes over what asks for no less", again({ ...before, context: "other" }, "decided")],
    ["it was loaded before anybody had to decide", again(less)]
  ])("given %s, then it is loaded, and there is no decision", (_, command) => {
    assert.deepStrictEqual(typesOf(loaded().when(command).events), ["REQUIREMENTS_LOADED"])
  })
})
