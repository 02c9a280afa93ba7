import { assert, describe, it } from "@effect/vitest"
import { defaultRunConfig, nothingSpent, type RunState } from "@proofline/kernel"
import { given } from "@proofline/kernel/testing"
import {
  type CompletedTask,
  type CriterionVerdict,
  type Loop,
  noLoop,
  type Opinion,
  type Requirement,
  requirementsRules
} from "@proofline/plugins/policies/requirements"
import {
  feedbackOf,
  type Next,
  nextOf,
  openOf,
  spentOf,
  standingOpinion,
  unmetCriteria,
  withdrawn
} from "../../../packages/plugins/src/policies/requirements/next.ts"
import { obligationsOf } from "../../../packages/plugins/src/policies/requirements/obligations.ts"
import type { RequirementState } from "../../../packages/plugins/src/policies/requirements/state.ts"
import { fact, receipt } from "../../kernel/support/judge.ts"
import { stateOf } from "../../kernel/support/words.ts"
import { aDefinition, aRequirement, completed as ended, planned, starting } from "./stage.ts"

const limits = { max_attempts: null, max_calls: null, max_duration_ms: null, max_tokens: null, max_cost_usd: null }

const begun = stateOf(given([], [requirementsRules]).after(starting("/project")).snapshot).run
const aRunOf = (more: Partial<RunState> = {}): RunState => ({ ...begun, ...more })
const withBudget = (budget: object, more: Partial<RunState> = {}): RunState =>
  aRunOf({ config: { ...begun.config, budget: { ...limits, ...budget } }, ...more })

const criterion = (
  id: string,
  verdict: CriterionVerdict["verdict"],
  by: CriterionVerdict["by"] = null
): CriterionVerdict => ({ id, verdict, by, tasks: [], message: `It is ${verdict}.` })

const opinionOf = (more: Partial<Opinion> = {}): Opinion => ({
  verifier: "critic",
  met: true,
  evidence: "",
  facts: [],
  output: null,
  ...more
})

const known = (id: string, met: boolean, more: Partial<RequirementState> = {}): readonly [string, RequirementState] => [
  id,
  {
    requirement_id: id,
    verdict: met ? "proven" : "unproven",
    met,
    criteria: [criterion(`${id}.1`, met ? "proven" : "unproven")],
    opinion: null,
    ...more
  }
]

const completed = (id: string, more: Partial<CompletedTask> = {}): CompletedTask =>
  ended(id, { summary: "It works.", files: ["a.ts"], ...more })

const definition = aDefinition([aRequirement("r", ["a"]), aRequirement("s", ["b"])])
const verifying: Loop["stage"] = { _tag: "Verifying", index: 0, facts: null, ask: 1, former: null, unasked: null }
const looked: Loop["stage"] = { ...verifying, facts: { receipts: [] } }
const generating: Loop["stage"] = { _tag: "Generating", ask: 1, former: null, kept: null, isAskedForGap: false }

const aLoop = (more: Partial<Loop> = {}): Loop => ({
  ...noLoop,
  definition,
  requirements_path: "requirements.yaml",
  stage: verifying,
  round: 1,
  ...more
})

/** How the run ends. */
const endOf = (next: Next): unknown => {
  if (next._tag !== "End") return next._tag
  const { outcome, ...end } = next.end
  return [outcome, end]
}

const all = { total: 2, completed: 0, failed: 0, skipped: 0 }
const halted = (reason: NonNullable<Loop["halted"]>["reason"]) => ({ reason, message: "It broke." })

