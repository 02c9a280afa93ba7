import * as Path from "node:path"
import { enumerated, isOver, type LogUnavailable, type Presence, type TaskState, tasksOf } from "@proofline/kernel"
import {
  assignmentOf,
  isAtEnd,
  missingIn,
  type NextAction,
  nextActionOf,
  type PhasesState,
  remainingOf,
  type SessionState
} from "@proofline/plugins/policies/sessions"
import { told } from "@proofline/plugins/told"
import { Effect, Exit } from "effect"
import { type ProjectPaths, pathsOf, type Where } from "../base/paths.ts"
import { asStop, exitCodes, type Problem, problemText, Stop, stop } from "../base/problems.ts"
import { wholeOf } from "../base/stdinLines.ts"
import { commandFor, print } from "../process/output.ts"
import type { State } from "../project/state.ts"
import { prepareState, withExistingStorage } from "../project/storage.ts"
import { oneLine } from "../render/style.ts"
import { agentNamed } from "../sessions/agentName.ts"
import { attemptToken } from "../sessions/attemptToken.ts"
import { candidatesIn, type Idle, idleOf, ofThisClient } from "../sessions/hookSession.ts"
import {
  goingOn,
  linesOfTask,
  missingLines,
  readSession,
  refusalLines,
  upTo,
  verificationLines,
  whereOf
} from "../sessions/sessionStanding.ts"
import { forgetBlocks, readBlocks, writeBlocks } from "../sessions/stopBlocks.ts"

export interface HookOptions extends Where {
  /** What the agent is called in the session run; by its client's own name when left out. */
  readonly agent?: string | undefined
  /** How often in a row the agent is kept from stopping; 10 when left out. */
  readonly maxBlocks?: number | undefined
}

/** What becomes of an agent that is about to stop. `tell`: it stops, and its user is told why. */
type Verdict =
  | { readonly to: "stop" }
  | { readonly to: "block"; readonly reason: string }
  | { readonly to: "tell"; readonly message: string }

const letStop: Verdict = { to: "stop" }

const defaultMaxBlocks = 10

/**
 * `proofline hook claude-stop`: the command of Claude Code's Stop hook. Keeps the agent at work, with what is open as the
 * reason, while its session run goes on and it has something to do. Whatever is wrong lets the agent stop and tells its
 * user, with exit code 0: Claude Code reads the answer of no other, and one that exits with 2 would block for ever.
 */
export const claudeStop = (options: HookOptions) =>
  Effect.flatMap(verdictOf(options), carryOut).pipe(
    Effect.timeoutOrElse({ duration: limitMs, orElse: () => Effect.fail(stop(exitCodes.unmet, tooSlow)) }),
    Effect.mapError((error) => (error instanceof Stop ? error : asStop(error))),
    Effect.catchDefect((defect) => Effect.fail(stop(exitCodes.unmet, unreadable(defect)))),
    Effect.catch(({ problems }) => carryOut(tell(problems)))
  )

const tell = (problems: ReadonlyArray<Problem>): Verdict => ({
  to: "tell",
  message: oneLine(`Proofline cannot tell whether the work is proven. ${problems.map(sentence).join(" ")}`, 1_000)
})

const sentence = (problem: Problem): string => problemText(problem).replace(/\n\s*/g, " ")

/** Nobody waits longer for a file that somebody else keeps locked. */
const limitMs = 10_000

const tooSlow: Problem = {
  code: "hook_timeout",
  message: `Whether the work is proven could not be found out within ${limitMs / 1000} s.`,
  hint: "Look with `proofline status`."
}

const unreadable = (defect: unknown): Problem => ({
  code: "log_unreadable",
  message: `The session run cannot be read: ${oneLine(defect instanceof Error ? defect.message : String(defect), 200)}`,
  hint: "Look with `proofline status` and `proofline replay`."
})

const carryOut = (verdict: Verdict): Effect.Effect<number> => {
  switch (verdict.to) {
    case "stop":
      return Effect.succeed(exitCodes.proven)
    case "block":
      return Effect.as(print(`${JSON.stringify({ decision: "block", reason: verdict.reason })}\n`), exitCodes.proven)
    case "tell":
      return Effect.as(print(`${JSON.stringify({ systemMessage: verdict.message })}\n`), exitCodes.proven)
  }
}

