import { assert, describe, it } from "@effect/vitest"
import {
  chunkOf,
  composePlugins,
  criteriaReviewer,
  defaultChunkingConfig,
  foldEvent,
  loopOf,
  makeManifest,
  type RetryConfig,
  type RunConfig
} from "@proofline/kernel"
import { aTask } from "@proofline/kernel/testing"
import {
  aggregated,
  anAnalysis,
  analysed,
  aPart,
  aSplit,
  bothPass,
  chunking,
  givenSplit,
  measured,
  parts,
  passes
} from "../support/chunks.ts"
import { judge } from "../support/judge.ts"
import { Played, played } from "../support/play.ts"
import { chunkingVisibility, end, judged, start, verified } from "../support/words.ts"

const critic: Partial<RunConfig> = { reviewer: "critic" }

describe("a task that is split into two parts, from its start to its end", () => {
  const run = played(judge).after(
    aSplit({ reviewer: "critic" }, { instruction: "Create login and logout." }),
    analysed([aPart("login", { prompt: "Implement login." }), aPart("logout", { prompt: "Implement logout." })])
  )

  it("says when a part begins, by whom and for the which time", () => {
    const then = run.when(start("p-sub-1", 1, { worker_id: "host:1/2" }))
    assert.deepStrictEqual(then.types, ["SUBTASK_START", "REVIEW_LOOP_START", "ATTEMPT_STARTED"])
    assert.deepStrictEqual(then.content("SUBTASK_START"), {
      parent_task_id: "p",
      subtask_id: "p-sub-1",
      prompt: "Implement login.",
      retry_count: 0,
      worker_id: "host:1/2"
    })
    assert.deepStrictEqual(then.content("REVIEW_LOOP_START"), {
      task_id: "p-sub-1",
      attempt: 1,
      retry_count: 0,
      max_iterations: 3,
      counts_again: true
    })
    assert.deepStrictEqual(then.statuses("p-sub-1"), ["in_progress"])
    assert.strictEqual(then.task("p").status, "in_progress", "the parent is running")
  })

  it("measures an attempt by the built-in criteria, then asks the reviewer, one after the other", () => {
    const ended = run.after(start("p-sub-1"), end("p-sub-1"))
    assert.deepStrictEqual(ended.orders, ["criteria/p-sub-1/1"])
    const then = ended.after(measured("p-sub-1"))
    assert.deepStrictEqual(then.types, ["QUALITY_JUDGMENT"])
    assert.deepStrictEqual(then.orders, ["review/p-sub-1/1"])
  })

  it("says when a part is complete and with what result, while the task goes on", () => {
    const then = run.after(
      start("p-sub-1"),
      end("p-sub-1", 1, "COMPLETE", {
        files_modified: ["src/login.ts", "src/app.ts"],
        report: { summary: "Login is there.", checklist: null, problems: [] }
      }),
      measured("p-sub-1"),
      judged("p-sub-1")
    )
    assert.deepStrictEqual(then.types, ["QUALITY_JUDGMENT", "REVIEW_LOOP_END", "SUBTASK_COMPLETE"])
    assert.deepStrictEqual(then.content("REVIEW_LOOP_END"), {
      task_id: "p-sub-1",
      attempt: 1,
      final_status: "COMPLETE",
      total_iterations: 1
    })
    assert.deepStrictEqual(then.content("SUBTASK_COMPLETE"), {
      parent_task_id: "p",
      subtask_id: "p-sub-1",
      subtask_result: {
        status: "COMPLETE",
        output_summary: "Login is there.",
        files_modified: ["src/app.ts", "src/login.ts"],
        review_loop_iterations: 1
      },
      retry_count: 0,
      attempts: 1,
      proven: 0,
      waived: 0,
      verdict: "weak"
    })
    assert.deepStrictEqual(then.starts, [])
    assert.deepStrictEqual(then.statuses("p"), ["in_progress"])
    assert.deepInclude(chunkOf(then.state, then.task("p")), {
      stage: "executing",
      open: 1,
      failed: 0
    })
  })

  it("puts the parts together only when the last of them is complete", () => {
    const one = run.after(...passes("p-sub-2"))
    assert.strictEqual(one.when(aggregated()).code, "task_not_ready")
    const then = one.after(...passes("p-sub-1"))
    assert.deepStrictEqual(then.orders, ["aggregation/p/0"])
    assert.notInclude(then.types, "TASK_COMPLETED")
  })

  it("says what came together, and completes the task and the run with it", () => {
    const then = run.after(...bothPass, aggregated({ files_modified: ["src/login.ts", "src/logout.ts"] }))
    assert.deepStrictEqual(then.types, ["CHUNKING_AGGREGATION", "CHUNKING_COMPLETE", "TASK_COMPLETED", "RUN_COMPLETED"])
    assert.deepStrictEqual(then.content("CHUNKING_AGGREGATION"), {
      parent_task_id: "p",
      aggregation_strategy: "merge_all",
      conflict_resolution: "fail",
      aggregation_result: {
        total_files_modified: 2,
        conflicts_detected: false,
        outcome: "merged",
        files_modified: ["src/login.ts", "src/logout.ts"],
        conflicts: [],
        message: "",
        evidence: [],
        lost: []
      },
      duration_ms: 300_000,
      whole: { checklist: [], validation: [], report: { summary: "", checklist: null } }
    })
    assert.deepStrictEqual(then.content("CHUNKING_COMPLETE"), {
      parent_task_id: "p",
      total_subtasks: 2,
      completed_subtasks: 2,
      failed_subtasks: 0,
      total_retries: 0,
      total_duration_ms: 300_000
    })
    assert.deepStrictEqual(then.content("TASK_COMPLETED"), { task_id: "p", attempts: 1, proven: 0, waived: 0 })
    assert.deepInclude(then.content("RUN_COMPLETED"), { total: 1, completed: 1 })
    assert.deepStrictEqual(then.task("p").files, ["src/login.ts", "src/logout.ts"])
  })

  it("refuses to put together what was put together, or a task that was not split", () => {
    const done = run.after(...bothPass, aggregated())
    assert.strictEqual(done.when(aggregated()).code, "task_not_ready")
    assert.strictEqual(run.when(aggregated({}, { task_id: "p-sub-1" })).code, "task_not_ready")
    assert.strictEqual(run.when(aggregated({}, { task_id: "nobody" })).code, "task_not_ready")
  })

  it("then checks the whole, and completes it with the checks", () => {
    const then = givenSplit(parts(2), critic, { checks: ["true"] }).after(...bothPass, aggregated())
    assert.deepStrictEqual(then.types, ["CHUNKING_AGGREGATION"])
    assert.deepStrictEqual(then.orders, ["checks/p/1"])
    assert.deepStrictEqual(then.after(verified("p")).types, [
      "VERIFICATION_RUN",
      "CHUNKING_COMPLETE",
      "TASK_COMPLETED",
      "RUN_COMPLETED"
    ])
  })

  it("then has the whole reviewed, where it has something to be judged by", () => {
    const whole = givenSplit(parts(2), critic, { validation: ["It holds together."] }).after(...bothPass)
    assert.deepStrictEqual(whole.when(aggregated()).orders, ["review/p/1"])
    assert.include(whole.after(aggregated(), judged("p")).types, "TASK_COMPLETED")
  })

  it("holds up whoever depends on the task until all of it is completed", () => {
    const others = [aTask("q", { depends_on: ["p"] })]
    const all = givenSplit(parts(2), critic, {}, others).after(...bothPass)
    assert.strictEqual(all.when(start("q")).code, "task_not_ready")
    const then = all.when(aggregated())
    assert.deepStrictEqual(then.types, ["CHUNKING_AGGREGATION", "CHUNKING_COMPLETE", "TASK_COMPLETED"])
    assert.deepStrictEqual(then.orders, ["attempt/q/1"])
  })

  it("is analysed once, without recursion: its parts are never split", () => {
    for (const id of ["p-sub-1", "p-sub-2"]) {
      assert.strictEqual(run.when(start(id)).task(id).spec.chunk, "no")
      assert.strictEqual(run.when(analysed(anAnalysis(parts(2)), { task_id: id })).code, "task_not_ready")
    }
  })
})

