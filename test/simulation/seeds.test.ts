import { describe, expect, it } from "vitest"
import { daily } from "../often.ts"
import { simulated } from "./composition.ts"
import { broken } from "./explain.ts"
import found from "./found.json" with { type: "json" }
import { type Scenario, scenarioOf } from "./scenario.ts"
import { type Outcome, simulate } from "./simulate.ts"

const isFull = process.env["PROOFLINE_TEST"] === "full"
const seeds = isFull ? 100_000 : 1_000
const each = seeds / 4
/** Where quarters begin: each sees all that is asked for below, and `npm test` takes one a day. */
const firsts = daily(
  [0, 1, 2, 3].map((quarter) => 1 + quarter * each),
  4
)
const limitMs = isFull ? 12 * 3_600_000 : 600_000

const rules = simulated()

const from = (first: number): Iterable<number> => Array.from({ length: each }, (_, i) => first + i)

describe(`the engine with its plugins, agents of all kinds and faults, under ${firsts.length * each} seeds`, () => {
  const ends = new Set<string>()
  const faults = new Set<string>()
  const types = new Set<string>()
  const seen = ({ faults: happened, log, statuses }: Outcome) => {
    for (const status of statuses.values()) ends.add(status)
    for (const fault of happened) faults.add(fault)
    for (const { event_type } of log) types.add(event_type)
  }

  for (const first of firsts) {
    it(
      `keeps every rule after every event: ${first} to ${first + each - 1}`,
      () => {
        const found = broken(rules, from(first), seen)
        if (found !== null) expect.fail(found)
      },
      limitMs
    )
  }

  it("has seen every kind of end and of fault, and what the rules are about", () => {
    expect([...ends].toSorted()).toEqual(["cancelled", "completed", "failed", "incomplete"])
    expect([...faults].toSorted()).toEqual([
      "append_fails",
      "append_slow",
      "cancelled",
      "claim_slow",
      "claim_twice",
      "clock_set",
      "conflict",
      "dies_appending",
      "heartbeat_slow",
      "killed",
      "noted",
      "paused",
      "read_fails",
      "read_slow",
      "taken_over"
    ])
    expect([...types]).toEqual(
      expect.arrayContaining([
        "CHECKLIST_ITEM_REJECTED",
        "CHUNKING_COMPLETE",
        "EVIDENCE_REVISITED",
        "PERSON_ANSWERED",
        "QUALITY_JUDGMENT",
        "REQUIREMENTS_MET",
        "RUN_RESUMED",
        "SUBTASK_RETRY"
      ])
    )
  })
})

describe("scenarios in which a rule was broken once", () => {
  it.each(found as unknown as ReadonlyArray<{ readonly given: string; readonly scenario: Scenario }>)(
    "given $given, keep every rule",
    ({ scenario }) => {
      expect(simulate(rules, scenario).violation).toBeNull()
    }
  )
})

describe("given the same seed twice", () => {
  it("then the log is the same, to the last byte", () => {
    for (let seed = 1; seed <= 12; seed++) {
      const [one, other] = [0, 1].map(() => JSON.stringify(simulate(rules, scenarioOf(seed)).log))
      expect(other, `seed ${seed}`).toBe(one)
    }
  })
})