describe("what the loop needs next", () => {
  it.each<readonly [string, Partial<Loop>, Partial<RunState>, string]>([
    ["a run that is over", {}, { status: "failed" }, "Nothing"],
    ["a run of another kind", {}, { kind: "tasks" }, "Nothing"],
    ["no requirements", { definition: null }, {}, "Nothing"],
    ["requirements that are not loaded", { stage: { _tag: "Unloaded" } }, {}, "Nothing"],
    ["a requirement at which nobody has looked", {}, {}, "Start"],
    ["one at which somebody has looked", { stage: looked }, {}, "Advance"],
    ["no requirement left", { stage: { ...verifying, index: 2 } }, {}, "Advance"],
    ["tasks that are wanted", { stage: generating, iteration: 1 }, {}, "Start"],
    ["tasks that are to be run, and have no file", { stage: { _tag: "Executing" }, iteration: 1 }, {}, "Nothing"],
    ["what failed and is not told yet", { halted: halted("failed") }, {}, "Advance"]
  ])("given %s", (_, loop, run, tag) => {
    assert.strictEqual(nextOf(aLoop(loop), aRunOf(run))._tag, tag)
  })

  const ended = { _tag: "Ended", met: true } as const
  it.each<readonly [string, Partial<Loop>, RunState, unknown]>([
    [
      "all are met",
      { stage: ended, requirements: new Map([known("r", true), known("s", true)]) },
      aRunOf(),
      ["completed", { counts: { ...all, completed: 2 }, proven: 2, waived: 0 }]
    ],
    [
      "those that count are met",
      { stage: ended, requirements: new Map([known("r", true), known("s", false)]) },
      aRunOf(),
      ["completed", { counts: { ...all, completed: 1 }, proven: 1, waived: 0 }]
    ],
    [
      "none is met",
      { stage: { ...ended, met: false }, error: "No more." },
      aRunOf(),
      ["failed", { counts: { ...all, failed: 2 }, reason: "failed", message: "No more." }]
    ],
    [
      "some are met",
      { stage: { ...ended, met: false }, error: "No more.", requirements: new Map([known("r", true)]) },
      aRunOf(),
      ["incomplete", { counts: { ...all, completed: 1 }, reason: "No more." }]
    ],
    [
      "it failed and that is told",
      { halted: halted("failed"), status: "failed" },
      aRunOf(),
      ["failed", { counts: { ...all, failed: 2 }, reason: "failed", message: "It broke." }]
    ],
    [
      "a breaker stopped it",
      { halted: halted("breaker"), requirements: new Map([known("r", true)]) },
      aRunOf(),
      ["failed", { counts: { ...all, completed: 1, failed: 1 }, reason: "breaker", message: "It broke." }]
    ],
    [
      "somebody stopped it",
      { halted: halted("cancelled") },
      aRunOf(),
      ["incomplete", { counts: all, reason: "It broke." }]
    ],
    [
      "somebody has to decide",
      { halted: halted("needs_person") },
      aRunOf(),
      ["incomplete", { counts: all, reason: "It broke." }]
    ],
    [
      "what was left for its tasks was used up",
      { halted: halted("budget") },
      aRunOf(),
      ["failed", { counts: { ...all, failed: 2 }, reason: "budget", message: "It broke." }]
    ],
    [
      "so was the whole budget",
      { halted: halted("budget"), spentBelow: { ...nothingSpent, attempts: 3 } },
      withBudget({ max_attempts: 3 }),
      [
        "failed",
        {
          counts: { ...all, failed: 2 },
          reason: "budget",
          message: "The budget is used up: 3 of 3 attempts (max_attempts)."
        }
      ]
    ],
    [
      "somebody stopped it, whatever is left",
      { halted: halted("cancelled"), spentBelow: { ...nothingSpent, attempts: 3 } },
      withBudget({ max_attempts: 3 }),
      ["incomplete", { counts: all, reason: "It broke." }]
    ],
    [
      "attempts are used up, and only the machine looks",
      { spentBelow: { ...nothingSpent, attempts: 3 } },
      withBudget({ max_attempts: 3 }),
      "Start"
    ],
    [
      "attempts are used up, and tasks are wanted",
      { stage: generating, spentBelow: { ...nothingSpent, attempts: 3 } },
      withBudget({ max_attempts: 3 }),
      [
        "failed",
        {
          counts: { ...all, failed: 2 },
          reason: "budget",
          message: "The budget is used up: 3 of 3 attempts (max_attempts)."
        }
      ]
    ]
  ])("given that %s", (_, loop, run, expected) => {
    assert.deepStrictEqual(endOf(nextOf(aLoop(loop), run)), expected)
  })

  it("given what task runs have used, then that is of the whole", () => {
    const spent = { attempts: 1, calls: 2, tokens: 3, cost_usd: 4 }
    const spentBelow = { attempts: 10, calls: 20, tokens: 30, cost_usd: 40 }
    assert.deepStrictEqual(spentOf(aLoop({ spentBelow }), aRunOf({ spent })), {
      attempts: 11,
      calls: 22,
      tokens: 33,
      cost_usd: 44
    })
  })
})

