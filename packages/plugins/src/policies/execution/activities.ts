import {
  type Ablation,
  type ActivityFailure,
  type AgentRequest,
  type AgentResult,
  type AgentStep,
  Agents,
  type Asking,
  AttemptInput,
  type AttemptTrees,
  agentUnavailable,
  askAgent,
  type BlobRef,
  budgetExceeded,
  budgetProblem,
  type CheckRun,
  checkBudget,
  checksOf,
  EndAttempt,
  failedWith,
  hasPassed,
  holdsCalls,
  isLineReceipt,
  isShownByEvidence,
  isUsersCommand,
  type KernelState,
  type LineReceipt,
  type LogUnavailable,
  namedChecksOf,
  type Receipt,
  RecordActivity,
  RecordJudgment,
  RecordVerification,
  type Rejection,
  StartAttempt,
  startableFor,
  type TaskState,
  taskOf,
  type WorkItem
} from "@proofline/kernel"
import { Effect, Fiber, Option, Queue, Result, Stream, Struct } from "effect"
import {
  Baseline,
  BlobStore,
  CommandRunner,
  ProjectFiles,
  ScratchCheckouts,
  Syntax,
  type Watching,
  type Workspace,
  type WorkspaceChanges,
  type WorkspaceRefused,
  type WorkspaceSpec,
  Workspaces,
  workspaceSpecOf
} from "../../port/index.ts"
import { escrowedIn } from "../escrow/contract.ts"
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
import { parseWorkReport } from "./answers.ts"
import { commandRun, running, tailOf } from "./commandRun.ts"
import { makeSecondLook } from "./commands/again/activities.ts"
import { makeEscrowed } from "./commands/escrow/activities.ts"
import { reviewPrompt, workPrompt } from "./prompts.ts"
import { resumed, sessionOf } from "./resuming.ts"
import { asItIs, askedAgain, judgedOf, maxReviewsAgain, unjudgedFailure } from "./reviewing.ts"
import { Execution } from "./state.ts"

const failure = (code: string, message: string): ActivityFailure => ({ _tag: "ActivityFailure", code, message })

const refusedWorkspace = ({ code, message }: WorkspaceRefused): ActivityFailure => failure(code, message)

/** Where a task works. */
interface Place {
  /** Null: in the project, as everybody. */
  readonly directory: string | null
  /** Null: nobody can look at what is changed there. */
  readonly workspace: Workspace | null
  /** Without knowing what it changed, the task cannot be judged. */
  readonly isNeeded: boolean
  /** Nobody else works there. */
  readonly isOwn: boolean
}

const placeOf = (
  workspaces: Workspaces["Service"],
  state: KernelState,
  task: TaskState
): Effect.Effect<Place, ActivityFailure> => {
  const workspaceSpec = workspaceSpecOf(state, task)
  return workspaceSpec === null
    ? workspaces.open(inProject(state, task)).pipe(
        Effect.orElseSucceed(() => null),
        Effect.map((workspace) => ({ directory: null, workspace, isNeeded: false, isOwn: false }))
      )
    : workspaces.open(workspaceSpec).pipe(
        Effect.mapError(refusedWorkspace),
        Effect.map((workspace) => ({
          directory: workspace.directory,
          workspace,
          isNeeded: true,
          isOwn: workspaceSpec.workspace === "worktree"
        }))
      )
}

const inProject = ({ run }: KernelState, { spec }: TaskState): WorkspaceSpec => ({
  run_id: run.run_id,
  parent_task_id: spec.id,
  task_id: spec.id,
  workspace: "shared",
  after: [],
  strategy: run.config.chunking.aggregation_strategy
})

/** Work and what it changed, as the disk has it; null: nobody could look. What it left is kept, also when it failed. */
const watched = <A, E, R>(
  { isNeeded, workspace }: Place,
  work: Effect.Effect<A, E, R>,
  watching?: Watching
): Effect.Effect<readonly [A, WorkspaceChanges | null], E | ActivityFailure, R> =>
  Effect.suspend(() => {
    if (workspace === null) return Effect.map(work, (value) => [value, null] as const)
    const seen: { done: Result.Result<A, E> | null } = { done: null }
    const tried = Effect.tap(Effect.result(work), (done) =>
      Effect.sync(() => {
        seen.done = done
      })
    )
    const unwatched = Effect.suspend(() => (seen.done === null ? tried : Effect.succeed(seen.done)))
    return workspace.watched(tried, watching).pipe(
      Effect.catch((refused) =>
        isNeeded
          ? Effect.fail(refusedWorkspace(refused))
          : Effect.map(unwatched, (done): readonly [Result.Result<A, E>, null] => [done, null])
      ),
      Effect.flatMap(([done, changes]) => Effect.map(Effect.fromResult(done), (value) => [value, changes] as const))
    )
  })

