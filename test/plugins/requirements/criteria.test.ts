import { assert, describe, it } from "@effect/vitest"
import { type LineFact, type ProofConfig, WeakReason } from "@proofline/kernel"
import type { AcceptanceCriterion, CompletedTask, Opinion, Requirement } from "@proofline/plugins/policies/requirements"
import {
  criteriaOf,
  linkedItems,
  missingFor,
  opinionTask,
  verdictOf
} from "../../../packages/plugins/src/policies/requirements/verdict.ts"
import { fact } from "../../kernel/support/judge.ts"
import {
  completed,
  type Expected,
  factsIn,
  holds,
  item,
  type Known,
  loopOf,
  ran,
  requirement,
  seenAs,
  verdictIn
} from "./known.ts"
import { aRequirement } from "./stage.ts"

describe("a criterion that tasks are to show", () => {
  it.each<readonly [string, Known, Expected]>([
    ["no task", {}, ["unproven", null, "No task covers it."]],
    ["lines that hold", { tasks: [completed("t1")], fates: holds }, ["proven", "tasks", "t1: src/a.ts:1-2."]],
    [
      "lines that are elsewhere now",
      { tasks: [completed("t1")], fates: [{ status: "re_anchored" }] },
      ["proven", "tasks", "t1: src/a.ts:1-2."]
    ],
    [
      "lines that were changed",
      { tasks: [completed("t1")], fates: [{ status: "stale", reason: "It is gone." }] },
      ["stale", "tasks", "t1: src/a.ts:1-2 no longer holds. It is gone."]
    ],
    [
      "lines at which nobody has looked",
      { tasks: [completed("t1")] },
      ["stale", "tasks", "t1: src/a.ts:1-2 no longer holds. Nobody looked."]
    ],
    [
      "what was seen of another item, and of another task",
      { tasks: [completed("t1")], fates: [{ item_index: 1 }, { task_id: "t2" }] },
      ["stale", "tasks", "t1: src/a.ts:1-2 no longer holds. Nobody looked."]
    ],
    [
      "an item without words of evidence that is weak",
      {
        tasks: [
          completed("t1", {
            items: [
              item({
                evidence: null,
                verdict: "weak",
                weak: [
                  { reason: "was_green", message: "" },
                  { reason: "agents_check", message: "" }
                ] as never
              })
            ]
          })
        ],
        fates: holds
      },
      ["proven", "tasks", "t1: it is done (weak: was_green, agents_check)."]
    ],
    [
      "an item that was left out without a reason",
      { tasks: [completed("t1", { items: [item(), item({ item: "x", verdict: "waived" })] })], fates: holds },
      ["unproven", null, 'Task t1 left out "x".']
    ],
    [
      "an item that was left out with one",
      { tasks: [completed("t1", { items: [item({ item: "x", verdict: "waived", reason: "Too hard." })] })] },
      ["unproven", null, 'Task t1 left out "x": Too hard.']
    ],
    [
      "one task that leaves something out beside one that shows it",
      {
        tasks: [completed("t1"), completed("t2", { items: [item({ item: "x", verdict: "waived" })] })],
        fates: holds
      },
      ["unproven", null, 'Task t2 left out "x".']
    ],
    [
      "one task that left nothing beside one that shows it",
      { tasks: [completed("t1"), completed("t2", { items: [] })], fates: holds },
      ["proven", "tasks", "t1: src/a.ts:1-2."]
    ],
    [
      "tasks of which some are not completed",
      { tasks: [completed("t1")], open: ["t2", "t3"], fates: holds },
      ["unproven", null, "Not completed: t2, t3."]
    ],
    [
      "a task that left nothing",
      { tasks: [completed("t1", { items: [] })] },
      ["unproven", null, "Nothing that task t1 left shows it."]
    ],
    [
      "two tasks that left nothing",
      { tasks: [completed("t1", { items: [] }), completed("t2", { items: [] })] },
      ["unproven", null, "Nothing that task t1 left shows it. Nothing that task t2 left shows it."]
    ],
    [
      "commands that pass",
      {
        tasks: [completed("t1", { items: [], checks: ["npm test", "npm run lint"] })],
        runs: [ran("npm test"), ran("npm run lint")]
      },
      ["proven", "tasks", "t1: `npm test`, `npm run lint` passes."]
    ],
    [
      "a command that nobody ran",
      { tasks: [completed("t1", { checks: ["npm test"] })], fates: holds },
      ["unproven", null, "`npm test` of task t1 was not run."]
    ],
    [
      "a command that fails now",
      { tasks: [completed("t1", { checks: ["npm test"] })], runs: [ran("npm test", { exit_code: 3 })], fates: holds },
      ["refuted", "tasks", "`npm test` exited with 3. It passed for task t1."]
    ],
    [
      "a command that does not end",
      { tasks: [completed("t1", { checks: ["npm test"] })], runs: [ran("npm test", { timed_out: true })] },
      ["refuted", "tasks", "`npm test` ran out of time. It passed for task t1."]
    ],
    [
      "a command that is killed",
      { tasks: [completed("t1", { checks: ["x"] })], runs: [ran("x", { exit_code: null, signal: "SIGKILL" })] },
      ["refuted", "tasks", "`x` was ended by SIGKILL. It passed for task t1."]
    ],
    [
      "one that does not start",
      { tasks: [completed("t1", { checks: ["x"] })], runs: [ran("x", { exit_code: null })] },
      ["refuted", "tasks", "`x` did not start. It passed for task t1."]
    ],
    [
      "a command that asks for its task",
      {
        tasks: [completed("t1", { items: [], checks: ["echo $PROOFLINE_TASK_ID"] })],
        runs: [ran("echo $PROOFLINE_TASK_ID", { task_id: "t1" })]
      },
      ["proven", "tasks", "t1: `echo $PROOFLINE_TASK_ID` passes."]
    ],
    [
      "one that was run as for nobody",
      {
        tasks: [completed("t1", { items: [], checks: ["echo $PROOFLINE_ATTEMPT"] })],
        runs: [ran("echo $PROOFLINE_ATTEMPT")]
      },
      ["unproven", null, "`echo $PROOFLINE_ATTEMPT` of task t1 was not run."]
    ],
    [
      "an item whose own command passes, whatever became of its lines",
      { tasks: [completed("t1", { items: [item({ check: "npm test" })] })], runs: [ran("npm test")] },
      ["proven", "tasks", "t1: src/a.ts:1-2."]
    ],
    [
      "two tasks that show it",
      { tasks: [completed("t1"), completed("t2", { items: [], checks: ["x"] })], runs: [ran("x")], fates: holds },
      ["proven", "tasks", "t1: src/a.ts:1-2. t2: `x` passes."]
    ],
    [
      "a refuted task behind a stale one",
      { tasks: [completed("t1"), completed("t2", { checks: ["x"] })], runs: [ran("x", { exit_code: 1 })] },
      ["refuted", "tasks", "`x` exited with 1. It passed for task t2."]
    ],
    [
      "lines in a file that it names",
      { words: "add() in src/a.ts returns the sum", tasks: [completed("t1")], fates: holds },
      ["proven", "tasks", "t1: src/a.ts:1-2."]
    ],
    [
      "lines in one of the files that it names, beside others",
      {
        words: "add() in a.ts and sub() in src/b.ts are exported",
        tasks: [completed("t1", { items: [item({ evidence: "c.ts:1", receipt: null }), item()] })],
        fates: [{}, { item_index: 1 }]
      },
      ["proven", "tasks", "t1: c.ts:1, src/a.ts:1-2."]
    ],
    [
      "lines in none of the files that it names",
      { words: "add() in src/add.ts returns the sum", tasks: [completed("t1")], fates: holds },
      ["unproven", null, "It names src/add.ts, and nothing that was shown for it is there. t1: src/a.ts:1-2."]
    ],
    [
      "lines elsewhere, and a command of the user that passes",
      {
        words: "add() in src/add.ts returns the sum",
        tasks: [completed("t1", { checks: ["npm test"] })],
        runs: [ran("npm test")],
        fates: holds
      },
      ["proven", "tasks", "t1: src/a.ts:1-2, `npm test` passes."]
    ],
    [
      "lines elsewhere than in a file that it only speaks of",
      { words: "The app reads config.yaml at its start", tasks: [completed("t1")], fates: holds },
      ["proven", "tasks", "t1: src/a.ts:1-2."]
    ],
    [
      "a newer task that left nothing over an older one that shows it",
      {
        tasks: [completed("t1"), completed("t2", { items: [], iteration: 2 })],
        fates: holds
      },
      ["proven", "tasks", "t1: src/a.ts:1-2."]
    ],
    [
      "a newer task that is stale over an older one that shows it",
      { tasks: [completed("t1"), completed("t2", { iteration: 10 })], fates: holds },
      ["stale", "tasks", "t2: src/a.ts:1-2 no longer holds. Nobody looked."]
    ]
  ])("given %s", (_, known, expected) => {
    assert.deepStrictEqual(seenAs(verdictIn(known)), expected)
  })

  it("given words that have changed, another requirement or blanks around, then only the same words are it", () => {
    const covers = (requirement_id: string, criterion: string) => {
      const loop = loopOf({ tasks: [completed("t1")] })
      const seen = criteriaOf(
        { ...loop, planned: [{ id: "t1", iteration: 1, covers: [{ id: "r.1", requirement_id, criterion }] }] },
        requirement(),
        { receipts: [{ task_id: "t1", item_index: 0, status: "proven", now: null, reason: "" }], runs: new Map() },
        null,
        false
      )
      return seen[0]?.verdict
    }
    assert.deepStrictEqual(
      [covers("r", " a\n"), covers("r", "b"), covers("other", "a")],
      ["proven", "unproven", "unproven"]
    )
  })

  it("given commands that an agent wrote, then only those of the user prove something", () => {
    const rules = { verifier_named: false, user_commands: [" npm test "] }
    const by = (checks: ReadonlyArray<string>, more: Known = {}, task: Partial<CompletedTask> = {}) =>
      seenAs(
        verdictIn({
          tasks: [completed("t1", { items: [], checks, commands_by: "agent", ...task })],
          runs: [...checks, "x"].map((command) => ran(command)),
          proof: rules,
          ...more
        })
      )
    assert.deepStrictEqual(by(["x", "y"]), [
      "unproven",
      null,
      "Only commands that an agent wrote show it, which proves nothing: `x`, `y` of task t1."
    ])
    assert.deepStrictEqual(by(["x", "npm test"]), ["proven", "tasks", "t1: `npm test` passes."])
    // written in the requirements themselves
    const other = { ...aRequirement("other", ["b"]), acceptance_criteria: [{ ...aCriterion, check: "x" }] }
    assert.deepStrictEqual(by(["x"], { requirements: [requirement(), other] }), ["proven", "tasks", "t1: `x` passes."])
    // lines are looked at where the command of their item proves nothing
    const own = { items: [item({ check: "x" })] }
    assert.deepStrictEqual(by([], {}, own)[0], "stale")
    assert.deepStrictEqual(by([], { fates: holds }, own)[0], "proven")
  })
})

