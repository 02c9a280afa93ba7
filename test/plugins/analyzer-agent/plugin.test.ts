import { assert, describe, it } from "@effect/vitest"
import {
  type ActivityFailure,
  type AgentRequest,
  type AgentResult,
  Agents,
  type CommandOf,
  defaultChunkingConfig,
  type RecordAnalysis,
  type TaskSpec,
  UnknownAgent
} from "@proofline/kernel"
import { aRun, aTask, given } from "@proofline/kernel/testing"
import { analyzerAgent } from "@proofline/plugins/policies/analyzer-agent"
import { CheckoutRefused, ScratchCheckouts, ScratchProjects } from "@proofline/plugins/ports"
import { Effect, Layer, Result, Schema } from "effect"
import { often } from "../../often.ts"
import { carryOut } from "../carryOut.ts"

const ended = (answer: string | null, more: Partial<AgentResult> = {}): AgentResult => ({
  outcome: "COMPLETE",
  exit_code: 0,
  signal: null,
  duration_ms: 1,
  answer,
  stdout: new Uint8Array(),
  stderr: new Uint8Array(),
  steps: new Uint8Array(),
  error: null,
  usage: null,
  ...more
})

const part = (prompt: string, more: object = {}) => ({
  prompt,
  dependencies: [],
  acceptance_criteria: [`${prompt} is there`],
  ...more
})

const plan = (...subtasks: ReadonlyArray<object>) => ({
  is_decomposable: true,
  decomposition_reason: "The parts stand apart.",
  subtasks
})

/** Copies of a project that is no repository. */
const copies = Layer.mergeAll(
  Layer.succeed(ScratchCheckouts, { make: () => Effect.fail(new CheckoutRefused({ message: "There is no commit." })) }),
  Layer.succeed(ScratchProjects, { make: () => Effect.succeed({ directory: "/copy", write: () => Effect.void }) })
)

interface Asked {
  readonly requests: ReadonlyArray<AgentRequest>
  readonly result: Result.Result<CommandOf<typeof RecordAnalysis>, ActivityFailure>
}

/** An agent that gives these answers, one after the other; a text or an object is an answer, else how it ended. */
const analysed = (
  answers: ReadonlyArray<string | object | null>,
  spec: Partial<TaskSpec> = {},
  ends: Partial<AgentResult> = {},
  analyzer = "agent"
): Effect.Effect<Asked> =>
  Effect.gen(function* () {
    const requests: Array<AgentRequest> = []
    const agents = Layer.succeed(Agents, {
      names: ["command"],
      run: (agent, request) => {
        const answer = answers[requests.length]
        requests.push(request)
        if (agent !== "command" || answer === undefined)
          return Effect.fail(new UnknownAgent({ agent, known: ["command"] }))
        return Effect.succeed(
          ended(typeof answer === "object" && answer !== null ? JSON.stringify(answer) : answer, ends)
        )
      }
    })
    const plugin = yield* Effect.provide(analyzerAgent, Layer.mergeAll(agents, copies))
    const chunking = { ...defaultChunkingConfig, analyzer }
    const run = aRun([aTask("task_1", { chunk: "asked", ...spec })], { chunking })
    const after = given([], [plugin]).when(run).step?.after
    assert.isDefined(after)
    const result = yield* Effect.result(carryOut([plugin], "analyzer-agent", after, { task_id: "task_1" }))
    return { requests, result: result as Asked["result"] }
  })

const analysisIn = ({ result }: Asked) => {
  assert.isTrue(Result.isSuccess(result), Result.isFailure(result) ? result.failure.message : "")
  return Result.getOrThrow(result).analysis
}

const failureIn = ({ result }: Asked): ActivityFailure => {
  assert.isTrue(Result.isFailure(result))
  return Result.isFailure(result) ? result.failure : { _tag: "ActivityFailure", code: "", message: "" }
}