const verdictOf = Effect.fnUntraced(function* (options: HookOptions) {
  // what Proofline has started itself is judged by its own run
  if (isStartedHere()) return letStop
  const input = yield* readInput
  if (input.event !== "Stop") return yield* stop(exitCodes.unmet, otherEvent(input.event))
  const root = projectOf(options, input.cwd)
  if (root === null) return letStop
  const paths = pathsOf({ ...options, cwd: root })
  const run = yield* goingOn(paths)
  if (run === undefined) return letStop
  const { agent, maxBlocks = defaultMaxBlocks } = options
  const given = agent === undefined ? null : yield* agentNamed(agent)
  const judged = Effect.gen(function* () {
    const standing = yield* readSession(run)
    if (standing === null) return letStop
    const isNamed = yield* whoIs(given, standing.state, paths)
    return yield* judge({ ...standing, run, isNamed, input, paths, maxBlocks })
  })
  const verdict = yield* withExistingStorage(paths, Effect.succeed(letStop), judged)
  if (verdict.to !== "block" && input.session !== null) forgetBlocks(paths.state, input.session)
  return verdict
})

const otherEvent = (event: string): Problem => ({
  code: "hook_event_unexpected",
  message: `This is the command of the hook Stop, and it was called for ${oneLine(event, 60)}.`,
  hint: "Name it under `Stop` in .claude/settings.json, and nowhere else."
})

const isStartedHere = (): boolean =>
  // a token of any other form is what people give to their own clients
  Boolean(process.env["PROOFLINE_ATTEMPT"]) || attemptToken() !== null

interface Input {
  readonly event: string
  readonly cwd: string | null
  /** The agent goes on already because a hook has kept it from stopping. */
  readonly isActive: boolean
  /** What runs in the background and wakes the agent when it has ended. */
  readonly awaited: ReadonlyArray<string>
  /** Of the client; null: it names none. */
  readonly session: string | null
}

const badInput = (message: string): Stop =>
  stop(exitCodes.unmet, {
    code: "hook_input_invalid",
    message,
    hint: "Claude Code calls this command itself; `proofline docs mcp` tells how to set it up in .claude/settings.json."
  })

const readInput = Effect.gen(function* () {
  if (process.stdin.isTTY) return yield* badInput("The hook's JSON is missing on standard input.")
  const text = yield* Effect.tryPromise({
    try: async () => Buffer.from(await wholeOf(process.stdin)).toString("utf8"),
    catch: (cause) => badInput(`Standard input cannot be read: ${(cause as Error).message}.`)
  })
  return inputOf(text) ?? (yield* badInput("What came on standard input is not the JSON of a hook."))
})

const inputOf = (text: string): Input | null => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null
  const {
    background_tasks,
    cwd,
    hook_event_name = "Stop",
    session_id,
    stop_hook_active
  } = value as Record<string, unknown>
  return {
    event: typeof hook_event_name === "string" ? hook_event_name : JSON.stringify(hook_event_name),
    cwd: typeof cwd === "string" && cwd !== "" ? cwd : null,
    // in doubt it is let go, for a block in answer to a block never ends
    isActive: stop_hook_active !== undefined && stop_hook_active !== null && stop_hook_active !== false,
    awaited: awaitedIn(background_tasks),
    session: typeof session_id === "string" && session_id !== "" ? session_id : null
  }
}

/** A command or a monitor may run for ever, and does nothing that is still to be done. */
const noExcuse: ReadonlySet<string> = new Set(["shell", "monitor"])

const over: ReadonlySet<string> = new Set([
  "aborted",
  "canceled",
  "cancelled",
  "completed",
  "done",
  "error",
  "exited",
  "failed",
  "finished",
  "killed",
  "stopped"
])

