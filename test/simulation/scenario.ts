import type { PersonAnswer, RunConfig } from "@proofline/kernel"
import { type Random, randomFrom } from "../kernel/support/random.ts"

// A scenario is plain data: all that a seed decides before anything runs, so that it can be printed, and made smaller.

/** What an agent says of an item, and what it has done for it. */
export type ItemDeed =
  /** Work, and the line that shows it. */
  | "shown"
  /** A line that was there before. */
  | "untouched"
  | "stub"
  | "beyond_end"
  | "no_file"
  | "no_format"
  /** The line that shows another item. */
  | "same"
  | "left_out"
  | "pending"
  | "skipped"
  | "skipped_without_reason"
  | "cannot"

/** How a call of an agent goes. */
export interface Deeds {
  readonly end: "well" | "error" | "terminal" | "transient" | "timeout" | "crash" | "rubbish" | "silent"
  /** By item; the last one stands for those that follow. */
  readonly items: ReadonlyArray<ItemDeed>
  /** It does what the commands ask for. */
  readonly fixes: boolean
  /** It changes the file of another task: rewrites the last line of it, or takes it out. */
  readonly meddles: "no" | "rewrites" | "removes"
  readonly ms: number
}

export interface PlannedTask {
  readonly id: string
  readonly depends_on: ReadonlyArray<string>
  readonly items: ReadonlyArray<"plain" | "checked" | "existing">
  /** `work`: fails until the work is done; `green`: passes anyway; `never`: fails for ever; `hangs`: does not end. */
  readonly checks: ReadonlyArray<"work" | "green" | "never" | "hangs">
  readonly validation: number
  readonly chunk: "no" | "auto" | "asked"
  /** By attempt; the last one stands for those that follow. */
  readonly attempts: ReadonlyArray<Deeds>
}

export interface Review {
  readonly says: "PASS" | "REJECT" | "RETRY" | "rubbish" | "error" | "terminal" | "timeout"
  readonly ms: number
}

export interface Plan {
  readonly says: "parts" | "whole" | "rubbish" | "circle" | "error" | "terminal"
  /** By part: the parts before it that it needs, from 1. */
  readonly parts: ReadonlyArray<ReadonlyArray<number>>
  readonly ms: number
}

/** One iteration of a requirements loop, as the agents that generate and verify see it. */
export interface Iteration {
  readonly says: "tasks" | "rubbish" | "nothing" | "error"
  readonly tasks: ReadonlyArray<Omit<PlannedTask, "id" | "depends_on" | "chunk" | "validation">>
  readonly verifies: "met" | "unmet" | "rubbish" | "partly"
}

/** `at` counts appends, reads, claims or heartbeats of the whole simulation, from 1; `after` is in ms. */
export type Fault =
  /** `before` it is committed, or `after`: then it is written and nobody hears of it. */
  | { readonly kind: "append_fails" | "dies_appending"; readonly at: number; readonly when: "before" | "after" }
  /** Somebody else got ahead, it says. */
  | { readonly kind: "conflict"; readonly at: number }
  | { readonly kind: "append_slow" | "read_slow"; readonly at: number; readonly ms: number }
  | { readonly kind: "read_fails"; readonly at: number }
  | { readonly kind: "claim_twice"; readonly at: number }
  | { readonly kind: "claim_slow" | "heartbeat_slow"; readonly at: number; readonly ms: number }
  | { readonly kind: "killed"; readonly after: number; readonly host: number }
  | { readonly kind: "paused" | "clock_set"; readonly after: number; readonly host: number; readonly ms: number }
  /** A person cancels, takes the run over while it runs, or notes something; whoever sends a command sends it twice. */
  | { readonly kind: "cancelled" | "taken_over" | "noted"; readonly after: number }

export interface Scenario {
  readonly kind: "tasks" | "requirements"
  readonly tasks: ReadonlyArray<PlannedTask>
  readonly config: Partial<Omit<RunConfig, "chunking" | "proof">> & {
    readonly chunking: Partial<RunConfig["chunking"]>
    readonly proof: Partial<NonNullable<RunConfig["proof"]>>
  }
  /** Processes beside the one that drives; each has so many slots. */
  readonly workers: number
  readonly reviews: ReadonlyArray<Review>
  readonly plans: ReadonlyArray<Plan>
  readonly iterations: ReadonlyArray<Iteration>
  readonly answers: ReadonlyArray<{ readonly answer: PersonAnswer; readonly ms: number }>
  /** How often a person goes on with a run that did not end well. */
  readonly resumes: number
  readonly faults: ReadonlyArray<Fault>
  /** Agents of a process that is killed work on for a while. */
  readonly orphans: boolean
  readonly preemption: number
  /** The most that the log takes for an append, ms. */
  readonly latency: number
  /** For what happens by chance while it runs: who goes first. */
  readonly dice: number
  /** Whoever goes on with a run that did not end well does so for one of its tasks first. */
  readonly oneByOne: boolean
}

