import {
  Digest,
  driverOf,
  Engine,
  noteWithoutTask,
  Rejection,
  ResumeRun,
  type RunConfig,
  RunIsDriven,
  type RunStatus,
  tasksOf,
  Workers
} from "@proofline/kernel"
import { removeRunFiles } from "@proofline/plugins/adapters/command-agent"
import { killLeftovers } from "@proofline/plugins/adapters/node-process"
import type { KnownIds } from "@proofline/plugins/adapters/project-files"
import type { RunOverview } from "@proofline/plugins/adapters/sqlite-log/summary"
import { given } from "@proofline/plugins/options"
import { takingUpIn } from "@proofline/plugins/policies/oversight"
import { type Loop, loopOf } from "@proofline/plugins/policies/requirements"
import { Effect, Result } from "effect"
import { type ProjectPaths, pathsOf } from "../base/paths.ts"
import { exitCodes, stop } from "../base/problems.ts"
import { taskUnknown } from "../base/selection.ts"
import { driveToEnd } from "../driving/drive.ts"
import { broughtHome, handedOverAgain, keepHead } from "../driving/handOver.ts"
import { holdRun } from "../driving/hold.ts"
import { requirementIds } from "../driving/requirementsFile.ts"
import { resolveAgents } from "../driving/resolveAgents.ts"
import type { ResumeOptions } from "../driving/resumeOptions.ts"
import { closeWorktrees } from "../driving/runEnd.ts"
import {
  checkChanged,
  checkLoosened,
  checkNarrowed,
  readAgain,
  takeOver,
  takeUp,
  tellKept
} from "../driving/takeOver.ts"
import { withUi } from "../driving/ui.ts"
import { watchToEnd } from "../driving/watchRun.ts"
import { checkWhoWorks, labelsFor, ownLabel } from "../driving/whoWorks.ts"
import { withAgents } from "../driving/withAgents.ts"
import { hasWorktreesLeft } from "../driving/worktreesLeft.ts"
import { say } from "../process/output.ts"
import { withChecksAgain } from "../project/checksFrom.ts"
import { projectConfig } from "../project/files.ts"
import { projectMessages } from "../project/projectMessages.ts"
import { failingAs, judgedBy, withConflictResolution, workersOf } from "../project/settings.ts"
import type { State } from "../project/state.ts"
import { withExistingStorage } from "../project/storage.ts"
import { withKernel } from "../project/withKernel.ts"
import { runNamed } from "../reading/historyIds.ts"
import { notHome } from "../reading/notHome.ts"
import { checkContinued, exitCodeOf, loadRun, noneToResume, noRun, type Overtaken } from "../reading/oneRun.ts"
import { report } from "../reading/reportRun.ts"
import { newest, readRows } from "../reading/rows.ts"
import { overtakerOf } from "../reading/sameInput.ts"

const drivenByAgents = (run: string, status: RunStatus) =>
  stop(exitCodes.usage, {
    code: "run_is_session",
    kind: "conflict",
    message: `${run} is a session run: agents work on it by themselves, and it is ${status}.`,
    hint:
      status === "running"
        ? "Let an agent go on with `proofline mcp`."
        : "What has ended is not taken up again; `proofline mcp` begins a new one."
  })

/** What a resume for these tasks will do, under this configuration. */
const takingUp = (state: State, tasks: ReadonlyArray<string>, config: RunConfig, note: string | undefined) => {
  const found = takingUpIn(state, tasks, { config, note: note ?? null })
  if (!(found instanceof Rejection)) return Effect.succeed(found)
  if (found.code !== "task_unknown") return Effect.fail(found)
  // which run it is need not have been said
  const ids = tasksOf(state).map(({ spec }) => spec.id)
  const unknown = tasks.filter((id) => !ids.includes(id))
  return stop(exitCodes.usage, ...unknown.map((id) => taskUnknown(id, ids, state.run.run_id)))
}

/** Workers are at it, and none of its work is taken from them. */
const atWork = (run: string) =>
  stop(exitCodes.usage, {
    code: "run_is_driven",
    kind: "conflict",
    message: `Run ${run} is driven by workers, which go on with it.`,
    hint: "Wait until it has ended, or end it with `proofline cancel`; then resume."
  })

const notOfRedacted = (run: string) =>
  stop(exitCodes.usage, {
    code: "run_redacted",
    kind: "conflict",
    message: `${run} is redacted: its texts are pseudonyms, and nobody can work on them.`,
    hint: "Resume the run it was made of, where that is."
  })

/**
 * Whether workers are at a run that goes on, or will be. One that came from another log has no work here so far, and that of one
 * which was driven without workers was for nobody else.
 */
const isWorkedOn = Effect.fnUntraced(function* ({ run: { config, run_id } }: State, { databaseUrl }: ProjectPaths) {
  if (databaseUrl === undefined || config.labels.includes(ownLabel(run_id))) return false
  return yield* (yield* Workers).haveWorkOf(run_id)
})