describe("the review loop of a part", () => {
  const run = givenSplit(parts(2), critic)
  const attempt = (number: number, verdict: "PASS" | "REJECT" | "RETRY", text: string | null = null) => [
    start("p-sub-1", number),
    end("p-sub-1", number),
    measured("p-sub-1", number),
    judged("p-sub-1", number, verdict, text)
  ]
  /** The last of these judgements decides. */
  const refusing = (from: Played, ...verdicts: ReadonlyArray<"REJECT" | "RETRY">) => {
    const commands = verdicts.flatMap((verdict, i) => attempt(i + 1, verdict, `Mend it, ${i + 1}.`))
    return from.after(...commands)
  }

  it("REJECT: the part is done again with the modification, as the next iteration and not as a retry", () => {
    const then = refusing(run, "REJECT")
    assert.deepStrictEqual(then.types, ["QUALITY_JUDGMENT", "TASK_STATUS_CHANGED"])
    assert.deepStrictEqual(then.content("TASK_STATUS_CHANGED"), {
      task_id: "p-sub-1",
      from: "in_progress",
      to: "retrying",
      reason: "review_rejected",
      retry_count: 0,
      delay_ms: 0
    })
    assert.deepStrictEqual(then.orders, ["attempt/p-sub-1/2"])
    const { refused } = then.task("p-sub-1")
    assert.deepInclude(refused, { attempt: 1 })
    assert.deepInclude(refused?.judgment, { judgment: "REJECT", modification_prompt: "Mend it, 1." })
    // it goes on in the same loop: nothing begins anew
    const again = then.after(start("p-sub-1", 2))
    assert.deepStrictEqual(again.types, ["ATTEMPT_STARTED"])
    assert.strictEqual(loopOf(again.state, again.task("p-sub-1")).iteration, 2)
  })

  it("REJECT by the built-in criteria: done again at once, and the reviewer is not asked", () => {
    const then = run.after(
      start("p-sub-1"),
      end("p-sub-1"),
      measured("p-sub-1", 1, "REJECT", "src/a.ts:3 leaves something out.")
    )
    assert.deepStrictEqual(then.orders, ["attempt/p-sub-1/2"])
    const { refused } = then.task("p-sub-1")
    assert.deepInclude(refused?.judgment, {
      reviewer: criteriaReviewer,
      modification_prompt: "src/a.ts:3 leaves something out."
    })
  })

  it("RETRY: the same again, with nothing of it told to the agent, as the next iteration", () => {
    const then = refusing(run, "RETRY")
    assert.deepInclude(then.content("TASK_STATUS_CHANGED"), {
      reason: "review_retry",
      retry_count: 0,
      delay_ms: 0
    })
    assert.isNull(then.task("p-sub-1").refused)
    const again = then.after(start("p-sub-1", 2))
    assert.strictEqual(loopOf(again.state, again.task("p-sub-1")).iteration, 2)
  })

  it("RETRY for ever: no loop has more iterations than it may, and all of them are counted", () => {
    const config = { ...critic, ...chunking({ max_iterations: 2, retry: { max_retries: 1 } }) }
    const always = (times: number) =>
      refusing(givenSplit(parts(2), config), ...Array.from({ length: times }, () => "RETRY" as const))
    const second = always(2)
    assert.deepStrictEqual(second.types, ["QUALITY_JUDGMENT", "REVIEW_LOOP_END", "SUBTASK_RETRY"])
    assert.deepInclude(second.content("REVIEW_LOOP_END"), { total_iterations: 2 })
    const last = always(4)
    assert.deepStrictEqual(last.types, ["QUALITY_JUDGMENT", "REVIEW_LOOP_END", "SUBTASK_FAILED"])
    assert.deepInclude(last.content("SUBTASK_FAILED"), { attempts: 4, retry_count: 1 })
    assert.deepInclude(last.content("SUBTASK_FAILED").subtask_result, { review_loop_iterations: 2 })
  })

  it("RETRY in a loop that does not count it, as loops of before: the same again twice, beside its iterations", () => {
    const begun = givenSplit(parts(2), { ...critic, ...chunking({ max_iterations: 1 }) }).after(start("p-sub-1"))
    const content = { task_id: "p-sub-1", attempt: 1, retry_count: 0, max_iterations: 1 }
    const old = foldEvent(begun.composition, begun.snapshot, { type: "REVIEW_LOOP_START", content } as never)
    const once = new Played(begun.composition, old).after(...attempt(1, "RETRY").slice(1))
    const twice = once.after(...attempt(2, "RETRY"))
    for (const then of [once, twice]) {
      assert.deepInclude(then.content("TASK_STATUS_CHANGED"), { reason: "review_retry" })
    }
    assert.deepInclude(twice.after(...attempt(3, "RETRY")).content("SUBTASK_RETRY"), { reason: "INCOMPLETE" })
  })

  it("RETRY after REJECT: what was to be mended is told again", () => {
    const then = refusing(run, "REJECT", "RETRY")
    assert.deepInclude(then.task("p-sub-1").refused?.judgment, { modification_prompt: "Mend it, 1." })
  })

  it("RETRY for the third time in a loop counts as a refusal", () => {
    const run = givenSplit(parts(2), { ...critic, ...chunking({ max_iterations: 4 }) })
    assert.deepInclude(refusing(run, "RETRY", "RETRY").content("TASK_STATUS_CHANGED"), {
      reason: "review_retry"
    })
    const third = refusing(run, "RETRY", "RETRY", "RETRY")
    assert.deepInclude(third.content("TASK_STATUS_CHANGED"), { reason: "review_retries_exhausted" })
    assert.deepInclude(loopOf(third.state, third.task("p-sub-1")), { refused: 1 })
    const once = givenSplit(parts(2), { ...critic, ...chunking({ max_iterations: 1 }) })
    assert.include(refusing(once, "RETRY").types, "SUBTASK_RETRY")
  })

  it("ends after max_iterations, and a retry of the part begins a new one", () => {
    const then = refusing(run, "REJECT", "REJECT", "REJECT")
    assert.deepStrictEqual(then.types, ["QUALITY_JUDGMENT", "REVIEW_LOOP_END", "SUBTASK_RETRY"])
    assert.deepStrictEqual(then.content("REVIEW_LOOP_END"), {
      task_id: "p-sub-1",
      attempt: 3,
      final_status: "INCOMPLETE",
      total_iterations: 3
    })
    assert.deepStrictEqual(then.content("SUBTASK_RETRY"), {
      parent_task_id: "p",
      subtask_id: "p-sub-1",
      retry_count: 1,
      reason: "INCOMPLETE",
      failure_reason: "review_rejected",
      message: "Mend it, 3.",
      delay_ms: 2_000
    })
    assert.deepStrictEqual(then.delays, [["attempt/p-sub-1/4", 2_000]])
    const again = then.after(start("p-sub-1", 4))
    assert.deepStrictEqual(again.types, ["SUBTASK_START", "REVIEW_LOOP_START", "ATTEMPT_STARTED"])
    assert.deepInclude(again.content("SUBTASK_START"), { retry_count: 1 })
    assert.deepInclude(again.content("REVIEW_LOOP_START"), { attempt: 4, retry_count: 1 })
    assert.deepInclude(loopOf(again.state, again.task("p-sub-1")), { iteration: 1 })
    // the reviewer may ask for the same again in every loop
    const twice = run.after(
      ...[1, 2].flatMap((number) => attempt(number, "RETRY")),
      ...attempt(3, "REJECT", "Mend it."),
      ...attempt(4, "RETRY").slice(0, -1)
    )
    assert.deepInclude(twice.when(judged("p-sub-1", 4, "RETRY")).content("TASK_STATUS_CHANGED"), {
      reason: "review_retry",
      retry_count: 1
    })
  })

  it("is tried again max_retries times: iterations × (retries + 1) attempts in all, then the part has failed", () => {
    const config = { ...critic, ...chunking({ max_iterations: 2, retry: { max_retries: 2 } }) }
    const verdicts = Array.from({ length: 6 }, () => "REJECT" as const)
    const then = refusing(givenSplit(parts(2), config), ...verdicts)
    assert.deepStrictEqual(then.types, ["QUALITY_JUDGMENT", "REVIEW_LOOP_END", "SUBTASK_FAILED"])
    assert.deepInclude(then.content("SUBTASK_FAILED"), {
      parent_task_id: "p",
      subtask_id: "p-sub-1",
      failure_reason: "review_rejected",
      message: "Mend it, 6.",
      retry_count: 2,
      attempts: 6,
      verdict: "refuted"
    })
    assert.deepInclude(then.content("SUBTASK_FAILED").subtask_result, {
      status: "INCOMPLETE",
      review_loop_iterations: 2
    })
    assert.deepStrictEqual(then.orders, [])
  })

  it("an attempt that says itself that it is incomplete is an iteration too", () => {
    const then = run.after(start("p-sub-1"), end("p-sub-1", 1, "INCOMPLETE"))
    assert.deepInclude(then.content("TASK_STATUS_CHANGED"), { reason: "incomplete", retry_count: 0 })
  })

  it("given there are no review loops, is not begun, and a refusal is a retry at once", () => {
    const config = { ...critic, ...chunking({ review_loop_per_subtask: false }) }
    const plain = givenSplit([aPart("a", { checklist: [0] }), aPart("b")], config, { checklist: [{ item: "A" }] })
    assert.deepStrictEqual(plain.when(start("p-sub-1")).types, ["SUBTASK_START", "ATTEMPT_STARTED"])
    const then = plain.after(start("p-sub-1"), end("p-sub-1", 1, "INCOMPLETE"))
    assert.deepStrictEqual(then.types, ["ATTEMPT_ENDED", "CHECKLIST_REPORTED", "SUBTASK_RETRY"])
    assert.deepInclude(then.content("SUBTASK_RETRY"), { reason: "INCOMPLETE", retry_count: 1 })
  })
})

