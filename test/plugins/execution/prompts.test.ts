import { assert, describe, it } from "@effect/vitest"
import type { AnyCommand, AttemptState, CheckRun, RunConfig, StartTasks, TaskSpec } from "@proofline/kernel"
import { aRun, aTask, given } from "@proofline/kernel/testing"
import { refusals, reviewPrompt, workPrompt } from "@proofline/plugins/policies/execution"
import { Result } from "effect"
import { nothingKnown } from "../../../packages/kernel/src/modules/tasks/state.ts"
import { parseReview, parseWorkReport } from "../../../packages/plugins/src/policies/execution/answers.ts"
import { judge } from "../../kernel/support/judge.ts"
import {
  check,
  done,
  end,
  endReporting,
  evidence,
  start,
  stateOf,
  task,
  verified,
  waived
} from "../../kernel/support/words.ts"

const attempt: AttemptState = {
  attempt: 1,
  agent: "command",
  worker_id: "w",
  item_id: "i",
  lease: 1,
  ...nothingKnown,
  outcome: "COMPLETE"
}
const ran = (more: Partial<CheckRun>): Partial<AttemptState> => ({
  verification: { passed: false, checks: [check(0), check(1, { command: "npm test", ...more })] }
})
const tried = (verdict: "vacuous" | "unproven"): Partial<CheckRun> => ({
  exit_code: 0,
  ablation: { verdict, message: "It rests on nothing.", base: null, head: null, neutralised: null }
})
const asFor = (criterion: string, passed: boolean, details?: string) => ({
  criterion,
  passed,
  ...(details === undefined ? {} : { details })
})
const judgedAs = (judgment: "PASS" | "REJECT" | "RETRY", modification_prompt: string | null) => ({
  judgment: { judgment, reviewer: "critic", checks: [], modification_prompt }
})

describe("what spoke against an attempt", () => {
  it.each([
    ["nothing", {}, []],
    [
      "an error",
      { error: { code: "agent_failed", message: "It broke.", terminal: false } },
      ["- agent_failed: It broke."]
    ],
    [
      "problems of its report",
      { report: { summary: "", checklist: null, problems: ["No JSON.", "No list."] } },
      ["- report: No JSON.", "- report: No list."]
    ],
    [
      "failures of an item and of the whole",
      {
        failures: [
          { error: "payload_mismatch", item: "add adds", key: "too_wide", fields: {}, message: "Cite few lines." },
          { error: "payload_mismatch", item: null, key: "frozen", fields: {}, message: "It is frozen." }
        ]
      },
      ["- too_wide (add adds): Cite few lines.", "- frozen: It is frozen."]
    ],
    [
      "a command that failed",
      ran({ output_tail: "one\n\n  two\n\n" }),
      ["- checks_failed: `npm test` exited with 1. The end of its output:\n\n      one\n      \n        two"]
    ],
    [
      "one that names tests that failed",
      ran({
        output_tail: "# fail 3\n",
        failed_tests: ["normalize > sorts keys", "b"],
        census: { formats: ["tap"], passed: 9, failed: 3, skipped: 0, tests: null }
      }),
      [
        "- checks_failed: `npm test` exited with 1; it names as failed: normalize > sorts keys, b and 1 more. The end of its output:\n\n      # fail 3"
      ]
    ],
    [
      "one out of time",
      ran({ timed_out: true }),
      ["- checks_failed: `npm test` ran out of time. The end of its output:\n\n      "]
    ],
    [
      "one that passed too late",
      ran({ exit_code: 0, timed_out: true }),
      ["- checks_failed: `npm test` ran out of time. The end of its output:\n\n      "]
    ],
    [
      "one that was killed",
      ran({ exit_code: null, signal: "SIGKILL" }),
      ["- checks_failed: `npm test` was ended by SIGKILL. The end of its output:\n\n      "]
    ],
    [
      "one that shows nothing",
      ran(tried("vacuous")),
      ["- checks_failed: `npm test` shows nothing: It rests on nothing."]
    ],
    [
      "one of which nobody knows",
      ran(tried("unproven")),
      ["- checks_failed: `npm test` has not shown anything: It rests on nothing."]
    ],
    [
      "one that failed by itself, whatever was tried before",
      ran({ ...tried("vacuous"), exit_code: 2 }),
      ["- checks_failed: `npm test` exited with 2. The end of its output:\n\n      "]
    ],
    [
      "criteria of a reviewer",
      {
        judgment: {
          ...judgedAs("REJECT", "Add a test.").judgment,
          checks: [asFor("It adds", true), asFor("It subtracts", false, "It adds"), asFor("It divides", false)]
        }
      },
      ["- review: not met: It subtracts (It adds)", "- review: not met: It divides", "- review: Add a test."]
    ],
    ["what a reviewer wants changed", judgedAs("RETRY", "Again."), ["- review: Again."]],
    ["a reviewer who only refuses", judgedAs("REJECT", null), []],
    ["a reviewer who accepts and remarks", judgedAs("PASS", "Nice."), []]
  ] as const)("given %s", (_, what, expected) => {
    assert.deepStrictEqual(refusals({ ...attempt, ...(what as Partial<AttemptState>) }), expected)
  })
})