/** Of the tasks in the background those that are waited for, in words. Any shape is read; what is not known is waited for. */
const awaitedIn = (tasks: unknown): ReadonlyArray<string> =>
  (typeof tasks === "object" && tasks !== null ? Object.values(tasks) : []).flatMap((task: unknown) => {
    if (task === null) return []
    const { description, status, type } = Object(task) as Record<string, unknown>
    const kind = wordOf(type)
    if (noExcuse.has(kind) || over.has(wordOf(status))) return []
    const what = typeof description === "string" ? `: ${oneLine(description, 60)}` : ""
    return [`${kind === "" ? "a task" : oneLine(kind, 40)}${what}`]
  })

const wordOf = (value: unknown): string => (typeof value === "string" ? value.trim().toLowerCase() : "")

/** The directory that is named, or that the agent works in, or the nearest above that has `.proofline`; null: none. */
const projectOf = (options: HookOptions, cwd: string | null): string | null => {
  // where the client was started, and the server with it: an agent may have gone elsewhere since
  const started = process.env["CLAUDE_PROJECT_DIR"]
  const here = cwd ?? process.cwd()
  const places = options.cwd !== undefined ? [options.cwd] : started ? [started, here] : [here]
  // a log of its own needs nothing in the project
  if (options.state !== undefined || options.databaseUrl !== undefined) return Path.resolve(places[0] ?? here)
  return places.map((place) => upTo(place)).find((root) => root !== null) ?? null
}

/** Tells the agent's sessions from those of others: as it is named here or in proofline.yaml, or as its client calls itself. */
const whoIs = Effect.fnUntraced(function* (given: string | null, { sessions }: State, paths: ProjectPaths) {
  const isOwn = (agent: string): boolean => agent === given || (given === null && agent.startsWith("claude"))
  // the file is read where it can make a difference
  const others = sessions.phases?.sessions.filter(({ agent }) => !isOwn(agent)) ?? []
  if (given !== null || others.length === 0) return isOwn
  const { projectConfig } = yield* Effect.promise(() => import("../project/files.ts"))
  // a file with mistakes in it gives no name, but it lets nobody go
  const named = yield* projectConfig(paths).pipe(
    Effect.map(({ pull }) => pull.agent ?? null),
    Effect.orElseSucceed(() => null)
  )
  return (agent: string): boolean => agent === named || isOwn(agent)
})

interface Standing {
  readonly state: State
  readonly run: string
  /** Of the newest event of the run. */
  readonly position: number
  readonly isNamed: (agent: string) => boolean
  readonly input: Input
  readonly paths: ProjectPaths
  readonly maxBlocks: number
}

const judge = Effect.fnUntraced(function* (standing: Standing) {
  const { input, isNamed, paths, state } = standing
  const { phases } = state.sessions
  if (phases === null) return letStop
  const meant = yield* ofThisClient(candidatesIn(phases, isNamed))
  const all = yield* Effect.forEach(meant, (session) => foundOf(standing, phases, session))
  // where nobody knows which of them stops, none is let go as long as one has something to do
  const found = all.find((one) => one.is === "open")
  if (found === undefined) {
    const left = all.find((one) => one.is === "left")
    const asked = all.find((one) => one.is === "asked")
    if (asked === undefined && left !== undefined) {
      return { to: "tell", message: messageOf(state, phases, [], left.why, paths) } satisfies Verdict
    }
    return asked === undefined
      ? letStop
      : ({ to: "tell", message: questionOf(phases, asked.about, paths) } satisfies Verdict)
  }
  const { session_id, agent } = found.session
  const open = [
    ...(meant.length === 1
      ? []
      : [
          `This is of ${agent}, session ${session_id}: ${meant.length} clients are here, and which of them stops is not known.`
        ]),
    ...found.lines
  ]
  if (input.awaited.length > 0) {
    const why = `The agent waits for what runs in the background (${enumerated(input.awaited, 3, "; ")}), and goes on after that.`
    return { to: "tell", message: messageOf(state, phases, open, why, paths) } satisfies Verdict
  }
  const block = yield* blockOf(standing)
  return typeof block === "string"
    ? ({ to: "tell", message: messageOf(state, phases, open, block, paths) } satisfies Verdict)
    : ({ to: "block", reason: reasonOf(state, phases, open, block) } satisfies Verdict)
})

