import { assert, describe, it } from "@effect/vitest"
import type { ActivityFailure, CommandOf, LineFact } from "@proofline/kernel"
import { parseGeneratedTasks } from "@proofline/plugins/adapters/project-files"
import type { RecordOpinion, RecordPlan } from "@proofline/plugins/policies/requirements"
import { generatorAgent, verifierAgent } from "@proofline/plugins/policies/requirements-agent"
import { Effect, Result } from "effect"
import { completed } from "../requirements/stage.ts"
import { carryOut, type Ended, generationRequest, verificationRequest, world } from "./support.ts"

const plan = `tasks:
  - id: task_2
    name: Refuse short lines
    depends_on: [task_1]
    covers: [req_1.2]
    instruction: |
      Refuse lines with too few columns, e.g.:
      \`\`\`
      a,b
      \`\`\`
    checks: ["npm test"]
`

const planned = Effect.fnUntraced(function* (
  ended: Ended,
  more: Parameters<typeof generationRequest>[0] = { completed_tasks: [completed("task_1")], taken_ids: ["task_1"] }
) {
  const { blobs, layer, requests } = world(ended)
  const plugin = yield* Effect.provide(generatorAgent(parseGeneratedTasks), layer)
  return {
    blobs,
    requests,
    ...(yield* carryOut<CommandOf<typeof RecordPlan>>(plugin, "generator-agent", generationRequest(more)))
  }
})

const taken = <A, E>({ result }: { readonly result: Result.Result<A, E> }): A => Result.getOrThrow(result)

describe("an agent that is asked for tasks", () => {
  it.effect("when it is asked, then in its role, for its iteration, with its number", () =>
    Effect.gen(function* () {
      const former = { answer: "no plan", problems: ["The answer holds no plan."] }
      const { requests } = yield* planned({ answer: plan }, { iteration: 3, ask: 2, former, previous_feedback: "No." })
      const [request] = requests
      assert.lengthOf(requests, 1)
      assert.deepInclude(request, {
        run_id: "run_1",
        task_id: "iteration-3",
        attempt: 2,
        role: "generate",
        directory: null,
        timeout_ms: 1_000,
        idle_timeout_ms: null
      })
      for (const told of ["iteration 3", "/project", "The answer holds no plan.", "no plan", "No."])
        assert.include(request?.prompt, told)
    })
  )

  it.effect("when a report file holds the plan, then that is taken and kept, whatever it printed", () =>
    Effect.gen(function* () {
      const usage = { input_tokens: 5, output_tokens: 7, cost_usd: null }
      const asked = yield* planned({
        answer: plan,
        stdout: "```yaml\ntasks:\n  - {id: other, name: o, instruction: o, checks: o}\n```",
        usage
      })
      const { _tag, answer, ask, generator, iteration, output, problems, tasks } = taken(asked)
      assert.deepStrictEqual([_tag, generator, iteration, ask], ["requirements.RecordPlan", "agent", 1, 1])
      assert.deepStrictEqual(problems, [])
      assert.deepStrictEqual(
        tasks.map(({ covers, depends_on, id }) => ({ id, covers, depends_on })),
        [{ id: "task_2", covers: ["req_1.2"], depends_on: ["task_1"] }]
      )
      assert.strictEqual(answer, plan)
      assert.deepStrictEqual(asked.blobs, [plan])
      assert.strictEqual(output?.bytes, Buffer.byteLength(plan))
      const call = { agent: "command", role: "generate", task_id: "iteration-1", attempt: 1 }
      assert.deepStrictEqual(asked.dispatched, [{ _tag: "RecordUsage", ...call, usage }])
    })
  )

  it.effect("when it printed the plan among prose, then it is found, although another block is the last", () =>
    Effect.gen(function* () {
      for (const end of ["\n", "\r\n"]) {
        const stdout = `Here is the plan:\n\n\`\`\`\`yaml\n${plan}\`\`\`\`\n\nRun it with:\n\n\`\`\`sh\nnpm ci\nnpm test\n\`\`\`\n`
        const asked = yield* planned({ answer: "npm ci\nnpm test", stdout: stdout.replaceAll("\n", end) })
        assert.deepStrictEqual(taken(asked).problems, [])
        assert.strictEqual(taken(asked).tasks[0]?.id, "task_2")
        assert.include(taken(asked).tasks[0]?.instruction, "a,b")
      }
      const bare = yield* planned({ stdout: `Here it is.\n\n${plan}` })
      assert.strictEqual(taken(bare).tasks[0]?.id, "task_2")
    })
  )

  it.effect("when it planned tasks, then their commands are said to be its own", () =>
    Effect.gen(function* () {
      const { tasks } = taken(yield* planned({ answer: plan }))
      assert.deepStrictEqual(
        tasks.map(({ checks, commands_by }) => ({ checks, commands_by })),
        [{ checks: ["npm test"], commands_by: "agent" }]
      )
    })
  )

  it.effect("when it handed the plan in by a call, then it is the same plan", () =>
    Effect.gen(function* () {
      const covered = { item: "Short lines are refused", check: "npm test", covers: ["req_1.2"] }
      const task = { id: "t", name: "N", instruction: "a\nb: #", covers: "req_1.2", depends_on: ["task_1"] }
      const whole = JSON.stringify({ tasks: [{ ...task, checks: ["npm test"], checklist: ["It is", covered] }] })
      const { problems, tasks } = taken(yield* planned({ answer: whole }))
      assert.deepStrictEqual(problems, [])
      assert.deepInclude(tasks[0], { id: "t", title: "N", instruction: "a\nb: #", covers: ["req_1.2"] })
      assert.deepStrictEqual(tasks[0]?.checklist, [{ item: "It is" }, covered])
    })
  )

  it.effect("when its answer is none, then what is wrong with it is told and it has no tasks", () =>
    Effect.gen(function* () {
      const expected: ReadonlyArray<readonly [Ended, string]> = [
        [{}, "There was no answer"],
        [{ stdout: "All requirements are planned." }, "no plan"],
        [{ answer: "tasks: []" }, "holds no task"],
        [{ answer: plan.replace("task_1", "task_9") }, "task_9"],
        // a report file is not passed over for what was printed
        [{ answer: "tasks: []", stdout: `\`\`\`yaml\n${plan}\`\`\`` }, "holds no task"]
      ]
      for (const [ended, told] of expected) {
        const { problems, tasks } = taken(yield* planned(ended))
        assert.deepStrictEqual(tasks, [])
        assert.include(problems.join("\n"), told)
      }
      const silent = yield* planned({ stdout: " \n" })
      assert.deepInclude(taken(silent), { answer: null, output: null })
      assert.deepStrictEqual(silent.blobs, [])
    })
  )

  it.effect("when it takes the id of a task that failed, or builds on one, then it is told so with a code", () =>
    Effect.gen(function* () {
      const earlier = { completed_tasks: [completed("task_1")], taken_ids: ["task_1", "task_2", "task_3"] }
      const again = taken(yield* planned({ answer: plan }, earlier))
      assert.deepStrictEqual(again.tasks, [])
      assert.include(again.problems.join("\n"), "of an earlier iteration that was not completed")
      assert.include(again.problems.join("\n"), "[id_of_failed_task]")
      const onto = plan.replace("id: task_2", "id: task_4").replace("[task_1]", "[task_3]")
      assert.include(taken(yield* planned({ answer: onto }, earlier)).problems.join("\n"), "[dependency_not_completed]")
      const done = plan.replace("id: task_2", "id: task_1")
      assert.include(taken(yield* planned({ answer: done }, earlier)).problems.join("\n"), "[id_taken]")
    })
  )

  it.effect("when it prints its prompt back, then nothing of it is taken for a plan", () =>
    Effect.gen(function* () {
      const prompt = (yield* planned({})).requests[0]?.prompt ?? ""
      assert.include(prompt, "tasks:")
      assert.deepStrictEqual(taken(yield* planned({ stdout: prompt })).tasks, [])
    })
  )
})