const started = (loop: Partial<Loop>, run = aRunOf()) => {
  const next = nextOf(aLoop(loop), run)
  assert.strictEqual(next._tag, "Start")
  return next as Extract<Next, { _tag: "Start" }>
}

describe("what is ordered", () => {
  it("given work that failed before, then it waits as long as a task would, under a name of its own", () => {
    const config = { ...defaultRunConfig, retry_delay_ms: 1_000, backoff_multiplier: 2 }
    const times = (failures: number, resumes = 0) => {
      const { delay_ms, key } = started({ failures }, aRunOf({ config, resumes }))
      return [key, delay_ms]
    }
    assert.deepStrictEqual(
      [times(0), times(1), times(2, 3)],
      [
        ["requirements-facts/1/r/r0", 0],
        ["requirements-facts/1/r/f1/r0", 1_000],
        ["requirements-facts/1/r/f2/r3", 2_000]
      ]
    )
  })

  it("given a look, then of what is known already nothing is run again, and receipts are of tasks and opinions", () => {
    const one = aDefinition([aRequirement("r", [{ criterion: "a", check: "x" }, "b"])])
    const items = [{ item: "it", verdict: "proven", evidence: "src/a.ts:1", reason: null, receipt, weak: [] } as const]
    const covers = [{ id: "r.2", requirement_id: "r", criterion: "b" }]
    const loop: Partial<Loop> = {
      definition: one,
      completed: [completed("t0"), completed("t1", { checks: ["y", "z"], items, covers: ["r.2"] })],
      planned: [{ id: "t1", iteration: 1, covers }],
      requirements: new Map([known("r", false, { opinion: opinionOf({ facts: [fact(0)] }) })]),
      runs: new Map([[" y", { command: "y" } as never]])
    }
    assert.deepStrictEqual(started(loop).input, {
      iteration: 0,
      round: 1,
      requirement_id: "r",
      commands: ["x", "z"].map((command) => ({ command, task_id: null, attempt: 0 })),
      receipts: ["t1", "(opinion)"].map((task_id) => ({ task_id, item_index: 0, receipt }))
    } as never)
  })

  it("given tasks that are wanted, then everything that is known is told", () => {
    const loop: Partial<Loop> = {
      stage: { ...generating, ask: 2, former: { answer: "x", problems: ["No."] } },
      iteration: 2,
      requirements: new Map([known("r", true)]),
      completed: [completed("t1")],
      planned: [
        { id: "t1", iteration: 1, covers: [] },
        { id: "t2", iteration: 1, covers: [] }
      ]
    }
    const { activity, input, key } = started(loop)
    assert.deepStrictEqual([activity, key], ["generator-scripted", "generator-scripted/1/2/2/r0"])
    assert.deepInclude(input as object, {
      run_id: "run_1",
      iteration: 2,
      round: 1,
      ask: 2,
      unmet: ["s.1"],
      taken_ids: ["t1", "t2"],
      former: { answer: "x", problems: ["No."] },
      agent: begun.config.agent,
      root: "/project",
      timeout_ms: begun.config.timeout_ms,
      idle_timeout_ms: null
    })
  })

  it("given tasks that are run, then they have their file, what was done before, and what is left of the budget", () => {
    const tasks = [planned("t2", ["r.1"])]
    const loop: Partial<Loop> = {
      stage: { _tag: "Executing" },
      definition: { ...definition, context: " A shop. ", constraints: ["No types", "No tests"] },
      iteration: 2,
      iterations: [
        { iteration_number: 1, tasks_yaml_path: "generated/old.yaml", tasks: [] } as never,
        {
          iteration_number: 2,
          tasks_yaml_path: "generated/x.yaml",
          loop_c_history_id: null,
          tasks,
          uncovered: [],
          ended: null,
          verification_result: null,
          unmet_requirements: []
        }
      ],
      completed: [completed("t1"), completed("t2", { iteration: 2 })],
      spentBelow: { ...nothingSpent, attempts: 2 }
    }
    const { activity, input, key } = started(loop, withBudget({ max_attempts: 5 }))
    assert.deepStrictEqual([activity, key], ["requirements-execute", "requirements-execute/2/r0"])
    assert.deepStrictEqual(input, {
      iteration: 2,
      run_id: "run_1-iter2",
      name: "a feature (iteration 2)",
      tasks_yaml_path: "generated/x.yaml",
      header: [
        "Tasks of iteration 2, made from requirements.yaml (run run_1).",
        "Completed before: t1",
        "Only new tasks:"
      ],
      tasks,
      chunk: "no",
      goal: "The goal: a feature.\n\nA shop.\n\nIts requirements:\n- r: r holds.\n- s: s holds.\n\nConstraints:\n- No types\n- No tests",
      completed: ["t1", "t2"].map((task_id) => ({
        task_id,
        title: `Task ${task_id}`,
        summary: "It works.",
        files: ["a.ts"]
      })),
      budget: { ...limits, max_attempts: 3 }
    } as never)
    const first = started({ ...loop, definition: { ...definition, context: " " }, completed: [] }).input as {
      readonly goal: string
      readonly header: ReadonlyArray<string>
    }
    assert.deepStrictEqual(
      [first.goal, first.header.length],
      ["The goal: a feature.\n\nIts requirements:\n- r: r holds.\n- s: s holds.", 1]
    )
  })

  it("given work that may still be ordered, then it is taken back under every name that it can have had", () => {
    const keys = (
      loop: Partial<Loop>,
      run = aRunOf({ status: "failed", config: { ...begun.config, max_retries: 1 } })
    ) =>
      withdrawn(aLoop({ halted: halted("failed"), ...loop }), run, 2).map(({ work }) =>
        "key" in work ? work.key : work
      )
    assert.deepStrictEqual(keys({ stage: generating, iteration: 1 }), [
      "generator-scripted/1/1/1/r2",
      "generator-scripted/1/1/1/f1/r2"
    ])
    const asked = aDefinition([aRequirement("r", ["a"])], { verifier: "critic", trust_agent: true })
    assert.deepStrictEqual(keys({ definition: asked, stage: looked }), [
      "requirements-facts/1/r/r2",
      "requirements-facts/1/r/f1/r2",
      "verifier-critic/1/r/1/r2",
      "verifier-critic/1/r/1/f1/r2"
    ])
    assert.deepStrictEqual(keys({ stage: { _tag: "Unloaded" } }), [])
  })
})