/** What a session has to do. `asked`: a person is, before that; about a task, or in the phase. */
type Found =
  | { readonly is: "nothing" }
  | { readonly is: "asked"; readonly about: string | null }
  /** Nothing is left for it, and those to whom the rest is left do nothing. */
  | { readonly is: "left"; readonly why: string }
  | { readonly is: "open"; readonly session: SessionState; readonly lines: ReadonlyArray<string> }

const foundOf = Effect.fnUntraced(function* (
  { paths, state }: Pick<Standing, "paths" | "state">,
  phases: PhasesState,
  session: SessionState
): Effect.fn.Return<Found, LogUnavailable, Presence> {
  const next = nextActionOf(state, session)
  // at the end of the phases a run goes on because something is not shown, and whoever is here can show it
  const isLeft = next.action === "report_completion" && !isAtEnd(phases)
  const others = isLeft ? othersHere(phases, session) : awaitedOthers(state, phases, session, next)
  const idle = (yield* Effect.forEach(others, (agent) => idleOf(state, phases, agent))).filter((one) => one !== null)
  if (idle.length < others.length) return { is: "nothing" }
  const lines = idle.map((one) => idleLine(state, one, paths))
  if (isLeft && idle.some((one) => one.session !== null)) return { is: "left", why: lines.join(" ") }
  const about = askedOfPerson(state, phases, next)
  if (about !== undefined) return { is: "asked", about }
  return {
    is: "open",
    session,
    lines: [...lines, ...missingLines(state, phases), ...taskLines(state, session.agent, next)]
  }
})

const questionOf = ({ phase }: PhasesState, about: string | null, paths: ProjectPaths): string =>
  about === null
    ? `Proofline waits for you in phase ${phase}: \`${commandFor(paths)("answer")}\` shows the question.`
    : `Proofline waits for you: something in ${oneLine(about, 80)} cannot be done, as the agent says. \`${commandFor(paths)("answer")}\` shows it.`

interface Block {
  readonly number: number
  readonly of: number
}

/**
 * The block that follows; a text: why the agent is let go instead. After the first only what was recorded since the last
 * one is a reason for another: an agent that does nothing is not asked again.
 */
const blockOf = Effect.fnUntraced(function* ({ input, maxBlocks, paths, position, run }: Standing) {
  const { isActive, session } = input
  const first: Block = { number: 1, of: maxBlocks }
  if (session === null) return isActive ? "Its client names no session, and it was kept from stopping already." : first
  const write = ({ number }: Block) =>
    Effect.map(
      Effect.exit(prepareState(paths)),
      (prepared) => Exit.isSuccess(prepared) && writeBlocks(paths.state, session, { run, position, blocks: number })
    )
  if (!isActive) {
    // where it cannot be noted the next stop finds nothing to go on with, and lets the agent go
    yield* write(first)
    return first
  }
  const last = readBlocks(paths.state, session)
  if (last === "missing" || last === "unusable" || last.run !== run) {
    const why = last === "unusable" ? "cannot be read" : "is not there"
    return `It was kept from stopping already, and the record of that ${why} in ${Path.join(paths.state, "stop-hook")}.`
  }
  if (last.position === position)
    return `Nothing was recorded since it was kept from stopping (${last.blocks} of ${maxBlocks}).`
  if (last.blocks >= maxBlocks) {
    return `It was kept from stopping ${last.blocks} times in a row, and --max-blocks allows no more.`
  }
  const next = { number: last.blocks + 1, of: maxBlocks }
  return (yield* write(next))
    ? next
    : `It was kept from stopping already, and ${Path.join(paths.state, "stop-hook")} cannot be written, so nobody counts how often.`
})

/** The task about which a person is asked before anything else can be done; null: the phase asks. undefined: nobody is. */
const askedOfPerson = (state: State, phases: PhasesState, next: NextAction): string | null | undefined => {
  if (next.action === "ask_user") return next.task_id
  if (next.action !== "report_completion" || !isAtEnd(phases)) return undefined
  const missing = missingIn(state)
  return missing.every(({ reason }) => reason === "cannot") ? missing[0]?.task_id : undefined
}