/** Work that is to change nothing, and the files that it changed all the same, where nobody else can have. */
const lookedAfter = <A, E, R>(
  place: Place,
  work: Effect.Effect<A, E, R>
): Effect.Effect<readonly [A, ReadonlyArray<string>], E | ActivityFailure, R> =>
  Effect.gen(function* () {
    const { isOwn, workspace } = place
    if (!isOwn || workspace === null) {
      const [value, changes] = yield* watched({ ...place, isNeeded: false }, work)
      return [value, changes?.modified ?? []] as const
    }
    // its own worktree keeps what the agent did, and nothing of this
    const before = yield* Effect.option(workspace.fingerprint)
    const value = yield* work
    const changed = Option.isNone(before)
      ? []
      : yield* Effect.orElseSucceed(workspace.changedSince(before.value), () => [])
    return [value, changed] as const
  })

/** Work whose changes are not taken for those of others in the directory. */
const beside = <A, E, R>({ workspace }: Place, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  workspace === null ? work : workspace.beside(work)

/** Lets the agent work on a task once: prompt, run, output to blobs, report. */
export const makeAttempt = Effect.gen(function* () {
  const agents = yield* Agents
  const blobs = yield* BlobStore
  const workspaces = yield* Workspaces
  const baseline = yield* Baseline
  return Execution.activity("attempt", {
    input: AttemptInput,
    run: Effect.fnUntraced(function* (input, context) {
      const task = taskOf(context.state, input.task_id)
      if (task === undefined) return null
      const { config, root } = context.state.run
      // this work was handed out before, and whoever had it is gone
      if (task.current?.attempt === input.attempt && task.current.outcome === null) return lost(input)
      const place = yield* placeOf(workspaces, context.state, task)
      const prompt = workPrompt(context.state, task, input.attempt, place.directory ?? root)
      // kept while the files are looked at
      const keeping = yield* Effect.forkChild(blobs.put(prompt), { startImmediately: true })
      /** Begins the attempt; with the next agent where the breaker of the one before has opened meanwhile. Who works. */
      const begin = (state: KernelState): Effect.Effect<string, Rejection | LogUnavailable> => {
        const agent = startableFor(state, config.agent)
        return Fiber.join(keeping).pipe(
          Effect.flatMap((prompt) =>
            context.dispatch(
              StartAttempt({
                ...input,
                agent,
                worker_id: context.worker_id,
                ...(context.host === undefined ? {} : { host: context.host }),
                item_id: context.item.id,
                lease: context.lease,
                prompt
              })
            )
          ),
          Effect.as(agent),
          Effect.catchIf(
            (error) => error._tag === "Rejection" && error.code === agentUnavailable,
            (refused) =>
              Effect.flatMap(now, (state) =>
                startableFor(state, config.agent) === agent ? Effect.fail(refused) : begin(state)
              )
          )
        )
      }
      /** The run as it is by now. */
      const now = context.until((state) => state)
      const requestOf = (agent: string): AgentRequest => ({
        run_id: context.item.run,
        ...input,
        role: "work",
        prompt,
        directory: place.directory,
        timeout_ms: config.timeout_ms,
        idle_timeout_ms: config.idle_timeout_ms,
        ...resumed(context.state, task, { agent, directory: place.directory })
      })
      const written = yield* Queue.sliding<true>(1)
      let told = 0
      const ask = (agent: string) =>
        askAgent(context, agents, agent, requestOf(agent), {
          ended: context.handsIn,
          stepped: (step, count) => {
            told = count
            if (mayHaveWritten(step)) Queue.offerUnsafe(written, true)
          }
        }).pipe(Effect.catchTag("UnknownAgent", (error) => Effect.succeed(neverRan(error.message))))
      const watching = {
        isFirst: context.state.tasks.ended === 0,
        steps: Stream.fromQueue(written),
        told: () => told
      }
      const [result, changes] = yield* watched(place, Effect.flatMap(begin(context.state), ask), watching)
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
        ...sessionOf(result, place.directory),
        ...filesOf(changes),
        ...(yield* treesOf(baseline, context.state, place, changes))
      })
    })
  })
})