const several = <A>(random: Random, atMost: number, make: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: random.below(atMost + 1) }, (_, i) => make(i))

const itemDeed = (random: Random, honesty: number): ItemDeed =>
  random.chance(honesty)
    ? "shown"
    : random.pick<ItemDeed>([
        "untouched",
        "stub",
        "beyond_end",
        "no_file",
        "no_format",
        "same",
        "left_out",
        "pending",
        "skipped",
        "skipped",
        "skipped_without_reason",
        "cannot"
      ])

const deeds = (random: Random, honesty: number): Deeds => ({
  end: random.chance(honesty)
    ? "well"
    : random.pick(["well", "well", "error", "error", "terminal", "transient", "timeout", "crash", "rubbish", "silent"]),
  items: [itemDeed(random, honesty), itemDeed(random, honesty), itemDeed(random, honesty)],
  fixes: random.chance(honesty),
  meddles: random.chance(0.06) ? random.pick(["rewrites", "removes"]) : "no",
  ms: random.pick([5, 50, 400, 3_000, 12_000])
})

/** Sooner or later the work is done well, mostly: else no run would get far. */
const attemptsOf = (random: Random): ReadonlyArray<Deeds> => [
  ...several(random, 3, () => deeds(random, 0.55)),
  deeds(random, random.chance(0.85) ? 1 : 0.6)
]

const item = (random: Random) => random.pick(["plain", "plain", "plain", "checked", "existing"] as const)

const check = (random: Random) =>
  random.chance(0.85) ? "work" : random.pick(["work", "green", "green", "never", "hangs"] as const)

const work = (random: Random) => ({
  // now and then there is nothing to show at all
  items: random.chance(0.15) ? [] : [item(random), ...several(random, 2, () => item(random))],
  checks: several(random, 2, () => check(random)),
  attempts: attemptsOf(random)
})

const configOf = (random: Random): Scenario["config"] => {
  const reviewer = random.pick(["none", "none", "named", "agent"])
  const often = (share: number) => random.chance(share)
  return {
    agent: "worker",
    ...(often(0.15) ? { fallback: ["second"] } : {}),
    reviewer: reviewer === "none" ? null : reviewer === "named" ? "critic" : "worker",
    reviewer_named: reviewer === "named",
    workers: 1 + random.below(4),
    max_retries: random.below(4),
    retry_delay_ms: random.pick([0, 100, 2_000, 2_000]),
    backoff_multiplier: random.pick([1, 1.5, 1.5, 3]),
    retry_on: (["INCOMPLETE", "ERROR", "TIMEOUT"] as const).filter(() => often(0.85)),
    max_lost_attempts: random.pick([0, 1, 3, 100]),
    fail_fast: often(0.2),
    ...(often(0.15) ? { budget: budgetOf(random) } : {}),
    chunking: {
      // worktrees are git's: what several do in them is tested with real repositories
      workspace: "shared",
      enabled: often(0.95),
      auto_detect: often(0.9),
      analyzer: random.pick(["auto", "agent", "heuristic"]),
      execution_mode: random.pick(["auto", "auto", "parallel", "sequential"]),
      fail_fast: often(0.3),
      review_loop_per_subtask: often(0.7),
      max_iterations: 1 + random.below(3),
      retry: {
        max_retries: random.below(3),
        retry_delay_ms: random.pick([0, 2_000]),
        backoff_multiplier: 1.5,
        retry_on: ["INCOMPLETE", "ERROR", "TIMEOUT"]
      },
      aggregation_strategy: {
        type: random.pick(["merge_all", "merge_all", "last_wins"]),
        conflict_resolution: random.pick(["fail", "overwrite", "manual"])
      }
    },
    proof: {
      accept: often(0.15) ? [random.pick(["untouched", "was_green", "not_its_own", "self_review"])] : [],
      max_waived: random.pick([0, 1 / 3, 1 / 3, 1])
    }
  }
}

const budgetOf = (random: Random): NonNullable<Scenario["config"]["budget"]> => ({
  max_attempts: random.pick([null, 1 + random.below(6)]),
  max_calls: random.pick([null, 1 + random.below(8)]),
  max_duration_ms: null,
  max_tokens: random.pick([null, 500]),
  max_cost_usd: null
})