describe("a part that has failed", () => {
  const retrying = (retry: Partial<RetryConfig> = {}) => givenSplit(parts(2), { ...critic, ...chunking({ retry }) })
  const failing = (run: Played, outcomes: ReadonlyArray<"ERROR" | "TIMEOUT">) => {
    const commands = outcomes.flatMap((outcome, i) => [start("p-sub-1", i + 1), end("p-sub-1", i + 1, outcome)])
    return run.after(...commands)
  }

  it("is tried again after 2,000 ms, then after 3,000 ms, then no more", () => {
    const first = failing(retrying(), ["ERROR"])
    assert.deepStrictEqual(first.types.slice(-2), ["REVIEW_LOOP_END", "SUBTASK_RETRY"])
    assert.deepStrictEqual(first.content("SUBTASK_RETRY"), {
      parent_task_id: "p",
      subtask_id: "p-sub-1",
      retry_count: 1,
      reason: "ERROR",
      failure_reason: "agent_failed",
      message: "It broke.",
      delay_ms: 2_000
    })
    assert.deepInclude(first.content("REVIEW_LOOP_END"), { final_status: "ERROR", total_iterations: 1 })
    assert.deepStrictEqual(first.statuses("p-sub-1"), ["retrying"])
    const second = failing(retrying(), ["ERROR", "TIMEOUT"])
    assert.deepInclude(second.content("SUBTASK_RETRY"), {
      retry_count: 2,
      reason: "TIMEOUT",
      delay_ms: 3_000
    })
    const third = failing(retrying(), ["ERROR", "TIMEOUT", "ERROR"])
    assert.deepInclude(third.content("SUBTASK_FAILED"), {
      failure_reason: "agent_failed",
      retry_count: 2,
      attempts: 3,
      verdict: "refuted"
    })
    assert.deepInclude(third.content("SUBTASK_FAILED").subtask_result, { status: "ERROR" })
    assert.deepStrictEqual(third.orders, [])
  })

  it("waits delay × multiplier ^ retries, as configured for parts and not for tasks", () => {
    const run = givenSplit(parts(2), {
      retry_delay_ms: 7,
      max_retries: 0,
      ...critic,
      ...chunking({ retry: { retry_delay_ms: 100, backoff_multiplier: 3, max_retries: 3 } })
    })
    const delays = [1, 2, 3].map(
      (times) =>
        failing(
          run,
          Array.from({ length: times }, () => "ERROR")
        ).content("SUBTASK_RETRY").delay_ms
    )
    assert.deepStrictEqual(delays, [100, 300, 900])
  })

  it("is tried again only for what retry_on names", () => {
    assert.include(failing(retrying({ retry_on: ["ERROR"] }), ["ERROR"]).types, "SUBTASK_RETRY")
    for (const retry_on of [["INCOMPLETE", "TIMEOUT"], []] as const) {
      const then = failing(retrying({ retry_on }), ["ERROR"])
      assert.deepInclude(then.content("SUBTASK_FAILED"), { retry_count: 0, attempts: 1 })
    }
    assert.include(failing(retrying({ retry_on: ["ERROR"] }), ["TIMEOUT"]).types, "SUBTASK_FAILED")
    // a loop that came to nothing is INCOMPLETE
    const once = givenSplit(parts(2), { ...critic, ...chunking({ max_iterations: 1, retry: { retry_on: ["ERROR"] } }) })
    const rejected = once.after(start("p-sub-1"), end("p-sub-1"), measured("p-sub-1"), judged("p-sub-1", 1, "REJECT"))
    assert.include(rejected.types, "SUBTASK_FAILED")
  })

  it("is counted with its retries when the task is complete", () => {
    const then = retrying().after(
      start("p-sub-1"),
      end("p-sub-1", 1, "ERROR"),
      ...passes("p-sub-1", 2),
      start("p-sub-2"),
      end("p-sub-2", 1, "TIMEOUT"),
      start("p-sub-2", 2),
      end("p-sub-2", 2, "TIMEOUT"),
      ...passes("p-sub-2", 3),
      aggregated()
    )
    assert.deepInclude(then.content("CHUNKING_COMPLETE"), { total_retries: 3, failed_subtasks: 0 })
  })

  it("keeps the files of all its attempts", () => {
    const then = retrying().after(
      start("p-sub-1"),
      end("p-sub-1", 1, "ERROR", { files_modified: ["b.ts"] }),
      ...passes("p-sub-1", 2, ["a.ts", "b.ts"]).slice(0, -1),
      judged("p-sub-1", 2)
    )
    assert.deepStrictEqual(then.content("SUBTASK_COMPLETE").subtask_result.files_modified, ["a.ts", "b.ts"])
  })

  it("given its attempt was lost to a crash, is tried again at once in the same loop and without counting", () => {
    const then = retrying().after(start("p-sub-1"), end("p-sub-1", 1, "LOST", { report: null }))
    assert.deepInclude(then.content("TASK_STATUS_CHANGED"), {
      reason: "attempt_lost",
      retry_count: 0,
      delay_ms: 0
    })
    const again = retrying().after(start("p-sub-1"), end("p-sub-1", 1, "LOST", { report: null }), start("p-sub-1", 2))
    assert.deepStrictEqual(again.types, ["ATTEMPT_STARTED"])
    assert.strictEqual(loopOf(again.state, again.task("p-sub-1")).iteration, 1)
  })

  it("given too many of its attempts were lost, has failed", () => {
    const run = givenSplit(parts(2), { ...critic, max_lost_attempts: 0 })
    const then = run.after(start("p-sub-1"), end("p-sub-1", 1, "LOST", { report: null }))
    assert.deepInclude(then.content("SUBTASK_FAILED"), { failure_reason: "attempt_lost", verdict: "refuted" })
    // what a crash took is no iteration
    assert.deepInclude(then.content("REVIEW_LOOP_END"), { final_status: "ERROR", total_iterations: 0 })
  })
})