describe("whether somebody is asked about a requirement", () => {
  const asking = (verification: object, requirement: Requirement = aRequirement("r", ["a"])): Partial<Loop> => ({
    definition: aDefinition([requirement], { verifier: "critic", trust_agent: true, ...verification }),
    stage: looked
  })
  const checked = aRequirement("r", [{ criterion: "a", check: "x" }, "b"])
  const run = (exit_code: number) =>
    new Map([
      [" x", { command: "x", task_id: null, exit_code, timed_out: false, ablation: null, clean_room: null } as never]
    ])
  const byTasks: Partial<Loop> = {
    planned: [{ id: "t1", iteration: 0, covers: [{ id: "r.1", requirement_id: "r", criterion: "a" }] }],
    completed: [completed("t1", { checks: ["x"], covers: ["r.1"] })],
    runs: run(0)
  }
  const proof = { verifier_named: false, user_commands: [] }

  it.each<readonly [string, Partial<Loop>, boolean]>([
    ["nobody is there", asking({ verifier: "none" }), false],
    ["it is trusted and nothing is shown", asking({}), true],
    ["it is not trusted and nothing was done", asking({ trust_agent: false }), false],
    ["it is not trusted and something was done", { ...asking({ trust_agent: false }), iteration: 1 }, true],
    ["this round only confirms", { ...asking({}), isConfirming: true }, false],
    ["nobody could be asked", { ...asking({}), stage: { ...looked, unasked: "It broke." } as Loop["stage"] }, false],
    ["a check is refuted", { ...asking({}, checked), runs: run(1) }, false],
    ["a check holds and something is open", { ...asking({}, checked), runs: run(0) }, true],
    [
      "checks show everything",
      {
        ...asking({}, aRequirement("r", [{ criterion: "a", check: "x" }])),
        base_checks: [{ command: "x", outcome: "red" } as never],
        runs: run(0)
      },
      false
    ],
    ["tasks show everything", { ...asking({}), ...byTasks, iteration: 1 }, true],
    ["they did before, and it is not trusted", { ...asking({ trust_agent: false }), ...byTasks, proof }, false],
    [
      "they did before, and the user chose it",
      { ...asking({ trust_agent: false }), ...byTasks, proof: { ...proof, verifier_named: true } },
      true
    ],
    [
      "nothing was done, and the user chose it",
      { ...asking({ trust_agent: false }), proof: { ...proof, verifier_named: true } },
      false
    ],
    [
      "it has said so before",
      { ...asking({}), requirements: new Map([known("r", true, { opinion: opinionOf() })]) },
      false
    ],
    [
      "it has denied it before",
      { ...asking({}), requirements: new Map([known("r", false, { opinion: opinionOf() })]) },
      true
    ]
  ])("given that %s", (_, loop, isAsked) => {
    assert.strictEqual(nextOf(aLoop(loop), aRunOf())._tag, isAsked ? "Start" : "Advance")
  })

  it("given no call is left, then nobody is asked and the run ends; only attempts hold nobody back", () => {
    const end = (budget: object) =>
      endOf(
        nextOf(aLoop({ ...asking({}), spentBelow: { ...nothingSpent, calls: 2, attempts: 2 } }), withBudget(budget))
      )
    assert.strictEqual(end({ max_attempts: 2 }), "Start")
    assert.include((end({ max_calls: 2 }) as ReadonlyArray<unknown>)[0] as string, "failed")
  })

  it.each([
    ["proven", true],
    ["re_anchored", true],
    ["stale", false],
    ["missing", false]
  ] as const)("given an opinion whose lines are %s, then it stands: %s", (status, stands) => {
    const opinion = opinionOf()
    const seen = (task_id: string): Loop =>
      aLoop({
        stage: {
          ...verifying,
          facts: { receipts: [{ task_id, item_index: 0, status, now: null, reason: "" }] }
        } as Loop["stage"],
        requirements: new Map([known("r", true, { opinion })])
      })
    const requirement = aRequirement("r", ["a"])
    assert.strictEqual(standingOpinion(seen("(opinion)"), requirement), stands ? opinion : null)
    // what became of the lines of a task is another matter
    assert.strictEqual(standingOpinion(seen("t1"), requirement), opinion)
  })
})

