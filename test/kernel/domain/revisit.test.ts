import { assert, describe, it } from "@effect/vitest"
import {
  type CommandOf,
  composePlugins,
  type RecordActivityFailure,
  type RunConfig,
  type Step,
  type TaskSpec
} from "@proofline/kernel"
import { aRun, aTask } from "@proofline/kernel/testing"
import { judge } from "../support/judge.ts"
import { begun, type Played, played } from "../support/play.ts"
import { digest, recordedOf, replayOf } from "../support/recorded.ts"
import { cancel, done, end, endReporting, evidence, gone, resume, revisited, start, task } from "../support/words.ts"

const shown = (id: string, spec: Partial<TaskSpec> = {}) =>
  aTask(id, { checks: [], checklist: [{ item: `${id} works` }], ...spec })

/** An attempt of a task whose evidence is accepted. */
const proves = (id: string, attempt = 1, files: ReadonlyArray<string> | null = null) => [
  start(id, attempt, { item_id: digest.uuid5(`run_1/attempt/${id}/${attempt}`) }),
  { ...endReporting(id, attempt, [done(`${id} works`)]), files_modified: files },
  evidence(id, attempt, 0)
]

/** Two tasks, one after the other, both accepted. */
const bothAccepted = (config: Partial<RunConfig> = {}, files: ReadonlyArray<string> | null = ["src/a.ts"]): Played =>
  begun([shown("a"), shown("b", { depends_on: ["a"] })], { retry_delay_ms: 0, ...config }).after(
    ...proves("a"),
    ...proves("b", 1, files)
  )