/** Agents, who are here, whose work is waited for, because there is nothing to do until then. */
const awaitedOthers = (
  state: State,
  phases: PhasesState,
  own: SessionState,
  next: NextAction
): ReadonlyArray<string> => {
  // commands that run, and evidence that is looked at, are its own
  if (next.action !== "wait" || phases.verifying !== null || next.task_id !== null) return []
  const others = othersHere(phases, own)
  return others.filter((agent) => remainingOf(state, agent).length > 0)
}

const othersHere = ({ sessions }: PhasesState, own: SessionState): ReadonlyArray<string> => [
  ...new Set(sessions.filter(({ agent, closed }) => closed === null && agent !== own.agent).map(({ agent }) => agent))
]

// ---- the words -----------------------------------------------------------------------------------------------------

/** Bytes of a reason; a client passes it on whole. */
const maxReason = 2_000

const reasonOf = (state: State, phases: PhasesState, open: ReadonlyArray<string>, block: Block): string =>
  fitted(
    [
      `Not done yet (block ${block.number} of ${block.of}): the work of this project's Proofline run is not proven. ${whereOf(state, phases)}`
    ],
    [...refusalLines(phases), ...verificationLines(phases), ...open],
    [`Call get_next_action now, and do what it says. ${told.giveUp}`],
    "get_my_task_progress"
  )

/** Of an agent whose work is waited for in vain, and what to do about it. */
const idleLine = (state: State, { agent, session }: Idle, paths: ProjectPaths): string => {
  const tasks = enumerated(
    remainingOf(state, agent).map(({ spec }) => oneLine(spec.id, 60)),
    3
  )
  const what = tasks === "" ? "The rest is left to" : `Of ${tasks} nothing comes: that is given to`
  const name = oneLine(agent, 60)
  return session === null
    ? `${what} ${name}, who is gone: get_next_action gives you what is left.`
    : `${what} ${name}, who has asked for nothing since ${session.seen_at}. Where ${name} does not go on, \`${commandFor(paths)(`session revoke ${session.session_id}`)}\` of your user lets get_next_action give it to you.`
}

/** Why the agent stops although something is open, for its user. */
const messageOf = (
  state: State,
  phases: PhasesState,
  open: ReadonlyArray<string>,
  why: string,
  paths: ProjectPaths
): string => {
  const command = commandFor(paths)
  return fitted(
    [
      `Proofline: the agent stops, and the work of ${state.run.run_id} is not proven [work_unproven]. ${whereOf(state, phases)}`,
      why
    ],
    open,
    [
      `\`${command("show")}\` shows all of it. Ask the agent to go on, or give the run up with \`${command("session end")}\`.`
    ],
    `\`${command("show")}\``
  )
}

/** Open tasks of the agent and of nobody, the one to work on first, each with the items that are not shown. */
const taskLines = (state: State, agent: string, next: NextAction): ReadonlyArray<string> => {
  const free = tasksOf(state).filter((task) => !isOver(task) && assignmentOf(state, task)?.assignee == null)
  const open = [...remainingOf(state, agent), ...free]
  const isNext = ({ spec }: TaskState): boolean => spec.id === next.task_id
  const inOrder = [...open.filter(isNext), ...open.filter((task) => !isNext(task))]
  return inOrder.length === 0 ? [] : ["Open tasks:", ...inOrder.flatMap((task) => linesOfTask(state, task))]
}

const bytes = (lines: ReadonlyArray<string>): number => Buffer.byteLength(lines.join("\n"))

/** As many lines of the body as there is room for; how many are left out is said, and where they are. */
const fitted = (
  head: ReadonlyArray<string>,
  body: ReadonlyArray<string>,
  foot: ReadonlyArray<string>,
  elsewhere: string
): string => {
  const whole = [...head, ...body, ...foot]
  if (bytes(whole) <= maxReason) return whole.join("\n")
  const leftOut = (n: number): string => `… and ${body.length - n} lines more; ${elsewhere} shows every task.`
  let kept = body.length - 1
  while (kept > 0 && bytes([...head, ...body.slice(0, kept), leftOut(kept), ...foot]) > maxReason) kept--
  return [...head, ...body.slice(0, kept), leftOut(kept), ...foot].join("\n")
}