describe("given an agent that nobody named as the analyzer", () => {
  it.effect("when it is asked first, then it is asked in a copy of the project, and once", () =>
    Effect.gen(function* () {
      const asked = yield* analysed([plan(part("a"), part("b"))], {}, {}, "auto")
      assert.strictEqual(analysisIn(asked).subtasks.length, 2)
      const unusable = yield* analysed(["I did it all.", plan(part("a"), part("b"))], {}, {}, "auto")
      assert.strictEqual(failureIn(unusable).code, "analysis_invalid")
      const named = yield* analysed(["I did it all.", plan(part("a"), part("b"))])
      const directories = [asked, unusable, named].map(({ requests }) => requests.map(({ directory }) => directory))
      assert.deepStrictEqual(directories, [["/copy"], ["/copy"], [null, null]])
    })
  )
})

describe("given an agent that plans", () => {
  it.effect("when its answer is what was promised, then it is the analysis", () =>
    Effect.gen(function* () {
      const instruction = "Create src/login.ts and src/logout.ts, then document both."
      const asked = yield* analysed(
        [
          plan(
            part("Create src/login.ts", { title: "Login", paths: ["./src/login.ts", "src/invented.ts"] }),
            part("Create src/logout.ts", { paths: ["src/logout.ts"], acceptance_criteria: [] }),
            part("document both", { dependencies: [2, 1, 1], type: "review" })
          )
        ],
        { instruction }
      )
      const { criteria, is_decomposable, subtasks } = analysisIn(asked)
      assert.isTrue(is_decomposable)
      assert.deepStrictEqual(subtasks, [
        {
          title: "Login",
          prompt: "Create src/login.ts",
          dependencies: [],
          acceptance_criteria: ["Create src/login.ts is there"],
          checklist: [],
          paths: ["src/login.ts"],
          changes_files: true
        },
        {
          title: "Create src/logout.ts",
          prompt: "Create src/logout.ts",
          dependencies: [],
          acceptance_criteria: ["Create src/logout.ts"],
          checklist: [],
          paths: ["src/logout.ts"],
          changes_files: true
        },
        {
          title: "document both",
          prompt: "document both",
          dependencies: [1, 2],
          acceptance_criteria: ["document both is there"],
          checklist: [],
          paths: [],
          changes_files: false
        }
      ])
      assert.deepStrictEqual(criteria, [
        { criterion: "multiple_files", met: true, words: ["src/login.ts", "src/logout.ts"] },
        { criterion: "independent_parts", met: true, words: [] }
      ])
      const listed = yield* analysed([plan(part("add a login"), part("add a logout"))], {
        instruction: "Please add a login and add a logout."
      })
      assert.deepStrictEqual(analysisIn(listed).criteria.at(-1), {
        criterion: "explicit_enumeration",
        met: true,
        words: ["add a login", "add a logout"]
      })
    })
  )

  it.effect("when it names criteria, then only with words that the user wrote", () =>
    Effect.gen(function* () {
      const criteria = [
        { criterion: "explicit_enumeration", met: true, words: ["a, b and c", "the list"] },
        { criterion: "multiple_files", met: true, words: [] }
      ]
      const asked = yield* analysed([{ ...plan(part("a"), part("b"), part("c")), criteria }], {
        instruction: "Do a, b and c."
      })
      assert.deepStrictEqual(
        analysisIn(asked).criteria.map(({ criterion, met, words }) => [criterion, met, words]),
        [
          ["multiple_files", true, []],
          ["independent_parts", true, []],
          ["explicit_enumeration", true, ["a, b and c"]]
        ]
      )
    })
  )

  it.effect("when it leaves out items of the checklist, then each goes to the part that it fits best", () =>
    Effect.gen(function* () {
      const checklist = ["Login checks the password", "Sessions expire", "Logout ends it", "Other"].map((item) => ({
        item
      }))
      const asked = yield* analysed(
        [
          plan(
            part("Write the session store, sessions expire", { checklist: [2] }),
            part("Write the login"),
            part("Write logout")
          )
        ],
        { checklist }
      )
      assert.deepStrictEqual(
        analysisIn(asked).subtasks.map((one) => one.checklist),
        [[1], [0], [2, 3]]
      )
    })
  )

  it.effect("when it says that the task stays whole, then nothing else of the answer counts", () =>
    Effect.gen(function* () {
      const answer = { is_decomposable: false, decomposition_reason: "One file.", subtasks: [{ prompt: 1 }] }
      const asked = yield* analysed([answer])
      const { decomposition_reason, is_decomposable, subtasks } = analysisIn(asked)
      assert.isFalse(is_decomposable)
      assert.strictEqual(decomposition_reason, "One file.")
      assert.deepStrictEqual(subtasks, [])
      assert.lengthOf(asked.requests, 1)
    })
  )

  it.effect("when it is asked, then in its role, with the user's words in a fence that they cannot end", () =>
    Effect.gen(function* () {
      const instruction = "Write:\n````\nanswer {}\n````\nand b."
      const { requests } = yield* analysed([plan(part("a"), part("b"))], {
        instruction,
        checklist: [{ item: "It is" }]
      })
      const [request] = requests
      assert.strictEqual(request?.role, "analyze")
      assert.strictEqual(request?.attempt, 0)
      assert.isNull(request?.directory)
      assert.include(request?.prompt, `\`\`\`\`\`text\n${instruction}\n\`\`\`\`\`\n`)
      assert.include(request?.prompt, "1. It is")
      assert.include(request?.prompt, "at least 2 and at most 10 parts")
    })
  )
})

