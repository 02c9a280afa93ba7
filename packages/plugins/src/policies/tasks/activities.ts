import {
  type Activity,
  type ActivityContext,
  type ActivityFailure,
  type AgentResult,
  Agents,
  type BlobRef,
  BlobStore,
  type CheckRun,
  type Command,
  CommandRunner,
  checksOf,
  type LogUnavailable,
  type State,
  type TaskState,
  taskOf
} from "@proofline/kernel"
import { Effect, Result } from "effect"
import { parseReview, parseWorkReport } from "./answers.ts"
import { reviewPrompt, workPrompt } from "./prompts.ts"

/** The task and attempt a piece of work is about, when they still wait for it. */
const subjectOf = (context: ActivityContext): { readonly task: TaskState; readonly attempt: number } | null => {
  const { attempt, task_id } = context.item.input as { readonly task_id: string; readonly attempt: number }
  const task = taskOf(context.state, task_id)
  return task === undefined ? null : { task, attempt }
}

const failure = (code: string, message: string): ActivityFailure => ({ _tag: "ActivityFailure", code, message })

/** The end of a text, at most 2,000 characters, for people and for the next prompt. */
export const tailOf = (bytes: Uint8Array): string => {
  const text = new TextDecoder().decode(bytes).replace(/\r\n/g, "\n")
  return text.slice(-2_000)
}

/** Lets the agent work on a task once: prompt, run, output to blobs, report. */
export const makeAttempt = Effect.gen(function* () {
  const agents = yield* Agents
  const blobs = yield* BlobStore
  const attempt: Activity = Effect.fnUntraced(function* (context) {
    const subject = subjectOf(context)
    if (subject === null) return null
    const { attempt, task } = subject
    const task_id = task.spec.id
    const { config } = context.state
    // this work was handed out before, and whoever had it is gone
    if (task.current?.attempt === attempt && task.current.outcome === null) return lost(task_id, attempt)
    const prompt = workPrompt(context.state, task, attempt)
    yield* context.dispatch({
      _tag: "StartAttempt",
      task_id,
      attempt,
      agent: config.agent,
      worker_id: context.worker_id,
      item_id: context.item.id,
      lease: context.lease,
      prompt: yield* blobs.put(prompt)
    })
    const result = yield* agents
      .run(config.agent, {
        run_id: context.item.run,
        task_id,
        attempt,
        role: "work",
        prompt,
        timeout_ms: config.timeout_ms,
        idle_timeout_ms: config.idle_timeout_ms
      })
      .pipe(Effect.catchTag("UnknownAgent", (error) => Effect.succeed(neverRan(error.message))))
    const output = yield* keepOutput(blobs, result)
    return {
      _tag: "EndAttempt",
      task_id,
      attempt,
      outcome: result.outcome,
      exit_code: result.exit_code,
      signal: result.signal,
      duration_ms: result.duration_ms,
      error: result.error,
      output,
      report: parseWorkReport(result.answer, task.items.length > 0)
    } satisfies Command
  })
  return attempt
})

const lost = (task_id: string, attempt: number): Command => ({
  _tag: "EndAttempt",
  task_id,
  attempt,
  outcome: "LOST",
  exit_code: null,
  signal: null,
  duration_ms: 0,
  error: null,
  output: null,
  report: null
})

const neverRan = (message: string): AgentResult => ({
  outcome: "ERROR",
  exit_code: null,
  signal: null,
  duration_ms: 0,
  answer: null,
  stdout: new Uint8Array(),
  stderr: new Uint8Array(),
  error: { code: "agent_unknown", message, terminal: true }
})

const keepOutput = (
  blobs: BlobStore["Service"],
  { stderr, stdout }: AgentResult
): Effect.Effect<
  { readonly output_tail: string; readonly stdout: BlobRef | null; readonly stderr: BlobRef | null },
  LogUnavailable
> =>
  Effect.gen(function* () {
    return {
      output_tail: tailOf(stdout.length > 0 ? stdout : stderr),
      stdout: stdout.length > 0 ? yield* blobs.put(stdout) : null,
      stderr: stderr.length > 0 ? yield* blobs.put(stderr) : null
    }
  })

/** Runs the commands of the task and of its items, one after the other, all of them. */
export const makeChecks = Effect.gen(function* () {
  const commands = yield* CommandRunner
  const blobs = yield* BlobStore
  const checks: Activity = Effect.fnUntraced(function* (context) {
    const subject = subjectOf(context)
    if (subject === null) return null
    const { attempt, task } = subject
    const runs = yield* Effect.forEach(checksOf(task), ({ command, item_index }) =>
      Effect.gen(function* () {
        const { output, ...result } = yield* commands.run({
          command,
          env: checkEnvironment(context.state, task, attempt),
          timeout_ms: context.state.config.check_timeout_ms
        })
        return {
          command,
          item_index,
          ...result,
          output: output.length > 0 ? yield* blobs.put(output) : null,
          output_tail: tailOf(output)
        } satisfies CheckRun
      })
    )
    return { _tag: "RecordVerification", task_id: task.spec.id, attempt, checks: runs }
  })
  return checks
})

const checkEnvironment = (state: State, task: TaskState, attempt: number): Readonly<Record<string, string>> => ({
  PROOFLINE_RUN_ID: state.run_id,
  PROOFLINE_TASK_ID: task.spec.id,
  PROOFLINE_ATTEMPT: String(attempt)
})

/** Asks the reviewer about the task's validation. */
export const makeReview = Effect.gen(function* () {
  const agents = yield* Agents
  const blobs = yield* BlobStore
  const review: Activity = Effect.fnUntraced(function* (context) {
    const subject = subjectOf(context)
    const { config } = context.state
    const reviewer = config.reviewer
    if (subject === null || reviewer === null) return null
    const { attempt, task } = subject
    const result = yield* agents
      .run(reviewer, {
        run_id: context.item.run,
        task_id: task.spec.id,
        attempt,
        role: "review",
        prompt: reviewPrompt(context.state, task),
        timeout_ms: config.timeout_ms,
        idle_timeout_ms: config.idle_timeout_ms
      })
      .pipe(Effect.catchTag("UnknownAgent", (error) => Effect.fail(failure("reviewer_unknown", error.message))))
    if (result.outcome !== "COMPLETE") {
      const why = result.error?.message ?? "It did not end well."
      return yield* Effect.fail({
        ...failure("review_failed", `Its validation was judged by nobody: the reviewer ${reviewer} failed. ${why}`),
        ...(result.error?.terminal === true ? { terminalAgent: reviewer } : {})
      })
    }
    const output = result.stdout.length > 0 ? yield* blobs.put(result.stdout) : null
    const judged = parseReview(result.answer)
    if (Result.isSuccess(judged)) {
      return { _tag: "RecordJudgment", task_id: task.spec.id, attempt, reviewer, ...judged.success, output }
    }
    // an agent that was never named as a reviewer and does not answer as one is no reviewer
    if (!config.reviewer_named) {
      return yield* Effect.fail(
        failure(
          "no_reviewer",
          `Its validation was judged by nobody: ${reviewer}, asked in the role review, gave no judgement. ${judged.failure}`
        )
      )
    }
    return {
      _tag: "RecordJudgment",
      task_id: task.spec.id,
      attempt,
      reviewer,
      judgment: "REJECT",
      checks: [],
      modification_prompt: `The reviewer's answer could not be read, which counts as a rejection. ${judged.failure}`,
      output
    }
  })
  return review
})