const aCriterion: AcceptanceCriterion = { id: "other.1", criterion: "b", check: null, verify: null }

describe("a criterion with a check of its own", () => {
  const strict: ProofConfig = { accept: [], max_waived: 0.5 }
  const whole: Known = { check: "npm test", runs: [ran("npm test")] }
  const shows: Known = { tasks: [completed("t1")], fates: holds }
  const green: Known = { ...whole, rules: strict, before: { "npm test": "green" } }
  const wasGreen = "`npm test` passes. It is not known to have failed before the work, so it shows nothing by itself."

  it.each<readonly [string, Known, Expected]>([
    ["it was not run", { check: "npm test" }, ["unproven", null, "`npm test` was not run."]],
    ["it fails", { check: "x", runs: [ran("x", { exit_code: 2 })] }, ["refuted", "check", "`x` exited with 2."]],
    ["it passes and nothing more is asked", whole, ["proven", "check", "`npm test` passes."]],
    [
      "it passes and failed before",
      {
        ...whole,
        rules: strict,
        before: { "npm test": "red" },
        runs: [
          ran("npm test", {
            control: { run: { exit_code: 0, timed_out: false, duration_ms: 0, output: null }, message: "" }
          })
        ]
      },
      ["proven", "check", "`npm test` passes."]
    ],
    [
      "it passes as it did before, which is accepted",
      { ...green, rules: { ...strict, accept: WeakReason.literals } },
      ["proven", "check", "`npm test` passes."]
    ],
    [
      "it passes as it did before, and tasks show it",
      { ...green, ...shows },
      ["proven", "tasks", "`npm test` passes. t1: src/a.ts:1-2."]
    ],
    [
      "it passes as it did before, and it is all there is",
      green,
      ["unproven", null, `${wasGreen} Evidence of tasks has to show it. No task covers it.`]
    ],
    [
      "nobody knows how it ended before",
      { ...whole, rules: strict },
      ["unproven", null, `${wasGreen} Evidence of tasks has to show it. No task covers it.`]
    ],
    [
      "it was true before, and other criteria are not",
      { ...green, requirements: [requirement("npm test"), aRequirement("other", ["b", "c"])] },
      ["waived", "check", wasGreen]
    ],
    [
      "it was true before, and so was another one of so few",
      {
        ...green,
        before: { "npm test": "green", x: "green" },
        requirements: [requirement("npm test"), aRequirement("other", [{ criterion: "b", check: "x" }, "c"])],
        rules: { ...strict, max_waived: 0.3 }
      },
      ["unproven", null, `${wasGreen} Evidence of tasks has to show it. No task covers it.`]
    ],
    [
      "it was true before, of a requirement that gates nothing",
      {
        ...green,
        requirements: [{ ...requirement("npm test"), priority: "optional" }, aRequirement("other", ["b"])]
      },
      ["waived", "check", wasGreen]
    ]
  ])("given that %s", (_, known, expected) => {
    assert.deepStrictEqual(seenAs(verdictIn(known)), expected)
  })

  it("given why it is weak, then that is kept where it counts all the same, and told where it does not", () => {
    assert.deepStrictEqual(verdictIn({ ...green, rules: { ...strict, accept: ["was_green"] } }).weak, ["was_green"])
    assert.deepStrictEqual(verdictIn(green).weak, ["was_green"])
    const red = { ...whole, before: { "npm test": "red" }, runs: [ran("npm test", { clean_room: null })] } as const
    assert.notProperty(verdictIn(red), "weak")
  })
})