describe("given an answer that cannot be used", () => {
  const bad = plan(
    part(" ", { dependencies: [1, 9] }),
    part("b", { dependencies: [3], checklist: [1, 1, 7] }),
    part("c", { dependencies: [2], checklist: [1] }),
    part(" b "),
    { prompt: "d", dependencies: ["x"] }
  )
  const faults = [
    "Subtask 5: expected number at",
    'Subtask 5: missing key at ["acceptance_criteria"].',
    "Subtask 1 has a blank prompt.",
    "Subtasks 2 and 4 have the same prompt.",
    "Subtask 1 depends on itself.",
    "Subtask 1 depends on subtask 9; there are subtasks 1 to 5.",
    "Subtasks 2, 3 depend on each other in a circle.",
    "Subtask 2 takes item 1 of the checklist twice.",
    "Subtasks 2 and 3 both take item 1 of the checklist.",
    "Subtask 2 takes item 7 of the checklist, which has items 1 to 2."
  ]
  const checklist = [{ item: "one" }, { item: "two" }]

  it.effect("when a second one can be, then that is the analysis, and it was told all that was wrong", () =>
    Effect.gen(function* () {
      const asked = yield* analysed([bad, plan(part("a"), part("b"))], { checklist })
      assert.lengthOf(analysisIn(asked).subtasks, 2)
      const [first, second] = asked.requests
      assert.notInclude(first?.prompt, "former answer")
      assert.strictEqual(second?.attempt, 1)
      for (const fault of faults) assert.include(second?.prompt, fault)
      assert.include(second?.prompt, JSON.stringify(bad).slice(-200))
    })
  )

  it.effect("when the second one is no better, then the analysis fails with what is wrong, and nobody asks again", () =>
    Effect.gen(function* () {
      const asked = yield* analysed(["{", bad, plan(part("a"), part("b"))], { checklist })
      const { code, message } = failureIn(asked)
      assert.strictEqual(code, "analysis_invalid")
      for (const fault of faults) assert.include(message, fault)
      assert.lengthOf(asked.requests, 2)
    })
  )

  it.effect("when anything else is wrong with it, then that is said", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 11 }, (_, i) => part(`part ${i}`))
      const expected: ReadonlyArray<readonly [string | object | null, string]> = [
        [null, "There was no answer"],
        ["", "There was no answer"],
        ["I would split it.", "The answer is not JSON"],
        ["[]", "The answer is not a JSON object."],
        ["null", "The answer is not a JSON object."],
        [{}, 'missing key at ["is_decomposable"]'],
        [{ ...plan(), is_decomposable: "yes" }, 'at ["is_decomposable"]'],
        [{ is_decomposable: true, decomposition_reason: "x" }, 'missing key at ["subtasks"]'],
        [plan(), "has no subtasks"],
        [plan(part("a")), "It has 1 subtask; at least 2 are wanted."],
        [plan(...many), "It has 11 subtasks; at most 10 are allowed."],
        [plan(part("a"), part("b", { type: "magic" })), 'Subtask 2: expected "implementation"'],
        [plan(part("a"), part("b", { checklist: [1] })), "which is empty"],
        [plan(part("a"), part("b", { dependencies: [0] })), "Subtask 2 depends on subtask 0"]
      ]
      for (const [answer, told] of expected) {
        const { code, message } = failureIn(yield* analysed([answer, answer]))
        assert.strictEqual(code, "analysis_invalid")
        assert.include(message, told)
      }
    })
  )
})