/** The call of a tool has ended. */
const mayHaveWritten = (step: AgentStep): boolean => step.type === "tool" && step.status !== "running"

/** What the files were around the attempt; where no repository keeps them, what they are now. */
const treesOf = Effect.fnUntraced(function* (
  baseline: Baseline["Service"],
  { run }: KernelState,
  { directory }: Place,
  changes: WorkspaceChanges | null
): Effect.fn.Return<{ readonly trees?: AttemptTrees }, LogUnavailable> {
  if (changes === null) return {}
  if (changes.trees !== undefined) return { trees: changes.trees }
  const hasChanged = changes.modified.length + changes.undecided.length > 0
  return !hasChanged || directory !== null || run.base === null || run.base.commit !== null
    ? {}
    : {
        trees: {
          after: yield* baseline.capture,
          ...(changes.undecided.length === 0 ? {} : { among_others: true })
        }
      }
})

const filesOf = (changes: WorkspaceChanges | null) =>
  changes === null || changes.undecided.length === 0
    ? { files_modified: changes?.modified ?? null }
    : { files_modified: changes.modified, files_undecided: changes.undecided }

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

const neverRan = (message: string): AgentResult => failedWith({ code: "agent_unknown", message, terminal: true })

const keepOutput = (
  blobs: BlobStore["Service"],
  { stderr, stdout, steps }: AgentResult
): Effect.Effect<
  {
    readonly output_tail: string
    readonly stdout: BlobRef | null
    readonly stderr: BlobRef | null
    readonly steps?: BlobRef
  },
  LogUnavailable
> =>
  Effect.gen(function* () {
    return {
      output_tail: tailOf(stdout.length > 0 ? stdout : stderr),
      stdout: stdout.length > 0 ? yield* blobs.put(stdout) : null,
      stderr: stderr.length > 0 ? yield* blobs.put(stderr) : null,
      ...(steps.length > 0 ? { steps: yield* blobs.put(steps) } : {})
    }
  })

/** Runs the commands of the task and of its items, one after the other, all of them. */
export const makeChecks = Effect.gen(function* () {
  const services = yield* running
  const workspaces = yield* Workspaces
  const ablate = yield* makeAblation
  const lookAgain = yield* makeSecondLook
  const escrowed = yield* makeEscrowed
  return Execution.activity("checks", {
    input: AttemptInput,
    run: Effect.fnUntraced(function* ({ attempt, task_id }, { state }) {
      const task = taskOf(state, task_id)
      if (task === undefined) return null
      const env = checkEnvironment(state, task, attempt)
      const place = yield* placeOf(workspaces, state, task)
      const directory = place.directory ?? undefined
      const ablated: KnownRuns = new Map()
      /** What does not depend on the item, by command. */
      const seen = new Map<string, Partial<CheckRun>>()
      const looking = { state, env, directory, isShownElse: isShownByEvidence(task) }
      const running = Effect.forEach(checksOf(state, task), ({ ablation, command, item_index }) =>
        Effect.gen(function* () {
          const ran = yield* commandRun(services, item_index, {
            command,
            env,
            ...(directory === undefined ? {} : { directory }),
            root: state.run.root,
            timeout_ms: state.run.config.check_timeout_ms,
            reports: state.run.config.proof.test_reports ?? []
          })
          const known = hasPassed(ran) ? seen.get(command) : {}
          const run =
            known !== undefined
              ? { ...ran, ...known }
              : isUsersCommand(state, task, command)
                ? yield* lookAgain(looking, ran)
                : ran
          if (hasPassed(ran)) seen.set(command, secondLook(run))
          if (!ablation || !hasPassed(run)) return run
          const receipt = item_index === null ? null : (task.items[item_index]?.receipt ?? null)
          return { ...run, ablation: yield* ablate({ state, command, env, receipt, known: ablated, directory }) }
        })
      )
      const named = Effect.forEach(namedChecksOf(state, task), ({ command }) => {
        const hidden = escrowedIn(state, command)
        return hidden === undefined ? Effect.succeed([]) : Effect.map(escrowed(looking, hidden), (run) => [run])
      })
      const all = Effect.gen(function* () {
        const own = yield* running
        return own.every(hasPassed) ? [...own, ...(yield* named).flat()] : own
      })
      return RecordVerification({ task_id, attempt, checks: yield* beside(place, all) })
    })
  })
})