/** A run, or the one that drives it. */
const loadWhole = Effect.fnUntraced(function* (run: string, paths: ProjectPaths) {
  const engine = yield* Engine
  const { parent_run_id, run_id } = (yield* loadRun(run, paths)).run
  const state = parent_run_id === null ? yield* loadRun(run_id, paths) : yield* loadRun(parent_run_id, paths)
  return { state, loop: loopOf(yield* engine.load(state.run.run_id)) }
})

/** `proofline resume [run]`: goes on where the log ends; without an id, with the newest run that is left to go on with. */
export const resume = Effect.fnUntraced(function* (options: ResumeOptions) {
  if (options.note !== undefined && options.task === undefined) return yield* noteWithoutTask
  const paths = pathsOf(options)
  yield* checkWhoWorks(options, paths)
  const rows = yield* readRows(paths)
  const asked = options.run === undefined ? undefined : yield* runNamed(options.run, rows, paths)
  // that all of them are completed loses nothing
  const none = (overtaken: Overtaken | null) =>
    asked === undefined && rows.length > 0 ? Effect.fail(noneToResume(paths, overtaken)) : noRun(asked, paths)
  return yield* withExistingStorage(
    paths,
    none(null),
    Effect.gen(function* () {
      const found = asked === undefined ? yield* newestOpen(paths) : { run: asked, overtaken: null }
      if (found.run === undefined) return yield* none(found.overtaken)
      const named = found.run
      const whole = yield* withKernel(paths, {}, loadWhole(named, paths))
      const {
        run: { run_id, status },
        sessions: { phases }
      } = whole.state
      const { task } = options
      if (run_id !== named && task === undefined) yield* say(`${named} is a task run of ${run_id}: going on with that.`)
      if (whole.state.run.redacted !== null) return yield* notOfRedacted(run_id)
      if (phases !== null) return yield* drivenByAgents(run_id, status)
      const { config } = whole.state.run
      // before anything is looked up for it
      if (task !== undefined)
        yield* takingUp(whole.state, task, failingAs(config, given({ fail_fast: options.fail_fast })), options.note)
      else if (status === "completed") return yield* leaveCompleted(whole.state, options, paths)
      if (status !== "running" || !(yield* isWorkedOn(whole.state, paths))) {
        return yield* goOn(whole, options, paths, named)
      }
      const changes = [task, options.labels, options.remote].some((said) => said !== undefined)
      return changes ? yield* atWork(run_id) : yield* watchOn(whole.state, options, paths)
    })
  )
})

/**
 * The newest run that is not completed, or whose work is not in the project; one that agents work on by themselves only when
 * there is no other, one that was moved only to say where it is. Else one that is completed and has worktrees still. Not one
 * that another has overtaken: the newest of those is given too.
 */
const newestOpen = Effect.fnUntraced(function* (paths: ProjectPaths) {
  // a task run goes on with the requirements run that has begun it
  const isOpen = ({ parent_run_id, redacted, status }: RunOverview) =>
    status !== "completed" && parent_run_id === null && redacted !== true
  const rows = yield* readRows(paths)
  const elsewhere = yield* notHome(rows, paths)
  const goesOnHere = (row: RunOverview) => isOpen(row) && row.away == null
  const newestOf = (left: ReadonlyArray<RunOverview>) =>
    newest(left, (row) => (goesOnHere(row) && row.kind !== "session") || elsewhere.includes(row)) ??
    newest(left, goesOnHere) ??
    newest(left, isOpen)
  let overtaken: Overtaken | null = null
  for (let left = rows; ; ) {
    const row = left.find(({ run_id }) => run_id === newestOf(left))
    // a task run is found too: its requirements run removes them
    if (row === undefined) return { run: rows.find((one) => hasWorktreesLeft(one, paths))?.run_id, overtaken }
    const by = isOpen(row) ? yield* overtakerOf(row, rows) : null
    if (by === null) return { run: row.run_id, overtaken }
    overtaken ??= { run: row.run_id, by: by.run_id, path: by.path }
    left = left.filter((one) => one !== row)
  }
})

const leaveCompleted = Effect.fnUntraced(function* (before: State, options: ResumeOptions, paths: ProjectPaths) {
  yield* say(`Run ${before.run.run_id} is completed already; nothing was started.`)
  // whoever completed it may have died before its head was kept and its worktrees removed; one that still lives does both itself
  yield* holdRun(before.run.run_id, null).pipe(
    Effect.andThen(keepHead(before.run.run_id)),
    Effect.andThen(withKernel(paths, {}, closeWorktrees(before, paths))),
    Effect.scoped,
    Effect.catchTag("RunIsDriven", () => Effect.void)
  )
  const isHere = paths.databaseUrl === undefined || (yield* broughtHome(before, paths))
  yield* withKernel(paths, {}, report(before, paths, options.json))
  return isHere ? exitCodeOf(before) : exitCodes.needsPerson
})