const fact = (evidence: string, outcome: LineFact["outcome"] = "ok"): LineFact => ({
  index: 0,
  evidence,
  outcome,
  detail: "",
  path: null,
  start: null,
  end: null,
  total: null,
  declaration: null,
  untouched: null,
  receipt: null
})

const verified = Effect.fnUntraced(function* (ended: Ended, more: Parameters<typeof verificationRequest>[0] = {}) {
  const { blobs, layer, requests } = world(ended)
  const looked: Array<string> = []
  const plugin = yield* Effect.provide(
    verifierAgent((evidence) => {
      looked.push(evidence)
      return Effect.succeed(fact(evidence, evidence.startsWith("src/") ? "ok" : "file_not_found"))
    }),
    layer
  )
  return {
    blobs,
    looked,
    requests,
    ...(yield* carryOut<CommandOf<typeof RecordOpinion>>(plugin, "verifier-agent", verificationRequest(more)))
  }
})

const opinion = (met: boolean, evidence: string, requirement_id = "req_1") =>
  JSON.stringify({ all_requirements_met: met, requirement_status: [{ requirement_id, met, evidence }] })

describe("an agent that is asked whether a requirement is met", () => {
  it.effect("when it is asked, then in its role, about that one, with its number", () =>
    Effect.gen(function* () {
      const { requests } = yield* verified({ answer: opinion(false, "") }, { requirement_id: "req_2", ask: 2 })
      assert.deepInclude(requests[0], { task_id: "req_2", attempt: 2, role: "verify", directory: null })
      assert.include(requests[0]?.prompt, "req_2.1")
      assert.notInclude(requests[0]?.prompt, "req_1.1")
    })
  )

  it.effect("when it answers, then every place it cites was looked up, in order", () =>
    Effect.gen(function* () {
      const evidence = "$ npm test\n12 passed\nsrc/a.ts:3-9, b.ts:1"
      const asked = yield* verified({ answer: opinion(true, evidence), stdout: "met: yes" })
      const found = taken(asked)
      assert.deepInclude(found, { _tag: "requirements.RecordOpinion", verifier: "agent", requirement_id: "req_1" })
      assert.deepInclude(found, { met: true, evidence, problems: [], iteration: 1, ask: 1 })
      assert.deepStrictEqual(asked.looked, ["src/a.ts:3-9", "b.ts:1"])
      assert.deepStrictEqual(
        found.facts.map(({ evidence, index, outcome }) => [index, evidence, outcome]),
        [
          [0, "src/a.ts:3-9", "ok"],
          [1, "b.ts:1", "file_not_found"]
        ]
      )
      assert.deepStrictEqual(asked.blobs, [opinion(true, evidence)])
    })
  )

  it.effect("when it quotes an approval in a block and then says no, then it has said no", () =>
    Effect.gen(function* () {
      const example = opinion(true, "src/a.ts:1")
      const asked = yield* verified({
        answer: example,
        stdout: `As asked, like:\n\n\`\`\`json\n${example}\n\`\`\`\n\n${opinion(false, "Nothing is there.")}\n`
      })
      assert.deepInclude(taken(asked), { met: false, evidence: "Nothing is there.", problems: [] })
    })
  )

  it.effect("when it answers about all requirements of the file, then what it says of this one counts", () =>
    Effect.gen(function* () {
      for (const [own, other] of [
        [true, false],
        [false, true]
      ] as const) {
        const status = (requirement_id: string, met: boolean) => ({ requirement_id, met, evidence: "src/a.ts:1" })
        const answer = JSON.stringify({
          all_requirements_met: false,
          requirement_status: [status("req_2", other), status("req_1", own)]
        })
        const asked = yield* verified({ answer })
        assert.deepInclude(taken(asked), { met: own, evidence: "src/a.ts:1", problems: [] })
      }
    })
  )

  it.effect("when its answer is none, then it is not met and what is wrong is told", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 101 }, (_, i) => `src/a${i}.ts:1`).join(" ")
      const expected: ReadonlyArray<readonly [Ended, string]> = [
        [{}, "There was no answer"],
        [{ stdout: "All requirements are met." }, "no JSON object"],
        [{ answer: opinion(true, "") }, "by word alone"],
        [{ answer: opinion(true, "src/a.ts:1", "req_2") }, 'does not name "req_1"'],
        [{ answer: opinion(true, "src/a.ts:1", "req_9") }, "was not asked for"],
        [{ answer: opinion(true, many) }, "cites 101 places"]
      ]
      for (const [ended, told] of expected) {
        const asked = yield* verified(ended)
        assert.deepInclude(taken(asked), { met: false, evidence: "", facts: [] })
        assert.include(taken(asked).problems.join("\n"), told)
        assert.deepStrictEqual(asked.looked, [])
      }
    })
  )

  it.effect("when it prints its prompt back, then nothing of it is taken for an answer", () =>
    Effect.gen(function* () {
      const prompt = (yield* verified({})).requests[0]?.prompt ?? ""
      assert.isNotEmpty(taken(yield* verified({ stdout: prompt })).problems)
    })
  )
})

