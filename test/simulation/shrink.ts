import type { Deeds, Scenario } from "./scenario.ts"
import { type BentLog, type Outcome, type Rules, simulate } from "./simulate.ts"

/** Simulations that are spent on making a scenario smaller. */
const mostTries = 600

/** The smallest scenario found in which the same rule breaks. */
export const shrunk = (
  rules: Rules,
  scenario: Scenario,
  rule: string,
  bend?: BentLog
): { readonly scenario: Scenario; readonly outcome: Outcome } => {
  let best = { scenario, outcome: simulate(rules, scenario, bend) }
  let tries = 0
  const isBroken = (candidate: Scenario): boolean => {
    tries++
    const outcome = simulate(rules, candidate, bend)
    if (outcome.violation?.rule !== rule) return false
    best = { scenario: candidate, outcome }
    return true
  }
  for (let goesOn = true; goesOn && tries < mostTries; ) {
    goesOn = false
    for (const smaller of smallerOnes(best.scenario)) {
      if (tries >= mostTries) break
      if (!isBroken(smaller)) continue
      goesOn = true
      break
    }
  }
  return best
}

const without = <A>(all: ReadonlyArray<A>, index: number): ReadonlyArray<A> => all.filter((_, i) => i !== index)

/** The list with one of them left out, for each of them. */
const fewer = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> => all.map((_, i) => without(all, i))

/** The list with one of them changed, in every way there is. */
const eased = <A>(all: ReadonlyArray<A>, ease: (one: A) => ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  all.flatMap((one, i) => ease(one).map((other) => all.with(i, other)))

const plainly: Deeds = { end: "well", items: ["shown"], fixes: true, meddles: "no", ms: 5 }

const easedDeeds = (deeds: Deeds): ReadonlyArray<Deeds> =>
  [
    plainly,
    { ...deeds, end: "well" as const },
    { ...deeds, items: deeds.items.slice(0, -1) },
    { ...deeds, items: ["shown"] as const },
    { ...deeds, fixes: true },
    { ...deeds, meddles: "no" as const },
    { ...deeds, ms: 5 }
  ].filter((one) => one.items.length > 0 && JSON.stringify(one) !== JSON.stringify(deeds))

/** Scenarios with a little less to them, the largest steps first. */
function* smallerOnes(scenario: Scenario): Generator<Scenario> {
  const { config, faults, iterations, plans, reviews, tasks } = scenario
  if (faults.length > 1) yield { ...scenario, faults: [] }
  for (const left of fewer(faults)) yield { ...scenario, faults: left }
  for (const { id } of tasks) {
    if (tasks.length === 1) break
    const left = tasks.filter((one) => one.id !== id)
    yield {
      ...scenario,
      tasks: left.map((one) => ({ ...one, depends_on: one.depends_on.filter((name) => name !== id) }))
    }
  }
  if (scenario.workers > 0) yield { ...scenario, workers: 0 }
  if (scenario.resumes > 0) yield { ...scenario, resumes: scenario.resumes - 1 }
  if (scenario.oneByOne) yield { ...scenario, oneByOne: false }
  if (scenario.preemption > 0) yield { ...scenario, preemption: 0 }
  if (scenario.latency > 0) yield { ...scenario, latency: 0 }
  if (scenario.orphans) yield { ...scenario, orphans: false }
  for (const left of fewer(iterations)) if (left.length > 0) yield { ...scenario, iterations: left }
  for (const left of fewer(reviews)) if (left.length > 0) yield { ...scenario, reviews: left }
  for (const left of fewer(plans)) if (left.length > 0) yield { ...scenario, plans: left }
  for (const key of Object.keys(config)) {
    if (key === "agent" || key === "chunking" || key === "proof") continue
    const { [key as keyof typeof config]: _, ...rest } = config
    yield { ...scenario, config: rest as Scenario["config"] }
  }
  for (const part of ["chunking", "proof"] as const) {
    for (const key of Object.keys(config[part])) {
      if (key === "workspace") continue
      const { [key as never]: _, ...rest } = config[part]
      yield { ...scenario, config: { ...config, [part]: rest } }
    }
  }
  const easedTasks = eased(tasks, (task) => [
    ...fewer(task.items).map((items) => ({ ...task, items })),
    ...fewer(task.checks).map((checks) => ({ ...task, checks })),
    ...fewer(task.depends_on).map((depends_on) => ({ ...task, depends_on })),
    ...fewer(task.attempts).flatMap((attempts) => (attempts.length === 0 ? [] : [{ ...task, attempts }])),
    ...(task.chunk === "no" ? [] : [{ ...task, chunk: "no" as const }]),
    ...(task.validation === 0 ? [] : [{ ...task, validation: task.validation - 1 }]),
    ...eased(task.attempts, easedDeeds).map((attempts) => ({ ...task, attempts }))
  ])
  for (const left of easedTasks) yield { ...scenario, tasks: left }
}
