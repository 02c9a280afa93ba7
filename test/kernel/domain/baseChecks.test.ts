import { assert, describe, it } from "@effect/vitest"
import {
  type BaseCheck,
  baseCheckOf,
  type CheckRun,
  type CleanRoom,
  type CommandOf,
  commandProof,
  composePlugins,
  type RecordBaseChecks,
  type ScratchRun,
  type Step,
  type TestChange,
  unreported
} from "@proofline/kernel"
import { aRun, aTask } from "@proofline/kernel/testing"
import { judge } from "../support/judge.ts"
import { played } from "../support/play.ts"
import { recordedOf, replayOf } from "../support/recorded.ts"
import { cancel, check, done, end, endReporting, evidence, resume, start, task, verified } from "../support/words.ts"

const base = { commit: null, snapshot: { sha256: "0".repeat(64), bytes: 0 } }
const aRunAt = (...args: Parameters<typeof aRun>) => ({ ...aRun(...args), base })

const baseCheck = (over: Partial<BaseCheck> = {}): BaseCheck => ({
  command: "true",
  outcome: "red",
  message: "",
  exit_code: 1,
  signal: null,
  timed_out: false,
  duration_ms: 1,
  output: null,
  output_tail: "",
  rests_on: [],
  ...over
})

const known = (...checks: ReadonlyArray<Partial<BaseCheck>>): CommandOf<typeof RecordBaseChecks> => ({
  _tag: "RecordBaseChecks",
  checks: checks.map(baseCheck)
})

const startsOf = (step: Step | null): ReadonlyArray<string> => (step?.starts ?? []).map(({ activity }) => activity)

const failed = {
  _tag: "RecordActivityFailure",
  name: "base_checks",
  key: "base_checks//0",
  input: {},
  code: "activity_broken",
  message: "It broke."
} as const

describe("given a run with commands of the user", () => {
  it("then they are run at the base once, beside the first attempts", () => {
    const begun = played().when(aRunAt([aTask("a"), aTask("b")]))
    assert.deepStrictEqual(startsOf(begun.step).toSorted(), ["attempt", "attempt", "base_checks"])
    assert.deepStrictEqual(startsOf(played().after(aRunAt([aTask("a")]), start("a")).step), ["base_checks"])
    assert.deepStrictEqual(startsOf(played().after(aRunAt([aTask("a")]), known({}), start("a")).step), [])
  })

  it("with one worker, then the first attempt begins before them", () => {
    const run = aRunAt([aTask("a")], { workers: 1 })
    assert.deepStrictEqual(startsOf(played().when(run).step), ["attempt"])
    assert.deepStrictEqual(startsOf(played().after(run, start("a")).step), ["base_checks"])
  })

  it.each([
    ["no commands", aRunAt([aTask("a", { checks: [], validation: ["v"] })])],
    ["commands of an agent", aRunAt([aTask("a", { commands_by: "agent" })])],
    ["no base", aRun([aTask("a")])]
  ])("with %s, then nothing is run at the base", (_, run) => {
    assert.deepStrictEqual(startsOf(played().when(run).step), ["attempt"])
  })

  it("when the work is done before they are, then its own checks wait, and nothing else", () => {
    const run = aRunAt([aTask("a"), aTask("b", { depends_on: ["a"] })])
    const waiting = played().after(run, start("a"))
    const ended = waiting.when(end("a"))
    assert.deepStrictEqual(startsOf(ended.step), [])
    assert.deepStrictEqual(startsOf(waiting.after(end("a"), known({})).step), ["checks"])
  })

  it("when the budget is used up while they run, then the run ends only after them", () => {
    const budget = { max_attempts: 1, max_calls: null, max_duration_ms: null, max_tokens: null, max_cost_usd: null }
    const run = aRunAt([aTask("a"), aTask("b")], { budget })
    const waiting = played().after(run, start("a"), end("a"))
    assert.strictEqual(waiting.run.status, "running")
    const finished = waiting.after(known({}), verified("a"))
    assert.include(finished.types, "TASK_COMPLETED")
    assert.strictEqual(finished.run.status, "failed")
  })

  it("when they cannot be run, then nothing waits for them any more, and a resume tries again", () => {
    const waiting = played().after(aRunAt([aTask("a")]), start("a"), end("a"))
    const broken = waiting.when(failed)
    assert.deepStrictEqual(startsOf(broken.step), ["checks"])
    const after = waiting.after(failed)
    assert.strictEqual(after.state.tasks.base_checks?.problem, "It broke.")
    assert.include(startsOf(after.after(cancel(), resume()).step), "base_checks")
  })

  it("when the run is resumed and they are known, then they are not run again", () => {
    const after = played().after(aRunAt([aTask("a")]), known({}), cancel())
    assert.deepStrictEqual(startsOf(after.when(resume()).step), ["attempt"])
    const twice = played().after(aRunAt([aTask("a")]), known({}))
    assert.deepStrictEqual(twice.when(known({ outcome: "green" })).events, [])
  })

  it("then the log can be replayed", () => {
    const composition = composePlugins([])
    const batches: Array<Step["events"]> = []
    let so = played()
    for (const command of [aRunAt([aTask("a")]), known({}), known({ outcome: "green" }), cancel()]) {
      const then = so.when(command)
      if (then.events.length > 0) batches.push(then.events)
      so = then.events.length > 0 ? so.after(command) : so
    }
    assert.isNull(replayOf(composition, recordedOf(composition, batches)).divergence)
  })
})

