import { assert, describe, it } from "@effect/vitest"
import { defaultRunConfig } from "@proofline/kernel"
import type { GeneratedTask } from "@proofline/plugins/policies/requirements"
import { Effect, Schema } from "effect"
import { type Random, randomFrom } from "../../kernel/support/random.ts"
import { often } from "../../often.ts"
import { aDefinition, aRequirement, contentsOf, planned, play, replayed, resumed } from "./stage.ts"

/** What becomes of everything, drawn from a seed. */
const worldOf = (random: Random) => {
  const times = <A>(least: number, most: number, make: () => A): ReadonlyArray<A> =>
    Array.from({ length: least + random.below(most - least + 1) }, make)
  return {
    requirements: times(1, 3, () => ({
      criteria: times(0, 3, () => random.pick(["tasks", "tasks", "true", "false"])).slice(random.chance(0.9) ? 0 : 3),
      isRequired: random.chance(0.7)
    })),
    /** By answer: how each task goes, what it covers, what it depends on, whether it leaves something that shows it. */
    plans: times(1, 6, () =>
      times(random.chance(0.9) ? 1 : 0, 3, () => ({
        id: random.below(9),
        goes: random.chance(0.75) ? "well" : "badly",
        covers: times(0, 3, () => random.below(9)),
        after: random.chance(0.3) ? [random.below(9)] : [],
        isShown: random.chance(0.8)
      }))
    ),
    max_iterations: 1 + random.below(3),
    trust_agent: random.chance(0.5),
    /** Null: as before there was this. */
    proof: random.pick([null, { verifier_named: true }, { verifier_named: false }]),
    commandsBy: random.pick(["agent", "user"]),
    opinions: times(1, 5, () => random.pick(["met", "met, shown", "unmet", "rubbish"])),
    max_attempts: random.chance(0.4) ? 1 + random.below(4) : null
  }
}

type World = ReturnType<typeof worldOf>

const playWorld = (world: World) => {
  const definition = aDefinition(
    world.requirements.map(({ criteria, isRequired }, i) =>
      aRequirement(
        `req_${i + 1}`,
        criteria.map((check) => (check === "tasks" ? "something" : { criterion: "something", check })),
        isRequired ? "required" : "optional"
      )
    ),
    { verifier: "scripted", trust_agent: world.trust_agent }
  )
  const criteria = definition.requirements.flatMap(({ acceptance_criteria }) => acceptance_criteria.map(({ id }) => id))
  let answers = 0
  let opinions = 0
  const goes = new Map<string, string>()
  return play(
    definition,
    {
      generate: () => {
        const plan = world.plans[answers++] ?? []
        const tasks = plan.map(({ after, covers, goes: how, id, isShown }): GeneratedTask => {
          goes.set(`task_${id}`, how)
          return planned(
            `task_${id}`,
            covers.flatMap((n) => criteria[n % Math.max(1, criteria.length)] ?? []),
            { depends_on: after.map((n) => `task_${n}`), checks: isShown ? ["true"] : [], validation: ["it is nice"] }
          )
        })
        const usage = { input_tokens: 1, output_tokens: 1, cost_usd: null }
        return { tasks, answer: "a plan", usage: world.commandsBy === "agent" ? usage : null }
      },
      verify: () => {
        const said = world.opinions[opinions++ % world.opinions.length]
        return said === "rubbish"
          ? { problems: ["No JSON."] }
          : { met: said !== "unmet", evidence: said === "met, shown" ? "`npm test`: 3 passed" : "I think so." }
      },
      script: (id) => Effect.succeed({ outcome: goes.get(id) === "badly" ? "ERROR" : "COMPLETE" })
    },
    {
      load: {
        max_iterations: world.max_iterations,
        ...(world.proof === null ? {} : { proof: { ...world.proof, user_commands: [] } })
      },
      config: {
        max_retries: 0,
        reviewer: "command",
        reviewer_named: true,
        budget: { ...defaultRunConfig.budget, max_attempts: world.max_attempts }
      }
    }
  )
}

