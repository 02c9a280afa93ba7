import { describe, expect, it } from "vitest"
import { daily } from "../often.ts"
import { simulated } from "./composition.ts"
import { broken } from "./explain.ts"
import { mutants } from "./mutants.ts"
import { scenarioOf } from "./scenario.ts"
import { simulate } from "./simulate.ts"

/** Seeds that a broken rule may go unnoticed for. */
const within = 100

describe("given that", () => {
  it.each(daily(mutants, 3))(
    "$name, then it is noticed",
    ({ bend, breaks, change, from = 1 }) => {
      const rules = simulated(change)
      const others: Array<string> = []
      for (let seed = from; seed < from + within; seed++) {
        const { violation } = simulate(rules, scenarioOf(seed), bend?.())
        if (violation === null) continue
        if (breaks.includes(violation.rule)) return
        others.push(`seed ${seed}: ${violation.message}`)
      }
      expect.fail(`Not noticed by ${breaks.join(", ")}${others.map((one) => `\n${one}`).join("")}`)
    },
    300_000
  )
})

describe("given a broken rule", () => {
  it("then what is told is its seed, a smaller scenario in which it breaks, and how to see it again", () => {
    const mutant = mutants.find(({ name }) => name === "retries have no limit")
    const told = broken(simulated(mutant?.change), [1]) ?? ""
    expect(told).toMatch(/^seed 1: retries: /)
    expect(told).toContain("npm run simulate -- --seed 1")
    const [, small = "{}"] = /^(\{.*\})$/m.exec(told) ?? []
    const size = (scenario: object) => JSON.stringify(scenario).length
    expect(size(JSON.parse(small))).toBeLessThan(size(scenarioOf(1)))
    expect(JSON.parse(small)).toMatchObject({ faults: [], workers: 0 })
  })
})