interface Asked {
  readonly spec?: Partial<TaskSpec>
  readonly config?: Partial<RunConfig>
  readonly others?: ReadonlyArray<TaskSpec>
  readonly run?: Partial<StartTasks>
}

const promptOf = ({ config = {}, others = [], run = {}, spec = {} }: Asked = {}): string => {
  const all = aRun([aTask("task_1", { checks: [], ...spec }), ...others], config)
  const state = stateOf(given([], [judge]).after({ ...all, ...run }).snapshot)
  return workPrompt(state, task(state, "task_1"), 1, "/project")
}

const bulletsBehind = (prompt: string, heading: string) => prompt.split(heading)[1]?.match(/^- /gm) ?? []

/** The answer that a prompt shows as an example. */
const exampleIn = (prompt: string): string => /```json\n(.*?)\n```/s.exec(prompt)?.[1] ?? ""

const evidenceRule = "Each item needs something of its own"

describe("the prompt of a task", () => {
  it("given a task and nothing else, then it says what to do, and how to report", () => {
    const prompt = promptOf({ spec: { title: "Addition", instruction: "\nAdd add().\n\n" } })
    const [sections] = prompt.split("\n## How to report")
    assert.strictEqual(
      sections,
      '# Task task_1: Addition\n\nPart of "a run". You work in /project; relative paths start there. This is attempt 1.\n\n## What to do\n\nAdd add().\n'
    )
    assert.notInclude(prompt, "checklist")
    assert.isTrue(prompt.endsWith("```\n"))
  })

  it.each([
    [
      "the whole",
      { run: { goal: " The shop.\n\nIt counts. \n" } },
      "## The whole, for context\n\n> The shop.\n>\n> It counts.\n\n"
    ],
    [
      "what it builds on from an earlier run",
      {
        spec: { depends_on: ["old_1", "old_2", "old_3"] },
        run: {
          completed_task_ids: ["old_1", "old_2", "old_3"],
          completed_tasks: [
            { task_id: "old_2", title: "Two", summary: "", files: [] },
            { task_id: "old_3", title: "Three", summary: "It counts.", files: ["a.ts", "b.ts"] }
          ]
        }
      },
      "already completed\n\n- old_1\n- old_2: Two\n- old_3: Three. Reported: It counts. Files: a.ts, b.ts\n\n"
    ],
    [
      "no more than 20 files of it",
      {
        spec: { depends_on: ["old_1"] },
        run: {
          completed_task_ids: ["old_1"],
          completed_tasks: [
            { task_id: "old_1", title: "One", summary: "", files: Array.from({ length: 21 }, (__, i) => `f${i}`) }
          ]
        }
      },
      ", f19\n\n"
    ],
    [
      "other tasks, and how many more there are",
      { others: Array.from({ length: 22 }, (__, i) => aTask(`other_${i}`, { title: `Other ${i}` })) },
      "## Not part of this task\n\nOther tasks take care of:\n\n- other_0: Other 0\n"
    ],
    [
      "how many others are not named",
      { others: Array.from({ length: 22 }, (__, i) => aTask(`other_${i}`)) },
      "- other_19: other_19\n- and 2 more\n\n"
    ],
    [
      "criteria without a named reviewer",
      { spec: { validation: ["It adds"] } },
      "The result is judged by these:\n\n- It adds\n\n"
    ],
    [
      "criteria with a named one, which are no items",
      {
        spec: { validation: ["It adds", "It is fast"], checklist: [{ item: "It is fast" }] },
        config: { reviewer_named: true }
      },
      "A reviewer judges the result by these:\n\n- It adds\n\n"
    ],
    [
      "commands, each once",
      { spec: { checks: ["npm test", "npm run lint", "npm test"] } },
      "must exit with 0:\n\n- `npm test`\n- `npm run lint`\n\n## How"
    ],
    [
      "commands that must rest on the work",
      { spec: { checks: ["lint"], checklist: [{ item: "a", check: "npm test", ablation: true }] } },
      "must exit with 0:\n\n- `npm test`\n- `lint`\n\nOf these, some must rest on the work."
    ],
    [
      "its items",
      { spec: { checklist: [{ item: "add adds" }, { item: "it is tested" }] } },
      "## Checklist\n\n- add adds\n- it is tested\n\n"
    ]
  ] as const)("holds %s", (_, asked, words) => {
    assert.include(promptOf(asked as Asked), words)
  })

  it("given others that are exactly as many as are named, then no more are told", () => {
    const others = Array.from({ length: 20 }, (_, i) => aTask(`other_${i}`))
    const prompt = promptOf({ others })
    assert.include(prompt, "- other_19: other_19\n\n## How to report")
    assert.notMatch(promptOf(), /Not part of this task/)
  })

  it("given criteria that are all items, then they are not said twice", () => {
    const prompt = promptOf({ spec: { validation: ["It adds"], checklist: [{ item: "It adds" }] } })
    assert.notInclude(prompt, "## Criteria")
    assert.include(prompt, "- Report every item of the checklist exactly once, with its text unchanged.")
  })

  it("given a checklist, then it says what evidence must not be", () => {
    const prompt = promptOf({ spec: { checklist: [{ item: "add adds" }] } })
    assert.include(prompt, evidenceRule)
    assert.lengthOf(bulletsBehind(prompt, "## How to report"), 7)
    assert.notInclude(prompt, "another kind")
  })

  it("given the answer that it shows, then it is one that is read without a problem, and shows every kind of item", () => {
    const { checklist, problems, summary } = parseWorkReport(
      exampleIn(promptOf({ spec: { checklist: [{ item: "add adds" }] } })),
      true
    )
    assert.isEmpty(problems)
    assert.isNotEmpty(summary)
    assert.deepStrictEqual(
      checklist?.map(({ evidence, item, reason, status }) => [
        item !== "",
        status,
        evidence !== undefined,
        reason !== undefined
      ]),
      [
        [true, "done", true, false],
        [true, "skipped", false, true]
      ]
    )
    const bare = parseWorkReport(exampleIn(promptOf()), false)
    assert.isNotEmpty(bare.summary)
    assert.deepStrictEqual([bare.checklist, bare.problems], [null, []])
  })

  it("given something that it builds on and that has not reported, then it is named", () => {
    const run = aRun([aTask("task_1", { title: "One" }), aTask("task_2", { depends_on: ["task_1"] })])
    for (const commands of [[], [start("task_1")]]) {
      const state = stateOf(given().after(run, ...commands).snapshot)
      const prompt = workPrompt(state, task(state, "task_2"), 1, "/project")
      assert.include(prompt, "already completed\n\n- task_1: One\n\n")
    }
  })

  it("given checks none of which must rest on the work, then nothing of that is said", () => {
    assert.notInclude(promptOf({ spec: { checks: ["npm test"] } }), "rest on the work")
  })

  it("given items that may have been there before, then they are named below the list, which holds nothing but their words", () => {
    const old = { item: "Passwords are not logged", existing: true }
    const of = (checklist: TaskSpec["checklist"]) => promptOf({ spec: { checklist } })
    assert.include(
      of([old, { item: "Add login()" }]),
      `- Passwords are not logged\n- Add login()\n\nLines that were there before may show these: "Passwords are not logged".`
    )
    assert.include(of([old]), "- Passwords are not logged\n\nLines that were there before may show them.")
    assert.notInclude(of([{ item: "Add login()", existing: false }]), "may show")
  })

  it("given an attempt that was refused, then it says why, and nothing where there is no reason", () => {
    const state = stateOf(given().after(aRun([aTask("task_1")])).snapshot)
    const known = task(state, "task_1")
    const withRefused = (refused: AttemptState) => workPrompt(state, { ...known, refused }, 3, "/project")
    const prompt = withRefused({ ...attempt, attempt: 2, error: { code: "x", message: "It broke.", terminal: false } })
    assert.include(prompt, "This is attempt 3.\n\n## Attempt 2 was not accepted\n\n")
    assert.include(prompt, "from the start.\n\n- x: It broke.\n\n## What to do")
    assert.notInclude(withRefused(attempt), "was not accepted")
  })

  it("given completed tasks that it builds on, then it says what was reported and changed, and that they are over", () => {
    const run = aRun([aTask("task_1", { title: "One" }), aTask("task_2", { depends_on: ["task_1"] }), aTask("task_3")])
    const report = { summary: " It counts. ", checklist: null, problems: [] }
    const ended = end("task_1", 1, "COMPLETE", { report, files_modified: ["a.ts"] })
    const state = stateOf(given().after(run, start("task_1"), ended, verified("task_1")).snapshot)
    const prompt = workPrompt(state, task(state, "task_2"), 1, "/project")
    assert.include(prompt, "already completed\n\n- task_1: One. Reported: It counts. Files: a.ts\n\n")
    assert.include(prompt, "Other tasks take care of:\n\n- task_3: task_3\n\n")
  })
})

