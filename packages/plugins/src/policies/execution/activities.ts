import {
  type Ablation,
  type ActivityFailure,
  type AgentRequest,
  type AgentResult,
  Agents,
  type Asking,
  AttemptInput,
  askAgent,
  type BlobRef,
  checkBudget,
  checksOf,
  EndAttempt,
  hasPassed,
  isLineReceipt,
  type KernelState,
  type LineReceipt,
  type LogUnavailable,
  type Receipt,
  RecordActivity,
  RecordJudgment,
  RecordVerification,
  StartAttempt,
  type TaskState,
  taskOf,
  type WorkItem
} from "@proofline/kernel"
import { Effect, Result } from "effect"
import {
  BlobStore,
  CommandRunner,
  ProjectFiles,
  ScratchCheckouts,
  Syntax,
  type Workspace,
  type WorkspaceRefused,
  Workspaces,
  workspaceSpecOf
} from "../../port/index.ts"
import {
  type AblationRuns,
  judgeBase,
  judgeHead,
  judgeNeutralised,
  nothingRun,
  reasons,
  untried,
  withoutLines
} from "./ablation.ts"
import { parseReview, parseWorkReport } from "./answers.ts"
import { commandRun, tailOf } from "./commandRun.ts"
import { reviewPrompt, workPrompt } from "./prompts.ts"
import { Execution } from "./state.ts"

const failure = (code: string, message: string): ActivityFailure => ({ _tag: "ActivityFailure", code, message })

const refusedWorkspace = ({ code, message }: WorkspaceRefused): ActivityFailure => failure(code, message)

/** Where the task works and what it changes there is looked at; null: in the project, as everybody. */
const openWorkspace = (
  workspaces: Workspaces["Service"],
  state: KernelState,
  task: TaskState
): Effect.Effect<Workspace | null, ActivityFailure> => {
  const workspaceSpec = workspaceSpecOf(state, task)
  return workspaceSpec === null
    ? Effect.succeed(null)
    : Effect.mapError(workspaces.open(workspaceSpec), refusedWorkspace)
}

/** What an attempt has changed, as the disk has it. What it left is kept, also when it failed. */
const changesOf = (workspace: Workspace | null) =>
  Effect.map(
    workspace === null ? Effect.succeed(null) : Effect.mapError(workspace.fingerprint, refusedWorkspace),
    (fingerprint): Effect.Effect<ReadonlyArray<string> | null, ActivityFailure> =>
      workspace === null || fingerprint === null
        ? Effect.succeed(null)
        : Effect.mapError(
            Effect.flatMap(workspace.changedSince(fingerprint), (changed) =>
              // also what an attempt left behind that a crash took
              Effect.map(workspace.keep, (kept) => [...new Set([...changed, ...kept])].sort())
            ),
            refusedWorkspace
          )
  )

/** Lets the agent work on a task once: prompt, run, output to blobs, report. */
export const makeAttempt = Effect.gen(function* () {
  const agents = yield* Agents
  const blobs = yield* BlobStore
  const workspaces = yield* Workspaces
  return Execution.activity("attempt", {
    input: AttemptInput,
    run: Effect.fnUntraced(function* (input, context) {
      const task = taskOf(context.state, input.task_id)
      if (task === undefined) return null
      const { config, root } = context.state.run
      // this work was handed out before, and whoever had it is gone
      if (task.current?.attempt === input.attempt && task.current.outcome === null) return lost(input)
      const workspace = yield* openWorkspace(workspaces, context.state, task)
      const changes = yield* changesOf(workspace)
      const prompt = workPrompt(context.state, task, input.attempt, workspace?.directory ?? root)
      yield* context.dispatch(
        StartAttempt({
          ...input,
          agent: config.agent,
          worker_id: context.worker_id,
          item_id: context.item.id,
          lease: context.lease,
          prompt: yield* blobs.put(prompt)
        })
      )
      const result = yield* askAgent(context, agents, config.agent, {
        run_id: context.item.run,
        ...input,
        role: "work",
        prompt,
        directory: workspace?.directory ?? null,
        timeout_ms: config.timeout_ms,
        idle_timeout_ms: config.idle_timeout_ms
      }).pipe(Effect.catchTag("UnknownAgent", (error) => Effect.succeed(neverRan(error.message))))
      const output = yield* keepOutput(blobs, result)
      return EndAttempt({
        ...input,
        outcome: result.outcome,
        exit_code: result.exit_code,
        signal: result.signal,
        duration_ms: result.duration_ms,
        error: result.error,
        output,
        report: parseWorkReport(result.answer, task.items.length > 0),
        files_modified: yield* changes
      })
    })
  })
})

