/**
 * Carries out simulations outside of the tests. `main.ts --seed N`: one, and where a rule breaks the smallest scenario
 * found. `--seeds FROM-TO`: many, with what was seen in them. `--scenario JSON`: as it is printed. `--log`: with its events.
 */
import { parseArgs } from "node:util"
import { simulated } from "./composition.ts"
import { explained, logText } from "./explain.ts"
import { type Scenario, scenarioOf } from "./scenario.ts"
import { type Outcome, simulate } from "./simulate.ts"

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    seeds: { type: "string" },
    scenario: { type: "string" },
    log: { type: "boolean", default: false }
  }
})

const rules = simulated()
const say = (text: string): void => void process.stdout.write(`${text}\n`)

const tell = (outcome: Outcome): void => {
  if (values.log) say(logText(outcome))
  const { faults, log, ms, statuses, violation } = outcome
  const ends = [...statuses].map(([run, status]) => `${run} ${status}`).join(", ")
  say(
    `${log.length} events, ${Math.round(ms / 1000)} s of virtual time; ${ends}; faults: ${[...faults].join(", ") || "none"}`
  )
  if (violation === null) return
  say(violation.message)
  process.exitCode = 1
}

const many = (from: number, to: number): void => {
  const counts = new Map<string, number>()
  const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1)
  const began = performance.now()
  let events = 0
  for (let seed = from; seed <= to; seed++) {
    const { faults, log, statuses, violation } = simulate(rules, scenarioOf(seed))
    events += log.length
    for (const { event_type } of log) count(event_type)
    for (const status of statuses.values()) count(`run ${status}`)
    for (const kind of faults) count(`fault ${kind}`)
    if (violation === null) continue
    count(`broken ${violation.rule}`)
    say(`seed ${seed}: ${violation.message}`)
    process.exitCode = 1
  }
  const seconds = (performance.now() - began) / 1000
  for (const [what, times] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1))) say(`${times}\t${what}`)
  const seeds = to - from + 1
  say(`${seeds} seeds, ${events} events, ${seconds.toFixed(1)} s: ${(seeds / seconds).toFixed(1)} seeds a second`)
}

if (values.scenario !== undefined) tell(simulate(rules, JSON.parse(values.scenario) as Scenario))
else if (values.seeds !== undefined) {
  const [from = 1, to = from] = values.seeds.split("-").map(Number)
  many(from, to)
} else {
  const seed = Number(values.seed ?? 1)
  const outcome = simulate(rules, scenarioOf(seed))
  tell(outcome)
  if (outcome.violation !== null) say(explained(rules, seed, outcome.violation))
}