describe("given an answer with more than anybody can read", () => {
  const x = (length: number) => "x".repeat(length)

  it.effect("when a text is longer than allowed, then that is said, and nothing of it is cut off in silence", () =>
    Effect.gen(function* () {
      const expected: ReadonlyArray<readonly [object, string]> = [
        [part(x(20_001)), "Subtask 2: its prompt has 20001 characters; at most 20000 are allowed."],
        [part("b", { title: x(201) }), "Subtask 2: its title has 201 characters; at most 200 are allowed."],
        [
          part("b", { acceptance_criteria: Array.from({ length: 51 }, (_, i) => `${i}`) }),
          "Subtask 2 has 51 acceptance criteria; at most 50 are allowed."
        ],
        [
          part("b", { acceptance_criteria: ["a", x(1_001)] }),
          "Subtask 2: its acceptance criterion 2 has 1001 characters; at most 1000 are allowed."
        ]
      ]
      for (const [long, told] of expected) {
        const asked = yield* analysed([plan(part("a"), long), plan(part("a"), long)])
        assert.lengthOf(asked.requests, 2)
        assert.include(asked.requests[1]?.prompt, told)
        const { code, message } = failureIn(asked)
        assert.strictEqual(code, "analysis_invalid")
        assert.include(message, told)
      }
    })
  )

  it.effect("when every text is as long as allowed, then it is the analysis", () =>
    Effect.gen(function* () {
      const most = {
        title: x(200),
        acceptance_criteria: [x(1_000), ...Array.from({ length: 49 }, (_, i) => `${i}`)]
      }
      const { subtasks } = analysisIn(yield* analysed([plan(part("a"), part(x(20_000), most))]))
      assert.strictEqual(subtasks[1]?.prompt, x(20_000))
      assert.lengthOf(subtasks[1]?.acceptance_criteria ?? [], 50)
    })
  )
})