const lost = (input: AttemptInput) =>
  EndAttempt({
    ...input,
    outcome: "LOST",
    exit_code: null,
    signal: null,
    duration_ms: 0,
    error: null,
    output: null,
    report: null,
    files_modified: null
  })

const neverRan = (message: string): AgentResult => ({
  outcome: "ERROR",
  exit_code: null,
  signal: null,
  duration_ms: 0,
  answer: null,
  stdout: new Uint8Array(),
  stderr: new Uint8Array(),
  error: { code: "agent_unknown", message, terminal: true },
  usage: null
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
  const workspaces = yield* Workspaces
  const ablate = yield* makeAblation
  return Execution.activity("checks", {
    input: AttemptInput,
    run: Effect.fnUntraced(function* ({ attempt, task_id }, { state }) {
      const task = taskOf(state, task_id)
      if (task === undefined) return null
      const env = checkEnvironment(state, task, attempt)
      const directory = (yield* openWorkspace(workspaces, state, task))?.directory
      const known: KnownRuns = new Map()
      const runs = yield* Effect.forEach(checksOf(state, task), ({ ablation, command, item_index }) =>
        Effect.gen(function* () {
          const run = yield* commandRun({ commands, blobs }, item_index, {
            command,
            env,
            ...(directory === undefined ? {} : { directory }),
            timeout_ms: state.run.config.check_timeout_ms
          })
          if (!ablation || !hasPassed(run)) return run
          const receipt = item_index === null ? null : (task.items[item_index]?.receipt ?? null)
          return { ...run, ablation: yield* ablate({ state, command, env, receipt, known, directory }) }
        })
      )
      return RecordVerification({ task_id, attempt, checks: runs })
    })
  })
})

/** What a command came to where it does not depend on the item, by command: items often share one. */
type KnownRuns = Map<string, AblationRuns>

interface AblationRequest {
  readonly state: KernelState
  readonly command: string
  readonly env: Readonly<Record<string, string>>
  readonly receipt: Receipt | null
  readonly known: KnownRuns
  /** Where the task works; undefined: in the project. */
  readonly directory: string | undefined
}

/** Why an ablation could not be carried on. */
interface Untried {
  readonly _tag: "Untried"
  readonly message: string
}

const cannot = (message: string): Untried => ({ _tag: "Untried", message })

/**
 * Tries whether the cited lines bear a check that has passed: in a checkout of the commit at which the run began, in one
 * of the project as it is now, and in another one of it where the lines are made to fail. Each has a checkout of its
 * own, so that nothing which one run leaves behind can decide another.
 */
const makeAblation = Effect.gen(function* () {
  const commands = yield* CommandRunner
  const blobs = yield* BlobStore
  const checkouts = yield* ScratchCheckouts
  const projectFiles = yield* ProjectFiles
  const syntax = yield* Syntax

  const neutralise = Effect.fnUntraced(function* (
    { covers, git_blob, path }: LineReceipt,
    directory: string | undefined
  ) {
    const files = directory === undefined ? projectFiles : projectFiles.at(directory)
    const file = yield* Effect.mapError(files.readText(path), ({ message }) => cannot(message))
    if (file.git_blob !== git_blob) return yield* Effect.fail(cannot(reasons.changed(path)))
    const outline = yield* syntax.outline(path, file.text)
    const text = outline === null ? withoutLines(file.text, covers) : outline.neutralised(covers)
    if (text === null || text === file.text)
      return yield* Effect.fail(cannot(reasons.noRule(path, outline?.language ?? "this kind")))
    return { path, text, head: file.git_commit }
  })

  const runIn = Effect.fnUntraced(function* (
    { command, directory: root, env, state }: AblationRequest,
    checkout: { readonly commit: string; readonly overlay: boolean },
    change: { readonly path: string; readonly text: string } | null
  ) {
    const { exit_code, output, signal, timed_out, duration_ms } = yield* Effect.scoped(
      Effect.gen(function* () {
        const { directory, write } = yield* checkouts.make(root === undefined ? checkout : { ...checkout, root })
        if (change !== null) yield* write(change.path, change.text)
        return yield* commands.run({ command, directory, env, timeout_ms: state.run.config.check_timeout_ms })
      })
    ).pipe(Effect.mapError(({ message }) => cannot(message)))
    if (exit_code === null && signal === null && !timed_out)
      return yield* Effect.fail(cannot(reasons.neverRan(tailOf(output))))
    return { exit_code, timed_out, duration_ms, output: output.length > 0 ? yield* blobs.put(output) : null }
  })

  return (request: AblationRequest): Effect.Effect<Ablation, LogUnavailable> => {
    let runs = nothingRun
    return Effect.gen(function* () {
      const { command, directory, known, receipt, state } = request
      const commit = state.run.base?.commit ?? null
      if (commit === null) return yield* Effect.fail(cannot(reasons.noBase))
      if (receipt === null || !isLineReceipt(receipt)) return yield* Effect.fail(cannot(reasons.noReceipt))
      const change = yield* neutralise(receipt, directory)
      const before = known.get(command) ?? nothingRun
      const base = before.base ?? (yield* runIn(request, { commit, overlay: false }, null))
      runs = { ...runs, base }
      known.set(command, runs)
      const atBase = judgeBase(runs, base, commit)
      if (atBase !== null) return atBase
      const now = { commit: change.head ?? commit, overlay: true }
      const head = before.head ?? (yield* runIn(request, now, null))
      runs = { ...runs, head }
      known.set(command, runs)
      const atHead = judgeHead(runs, head)
      if (atHead !== null) return atHead
      const neutralised = yield* runIn(request, now, change)
      return judgeNeutralised({ ...runs, neutralised }, neutralised, receipt)
    }).pipe(Effect.catchTag("Untried", ({ message }) => Effect.succeed(untried(runs, message))))
  }
})