const faultOf = (random: Random, appends: number): Fault => {
  const at = 1 + random.below(appends)
  const when = random.pick(["before", "after"] as const)
  const after = random.pick([10, 300, 3_000, 20_000]) * (1 + random.below(4))
  const host = random.below(3)
  switch (
    random.pick([
      "append_fails",
      "dies_appending",
      "conflict",
      "append_slow",
      "read_slow",
      "read_fails",
      "claim_twice",
      "claim_slow",
      "heartbeat_slow",
      "killed",
      "paused",
      "clock_set",
      "person"
    ] as const)
  ) {
    case "append_fails":
      return { kind: "append_fails", at, when }
    case "dies_appending":
      return { kind: "dies_appending", at, when }
    case "conflict":
      return { kind: "conflict", at }
    case "append_slow":
      return { kind: "append_slow", at, ms: random.pick([5, 500, 15_000]) }
    case "read_slow":
      return { kind: "read_slow", at, ms: random.pick([5, 500, 15_000]) }
    case "read_fails":
      return { kind: "read_fails", at }
    case "claim_twice":
      return { kind: "claim_twice", at: 1 + random.below(20) }
    case "claim_slow":
      return { kind: "claim_slow", at: 1 + random.below(20), ms: random.pick([100, 4_000, 15_000]) }
    case "heartbeat_slow":
      return { kind: "heartbeat_slow", at: 1 + random.below(20), ms: random.pick([100, 4_000, 25_000]) }
    case "killed":
      return { kind: "killed", after, host }
    case "paused":
      return { kind: "paused", after, host, ms: random.pick([500, 9_000, 11_000, 40_000]) }
    case "clock_set":
      return { kind: "clock_set", after, host, ms: random.pick([-600_000, -60_000, -500, 500, 30_000, 600_000]) }
    case "person":
      return { kind: random.pick(["cancelled", "taken_over", "taken_over", "noted", "noted"]), after }
  }
}

/** What a seed stands for. */
export const scenarioOf = (seed: number): Scenario => {
  const random = randomFrom(seed)
  const kind = random.chance(0.15) ? "requirements" : "tasks"
  const ids = Array.from({ length: 1 + random.below(5) }, (_, i) => `t${i + 1}`)
  const plain = random.chance(0.25)
  return {
    kind,
    tasks:
      kind === "requirements"
        ? []
        : random.shuffled(
            ids.map((id, i) => ({
              id,
              depends_on: ids.slice(0, i).filter(() => random.chance(0.3)),
              ...work(random),
              validation: random.chance(0.3) ? 1 + random.below(2) : 0,
              chunk: random.chance(0.3) ? random.pick(["asked", "auto"] as const) : "no"
            }))
          ),
    config: configOf(random),
    workers: random.pick([0, 0, 1, 2]),
    reviews: [
      ...several(random, 3, () => ({
        says: random.pick([
          "PASS",
          "PASS",
          "PASS",
          "REJECT",
          "RETRY",
          "rubbish",
          "error",
          "terminal",
          "timeout"
        ] as const),
        ms: random.pick([5, 900, 8_000])
      })),
      { says: "PASS", ms: 20 }
    ],
    plans: [
      ...several(random, 2, () => ({
        says: random.pick([
          "parts",
          "parts",
          "parts",
          "parts",
          "whole",
          "rubbish",
          "circle",
          "error",
          "terminal"
        ] as const),
        parts: Array.from({ length: 2 + random.below(3) }, (_, i) =>
          Array.from({ length: i }, (_, n) => n + 1).filter(() => random.chance(0.3))
        ),
        ms: random.pick([5, 2_000])
      })),
      { says: "parts", parts: [[], []], ms: 20 }
    ],
    iterations:
      kind === "tasks"
        ? []
        : Array.from({ length: 1 + random.below(3) }, () => ({
            says: random.pick(["tasks", "tasks", "tasks", "tasks", "rubbish", "nothing", "error"] as const),
            tasks: Array.from({ length: 1 + random.below(2) }, () => work(random)),
            verifies: random.pick(["met", "met", "unmet", "rubbish", "partly"] as const)
          })),
    answers: [
      ...several(random, 2, () => ({
        answer: random.pick(["waive", "continue", "give_up"] as const),
        ms: random.pick([0, 5_000, 600_000])
      })),
      { answer: "continue", ms: 100 }
    ],
    resumes: random.below(3),
    faults: plain ? [] : several(random, 6, () => faultOf(random, 60)),
    orphans: random.chance(0.3),
    preemption: random.pick([0, 0, 0.002, 0.02]),
    latency: random.pick([0, 0, 2, 30]),
    dice: random.below(2 ** 30),
    oneByOne: random.chance(0.4)
  }
}
