import { askedIn, Engine, permissionsIn } from "@proofline/kernel"
import type { RunOverview } from "@proofline/plugins/adapters/sqlite-log/summary"
import { answerQuestion, questionOf } from "@proofline/plugins/policies/oversight"
import { Effect } from "effect"
import { type ProjectPaths, pathsOf, type Where } from "../base/paths.ts"
import { exitCodes, stop } from "../base/problems.ts"
import { answerDocument } from "../documents/sessions.ts"
import { commandFor, print, printDocument } from "../process/output.ts"
import { type State, stateOf } from "../project/state.ts"
import { withExistingStorage } from "../project/storage.ts"
import { withKernel } from "../project/withKernel.ts"
import { mayBeUndecided } from "../quick/status.ts"
import { runNamed } from "../reading/historyIds.ts"
import { checkContinued } from "../reading/oneRun.ts"
import { readRows } from "../reading/rows.ts"
import { undecidedIn, undecidedOf } from "../reading/undecided.ts"
import { waitingLines } from "../render/asked.ts"
import { styleFor, wantsColor } from "../render/style.ts"
import { endedBy, questionText } from "../sessions/questions.ts"

export interface AnswerOptions extends Where {
  readonly answer?: string | undefined
  readonly comment?: string | undefined
  /** The run that asks; the one that does when left out. */
  readonly run?: string | undefined
  readonly task?: string | undefined
  /** Of the item, from 1. */
  readonly item?: number | undefined
  /** The id of the question. */
  readonly question?: string | undefined
  readonly json: boolean
}

/** `proofline answer`: what only a person may decide. Without an answer it shows what is asked. */
export const answer = Effect.fnUntraced(function* (options: AnswerOptions) {
  const paths = pathsOf(options)
  const rows = yield* readRows(paths)
  const named = options.run === undefined ? undefined : yield* runNamed(options.run, rows, paths)
  const run = named ?? asking(rows)?.run_id ?? (yield* undecidedRun(rows, paths))
  const none = stop(exitCodes.usage, {
    code: "session_run_missing",
    message: `No run in ${paths.root} waits for a person, and no session run goes on.`,
    hint: "See `proofline status`; `proofline mcp` or `proofline session open` begins a session run."
  })
  if (run === undefined) return yield* none
  return yield* withExistingStorage(paths, Effect.fail(none), withKernel(paths, {}, answerIn(run, options, paths)))
})

/** What waits first; else the session run that goes on, which only its state tells. */
const asking = (rows: ReadonlyArray<RunOverview>): RunOverview | undefined => {
  const session = rows.find(({ kind, status }) => kind === "session" && status === "running")
  const waits = ({ asked = [], permissions = [], status }: RunOverview) =>
    (asked.length > 0 || permissions.length > 0) && status !== "cancelled" && status !== "completed"
  return session !== undefined && waits(session) ? session : (rows.find(waits) ?? session)
}

/** The newest run in which changes have to be decided between. */
const undecidedRun = (rows: ReadonlyArray<RunOverview>, paths: ProjectPaths) =>
  rows.some(mayBeUndecided)
    ? withExistingStorage(
        paths,
        Effect.succeed(undefined),
        withKernel(
          paths,
          {},
          Effect.map(undecidedOf(rows), ([first]) => first?.run_id)
        )
      )
    : Effect.succeed(undefined)

/** Such a decision is made in files, and no answer makes it. */
const decidedInFiles = (run: string, tasks: ReadonlyArray<string>) =>
  stop(exitCodes.usage, {
    code: "no_question",
    kind: "conflict",
    message: `${run} asks nothing: what its task ${tasks.join(", ")} waits for is decided in the files.`,
    hint: "`proofline answer` without an answer says what is to be done."
  })

const answerIn = Effect.fnUntraced(function* (run: string, options: AnswerOptions, paths: ProjectPaths) {
  const state = stateOf(yield* (yield* Engine).load(run))
  if (options.answer === undefined) return yield* showQuestion(state, options.json, paths)
  const { undecided = [], ...others } = waitingIn(state)
  if (undecided.length > 0 && Object.keys(others).length === 0 && questionOf(state) === null) {
    return yield* decidedInFiles(
      run,
      undecided.map(({ task_id }) => task_id)
    )
  }
  yield* checkContinued(run)
  const about = {
    ...(options.question === undefined ? {} : { question_id: options.question }),
    task_id: options.task,
    ...(options.item === undefined ? {} : { index: options.item - 1, task_id: options.task ?? onlyTask(state) })
  }
  const after = yield* endedBy(run, yield* answerQuestion(run, options.answer, options.comment ?? null, about))
  const phase = after.sessions.phases?.phase ?? null
  const left = waitingIn(after)
  if (options.json) {
    yield* printDocument(answerDocument, { run_id: run, phase, ...left })
    return exitCodes.proven
  }
  const isRunning = after.run.status === "running"
  const next =
    phase !== null && isRunning
      ? `${run} goes on with phase ${phase}.`
      : isRunning
        ? `It is recorded, and ${run} goes on.`
        : `It is recorded. Go on with: ${commandFor(paths)(`resume ${run}`)}`
  const lines = waitingLines(left, styleFor(wantsColor(process.stdout)), commandFor(paths), isRunning)
  yield* print(`${[...lines, next].join("\n")}\n`)
  return exitCodes.proven
})

/** What waits for a person beside the question of a session run; left out where nothing does. */
const waitingIn = (state: Pick<State, "run" | "tasks">) => {
  const [asked, permissions, undecided] = [askedIn(state), permissionsIn(state), undecidedIn(state)]
  return {
    ...(asked.length === 0 ? {} : { asked }),
    ...(permissions.length === 0 ? {} : { permissions }),
    ...(undecided.length === 0 ? {} : { undecided })
  }
}

const onlyTask = (state: State): string | undefined => {
  const tasks = new Set(askedIn(state).map(({ task_id }) => task_id))
  return tasks.size === 1 ? [...tasks][0] : undefined
}

const showQuestion = Effect.fnUntraced(function* (state: State, json: boolean, paths: ProjectPaths) {
  const run = state.run.run_id
  const question = questionOf(state)
  const waiting = waitingIn(state)
  const phase = state.sessions.phases?.phase ?? null
  const isNone = question === null && Object.keys(waiting).length === 0
  if (json) {
    yield* printDocument(answerDocument, {
      run_id: run,
      phase,
      ...waiting,
      question: question?.question ?? null,
      expected: question?.expected ?? null
    })
  } else {
    const style = styleFor(wantsColor(process.stdout))
    const lines = waitingLines(waiting, style, commandFor(paths), state.run.status === "running")
    const where = phase === null ? `${run} waits for nobody.` : `${run} is in phase ${phase}.`
    yield* print(
      isNone
        ? `Nobody is asked anything: ${where}\n`
        : `${[...lines, ...(question === null ? [] : [questionText(state.sessions.phases, question)])].join("\n")}\n`
    )
  }
  return isNone ? exitCodes.proven : exitCodes.needsPerson
})
