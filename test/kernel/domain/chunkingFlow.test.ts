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
  type RunConfig,
  step
} from "@proofline/kernel"
import type { Given } from "@proofline/kernel/testing"
import { aTask, given } from "@proofline/kernel/testing"
import { Result } from "effect"
import {
  aggregated,
  anAnalysis,
  analysed,
  aPart,
  aSplit,
  chunking,
  givenSplit,
  measured,
  parts,
  passes
} from "../support/chunks.ts"
import { judge } from "../support/judge.ts"
import { contentOf, end, judged, start, stateOf as stateAfter, task, typesOf, verified } from "../support/words.ts"

const critic: Partial<RunConfig> = { reviewer: "critic" }

const keysOf = ({ step }: ReturnType<Given["when"]>) => step?.starts.map(({ key }) => key)
const stateOf = ({ step }: ReturnType<Given["when"]>) => stateAfter(step?.after)

describe("a task that is split into two parts, from its start to its end", () => {
  const run = given([], [judge]).after(
    aSplit({ reviewer: "critic" }, { instruction: "Create login and logout." }),
    analysed([aPart("login", { prompt: "Implement login." }), aPart("logout", { prompt: "Implement logout." })])
  )

  it("says when a part begins, by whom and for the which time", () => {
    const { events, step } = run.when(start("p-sub-1", 1, { worker_id: "host:1/2" }))
    assert.deepStrictEqual(typesOf(events), ["SUBTASK_START", "REVIEW_LOOP_START", "ATTEMPT_STARTED"])
    assert.deepStrictEqual(contentOf(events, "SUBTASK_START"), {
      parent_task_id: "p",
      subtask_id: "p-sub-1",
      prompt: "Implement login.",
      retry_count: 0,
      worker_id: "host:1/2"
    })
    assert.deepStrictEqual(contentOf(events, "REVIEW_LOOP_START"), {
      task_id: "p-sub-1",
      attempt: 1,
      retry_count: 0,
      max_iterations: 3,
      counts_again: true
    })
    assert.strictEqual(task(step?.after.state, "p-sub-1").status, "in_progress")
    assert.strictEqual(task(step?.after.state, "p").status, "in_progress", "the parent is running")
  })

  it("measures an attempt by the built-in criteria, then asks the reviewer, one after the other", () => {
    const begun = run.after(start("p-sub-1"))
    assert.deepStrictEqual(keysOf(begun.when(end("p-sub-1"))), ["criteria/p-sub-1/1"])
    const ended = begun.after(end("p-sub-1"))
    const then = ended.when(measured("p-sub-1"))
    assert.deepStrictEqual(typesOf(then.events), ["QUALITY_JUDGMENT"])
    assert.deepStrictEqual(keysOf(then), ["review/p-sub-1/1"])
  })

  it("says when a part is complete and with what result, while the task goes on", () => {
    const { events, step } = run
      .after(
        start("p-sub-1"),
        end("p-sub-1", 1, "COMPLETE", {
          files_modified: ["src/login.ts", "src/app.ts"],
          report: { summary: "Login is there.", checklist: null, problems: [] }
        }),
        measured("p-sub-1")
      )
      .when(judged("p-sub-1"))
    assert.deepStrictEqual(typesOf(events), ["QUALITY_JUDGMENT", "REVIEW_LOOP_END", "SUBTASK_COMPLETE"])
    assert.deepStrictEqual(contentOf(events, "REVIEW_LOOP_END"), {
      task_id: "p-sub-1",
      attempt: 1,
      final_status: "COMPLETE",
      total_iterations: 1
    })
    assert.deepStrictEqual(contentOf(events, "SUBTASK_COMPLETE"), {
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
    assert.deepStrictEqual(step?.starts, [])
    assert.strictEqual(task(step?.after.state, "p").status, "in_progress")
    assert.deepInclude(chunkOf(stateAfter(step?.after), task(step?.after.state, "p")), {
      stage: "executing",
      open: 1,
      failed: 0
    })
  })

  it("puts the parts together only when the last of them is complete", () => {
    const one = run.after(...passes("p-sub-2"))
    assert.strictEqual(one.when(aggregated()).rejected?.code, "task_not_ready")
    const then = one.after(...passes("p-sub-1").slice(0, 3)).when(judged("p-sub-1"))
    assert.deepStrictEqual(keysOf(then), ["aggregation/p/0"])
    assert.notInclude(typesOf(then.events), "TASK_COMPLETED")
  })

  it("says what came together, and completes the task and the run with it", () => {
    const { events, step } = run
      .after(...passes("p-sub-1"), ...passes("p-sub-2"))
      .when(aggregated({ files_modified: ["src/login.ts", "src/logout.ts"] }))
    assert.deepStrictEqual(typesOf(events), [
      "CHUNKING_AGGREGATION",
      "CHUNKING_COMPLETE",
      "TASK_COMPLETED",
      "RUN_COMPLETED"
    ])
    assert.deepStrictEqual(contentOf(events, "CHUNKING_AGGREGATION"), {
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
    assert.deepStrictEqual(contentOf(events, "CHUNKING_COMPLETE"), {
      parent_task_id: "p",
      total_subtasks: 2,
      completed_subtasks: 2,
      failed_subtasks: 0,
      total_retries: 0,
      total_duration_ms: 300_000
    })
    assert.deepStrictEqual(contentOf(events, "TASK_COMPLETED"), { task_id: "p", attempts: 1, proven: 0, waived: 0 })
    assert.deepInclude(contentOf(events, "RUN_COMPLETED"), { total: 1, completed: 1 })
    assert.deepStrictEqual(task(step?.after.state, "p").files, ["src/login.ts", "src/logout.ts"])
  })

  it("refuses to put together what was put together, or a task that was not split", () => {
    const done = run.after(...passes("p-sub-1"), ...passes("p-sub-2"), aggregated())
    assert.strictEqual(done.when(aggregated()).rejected?.code, "task_not_ready")
    assert.strictEqual(run.when(aggregated({}, { task_id: "p-sub-1" })).rejected?.code, "task_not_ready")
    assert.strictEqual(run.when(aggregated({}, { task_id: "nobody" })).rejected?.code, "task_not_ready")
  })

  it("then checks the whole, and completes it with the checks", () => {
    const whole = givenSplit(parts(2), critic, { checks: ["true"] }).after(...passes("p-sub-1"), ...passes("p-sub-2"))
    const then = whole.when(aggregated())
    assert.deepStrictEqual(typesOf(then.events), ["CHUNKING_AGGREGATION"])
    assert.deepStrictEqual(keysOf(then), ["checks/p/1"])
    assert.deepStrictEqual(typesOf(whole.after(aggregated()).when(verified("p")).events), [
      "VERIFICATION_RUN",
      "CHUNKING_COMPLETE",
      "TASK_COMPLETED",
      "RUN_COMPLETED"
    ])
  })

  it("then has the whole reviewed, where it has something to be judged by", () => {
    const whole = givenSplit(parts(2), critic, { validation: ["It holds together."] }).after(
      ...passes("p-sub-1"),
      ...passes("p-sub-2")
    )
    assert.deepStrictEqual(keysOf(whole.when(aggregated())), ["review/p/1"])
    assert.include(typesOf(whole.after(aggregated()).when(judged("p")).events), "TASK_COMPLETED")
  })

  it("holds up whoever depends on the task until all of it is completed", () => {
    const others = [aTask("q", { depends_on: ["p"] })]
    const all = givenSplit(parts(2), critic, {}, others).after(...passes("p-sub-1"), ...passes("p-sub-2"))
    assert.strictEqual(all.when(start("q")).rejected?.code, "task_not_ready")
    const then = all.when(aggregated())
    assert.deepStrictEqual(typesOf(then.events), ["CHUNKING_AGGREGATION", "CHUNKING_COMPLETE", "TASK_COMPLETED"])
    assert.deepStrictEqual(keysOf(then), ["attempt/q/1"])
  })

  it("is analysed once, without recursion: its parts are never split", () => {
    for (const id of ["p-sub-1", "p-sub-2"]) {
      assert.strictEqual(task(stateOf(run.when(start(id))), id).spec.chunk, "no")
      assert.strictEqual(run.when(analysed(anAnalysis(parts(2)), { task_id: id })).rejected?.code, "task_not_ready")
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
  const refusing = (from: Given, ...verdicts: ReadonlyArray<"REJECT" | "RETRY">) => {
    const commands = verdicts.flatMap((verdict, i) => attempt(i + 1, verdict, `Mend it, ${i + 1}.`))
    return from.after(...commands.slice(0, -1)).when(commands.at(-1) as never)
  }

  it("REJECT: the part is done again with the modification, as the next iteration and not as a retry", () => {
    const then = refusing(run, "REJECT")
    assert.deepStrictEqual(typesOf(then.events), ["QUALITY_JUDGMENT", "TASK_STATUS_CHANGED"])
    assert.deepStrictEqual(contentOf(then.events, "TASK_STATUS_CHANGED"), {
      task_id: "p-sub-1",
      from: "in_progress",
      to: "retrying",
      reason: "review_rejected",
      retry_count: 0,
      delay_ms: 0
    })
    assert.deepStrictEqual(keysOf(then), ["attempt/p-sub-1/2"])
    const { refused } = task(stateOf(then), "p-sub-1")
    assert.deepInclude(refused, { attempt: 1 })
    assert.deepInclude(refused?.judgment, { judgment: "REJECT", modification_prompt: "Mend it, 1." })
    // it goes on in the same loop: nothing begins anew
    const again = run.after(...attempt(1, "REJECT", "Mend it, 1.")).when(start("p-sub-1", 2))
    assert.deepStrictEqual(typesOf(again.events), ["ATTEMPT_STARTED"])
    assert.strictEqual(loopOf(stateOf(again), task(stateOf(again), "p-sub-1")).iteration, 2)
  })

  it("REJECT by the built-in criteria: done again at once, and the reviewer is not asked", () => {
    const then = run
      .after(start("p-sub-1"), end("p-sub-1"))
      .when(measured("p-sub-1", 1, "REJECT", "src/a.ts:3 leaves something out."))
    assert.deepStrictEqual(keysOf(then), ["attempt/p-sub-1/2"])
    const { refused } = task(stateOf(then), "p-sub-1")
    assert.deepInclude(refused?.judgment, {
      reviewer: criteriaReviewer,
      modification_prompt: "src/a.ts:3 leaves something out."
    })
  })

  it("RETRY: the same again, with nothing of it told to the agent, as the next iteration", () => {
    const then = refusing(run, "RETRY")
    assert.deepInclude(contentOf(then.events, "TASK_STATUS_CHANGED"), {
      reason: "review_retry",
      retry_count: 0,
      delay_ms: 0
    })
    assert.isNull(task(stateOf(then), "p-sub-1").refused)
    const again = run.after(...attempt(1, "RETRY")).when(start("p-sub-1", 2))
    assert.strictEqual(loopOf(stateOf(again), task(stateOf(again), "p-sub-1")).iteration, 2)
  })

  it("RETRY for ever: no loop has more iterations than it may, and all of them are counted", () => {
    const config = { ...critic, ...chunking({ max_iterations: 2, retry: { max_retries: 1 } }) }
    const always = (times: number) =>
      refusing(givenSplit(parts(2), config), ...Array.from({ length: times }, () => "RETRY" as const))
    const second = always(2)
    assert.deepStrictEqual(typesOf(second.events), ["QUALITY_JUDGMENT", "REVIEW_LOOP_END", "SUBTASK_RETRY"])
    assert.deepInclude(contentOf(second.events, "REVIEW_LOOP_END"), { total_iterations: 2 })
    const last = always(4)
    assert.deepStrictEqual(typesOf(last.events), ["QUALITY_JUDGMENT", "REVIEW_LOOP_END", "SUBTASK_FAILED"])
    assert.deepInclude(contentOf(last.events, "SUBTASK_FAILED"), { attempts: 4, retry_count: 1 })
    assert.deepInclude(contentOf(last.events, "SUBTASK_FAILED").subtask_result, { review_loop_iterations: 2 })
  })

  it("RETRY in a loop that does not count it, as loops of before: the same again twice, beside its iterations", () => {
    const composition = composePlugins([judge])
    const { snapshot } = givenSplit(parts(2), { ...critic, ...chunking({ max_iterations: 1 }) }).after(start("p-sub-1"))
    const begun = { task_id: "p-sub-1", attempt: 1, retry_count: 0, max_iterations: 1 }
    const old = foldEvent(composition, snapshot, { type: "REVIEW_LOOP_START", content: begun } as never)
    const reasons: Array<unknown> = []
    let now = old
    for (const number of [1, 2, 3]) {
      for (const command of attempt(number, "RETRY").slice(number === 1 ? 1 : 0)) {
        const decided = Result.getOrThrow(step(composition, now, command as never))
        reasons.push(...decided.events.flatMap(({ content, type }) => (/RETRY|CHANGED/.test(type) ? [content] : [])))
        now = decided.after
      }
    }
    assert.deepStrictEqual(
      reasons.map((one) => (one as { readonly failure_reason?: string; readonly reason: string }).reason),
      ["review_retry", "review_retry", "INCOMPLETE"]
    )
  })

  it("RETRY after REJECT: what was to be mended is told again", () => {
    const then = refusing(run, "REJECT", "RETRY")
    assert.deepInclude(task(stateOf(then), "p-sub-1").refused?.judgment, { modification_prompt: "Mend it, 1." })
  })

  it("RETRY for the third time in a loop counts as a refusal", () => {
    const run = givenSplit(parts(2), { ...critic, ...chunking({ max_iterations: 4 }) })
    assert.deepInclude(contentOf(refusing(run, "RETRY", "RETRY").events, "TASK_STATUS_CHANGED"), {
      reason: "review_retry"
    })
    const third = refusing(run, "RETRY", "RETRY", "RETRY")
    assert.deepInclude(contentOf(third.events, "TASK_STATUS_CHANGED"), { reason: "review_retries_exhausted" })
    assert.deepInclude(loopOf(stateOf(third), task(stateOf(third), "p-sub-1")), { refused: 1 })
    const once = givenSplit(parts(2), { ...critic, ...chunking({ max_iterations: 1 }) })
    assert.include(typesOf(refusing(once, "RETRY").events), "SUBTASK_RETRY")
  })

  it("ends after max_iterations, and a retry of the part begins a new one", () => {
    const { events, step } = refusing(run, "REJECT", "REJECT", "REJECT")
    assert.deepStrictEqual(typesOf(events), ["QUALITY_JUDGMENT", "REVIEW_LOOP_END", "SUBTASK_RETRY"])
    assert.deepStrictEqual(contentOf(events, "REVIEW_LOOP_END"), {
      task_id: "p-sub-1",
      attempt: 3,
      final_status: "INCOMPLETE",
      total_iterations: 3
    })
    assert.deepStrictEqual(contentOf(events, "SUBTASK_RETRY"), {
      parent_task_id: "p",
      subtask_id: "p-sub-1",
      retry_count: 1,
      reason: "INCOMPLETE",
      failure_reason: "review_rejected",
      message: "Mend it, 3.",
      delay_ms: 2_000
    })
    assert.deepStrictEqual(
      step?.starts.map(({ delay_ms, key }) => [key, delay_ms]),
      [["attempt/p-sub-1/4", 2_000]]
    )
    const again = run
      .after(...[1, 2, 3].flatMap((number) => attempt(number, "REJECT", "Mend it.")))
      .when(start("p-sub-1", 4))
    assert.deepStrictEqual(typesOf(again.events), ["SUBTASK_START", "REVIEW_LOOP_START", "ATTEMPT_STARTED"])
    assert.deepInclude(contentOf(again.events, "SUBTASK_START"), { retry_count: 1 })
    assert.deepInclude(contentOf(again.events, "REVIEW_LOOP_START"), { attempt: 4, retry_count: 1 })
    assert.deepInclude(loopOf(stateOf(again), task(stateOf(again), "p-sub-1")), { iteration: 1 })
    // the reviewer may ask for the same again in every loop
    const twice = run.after(
      ...[1, 2].flatMap((number) => attempt(number, "RETRY")),
      ...attempt(3, "REJECT", "Mend it."),
      ...attempt(4, "RETRY").slice(0, -1)
    )
    assert.deepInclude(contentOf(twice.when(judged("p-sub-1", 4, "RETRY")).events, "TASK_STATUS_CHANGED"), {
      reason: "review_retry",
      retry_count: 1
    })
  })

  it("is tried again max_retries times: iterations × (retries + 1) attempts in all, then the part has failed", () => {
    const config = { ...critic, ...chunking({ max_iterations: 2, retry: { max_retries: 2 } }) }
    const verdicts = Array.from({ length: 6 }, () => "REJECT" as const)
    const then = refusing(givenSplit(parts(2), config), ...verdicts)
    assert.deepStrictEqual(typesOf(then.events), ["QUALITY_JUDGMENT", "REVIEW_LOOP_END", "SUBTASK_FAILED"])
    assert.deepInclude(contentOf(then.events, "SUBTASK_FAILED"), {
      parent_task_id: "p",
      subtask_id: "p-sub-1",
      failure_reason: "review_rejected",
      message: "Mend it, 6.",
      retry_count: 2,
      attempts: 6,
      verdict: "refuted"
    })
    assert.deepInclude(contentOf(then.events, "SUBTASK_FAILED").subtask_result, {
      status: "INCOMPLETE",
      review_loop_iterations: 2
    })
    assert.deepStrictEqual(keysOf(then), [])
  })

  it("an attempt that says itself that it is incomplete is an iteration too", () => {
    const then = run.after(start("p-sub-1")).when(end("p-sub-1", 1, "INCOMPLETE"))
    assert.deepInclude(contentOf(then.events, "TASK_STATUS_CHANGED"), { reason: "incomplete", retry_count: 0 })
  })

  it("given there are no review loops, is not begun, and a refusal is a retry at once", () => {
    const config = { ...critic, ...chunking({ review_loop_per_subtask: false }) }
    const plain = givenSplit([aPart("a", { checklist: [0] }), aPart("b")], config, { checklist: [{ item: "A" }] })
    assert.deepStrictEqual(typesOf(plain.when(start("p-sub-1")).events), ["SUBTASK_START", "ATTEMPT_STARTED"])
    const then = plain.after(start("p-sub-1")).when(end("p-sub-1", 1, "INCOMPLETE"))
    assert.deepStrictEqual(typesOf(then.events), ["ATTEMPT_ENDED", "CHECKLIST_REPORTED", "SUBTASK_RETRY"])
    assert.deepInclude(contentOf(then.events, "SUBTASK_RETRY"), { reason: "INCOMPLETE", retry_count: 1 })
  })
})

describe("a part that has failed", () => {
  const retrying = (retry: Partial<RetryConfig> = {}) => givenSplit(parts(2), { ...critic, ...chunking({ retry }) })
  const failing = (run: Given, outcomes: ReadonlyArray<"ERROR" | "TIMEOUT">) => {
    const commands = outcomes.flatMap((outcome, i) => [start("p-sub-1", i + 1), end("p-sub-1", i + 1, outcome)])
    return run.after(...commands.slice(0, -1)).when(commands.at(-1) as never)
  }

  it("is tried again after 2,000 ms, then after 3,000 ms, then no more", () => {
    const first = failing(retrying(), ["ERROR"])
    assert.deepStrictEqual(typesOf(first.events).slice(-2), ["REVIEW_LOOP_END", "SUBTASK_RETRY"])
    assert.deepStrictEqual(contentOf(first.events, "SUBTASK_RETRY"), {
      parent_task_id: "p",
      subtask_id: "p-sub-1",
      retry_count: 1,
      reason: "ERROR",
      failure_reason: "agent_failed",
      message: "It broke.",
      delay_ms: 2_000
    })
    assert.deepInclude(contentOf(first.events, "REVIEW_LOOP_END"), { final_status: "ERROR", total_iterations: 1 })
    assert.strictEqual(task(stateOf(first), "p-sub-1").status, "retrying")
    const second = failing(retrying(), ["ERROR", "TIMEOUT"])
    assert.deepInclude(contentOf(second.events, "SUBTASK_RETRY"), {
      retry_count: 2,
      reason: "TIMEOUT",
      delay_ms: 3_000
    })
    const third = failing(retrying(), ["ERROR", "TIMEOUT", "ERROR"])
    assert.deepInclude(contentOf(third.events, "SUBTASK_FAILED"), {
      failure_reason: "agent_failed",
      retry_count: 2,
      attempts: 3,
      verdict: "refuted"
    })
    assert.deepInclude(contentOf(third.events, "SUBTASK_FAILED").subtask_result, { status: "ERROR" })
    assert.deepStrictEqual(keysOf(third), [])
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
        contentOf(
          failing(
            run,
            Array.from({ length: times }, () => "ERROR")
          ).events,
          "SUBTASK_RETRY"
        ).delay_ms
    )
    assert.deepStrictEqual(delays, [100, 300, 900])
  })

  it("is tried again only for what retry_on names", () => {
    assert.include(typesOf(failing(retrying({ retry_on: ["ERROR"] }), ["ERROR"]).events), "SUBTASK_RETRY")
    for (const retry_on of [["INCOMPLETE", "TIMEOUT"], []] as const) {
      const { events } = failing(retrying({ retry_on }), ["ERROR"])
      assert.deepInclude(contentOf(events, "SUBTASK_FAILED"), { retry_count: 0, attempts: 1 })
    }
    assert.include(typesOf(failing(retrying({ retry_on: ["ERROR"] }), ["TIMEOUT"]).events), "SUBTASK_FAILED")
    // a loop that came to nothing is INCOMPLETE
    const once = givenSplit(parts(2), { ...critic, ...chunking({ max_iterations: 1, retry: { retry_on: ["ERROR"] } }) })
    const rejected = once
      .after(start("p-sub-1"), end("p-sub-1"), measured("p-sub-1"))
      .when(judged("p-sub-1", 1, "REJECT"))
    assert.include(typesOf(rejected.events), "SUBTASK_FAILED")
  })

  it("is counted with its retries when the task is complete", () => {
    const { events } = retrying()
      .after(
        start("p-sub-1"),
        end("p-sub-1", 1, "ERROR"),
        ...passes("p-sub-1", 2),
        start("p-sub-2"),
        end("p-sub-2", 1, "TIMEOUT"),
        start("p-sub-2", 2),
        end("p-sub-2", 2, "TIMEOUT"),
        ...passes("p-sub-2", 3)
      )
      .when(aggregated())
    assert.deepInclude(contentOf(events, "CHUNKING_COMPLETE"), { total_retries: 3, failed_subtasks: 0 })
  })

  it("keeps the files of all its attempts", () => {
    const { events } = retrying()
      .after(
        start("p-sub-1"),
        end("p-sub-1", 1, "ERROR", { files_modified: ["b.ts"] }),
        ...passes("p-sub-1", 2, ["a.ts", "b.ts"]).slice(0, -1)
      )
      .when(judged("p-sub-1", 2))
    assert.deepStrictEqual(contentOf(events, "SUBTASK_COMPLETE").subtask_result.files_modified, ["a.ts", "b.ts"])
  })

  it("given its attempt was lost to a crash, is tried again at once in the same loop and without counting", () => {
    const then = retrying()
      .after(start("p-sub-1"))
      .when(end("p-sub-1", 1, "LOST", { report: null }))
    assert.deepInclude(contentOf(then.events, "TASK_STATUS_CHANGED"), {
      reason: "attempt_lost",
      retry_count: 0,
      delay_ms: 0
    })
    const again = retrying()
      .after(start("p-sub-1"), end("p-sub-1", 1, "LOST", { report: null }))
      .when(start("p-sub-1", 2))
    assert.deepStrictEqual(typesOf(again.events), ["ATTEMPT_STARTED"])
    assert.strictEqual(loopOf(stateOf(again), task(stateOf(again), "p-sub-1")).iteration, 1)
  })

  it("given too many of its attempts were lost, has failed", () => {
    const run = givenSplit(parts(2), { ...critic, max_lost_attempts: 0 })
    const { events } = run.after(start("p-sub-1")).when(end("p-sub-1", 1, "LOST", { report: null }))
    assert.deepInclude(contentOf(events, "SUBTASK_FAILED"), { failure_reason: "attempt_lost", verdict: "refuted" })
    // what a crash took is no iteration
    assert.deepInclude(contentOf(events, "REVIEW_LOOP_END"), { final_status: "ERROR", total_iterations: 0 })
  })
})

describe("a task that was to be split and is run in one piece", () => {
  const config = { ...critic, ...chunking({ max_iterations: 2, retry: { retry_delay_ms: 50 } }), retry_delay_ms: 9 }
  const run = given([], [judge]).after(aSplit({ ...config, proof: null }, { checks: ["true"] }), analysed(parts(1)))

  it("has the review loop of a part, and its retries", () => {
    const first = run.after(start("p"), end("p"), verified("p")).when(measured("p", 1, "REJECT", "Mend it."))
    assert.deepInclude(contentOf(first.events, "TASK_STATUS_CHANGED"), { reason: "review_rejected", retry_count: 0 })
    const second = run
      .after(
        start("p"),
        end("p"),
        verified("p"),
        measured("p", 1, "REJECT"),
        start("p", 2),
        end("p", 2),
        verified("p", 2)
      )
      .when(measured("p", 2, "REJECT", "Mend it."))
    assert.deepInclude(contentOf(second.events, "REVIEW_LOOP_END"), { total_iterations: 2, final_status: "INCOMPLETE" })
    assert.deepInclude(contentOf(second.events, "TASK_STATUS_CHANGED"), {
      task_id: "p",
      to: "retrying",
      retry_count: 1,
      delay_ms: 50
    })
  })

  it("is completed when it passes, with the end of its loop and nothing of chunks", () => {
    const { events } = run.after(start("p"), end("p"), verified("p")).when(measured("p"))
    assert.deepStrictEqual(typesOf(events), ["QUALITY_JUDGMENT", "REVIEW_LOOP_END", "TASK_COMPLETED", "RUN_COMPLETED"])
  })
})

it("the nine events of chunking are visible as their table says", () => {
  const { visibilityOf } = makeManifest(composePlugins([]))
  const types = {
    CHUNKING_START: "summary",
    CHUNKING_ANALYSIS: "full",
    SUBTASK_CREATED: "full",
    SUBTASK_START: "summary",
    SUBTASK_COMPLETE: "summary",
    SUBTASK_FAILED: "summary",
    SUBTASK_RETRY: "summary",
    CHUNKING_AGGREGATION: "full",
    CHUNKING_COMPLETE: "summary"
  }
  for (const [type, visibility] of Object.entries(types)) assert.strictEqual(visibilityOf(type), visibility, type)
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