type Played = Effect.Success<ReturnType<typeof playWorld>>

const idsOf = (played: Played, type: string): ReadonlyArray<unknown> =>
  played.loop.iterations.flatMap(({ iteration_number }) =>
    contentsOf(played.child(iteration_number), type).map((content) => content["task_id"])
  )

/** A verifier that was asked says no, or the one that the user chose has said nothing. */
const isDoubted = ({ loop }: Played, { proof }: World, id: string): boolean => {
  const opinion = loop.requirements.get(id)?.opinion ?? null
  return opinion === null ? proof?.verifier_named === true : !opinion.met
}

const check = (played: Played, world: World): void => {
  const { loop, status } = played
  assert.notStrictEqual(status, "running")
  assert.isNull(replayed(played))
  // iterations are bounded, and each has one task run at most
  assert.isAtMost(loop.iterations.length, world.max_iterations)
  // ids are unique over all iterations, and nothing completed is run again
  const registered = idsOf(played, "TASK_REGISTERED")
  assert.deepStrictEqual(registered, [...new Set(registered)])
  const completed = idsOf(played, "TASK_COMPLETED")
  assert.deepStrictEqual(completed, [...new Set(completed)])
  assert.sameMembers(
    [...completed],
    loop.completed.map(({ id }) => id)
  )
  // completed only when every criterion that gates is shown by something, and never for nothing
  const required = world.requirements.filter(({ isRequired }) => isRequired)
  const gate = required.length > 0 ? "required" : "optional"
  const gating = (loop.definition?.requirements ?? []).filter(({ priority }) => priority === gate)
  // what tasks run is a command of the user too where a criterion has it
  const isOfAgent =
    world.commandsBy === "agent" && !world.requirements.some(({ criteria }) => criteria.includes("true"))
  const isMet = gating.every(({ acceptance_criteria, id }) => {
    const seen = loop.requirements.get(id)?.criteria ?? []
    return (
      acceptance_criteria.length > 0 &&
      acceptance_criteria.every(({ check: command, id: criterion }) => {
        const one = seen.find((verdict) => verdict.id === criterion)
        if (one?.verdict !== "proven") return false
        if (command !== null) return command === "true" && one.by === "check"
        if (one.by === "agent") return world.trust_agent && /`npm test`: 3 passed/.test(one.message)
        if (world.proof !== null && (isOfAgent || isDoubted(played, world, id))) return false
        return one.tasks.length > 0 && one.tasks.every((task) => completed.includes(task))
      })
    )
  })
  assert.strictEqual(status === "completed", isMet)
  if (world.max_attempts !== null) {
    assert.isAtMost(idsOf(played, "ATTEMPT_STARTED").length, world.max_attempts)
  }
}

const Seed = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2 ** 31 - 1 }))
const drawn = (times: number) => ({ arbitrary: { runs: often(times) } })

describe("whatever is planned, done and said", () => {
  it.live.prop(
    "the loop ends, claims nothing that was not shown, and both levels can be decided again",
    [Seed],
    ([seed]) => {
      const world = worldOf(randomFrom(seed))
      return Effect.map(playWorld(world), (played) => check(played, world))
    },
    drawn(80)
  )

  it.live.prop(
    "a run that ended for its budget always goes on, and comes to the end it has without one",
    [Seed],
    ([seed]) =>
      Effect.gen(function* () {
        const world = worldOf(randomFrom(seed))
        const free = yield* playWorld({ ...world, max_attempts: null })
        let played = yield* playWorld({ ...world, max_attempts: world.max_attempts ?? 1 })
        // every resume grants at least one attempt; there are at most 3 iterations of 3 tasks
        for (let i = 0; i < 12 && /budget/.test(played.message); i++) played = yield* resumed(played)
        assert.notMatch(played.message, /budget/)
        assert.strictEqual(played.status, free.status)
        assert.isNull(replayed(played))
      }),
    drawn(40)
  )
})