const green: ScratchRun = { run: { exit_code: 0, timed_out: false, duration_ms: 1, output: null }, message: "" }
const red: ScratchRun = { ...green, run: { exit_code: 1, timed_out: false, duration_ms: 1, output: null } }
const untried: ScratchRun = { run: null, message: "There is no room." }
const nothing = { formats: ["tap"], passed: 0, failed: 0, skipped: 2, tests: null }
const ranNone: ScratchRun = {
  ...green,
  run: { exit_code: 0, timed_out: false, duration_ms: 1, output: null, census: nothing }
}
const room = (run: ScratchRun, more: Partial<CleanRoom> = {}) => ({
  clean_room: { ...run, restored: [], left_out: [], ...more }
})

describe("what a command that passed shows", () => {
  /** A task without items, whose command was found so at the base. */
  const proofOf = (before: Partial<BaseCheck> | null, over: Partial<CheckRun>, by?: "agent") => {
    const spec = aTask("a", by === undefined ? {} : { commands_by: by })
    const run = played().after(aRunAt([spec]), ...(before === null ? [] : [known(before)]))
    const state = run.state
    return [...commandProof(state, task(state, "a"), check(0, over))]
  }

  it.each<[string, Partial<BaseCheck> | null, Partial<CheckRun>, ReadonlyArray<string>]>([
    ["red before, and green in a copy now", { outcome: "red" }, { control: green }, []],
    ["red before, and red in a copy now too", { outcome: "red" }, { control: red }, ["was_green"]],
    ["red before, and not to be tried in a copy", { outcome: "red" }, { control: untried }, ["was_green"]],
    ["red before, and nobody looked again", { outcome: "red" }, {}, ["was_green"]],
    ["green before", { outcome: "green" }, { control: green }, ["was_green"]],
    ["unknown before", { outcome: "unknown" }, { control: green }, ["was_green"]],
    ["not run before", null, { control: green }, ["was_green"]],
    [
      "its file was changed, and it passes as written",
      { outcome: "red" },
      { changed: ["a.sh"], as_written: green },
      []
    ],
    [
      "its file was changed, and it fails as written",
      { outcome: "red" },
      { changed: ["a.sh"], as_written: red },
      ["was_green", "check_changed"]
    ],
    [
      "its file was changed, and that was accepted",
      { outcome: "red" },
      { changed: ["a.sh"], control: green },
      ["check_changed"]
    ],
    [
      "it runs what was written in this run, and nothing else",
      { outcome: "red" },
      { written: ["a.js"], control: green },
      ["agents_check"]
    ],
    [
      "it runs what was written in this run, and what is left of it was green before",
      { outcome: "red" },
      { written: ["a.js"], without: green, control: green },
      ["agents_check"]
    ],
    [
      "it runs what was written in this run, and what is left of it could not be tried",
      { outcome: "red" },
      { written: ["a.js"], without: untried, control: green },
      ["agents_check"]
    ],
    [
      "it runs what was written in this run, and what is left of it was red before",
      { outcome: "red" },
      { written: ["a.js"], without: red, control: green },
      []
    ],
    [
      "red before, and red without the tests of this run",
      { outcome: "red" },
      { tests: ["t.js"], control: red },
      ["agents_check"]
    ],
    [
      "red before, and green without the tests of this run",
      { outcome: "red" },
      { tests: ["t.js"], control: green },
      []
    ],
    ["red before, and green in the clean room", { outcome: "red" }, room(green), []],
    ["red before, and in the clean room it ran no tests", { outcome: "red" }, room(ranNone), ["was_green"]],
    ["red before, and there can be no clean room", { outcome: "red" }, room(untried), ["was_green"]],
    ["red before, and the user wants no clean room", { outcome: "red" }, { clean_room: null }, []],
    ["green before, and in the clean room", { outcome: "green" }, room(green), ["was_green"]],
    ["unknown before, and the user wants no clean room", { outcome: "unknown" }, { clean_room: null }, ["was_green"]],
    [
      "its file was changed, and it passes in the clean room, where that is as it was",
      { outcome: "red" },
      { changed: ["a.sh"], ...room(green, { restored: ["a.sh"] }) },
      []
    ],
    [
      "its file was changed, and it passes in the clean room, where that was accepted",
      { outcome: "red" },
      { changed: ["a.sh"], ...room(green) },
      ["check_changed"]
    ],
    [
      "its file was changed, and the user wants no clean room",
      { outcome: "red" },
      { changed: ["a.sh"], clean_room: null },
      ["check_changed"]
    ],
    [
      "it passes in the clean room with new tests alone",
      { outcome: "red" },
      room(red, { left_out: ["t.js"], with_new: green }),
      ["agents_check"]
    ]
  ])("given that it was %s", (_, before, over, expected) => {
    assert.deepStrictEqual(proofOf(before, over), expected)
  })

  it("given that an agent wrote it, then it says so, unless it is word for word one of the user's", () => {
    assert.deepStrictEqual(proofOf(null, { control: green }, "agent"), ["was_green", "agents_check"])
    const both = played().after(aRunAt([aTask("a"), aTask("b", { commands_by: "agent" })]), known({}))
    const state = both.state
    assert.deepStrictEqual([...commandProof(state, task(state, "b"), check(0, { control: green }))], [])
  })

  it("given evidence that shows the task, then red before is enough", () => {
    const run = aRunAt([aTask("a", { checklist: [{ item: "x" }] })])
    const state = played(judge).after(
      run,
      known({}),
      start("a"),
      endReporting("a", 1, [done("x")]),
      evidence("a", 1, 0)
    ).state
    assert.deepStrictEqual([...commandProof(state, task(state, "a"), check())], [])
    assert.strictEqual(baseCheckOf(state, "true")?.outcome, "red")
  })

  it("given files that were changed and a command that fails as written, then verification has not passed", () => {
    const ready = played().after(aRunAt([aTask("a")], { max_retries: 0 }), known({}), start("a"), end("a"))
    const bent = check(0, { changed: ["check.sh"], as_written: { ...red, message: "There it exits with 1." } })
    const then = ready.when(verified("a", 1, [bent]))
    assert.isFalse(then.content("VERIFICATION_RUN").passed)
    const { message } = then.content("TASK_FAILED")
    assert.include(message, "check.sh was changed in this run. There it exits with 1.")
    assert.strictEqual(ready.when(verified("a", 1, [{ ...bent, as_written: green }])).events[1]?.type, "TASK_COMPLETED")
  })

  const lost = (how: TestChange["how"], path: string | null = "t.js"): TestChange => ({ test: "one", path, how })
  it.each<readonly [string, Partial<CheckRun>, string | null]>([
    ["ran no tests", { census: { ...nothing, skipped: 0 } }, "`true` ran no tests, so it shows nothing."],
    ["ran no tests, all are skipped", { census: nothing }, "ran no tests, all 2 are skipped"],
    ["ran one test, which failed, and ended well", { census: { ...nothing, failed: 1 } }, null],
    ["passes in the clean room", room(green, { restored: ["t.js"] }), null],
    [
      "fails in the clean room",
      room({ ...red, message: "It says no." }),
      "in a fresh copy of it. It says no. Make it need"
    ],
    [
      "fails in the clean room with a file as it was",
      room({ ...red, message: "It says no." }, { restored: ["t.js"] }),
      "as it was before this run: t.js was changed. It says no. Put it back"
    ],
    [
      "fails in the clean room with a test as it was",
      { ...room(red, { restored: ["t.js"] }), changed_tests: [lost("changed")] },
      't.js was changed ("one" (t.js) asserts something else).'
    ],
    [
      "passes in the clean room and runs no tests there",
      room(ranNone, { restored: ["a", "b"], left_out: ["c", "d"] }),
      "before this run and without c, d, which are new: a, b were changed."
    ],
    ["passes in the clean room with new tests", room(red, { left_out: ["t.js"], with_new: green }), null],
    [
      "fails in the clean room with new tests too",
      room(red, { left_out: ["t.js"], with_new: red }),
      "counts only without t.js, which is new. "
    ],
    ["cannot have a clean room", room(untried), null],
    [
      "cannot have a clean room, and rests on what was changed",
      room(untried, { restored: ["t.js"] }),
      "There is no room."
    ],
    ["needs no clean room", { clean_room: null }, null],
    [
      "lost a test",
      { ...room(green), lost_tests: [lost("vanished")] },
      '"one" (t.js) is gone. Put them back, and let each of them come to its end.'
    ],
    [
      "lost tests",
      { lost_tests: [lost("skipped", null), lost("weakened")] },
      '"one" is skipped now; "one" (t.js) lost assertions.'
    ],
    ["has a test that asserts something else", { ...room(green), changed_tests: [lost("changed")] }, null],
    [
      "reports no test any more",
      { lost_tests: [unreported({ passed: 2, failed: 1, skipped: 0, formats: [], tests: null })] },
      'reported tests before this run and reports none any more, so nothing tells that they ran: "all tests that were reported before: 3" is gone. Let its runner'
    ],
    ["lost many tests", { lost_tests: Array(12).fill(lost("vanished")) }, "is gone; 2 more."]
  ])("given a command that %s, then verification has passed, or it is said why not", (_, over, expected) => {
    const ready = played().after(aRunAt([aTask("a")], { max_retries: 0 }), known({}), start("a"), end("a"))
    const then = ready.when(verified("a", 1, [check(0, over)]))
    assert.strictEqual(then.content("VERIFICATION_RUN").passed, expected === null)
    if (expected !== null) assert.include(then.content("TASK_FAILED").message, expected)
  })
})
