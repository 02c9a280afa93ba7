import type { Violation } from "./oracle.ts"
import { scenarioOf } from "./scenario.ts"
import { shrunk } from "./shrink.ts"
import { type BentLog, type Outcome, type Rules, simulate } from "./simulate.ts"

/** The events of a log, one a line, with the time of the simulation. */
export const logText = ({ log }: Outcome): string =>
  log
    .map(
      ({ content, event_type, stream, timestamp, version }) =>
        `${timestamp.slice(11, 23)} ${stream} ${version} ${event_type} ${JSON.stringify(content).slice(0, 400)}`
    )
    .join("\n")

/** What broke under a seed, the smallest scenario in which it does, and how to see it again. */
export const explained = (rules: Rules, seed: number, violation: Violation): string => {
  const { outcome, scenario } = shrunk(rules, scenarioOf(seed), violation.rule)
  return [
    `seed ${seed}: ${violation.message}`,
    `The smallest scenario found in which "${violation.rule}" breaks: ${outcome.violation?.message ?? "none"}`,
    JSON.stringify(scenario),
    `Again: cd test && npm run simulate -- --seed ${seed}`,
    `The small one, with its log: cd test && npm run simulate -- --log --scenario '${JSON.stringify(scenario)}'`
  ].join("\n")
}

/** All that breaks under some seeds, explained; and what was seen meanwhile. */
export const broken = (
  rules: Rules,
  seeds: Iterable<number>,
  seen: (outcome: Outcome) => void = () => {},
  bend?: () => BentLog
): string | null => {
  for (const seed of seeds) {
    const outcome = simulate(rules, scenarioOf(seed), bend?.())
    seen(outcome)
    if (outcome.violation !== null) return explained(rules, seed, outcome.violation)
  }
  return null
}