/** One that workers are at goes on as it is: nothing is taken from them. */
const watchOn = Effect.fnUntraced(function* (
  { run: { config, run_id } }: State,
  options: ResumeOptions,
  paths: ProjectPaths
) {
  yield* say(`Run ${run_id} goes on already; watching it.`)
  const watching = watchToEnd(run_id, null, { paths, json: options.json, labels: config.labels })
  return yield* withKernel(paths, {}, withUi(paths, options, watching))
})

/** Stops where somebody drives the run. */
const checkUndriven = (run: string) =>
  Effect.flatMap(driverOf(run), (driver) =>
    driver === null ? Effect.void : Effect.fail(new RunIsDriven({ run, driver }))
  )

/** A run as it stands in the log. */
interface Whole {
  readonly state: State
  readonly loop: Loop
}

const goOn = Effect.fnUntraced(function* (whole: Whole, options: ResumeOptions, paths: ProjectPaths, found: string) {
  const { loop, state: before } = whole
  // before anything is said of what is to be done; who begins meanwhile is met when the run is held
  yield* checkUndriven(before.run.run_id)
  // whoever named it knows, and of a task run it has been said
  if (found === before.run.run_id && found !== options.run) yield* say(`Going on with ${found}.`)
  const { agents, checks_from, defaults, evidence, proof } = yield* projectConfig(paths)
  const messages = yield* projectMessages(paths)
  const input = before.run.kind === "requirements" ? yield* readAgain(before, loop, paths) : null
  if (input !== null) {
    yield* Effect.andThen(checkChanged(input, loop, options), checkNarrowed(input, before, loop, options))
  } else if (before.run.kind !== "requirements") yield* tellKept(before, paths)
  // how to run stands in the file too
  const isNew = input !== null && (yield* Digest).sha256(input.text) !== loop.sha256
  const sources = isNew ? [defaults, input.defaults] : []
  const resolved = yield* resolveAgents(options, sources, agents, paths, before.run.config)
  if (Result.isFailure(resolved)) return yield* stop(exitCodes.usage, resolved.failure)
  const decided = withConflictResolution(resolved.success, options.conflict_resolution)
  const said = { evidence, proof }
  // what the person who resumes says now needs no second word
  yield* checkLoosened(before, loop, judgedBy(decided, said, {}), options)
  const judged = judgedBy(decided, said, options)
  const places = { said: options.checks_from, ofFile: checks_from }
  const labels = labelsFor(before.run.run_id, paths, options, before.run.config.labels)
  const config = yield* withChecksAgain({ ...judged, messages, labels }, places, paths, knownIds(before, input, loop))
  if (options.task !== undefined) yield* say((yield* takingUp(before, options.task, config, options.note)).text)
  return yield* withAgents(paths, config, options, drive(whole, input, config, options, paths))
})

/** What escrowed checks may be about. */
const knownIds = ({ run, tasks }: State, input: Effect.Success<ReturnType<typeof readAgain>>, loop: Loop): KnownIds => {
  const definition = input?.definition ?? loop.definition
  return run.kind === "requirements"
    ? { tasks: null, requirements: definition === null ? [] : requirementIds(definition) }
    : {
        tasks: [...tasksOf({ tasks }).map(({ spec }) => spec.id), ...tasks.completed_elsewhere],
        requirements: null
      }
}

/** Holds the run, checks its log, and drives it to its end with `config`. */
const drive = Effect.fnUntraced(function* (
  { loop, state: before }: Whole,
  input: Effect.Success<ReturnType<typeof readAgain>> | null,
  config: RunConfig,
  options: ResumeOptions,
  paths: ProjectPaths
) {
  const run = before.run.run_id
  const isLoop = before.run.kind === "requirements"
  const driver = yield* holdRun(run, before.run.input?.path ?? null)
  yield* checkContinued(run)
  // agents of a driver that was killed may still be at work
  yield* killLeftovers({ run_id: run })
  yield* removeRunFiles(paths.state, run)
  if (isLoop) {
    yield* takeOver(before, loop, input, options, paths)
    yield* takeUp(loop, driver, config, paths)
  }
  const changed = JSON.stringify(config) !== JSON.stringify(before.run.config)
  const { note, task } = options
  const { composition } = yield* Engine
  const command = ResumeRun({
    driver,
    config: changed ? config : null,
    plugins: composition.versions,
    ...(task === undefined ? {} : { tasks: task }),
    ...(note === undefined ? {} : { note })
  })
  return yield* driveToEnd(run, command, {
    paths,
    workers: workersOf(config),
    labels: config.labels,
    json: options.json,
    handOver: yield* handedOverAgain(run, paths, options.remote)
  })
})