/** What another look has found, without what the run itself came to. */
const secondLook = (run: CheckRun): Partial<CheckRun> =>
  Struct.pick(run, ["changed", "clean_room", "lost_tests", "changed_tests", "written", "without"])

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

/** After so many calls more than the run knew of when the work began: no agent may be asked beyond the budget. */
const checkBudgetAfter = ({ state: { run } }: Asking, calls: number): Effect.Effect<void, ActivityFailure> => {
  const problem = budgetProblem(run.config.budget, { ...run.spent, calls: run.spent.calls + calls })
  return problem !== null && holdsCalls(problem) ? Effect.fail(failure(budgetExceeded, problem.message)) : Effect.void
}

/** Asking it again cannot help, or has not helped so far. */
const isUnavailable = ({ error }: AgentResult): boolean => error?.terminal === true || error?.transient === true

/** Asks the reviewer about the task's validation. */
export const makeReview = Effect.gen(function* () {
  const agents = yield* Agents
  const blobs = yield* BlobStore
  const workspaces = yield* Workspaces

  /** One judgement. Every answer before that is none is in the log: the next may be one. */
  const ask = Effect.fnUntraced(function* (
    context: Asking & { readonly item: WorkItem },
    reviewer: string,
    request: AgentRequest,
    place: Place,
    task: TaskState
  ) {
    let { prompt } = request
    const files = new Set<string>()
    for (let again = 0; ; again++) {
      yield* again === 0 ? checkBudget(context) : checkBudgetAfter(context, again)
      const asked = askAgent(context, agents, reviewer, { ...request, prompt }).pipe(
        Effect.catchTag("UnknownAgent", (error) => Effect.fail(failure("reviewer_unknown", error.message)))
      )
      const [result, changed] = yield* lookedAfter(place, asked)
      for (const file of changed) files.add(file)
      const output = result.stdout.length > 0 ? yield* blobs.put(result.stdout) : null
      const judged = judgedOf(result, context.state.run.config.reviewer_named)
      const usable = Result.flatMap(judged, (one) => asItIs(one, task, changed))
      if (Result.isSuccess(usable)) {
        return { ...usable.success, output, ...(files.size === 0 ? {} : { changed_files: [...files].sort() }) }
      }
      const unjudged = usable.failure
      if (unjudged.isFinal || again === maxReviewsAgain) {
        return yield* Effect.fail({
          ...unjudgedFailure(reviewer, unjudged),
          ...(isUnavailable(result) ? { terminalAgent: reviewer } : {})
        })
      }
      const { item } = context
      const { why: message } = unjudged
      const said = output ?? (result.answer === null ? null : yield* blobs.put(result.answer))
      yield* context.dispatch(
        RecordActivity({
          name: item.activity,
          key: `${item.key}/${again + 1}`,
          input: item.input,
          result: { reviewer, judgment: "RETRY", outcome: result.outcome, message, output: said }
        })
      )
      prompt = askedAgain(request.prompt, unjudged)
    }
  })

  return Execution.activity("review", {
    input: AttemptInput,
    run: Effect.fnUntraced(function* (input, context) {
      const { root, config } = context.state.run
      const task = taskOf(context.state, input.task_id)
      if (task === undefined || config.reviewer === null) return null
      const reviewer = startableFor(context.state, config.reviewer)
      const place = yield* placeOf(workspaces, context.state, task)
      const { directory } = place
      const request: AgentRequest = {
        run_id: context.item.run,
        ...input,
        role: "review",
        prompt: reviewPrompt(context.state, task, directory ?? root),
        directory,
        timeout_ms: config.timeout_ms,
        idle_timeout_ms: config.idle_timeout_ms
      }
      return RecordJudgment({ ...input, reviewer, ...(yield* ask(context, reviewer, request, place, task)) })
    })
  })
})