const ok: LineFact = fact(0)

describe("a criterion and an opinion of it", () => {
  const code = { evidence: "src/a.ts:1-2", facts: [ok] }
  const no = "No task covers it."
  const says = "The verifier critic says that it is"

  it.each<readonly [string, Known, Expected]>([
    ["it is not met", { opinion: { met: false } }, ["unproven", "agent", `${no} ${says} not met`]],
    [
      "it is not met, and why",
      { opinion: { met: false, evidence: " no\n  test " } },
      ["unproven", "agent", `${no} ${says} not met: no test`]
    ],
    [
      "it is met, and nobody trusts it",
      { opinion: code },
      ["unproven", "agent", `${no} ${says} met, which proves nothing: src/a.ts:1-2`]
    ],
    [
      "it is met, and it is trusted",
      { opinion: code, isTrusted: true },
      ["proven", "agent", "The verifier critic says so: src/a.ts:1-2"]
    ],
    [
      "it is met, and shows nothing",
      { opinion: { evidence: " " }, isTrusted: true },
      ["unproven", "agent", `${no} ${says} met, and shows neither a run nor code`]
    ],
    [
      "it is met by lines that are not there",
      { opinion: { ...code, facts: [ok, fact(1, "out_of_range")] }, isTrusted: true },
      ["unproven", "agent", `${no} ${says} met, and what it cites does not hold (src/a.ts:1-2): src/a.ts:1-2`]
    ],
    [
      "it is met by the requirements",
      { opinion: { ...code, facts: [{ ...ok, path: "requirements.yaml" }] }, isTrusted: true },
      ["unproven", "agent", `${no} ${says} met, and shows neither a run nor code: src/a.ts:1-2`]
    ],
    [
      "it is not met, and a check passes",
      { opinion: { met: false }, check: "x", runs: [ran("x")], proof: { verifier_named: true, user_commands: [] } },
      ["proven", "check", "`x` passes."]
    ],
    [
      "it is not met, and tasks show it",
      {
        opinion: { met: false },
        tasks: [completed("t1")],
        fates: holds,
        proof: { verifier_named: true, user_commands: [] }
      },
      ["unproven", "agent", `t1: src/a.ts:1-2. ${says} not met`]
    ],
    [
      "it is met, and tasks show it",
      { opinion: code, tasks: [completed("t1")], fates: holds, proof: { verifier_named: true, user_commands: [] } },
      ["proven", "tasks", "t1: src/a.ts:1-2."]
    ]
  ])("given that %s", (_, known, expected) => {
    assert.deepStrictEqual(seenAs(verdictIn(known)), expected)
  })

  it("given what it overrules, then no task stands for it any more", () => {
    const proof = { verifier_named: true, user_commands: [] }
    const overruled = verdictIn({ opinion: { met: false }, tasks: [completed("t1")], fates: holds, proof })
    assert.deepStrictEqual(overruled.tasks, [])
    assert.deepStrictEqual(verdictIn({ tasks: [completed("t1")], fates: holds, proof }).tasks, ["t1"])
  })

  it("given a long text, then its beginning is told, and half a character never", () => {
    const told = (evidence: string) => verdictIn({ opinion: { met: false, evidence } }).message.split("not met: ")[1]
    assert.strictEqual(told("x".repeat(300)), "x".repeat(300))
    assert.strictEqual(told("x".repeat(301)), `${"x".repeat(299)}…`)
    assert.strictEqual(told(`${"x".repeat(298)}🙂${"x".repeat(9)}`), `${"x".repeat(298)}\ufffd…`)
  })

  it.each<readonly [string, boolean]>([
    ["$ npm test\n3 passed", true],
    ["  $  npm test\n3 passed", true],
    ["$ npm test", false],
    ["$ npm test\n\n3 passed", false],
    ["$ npm test\n$ npm run lint\nok", true],
    ["$5 and more\nok", false],
    ["ran `npm test`: ok", true],
    ["ran `npm test` twice: ok", true],
    ["ran `npm test` and looked at everything else: ok", false],
    ["ran `npm test`:  ", false],
    ["ran `./check.sh`: ok", true],
    ["in `src/a.ts:12`: ok", false],
    ["in ` npm`: ok", false],
    [`${"x".repeat(2_000)} ran \`npm test\`: ok`, false]
  ])("given the evidence %j, then it shows a run: %s", (evidence, isRun) => {
    const { verdict } = verdictIn({ opinion: { evidence }, isTrusted: true })
    assert.strictEqual(verdict, isRun ? "proven" : "unproven")
  })

  it.each<readonly [string, boolean]>([
    ["$ npm test\nnot ok src/gone.ts:1\n", true],
    ["$ npm test\nok\n\nIt is in src/gone.ts:1\n", false],
    ["`npm test`: src/gone.ts:1 passed", true],
    ["src/gone.ts:1\n`npm test`: ok", false]
  ])(
    "given a run and lines that are not there in %j, then only what it claims itself counts: %s",
    (evidence, isShown) => {
      const gone = { ...fact(0, "file_not_found"), evidence: "src/gone.ts:1" }
      const { verdict } = verdictIn({ opinion: { evidence, facts: [gone] }, isTrusted: true })
      assert.strictEqual(verdict, isShown ? "proven" : "unproven")
    }
  )
})