const checkEnvironment = (state: KernelState, task: TaskState, attempt: number): Readonly<Record<string, string>> => ({
  PROOFLINE_RUN_ID: state.run.run_id,
  PROOFLINE_TASK_ID: task.spec.id,
  PROOFLINE_ATTEMPT: String(attempt)
})

/** A reviewer that fails is asked again so often; its judgement is none of the work's. */
const maxReviewsAgain = 2

/** Asks the reviewer about the task's validation. */
export const makeReview = Effect.gen(function* () {
  const agents = yield* Agents
  const blobs = yield* BlobStore
  const workspaces = yield* Workspaces

  /** One answer. What went wrong before is in the log: this time may be different. */
  const ask = Effect.fnUntraced(function* (
    context: Asking & { readonly item: WorkItem },
    reviewer: string,
    request: AgentRequest
  ) {
    for (let again = 0; ; again++) {
      const result = yield* askAgent(context, agents, reviewer, request).pipe(
        Effect.catchTag("UnknownAgent", (error) => Effect.fail(failure("reviewer_unknown", error.message)))
      )
      if (result.outcome === "COMPLETE") return result
      const why = result.error?.message ?? "It did not end well."
      if (result.error?.terminal === true || again === maxReviewsAgain) {
        return yield* Effect.fail({
          ...failure("review_failed", `Its validation was judged by nobody: the reviewer ${reviewer} failed. ${why}`),
          ...(result.error?.terminal === true ? { terminalAgent: reviewer } : {})
        })
      }
      const { item } = context
      yield* context.dispatch(
        RecordActivity({
          name: item.activity,
          key: `${item.key}/${again + 1}`,
          input: item.input,
          result: { reviewer, judgment: "RETRY", outcome: result.outcome, message: why }
        })
      )
    }
  })

  return Execution.activity("review", {
    input: AttemptInput,
    run: Effect.fnUntraced(function* (input, context) {
      const { root, config } = context.state.run
      const task = taskOf(context.state, input.task_id)
      const { reviewer } = config
      if (task === undefined || reviewer === null) return null
      yield* checkBudget(context)
      const directory = (yield* openWorkspace(workspaces, context.state, task))?.directory ?? null
      const result = yield* ask(context, reviewer, {
        run_id: context.item.run,
        ...input,
        role: "review",
        prompt: reviewPrompt(context.state, task, directory ?? root),
        directory,
        timeout_ms: config.timeout_ms,
        idle_timeout_ms: config.idle_timeout_ms
      })
      const output = result.stdout.length > 0 ? yield* blobs.put(result.stdout) : null
      const judged = parseReview(result.answer)
      if (Result.isSuccess(judged)) return RecordJudgment({ ...input, reviewer, ...judged.success, output })
      // an agent that was never named as a reviewer and does not answer as one is no reviewer
      if (!config.reviewer_named) {
        return yield* Effect.fail(
          failure(
            "no_reviewer",
            `Its validation was judged by nobody: ${reviewer}, asked in the role review, gave no judgement. ${judged.failure}`
          )
        )
      }
      return RecordJudgment({ ...input, reviewer, output, ...rejectedUnread(judged.failure) })
    })
  })
})

const rejectedUnread = (why: string) => ({
  judgment: "REJECT" as const,
  checks: [],
  modification_prompt: `The reviewer's answer could not be read, which counts as a rejection. ${why}`
})