describe("given all tasks of a run are completed", () => {
  it("then the run ends only after what was accepted was judged again, in one piece of work", () => {
    const run = begun([shown("a"), shown("b")]).after(...proves("a"), ...proves("b").slice(0, 2))
    const then = run.when(evidence("b", 1, 0))
    assert.deepStrictEqual(then.types.slice(-2), ["TASK_COMPLETED", "RUN_ENDING"])
    assert.deepStrictEqual(then.orders, ["evidence_again//0"])
    assert.strictEqual(then.run.status, "running")
  })

  it("when all of it holds, then the run is completed", () => {
    const then = bothAccepted().when(revisited(0, [], 2))
    assert.deepStrictEqual(then.types, ["EVIDENCE_REVISITED", "RUN_COMPLETED"])
    assert.strictEqual(then.content("RUN_COMPLETED").proof?.verdict, "proven")
  })

  it("when nothing was accepted with a receipt, then there is nothing to judge again", () => {
    const run = begun([aTask("a", { checks: ["true"] })]).after(start("a"), end("a"))
    const then = run.when({
      _tag: "RecordVerification",
      task_id: "a",
      attempt: 1,
      checks: [
        {
          command: "true",
          item_index: null,
          exit_code: 0,
          signal: null,
          timed_out: false,
          duration_ms: 1,
          output: null,
          output_tail: "",
          ablation: null
        }
      ]
    })
    assert.strictEqual(then.types.at(-1), "RUN_COMPLETED")
  })

  it("when something does not hold any more, then its task is open again, and the next attempt is told why", () => {
    const then = bothAccepted().when(revisited(0, [gone("a")], 2))
    assert.deepStrictEqual(then.types, ["EVIDENCE_REVISITED", "CHECKLIST_ITEM_REJECTED", "TASK_STATUS_CHANGED"])
    assert.deepStrictEqual(then.orders, ["attempt/a/2"])
    const after = then.state
    assert.strictEqual(after.run.status, "running")
    assert.deepInclude(task(after, "a"), { status: "retrying", retry_count: 1 })
    assert.strictEqual(task(after, "a").items[0]?.verdict, "stale")
    assert.strictEqual(task(after, "b").status, "completed")
    const [failure] = task(after, "a").refused?.failures ?? []
    assert.strictEqual(failure?.key, "checklist_evidence_stale")
    assert.strictEqual(
      failure?.message,
      "Evidence 'src/a.ts:1-2' was accepted and does not hold any more: It is gone. Task b has worked on that file since (attempt 1). Restore what it shows, or cite where it is shown now."
    )
  })

  it.each([
    ["another task changed the file since", ["src/a.ts"], "b"],
    ["no task that was worked on since changed it", ["src/other.ts"], null]
  ])("when %s, then the log says who it was, or that nobody knows", (_, files, who) => {
    const then = bothAccepted({}, files).when(revisited(0, [gone("a")], 2))
    const [stale] = then.content("EVIDENCE_REVISITED").stale
    assert.deepStrictEqual(stale?.changed_by, who === null ? null : { task_id: who, attempt: 1 })
    const { message } = then.content("CHECKLIST_ITEM_REJECTED")
    assert.include(message, who === null ? "The log does not say who changed it; worked on since: b." : "Task b has")
  })

  it("when nobody watched what was changed, then whoever is shown by that file since is named", () => {
    const then = bothAccepted({}, null).when(revisited(0, [gone("a")], 2))
    assert.strictEqual(then.content("EVIDENCE_REVISITED").stale[0]?.changed_by?.task_id, "b")
    const last = bothAccepted({}, null).when(revisited(0, [gone("b")], 2))
    assert.include(last.content("CHECKLIST_ITEM_REJECTED").message, "No task of this run was worked on since.")
  })

  it("when the project words its failures itself, then its sentence is told", () => {
    const messages = { checklist_evidence_stale: "{evidence} is stale. {why}" }
    const then = bothAccepted({ messages }).when(revisited(0, [gone("a")], 2))
    assert.match(then.content("CHECKLIST_ITEM_REJECTED").message, /^src\/a\.ts:1-2 is stale\. It is gone\./)
  })

  it("when it is shown again, then all of it is judged once more before the run is completed", () => {
    const again = bothAccepted().after(revisited(0, [gone("a")], 2), ...proves("a", 2).slice(0, 2))
    const then = again.when(evidence("a", 2, 0))
    assert.deepStrictEqual(then.orders, ["evidence_again//1"])
    const last = again.after(evidence("a", 2, 0), revisited(1, [], 2))
    assert.strictEqual(last.types.at(-1), "RUN_COMPLETED")
    assert.deepInclude(last.content("RUN_COMPLETED").proof?.counts, { proven: 2, stale: 0 })
  })

  it("when no retry is left, then its task fails, the item stays stale, and the run is incomplete", () => {
    const then = bothAccepted({ max_retries: 0 }).when(revisited(0, [gone("a")], 2))
    assert.deepStrictEqual(then.types.slice(-3), ["TASK_STATUS_CHANGED", "TASK_FAILED", "RUN_INCOMPLETE"])
    assert.strictEqual(then.content("TASK_FAILED").reason, "checklist_evidence_stale")
    assert.deepInclude(then.content("RUN_INCOMPLETE").proof?.counts, { proven: 1, stale: 1 })
    assert.strictEqual(then.task("a").items[0]?.verdict, "stale")
  })

  it("when two tasks undo one another for ever, then the run ends after the retries that there are", () => {
    let run = bothAccepted({ max_retries: 2 })
    for (const round of [0, 1, 2, 3, 4, 5]) {
      const id = round % 2 === 0 ? "a" : "b"
      const attempt = Math.floor(round / 2) + 1
      run = run.after(revisited(round, [gone(id, attempt)], 2))
      if (run.run.status !== "running") break
      if (attempt < 3) run = run.after(...proves(id, attempt + 1))
    }
    assert.strictEqual(run.run.status, "incomplete")
  })

  it("when it is judged twice, or too late, then only what was waited for counts", () => {
    const run = bothAccepted()
    assert.strictEqual(run.when(revisited(1)).code, "attempt_not_current")
    assert.strictEqual(run.after(revisited(0, [], 2)).when(revisited(0, [], 2)).code, "attempt_not_current")
    assert.strictEqual(run.after(cancel()).when(revisited(0)).code, "attempt_not_current")
  })

  it("when the run is cancelled meanwhile, then the work is taken back, and a resume orders it anew", () => {
    const cancelled = bothAccepted().when(cancel())
    assert.deepInclude(cancelled.cancels, { key: "evidence_again//0" })
    assert.strictEqual(cancelled.run.status, "cancelled")
    const resumed = bothAccepted().after(cancel(), resume())
    assert.deepStrictEqual(resumed.orders, ["evidence_again//0/1"])
    const ended = bothAccepted().after(cancel(), resume(), revisited(0, [], 2))
    assert.strictEqual(ended.types.at(-1), "RUN_COMPLETED")
  })

  it("when it cannot be judged, then the run is incomplete, and a resume tries again", () => {
    const failed: CommandOf<typeof RecordActivityFailure> = {
      _tag: "RecordActivityFailure",
      name: "evidence_again",
      key: "evidence_again//0",
      input: { round: 0 },
      code: "activity_broken",
      message: "It broke."
    }
    const then = bothAccepted().when(failed)
    assert.strictEqual(then.content("RUN_INCOMPLETE").reason, "What was accepted could not be judged again: It broke.")
    assert.deepStrictEqual(bothAccepted().after(failed, resume()).orders, ["evidence_again//0/1"])
  })

  it("when another task failed, then what was accepted is judged again all the same", () => {
    const run = begun([shown("a"), shown("b")], { max_retries: 0 }).after(
      ...proves("a"),
      start("b", 1, { item_id: "b 1" })
    )
    assert.deepStrictEqual(run.when(end("b", 1, "ERROR")).orders, ["evidence_again//0"])
    const ended = run.after(end("b", 1, "ERROR"), revisited(0, [], 1))
    assert.strictEqual(ended.types.at(-1), "RUN_INCOMPLETE")
  })

  it("when the budget is used up, then what is open again is not begun, and the run has failed by it", () => {
    const budget = { max_attempts: 2, max_calls: null, max_duration_ms: null, max_tokens: null, max_cost_usd: null }
    const then = bothAccepted({ budget }).when(revisited(0, [gone("a")], 2))
    assert.deepStrictEqual(then.orders, [])
    assert.strictEqual(then.content("RUN_FAILED").reason, "budget")
  })

  it("then the log can be replayed", () => {
    const composition = composePlugins([judge])
    const batches: Array<Step["events"]> = []
    let run = played(judge)
    for (const command of [
      aRun([shown("a"), shown("b", { depends_on: ["a"] })], { retry_delay_ms: 0 }),
      ...proves("a"),
      ...proves("b"),
      revisited(0, [gone("a")], 2),
      ...proves("a", 2),
      revisited(1, [gone("b")], 2),
      ...proves("b", 2),
      revisited(2, [], 2)
    ]) {
      const { events, rejected } = run.when(command)
      assert.isNull(rejected, JSON.stringify(rejected))
      batches.push(events)
      run = run.after(command)
    }
    const log = recordedOf(composition, batches)
    assert.isNull(replayOf(composition, log).divergence)
    assert.strictEqual(log.at(-1)?.event_type, "RUN_COMPLETED")
  })
})