describe("what has to be looked at for a requirement", () => {
  const rules: ProofConfig = { accept: [], max_waived: 0 }
  const asNobody = (command: string) => ({ command, task_id: null, attempt: 0 })
  const verifying = { _tag: "Verifying", index: 0, ask: 1, former: null, unasked: null } as const
  /** Of the known runs and fates nothing is missing. */
  const missingIn = (known: Known, opinion: Opinion | null = null) => {
    const loop = loopOf(known)
    const [first] = loop.definition.requirements
    const state = { requirement_id: "r", verdict: "unproven" as const, met: false, criteria: [], opinion }
    const { receipts, runs } = factsIn(known)
    const looking = {
      ...loop,
      runs,
      stage: { ...verifying, facts: { receipts } },
      requirements: new Map([["r", state]])
    }
    // somebody looks once, also where there is nothing
    assert.isNotNull(missingFor({ ...looking, stage: { ...verifying, facts: null } }, first as Requirement))
    return missingFor(looking, first as Requirement)
  }
  const task = completed("t1", {
    checks: ["x", "echo $PROOFLINE_ATTEMPT"],
    items: [item({ receipt: null }), item({ check: "y" }), item({ covers: ["other.1"], check: "z" })]
  })
  const ofTask = {
    commands: [asNobody("x"), { command: "echo $PROOFLINE_ATTEMPT", task_id: "t1", attempt: 2 }, asNobody("y")],
    receipts: [{ task_id: "t1", item_index: 1 }]
  }

  const red: Known = { check: "x", tasks: [task], rules, before: { x: "red" } }
  const outcome = (exit_code: number) => ({
    run: { exit_code, timed_out: false, duration_ms: 0, output: null },
    message: ""
  })
  const ofOthers = { control: outcome(0) }
  const ofThisRun = { tests: ["test/new.test.ts"], control: outcome(1) }
  const ofTaskBeside = { ...ofTask, commands: ofTask.commands.slice(1) }
  const ofTaskRun = [ran("echo $PROOFLINE_ATTEMPT", { task_id: "t1" }), ran("y")]

  it.each<readonly [string, Known, unknown]>([
    ["nothing", {}, null],
    ["a check that failed before", red, { commands: [asNobody("x")], receipts: [] }],
    ["one that passes and shows it by itself", { ...red, runs: [ran("x", ofOthers)] }, null],
    ["one that passes by what this run wrote", { ...red, runs: [ran("x", ofThisRun)] }, ofTaskBeside],
    [
      "one that passes by what this run wrote, which is accepted",
      { ...red, runs: [ran("x", ofThisRun)], rules: { ...rules, accept: ["agents_check"] } },
      null
    ],
    ["one that fails still", { ...red, runs: [ran("x", { ...ofThisRun, exit_code: 1 })] }, null],
    [
      "one that passes by what this run wrote, and what its tasks have left as it is now",
      { ...red, runs: [ran("x", ofThisRun), ...ofTaskRun], fates: [{ item_index: 1 }] },
      null
    ],
    ["a check that passed before", { check: "x", tasks: [task], rules, before: { x: "green" } }, ofTask],
    ["a check of which nobody knows", { check: "x", tasks: [task], rules }, ofTask],
    ["what a task has left", { tasks: [task] }, ofTask],
    [
      "only its items, where the task itself is for something else",
      { tasks: [{ ...task, covers: ["other.1"] }] },
      { commands: [asNobody("y")], receipts: ofTask.receipts }
    ]
  ])("given %s", (_, known, expected) => {
    assert.deepStrictEqual(missingIn(known), expected as never)
  })

  it("given an opinion, then the lines that are there", () => {
    const opinion = {
      verifier: "critic",
      met: true,
      evidence: "",
      facts: [fact(0, "file_not_found"), ok],
      output: null
    }
    assert.deepStrictEqual(missingIn({}, opinion)?.receipts, [{ task_id: opinionTask, item_index: 1 }])
  })

  it("given items, then those that name the criterion, else those that name none", () => {
    const [named, other, bare] = [{ covers: ["r.1", "r.2"] }, { covers: ["r.9"] }, {}]
    const indexes = (all: ReadonlyArray<{ readonly covers?: ReadonlyArray<string> }>) =>
      linkedItems(all, ["r.1"]).map(({ index }) => index)
    assert.deepStrictEqual([indexes([other, named, bare]), indexes([other, bare]), indexes([other])], [[1], [1], []])
  })
})

describe("the verdict of a requirement", () => {
  it.each([
    [[], "unproven"],
    [["proven"], "proven"],
    [["waived"], "waived"],
    [["waived", "proven"], "proven"],
    [["proven", "unproven"], "unproven"],
    [["unproven", "stale"], "stale"],
    [["stale", "refuted", "proven"], "refuted"]
  ] as const)("given %j, then it is the worst of them: %s", (verdicts, expected) => {
    assert.strictEqual(
      verdictOf(verdicts.map((verdict) => ({ id: "", verdict, by: null, tasks: [], message: "" }))),
      expected
    )
  })
})