describe("what is open", () => {
  const loop = aLoop({
    requirements: new Map([
      known("r", true),
      known("s", false, {
        criteria: [criterion("s.1", "stale"), criterion("s.2", "waived"), criterion("s.9", "unproven")]
      })
    ])
  })
  const ended = (iteration_number: number, tasks: ReadonlyArray<object> | null) =>
    ({ iteration_number, ended: tasks === null ? null : { tasks } }) as never

  it("given what is not met, then every criterion is told with its words and why", () => {
    assert.strictEqual(openOf(loop, definition), "- s.1 (stale): b It is stale.\n- s.9 (unproven): s.9 It is unproven.")
    assert.strictEqual(openOf(aLoop(), definition), "")
  })

  it("given tasks of the last run that came to nothing, then they are told too", () => {
    const iterations = [
      ended(1, [{ id: "t0", status: "failed", message: "Long ago." }]),
      ended(2, [
        { id: "t1", status: "completed", message: "" },
        { id: "t2", status: "skipped", message: "It depends on t0." }
      ]),
      ended(3, null)
    ]
    const all = openOf(aLoop({ iterations }), definition)
    assert.strictEqual(all, "- task t2 is skipped: It depends on t0.")
    assert.isNull(feedbackOf(aLoop({ iterations }), definition))
    assert.strictEqual(
      feedbackOf(aLoop({ iterations, planned: [{ id: "t1", iteration: 1, covers: [] }] }), definition),
      all
    )
  })

  it("given requirements that gate nothing, then only for whoever wants all of them they are open", () => {
    const optional = { ...definition, requirements: [...definition.requirements, aRequirement("o", ["c"], "optional")] }
    assert.deepStrictEqual(unmetCriteria(loop, optional, true), ["s.1"])
    assert.deepStrictEqual(unmetCriteria(loop, optional, false), ["s.1", "o.1"])
    assert.deepStrictEqual(unmetCriteria(aLoop(), definition, true), ["r.1", "s.1"])
    const two = aDefinition([aRequirement("r", ["a", "b"])])
    const criteria = [criterion("r.1", "proven"), criterion("r.2", "refuted")]
    const half = aLoop({ definition: two, requirements: new Map([known("r", false, { criteria })]) })
    assert.deepStrictEqual(unmetCriteria(half, two, true), ["r.2"])
    const wanted = nextOf({ ...aLoop({ definition: optional, stage: generating, iteration: 1 }) }, aRunOf())
    assert.deepStrictEqual(wanted._tag === "Start" ? (wanted.input as { readonly unmet?: unknown }).unmet : null, [
      "r.1",
      "s.1",
      "o.1"
    ])
  })
})