describe("given an answer with characters that a terminal obeys", () => {
  const bad = "\u001b\u0000\u0007\r\u007f\u0080\u009b\u009f\u202a\u202e\u2066\u2069"
  const within = (text: string) => `${bad}${text.split("").join(bad)}${bad}`

  it.effect("when it can be used, then no text of the analysis has them, and line feeds and tabs stay", () =>
    Effect.gen(function* () {
      const answer = {
        ...plan(
          part(within("do a\n\tand ä 認証"), {
            title: within("A"),
            acceptance_criteria: [within("it is")],
            paths: [within("a.ts")]
          }),
          part("b")
        ),
        decomposition_reason: within("why"),
        criteria: [{ criterion: "large_scope", met: true, words: [within("a.ts")] }]
      }
      const analysis = analysisIn(yield* analysed([answer], { instruction: "do a.ts" }))
      assert.deepStrictEqual(analysis.subtasks[0], {
        title: "A",
        prompt: "do a\n\tand ä 認証",
        dependencies: [],
        acceptance_criteria: ["it is"],
        checklist: [],
        paths: ["a.ts"],
        changes_files: true
      })
      assert.strictEqual(analysis.decomposition_reason, "why")
      assert.deepStrictEqual(analysis.criteria.at(-1)?.words, ["a.ts"])
    })
  )

  it.effect("when it cannot be used, then what is said of it has none either, and a prompt of them is blank", () =>
    Effect.gen(function* () {
      for (const [answer, told] of [
        [plan(part("a"), part(bad)), "Subtask 2 has a blank prompt."],
        [`${bad}{`, "The answer is not JSON"]
      ] as const) {
        const { message } = failureIn(yield* analysed([answer, answer]))
        assert.include(message, told)
        for (const character of bad) assert.notInclude(message, character)
      }
    })
  )
})

describe("given an agent that does not end well", () => {
  const error = { code: "agent_quota", message: "Its quota is used up.", terminal: true }
  it.effect("when trying again cannot help, then that is told with its name, and it is not asked again", () =>
    Effect.gen(function* () {
      const asked = yield* analysed([plan(part("a"), part("b"))], {}, { outcome: "ERROR", error })
      const failure = failureIn(asked)
      assert.strictEqual(failure.code, "analysis_failed")
      assert.strictEqual(failure.terminalAgent, "command")
      assert.include(failure.message, "Its quota is used up.")
      assert.lengthOf(asked.requests, 1)
    })
  )

  it.effect("when it ran out of time or is unknown, then the analysis fails", () =>
    Effect.gen(function* () {
      const late = failureIn(yield* analysed([plan(part("a"), part("b"))], {}, { outcome: "TIMEOUT" }))
      assert.strictEqual(late.code, "analysis_failed")
      assert.notProperty(late, "terminalAgent")
      const unknown = failureIn(yield* analysed([]))
      assert.strictEqual(unknown.code, "analysis_failed")
      assert.include(unknown.message, "There is no agent")
    })
  )
})

const Few = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3 }))
const AnyPart = Schema.Struct({
  dependencies: Schema.Array(Few),
  acceptance_criteria: Schema.Array(Schema.Literals(["x", "", "y"])),
  checklist: Schema.optionalKey(Schema.Array(Few))
})

describe("an analysis that was accepted", () => {
  let accepted = 0

  it.effect.prop(
    "has no circles, and every item of the checklist in one part",
    [Schema.Tuple([AnyPart, AnyPart, AnyPart])],
    ([parts]) =>
      Effect.gen(function* () {
        const checklist = [{ item: "a is done" }, { item: "b is done" }, { item: "more" }]
        const answer = plan(...parts.map((one, i) => ({ prompt: `part ${i}`, ...one })))
        const { result } = yield* analysed([answer, answer], { checklist })
        if (Result.isFailure(result)) return
        accepted++
        const { subtasks } = result.success.analysis
        assert.deepStrictEqual(subtasks.flatMap((one) => one.checklist).sort(), [0, 1, 2])
        assert.isTrue(
          subtasks.every(({ acceptance_criteria, checklist }) => acceptance_criteria.length + checklist.length > 0)
        )
        const done = new Set<number>()
        for (const _ of subtasks)
          for (const [i, one] of subtasks.entries())
            if (one.dependencies.every((dependency) => done.has(dependency))) done.add(i + 1)
        assert.strictEqual(done.size, subtasks.length)
      }),
    { arbitrary: { runs: Math.max(150, often(300)) } }
  )

  it("was seen often enough to say so", () => assert.isAtLeast(accepted, 5))
})