const failureIn = <A>(result: Result.Result<A, ActivityFailure>): ActivityFailure | null =>
  Result.isFailure(result) ? result.failure : null

describe("an agent that does not end well", () => {
  const error = { code: "agent_quota", message: "Its quota is used up.", terminal: true }
  const both = Effect.fnUntraced(function* (ended: Ended, agent = "command") {
    const plan = yield* planned(ended, { agent })
    const opinion = yield* verified(ended, { agent })
    return [
      { code: "generation_failed", failure: failureIn(plan.result), dispatched: plan.dispatched },
      { code: "verification_failed", failure: failureIn(opinion.result), dispatched: opinion.dispatched }
    ]
  })

  it.effect("when trying again cannot help, then that is told with its name, whatever it had handed in", () =>
    Effect.gen(function* () {
      const usage = { input_tokens: 5, output_tokens: 7, cost_usd: null }
      for (const { code, dispatched, failure } of yield* both({ outcome: "ERROR", error, answer: plan, usage })) {
        assert.deepInclude(failure, { _tag: "ActivityFailure", code, terminalAgent: "command" })
        assert.include(failure?.message, "Its quota is used up.")
        // what was used was used
        assert.deepInclude(dispatched[0], { _tag: "RecordUsage", usage })
      }
    })
  )

  it.effect("when it ran out of time, or nobody knows it, then the question has failed", () =>
    Effect.gen(function* () {
      for (const { code, failure } of yield* both({ outcome: "TIMEOUT" })) {
        assert.strictEqual(failure?.code, code)
        assert.notProperty(failure, "terminalAgent")
        assert.include(failure?.message, "It ran out of time.")
      }
      for (const { code, dispatched, failure } of yield* both({}, "nobody")) {
        assert.strictEqual(failure?.code, code)
        assert.include(failure?.message, "There is no agent")
        assert.deepStrictEqual(dispatched, [])
      }
    })
  )
})