describe("what has to hold for the run", () => {
  const weak = (reason: "was_green" | "agents_check", verdict: "weak" | "proven" = "weak") => ({
    item: "x",
    verdict,
    evidence: null,
    reason: null,
    receipt: null,
    weak: [{ reason, message: "" }] as never
  })
  const shownBy = (found: CriterionVerdict | null, opinion: Opinion | null = null) =>
    obligationsOf(
      aLoop({
        definition: aDefinition([aRequirement("r", ["a"]), aRequirement("o", ["b"], "optional")]),
        completed: [
          completed("t1", { items: [weak("was_green"), weak("agents_check", "proven"), weak("was_green")] }),
          completed("t2", { items: [weak("agents_check")] })
        ],
        requirements: new Map([known("r", false, { criteria: found === null ? [] : [found], opinion })])
      })
    )
  const open = { kind: "criterion", text: "a", verdict: "unproven", shown_by: null, reviewer: null, weak: [] } as const

  it.each<readonly [string, CriterionVerdict | null, object]>([
    ["nothing is known of it", null, {}],
    ["it is of another id", criterion("r.2", "proven", "check"), {}],
    ["a check shows it", criterion("r.1", "proven", "check"), { verdict: "proven", shown_by: "check" }],
    ["a check refutes it", criterion("r.1", "refuted", "check"), { verdict: "refuted" }],
    [
      "a weak check shows it",
      { ...criterion("r.1", "proven", "check"), weak: ["was_green"] },
      { verdict: "weak", shown_by: "check", weak: ["was_green"] }
    ],
    [
      "it was true before",
      { ...criterion("r.1", "waived", "check"), weak: ["was_green"] },
      { verdict: "waived", weak: ["was_green"] }
    ],
    [
      "an agent says so",
      criterion("r.1", "proven", "agent"),
      { verdict: "reviewed", shown_by: "review", reviewer: "critic" }
    ],
    ["an agent denies it", criterion("r.1", "unproven", "agent"), {}],
    [
      "tasks show it weakly",
      { ...criterion("r.1", "proven", "tasks"), tasks: ["t1"] },
      { verdict: "weak", shown_by: "evidence", weak: ["was_green"] }
    ],
    [
      "no task is left that shows it",
      { ...criterion("r.1", "proven", "tasks"), tasks: ["t9"] },
      { verdict: "proven", shown_by: "evidence" }
    ]
  ])("given that %s", (_, found, expected) => {
    assert.deepStrictEqual(shownBy(found, opinionOf()), [{ ...open, ...expected } as never])
  })

  it("given an agent whose words are gone, then nobody is named, and without requirements nothing has to hold", () => {
    assert.deepInclude(shownBy(criterion("r.1", "proven", "agent"))[0], { verdict: "reviewed", reviewer: null })
    assert.deepStrictEqual(obligationsOf(aLoop({ definition: null })), [])
  })
})
