import { assert, describe, it } from "@effect/vitest"
import { defaultProof } from "@proofline/kernel"
import { Effect } from "effect"
import { aDefinition, aRequirement, planned, play, replayed, type Stage, verdictsOf } from "./stage.ts"

const criterion = "it is as it should be"

interface Decided {
  readonly what: string
  /** What it is about. */
  readonly requirement: string
  /** What it runs; null: it cannot be had any more. */
  readonly hidden: string | null
  readonly own?: string
  /** The verifier is trusted and says that all is well. */
  readonly isTrusted?: boolean
  readonly comes: Readonly<Record<string, string>>
}

const cases: ReadonlyArray<Decided> = [
  {
    what: "holds",
    requirement: "req_1.1",
    hidden: "test -d generated",
    comes: { "req_1.1": "proven", "req_1.2": "proven" }
  },
  {
    what: "is about the whole requirement",
    requirement: "req_1",
    hidden: "test -d generated",
    comes: { "req_1.1": "proven", "req_1.2": "proven" }
  },
  {
    what: "does not hold",
    requirement: "req_1.1",
    hidden: "test -f other",
    comes: { "req_1.1": "refuted", "req_1.2": "proven" }
  },
  {
    what: "does not hold for the whole requirement",
    requirement: "req_1",
    hidden: "test -f other",
    comes: { "req_1.1": "refuted", "req_1.2": "refuted" }
  },
  {
    what: "does not hold, and the criterion's own check does",
    requirement: "req_1.1",
    hidden: "test -f other",
    own: "test -d generated",
    comes: { "req_1.1": "refuted", "req_1.2": "proven" }
  },
  {
    what: "holds, and the criterion's own check does not",
    requirement: "req_1.1",
    hidden: "test -d generated",
    own: "test -f other",
    comes: { "req_1.1": "refuted", "req_1.2": "proven" }
  },
  {
    what: "cannot be run, whatever a trusted verifier says",
    requirement: "req_1.1",
    hidden: null,
    isTrusted: true,
    comes: { "req_1.1": "unproven", "req_1.2": "proven" }
  }
]

describe("a check that agents do not see and that is about a requirement", () => {
  it.live.each(cases)(
    "given that it $what, then it decides about what it is about, and says no more than its words",
    (given) =>
      Effect.gen(function* () {
        const { comes, hidden, isTrusted = false, own, requirement } = given
        const first = own === undefined ? "a" : { criterion: "a", check: own }
        const said: Array<string> = []
        const stage: Omit<Stage, "root"> = {
          hidden: hidden === null ? null : { [criterion]: hidden },
          generate: ({ iteration, ...request }) => {
            said.push(JSON.stringify(request))
            return { tasks: [planned(`task_${iteration}`, ["req_1.1", "req_1.2"], { checks: ["true"] })] }
          },
          verify: () => ({ met: true, evidence: "$ npm test\n3 passed\n" })
        }
        const escrow = { sha256: "1".repeat(64), checks: [{ criterion, requirement }] }
        const played = yield* play(
          aDefinition(
            [aRequirement("req_1", [first, "b"])],
            isTrusted ? { verifier: "scripted", trust_agent: true } : {}
          ),
          stage,
          {
            config: { proof: { ...defaultProof, accept: ["was_green", "agents_check"], escrow } },
            load: { max_iterations: 2 }
          }
        )
        assert.deepStrictEqual(verdictsOf(played), comes)
        assert.strictEqual(
          played.status,
          Object.values(comes).every((one) => one === "proven") ? "completed" : "failed"
        )
        const told = [...said, JSON.stringify(played.events.map(({ content }) => content))].join("\n")
        if (hidden !== null && hidden !== own) assert.notInclude(told, hidden)
        assert.isNull(replayed(played))
      })
  )
})