describe("a task that was to be split and is run in one piece", () => {
  const config = { ...critic, ...chunking({ max_iterations: 2, retry: { retry_delay_ms: 50 } }), retry_delay_ms: 9 }
  const run = played(judge).after(aSplit(config, { checks: ["true"] }), analysed(parts(1)))

  it("has the review loop of a part, and its retries", () => {
    const first = run.after(start("p"), end("p"), verified("p"), measured("p", 1, "REJECT", "Mend it."))
    assert.deepInclude(first.content("TASK_STATUS_CHANGED"), { reason: "review_rejected", retry_count: 0 })
    const second = run.after(
      start("p"),
      end("p"),
      verified("p"),
      measured("p", 1, "REJECT"),
      start("p", 2),
      end("p", 2),
      verified("p", 2),
      measured("p", 2, "REJECT", "Mend it.")
    )
    assert.deepInclude(second.content("REVIEW_LOOP_END"), { total_iterations: 2, final_status: "INCOMPLETE" })
    assert.deepInclude(second.content("TASK_STATUS_CHANGED"), {
      task_id: "p",
      to: "retrying",
      retry_count: 1,
      delay_ms: 50
    })
  })

  it("is completed when it passes, with the end of its loop and nothing of chunks", () => {
    const then = run.after(start("p"), end("p"), verified("p"), measured("p"), judged("p"))
    assert.deepStrictEqual(then.types, ["QUALITY_JUDGMENT", "REVIEW_LOOP_END", "TASK_COMPLETED", "RUN_COMPLETED"])
  })
})

it("the nine events of chunking are visible as their table says", () => {
  const { visibilityOf } = makeManifest(composePlugins([]))
  for (const [type, visibility] of Object.entries(chunkingVisibility))
    assert.strictEqual(visibilityOf(type), visibility, type)
})

it("the defaults of chunking are those of its configuration file", () => {
  const { analyzer, workspace, aggregation_strategy, max_iterations, ...stated } = defaultChunkingConfig
  assert.deepStrictEqual(stated, {
    enabled: true,
    auto_detect: true,
    min_subtasks: 2,
    max_subtasks: 10,
    execution_mode: "auto",
    retry: {
      max_retries: 2,
      retry_delay_ms: 2_000,
      backoff_multiplier: 1.5,
      retry_on: ["INCOMPLETE", "ERROR", "TIMEOUT"]
    },
    fail_fast: false,
    review_loop_per_subtask: true
  })
})