describe("the prompt of a reviewer", () => {
  const spec = aTask("task_1", {
    title: "Addition",
    instruction: " Add add(). ",
    validation: ["It adds", "It is fast"],
    checks: [],
    checklist: [{ item: "add adds" }, { item: "it is documented" }]
  })
  const reviewed = (...commands: ReadonlyArray<AnyCommand>) => {
    const state = stateOf(given([], [judge]).after(aRun([spec], { reviewer: "critic" }), ...commands).snapshot)
    return reviewPrompt(state, task(state, "task_1"), "/elsewhere")
  }

  it("says what was asked, by what to judge, and what was reported of it", () => {
    const prompt = reviewed(
      start("task_1"),
      endReporting("task_1", 1, [done("add adds"), waived("it is documented")]),
      evidence("task_1", 1, 0)
    )
    for (const words of [
      "# Review of task task_1: Addition\n\n",
      "The project is in /elsewhere;",
      "## What was asked\n\nAdd add().\n\n## Criteria\n\nEvery one must be met:\n\n- It adds\n- It is fast\n\n",
      "## What was reported\n\ndone\n\n- add adds: src/a.ts:1-2\n- it is documented: skipped, not needed in this case\n\n## How to answer"
    ])
      assert.include(prompt, words)
    assert.lengthOf(bulletsBehind(prompt, "## How to answer"), 3)
    const example = JSON.parse(exampleIn(prompt))
    assert.hasAllKeys(example, ["judgment", "checks", "modification_prompt"])
    const read = parseReview(JSON.stringify({ ...example, judgment: "PASS" }))
    assert.deepInclude(Result.getOrThrow(read), { judgment: "PASS", checks: example.checks })
    assert.lengthOf(example.checks, 1)
  })

  it("given nothing that was reported, then it says only what is open, or nothing at all", () => {
    assert.include(reviewed(), "## What was reported\n\n- add adds: pending\n- it is documented: pending\n\n## How")
    const state = stateOf(given().after(aRun([{ ...spec, checklist: [] }])).snapshot)
    const bare = { ...task(state, "task_1") }
    assert.notInclude(reviewPrompt(state, bare, "/project"), "## What was reported")
    const report = { summary: " It adds. ", checklist: null, problems: [] }
    const said = reviewPrompt(state, { ...bare, current: { ...attempt, report } }, "/project")
    assert.include(said, "## What was reported\n\nIt adds.\n\n## How to answer")
  })
})
