import { randomUUID } from "node:crypto"
import { closeSync, constants, openSync } from "node:fs"
import { stat } from "node:fs/promises"
import type { Readable, Writable } from "node:stream"
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises"
import { Clock, Effect, Predicate, Schema } from "effect"
import { type Child, startChild, starterEnded, startWatched } from "../../processes/child.ts"
import { drained } from "../../processes/drained.ts"
import { openBytes, openPipes, type Pipe } from "../../processes/pipes.ts"
import { type Moment, momentNow } from "../../processes/proc.ts"
import { ownVariable } from "../../processes/watcher.ts"
import { endGroup, type Group, shellArguments } from "./group.ts"
import { boundedOutput, type Output } from "./output.ts"

const DEFAULT_GRACE_MS = 5_000
/** How long is waited for the exit code of a group that nobody is left in whom we may end, in ms. */
const EXIT_LIMIT_MS = 10_000
const DEFAULT_OUTPUT_LIMIT_BYTES = 8 * 1024 * 1024

export interface ProcessRequest {
  /** Run with `sh -c`, as leader of a process group of its own. */
  readonly command: string
  readonly cwd: string
  /** Added to our environment; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The value of `ownVariable`, which no other has; a new one when left out. */
  readonly id?: string
  /** A moment before its start; that of its start when left out. */
  readonly since?: Moment | null
  /** What it reads on standard input, or the file that it reads; nothing when left out. */
  readonly stdin?: Uint8Array | { readonly file: string }
  /** In the place of `stdin`: begins to talk with the process over its standard input. Must not throw. */
  readonly converse?: (input: Writable, hold: Hold) => Conversation
  /** Both streams into `stdout`, in the order of writing. */
  readonly merge_stderr?: boolean
  /** Hard limit in ms. */
  readonly timeout_ms: number
  /** Ends it after so many ms without output; null: never. */
  readonly idle_timeout_ms?: number | null
  /** From TERM to KILL, in ms; 5,000 when left out. */
  readonly grace_ms?: number
  /** Of each stream; beyond it head and tail are kept. 8 MiB when left out. */
  readonly output_limit_bytes?: number
  /** Is told of everything that is printed, as it comes. Must not throw. */
  readonly on_output?: (stream: "stdout" | "stderr", chunk: Uint8Array) => void
  /** `/bin/sh` when left out. */
  readonly shell?: string
}

/** The process waits for somebody: its limits of time stand still until what this gives is called. */
export type Hold = () => () => void

/** What is said to a process while it runs. */
export interface Conversation {
  /** Resolves, and never rejects, when all was said: the input is closed then, and the process has its grace to end. */
  readonly done: Promise<void>
  /** Asks the process to give up what it is at. It is ended when this resolves, or after its grace. */
  readonly cancel: () => Promise<void>
}

export interface ProcessResult {
  /** Null when a signal ended it. */
  readonly exit_code: number | null
  readonly signal: string | null
  readonly ended_by: "itself" | "timeout" | "idle"
  readonly duration_ms: number
  readonly stdout: Uint8Array
  readonly stderr: Uint8Array
}

/** The command was not run at all. */
export class ProcessNotStarted extends Schema.TaggedError<ProcessNotStarted>()("ProcessNotStarted", {
  /** `no_resources` and `starter_ended` may pass by itself, the others do not. */
  reason: Schema.Literals([
    "directory_missing",
    "shell_missing",
    "too_long",
    "no_resources",
    "starter_ended",
    "failed"
  ]),
  message: Schema.String
}) {}

/** What is asked for, and when. */
interface Asked {
  readonly request: ProcessRequest
  readonly clock: Clock.Clock
  /** In ms of the clock, as all limits count. */
  readonly from: number
}

interface Running {
  readonly group: Group
  readonly child: Child
  /** Resolves when the leader has ended, whoever still holds its pipes. */
  readonly exit: Promise<void>
  readonly hasEnded: () => boolean
  readonly conversation: Conversation | null
  readonly streams: ReadonlyArray<Readable>
  readonly stdout: Output
  readonly stderr: Output
  /** How much was printed and when last. */
  readonly printed: { bytes: number; at: number }
  readonly held: ReturnType<typeof makeHeld>
}

const codeOf = (cause: unknown): string =>
  Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code) ? cause.code : "unknown"

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false
  )

/** The system reports a missing directory as a missing shell, so the directory is looked at first. */
const notStarted = (code: string, cwdExists: boolean, request: ProcessRequest): ProcessNotStarted => {
  if (!cwdExists) {
    return new ProcessNotStarted({
      reason: "directory_missing",
      message: `The directory ${request.cwd} does not exist.`
    })
  }
  switch (code) {
    case "ENOENT":
    case "EACCES":
      return new ProcessNotStarted({
        reason: "shell_missing",
        message: `The shell ${request.shell ?? "/bin/sh"} could not be started (${code}).`
      })
    case "E2BIG":
      return new ProcessNotStarted({
        reason: "too_long",
        message: "The command and its environment are too long for the system (E2BIG)."
      })
    case "EAGAIN":
    case "EMFILE":
    case "ENFILE":
    case "ENOMEM":
    case "ENOSPC":
      return new ProcessNotStarted({
        reason: "no_resources",
        message: `The system has no room for another process (${code}).`
      })
    case starterEnded:
      return new ProcessNotStarted({
        reason: "starter_ended",
        message:
          "The process that starts programs for Proofline was ended before it said whether this one runs; did it end its parent (`kill $PPID`)?"
      })
    default:
      return new ProcessNotStarted({ reason: "failed", message: `The process could not be started (${code}).` })
  }
}

const monotonicMs = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)

const started = (child: Child): Promise<number> =>
  new Promise((resolve, reject) => {
    child.once("error", reject)
    child.once("spawn", () => (child.pid === undefined ? reject(new Error("no process id")) : resolve(child.pid)))
  })

const collect = (
  child: Child,
  group: Group,
  exit: Promise<void>,
  streams: ReadonlyArray<Readable>,
  { clock, from, request }: Asked
): Running => {
  const limit = request.output_limit_bytes ?? DEFAULT_OUTPUT_LIMIT_BYTES
  const outputs = [boundedOutput(limit), boundedOutput(limit)] as const
  const printed = { bytes: 0, at: from }
  const held = makeHeld(printed, clock)
  streams.forEach((stream, index) => {
    stream.on("data", (chunk: Buffer) => {
      printed.bytes += chunk.length
      printed.at = monotonicMs(clock)
      outputs[index === 0 ? 0 : 1].push(chunk)
      request.on_output?.(index === 0 ? "stdout" : "stderr", chunk)
    })
    // A broken pipe is the end of the output, nothing more.
    stream.on("error", () => {})
  })
  return {
    group,
    child,
    exit,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    // only now: what it answers is listened to
    conversation: child.stdin === null ? null : (request.converse?.(child.stdin, held.begin) ?? null),
    streams,
    stdout: outputs[0],
    stderr: outputs[1],
    printed,
    held
  }
}

/** What a child has as its standard input: a descriptor of ours, a pipe to talk over, or nothing. */
type Input = number | "pipe" | "ignore"

const inputOf = ({ converse, stdin }: ProcessRequest): Promise<Input> | Input => {
  if (converse !== undefined) return "pipe"
  if (stdin === undefined) return "ignore"
  if ("file" in stdin) return openSync(stdin.file, constants.O_RDONLY)
  return stdin.length === 0 ? "ignore" : openBytes(stdin)
}

const startShell = (request: ProcessRequest, stdin: Input, pipes: ReadonlyArray<Pipe> | null): Child => {
  const shell = request.shell ?? "/bin/sh"
  const merge = request.merge_stderr ?? false
  const stdout = pipes?.[0]?.write ?? "pipe"
  const stderr = merge ? (pipes?.[0]?.write ?? "ignore") : (pipes?.[1]?.write ?? "pipe")
  const own = request.id ?? randomUUID()
  const env = { ...process.env, ...request.env, [ownVariable]: own }
  const { command, cwd } = request
  const watched =
    pipes === null
      ? null
      : startWatched(shell, ["-c", command, "sh"], { cwd, env, stdio: [stdin, stdout, stderr] }, own)
  if (watched !== null) return watched
  // The last one is the watcher's. We hold our end until the group is gone; no other child inherits it.
  return startChild(shell, ["-c", ...shellArguments(command, shell, merge)], {
    cwd,
    env,
    stdio: [stdin, stdout, stderr, "pipe"]
  })
}

/** What the child has or will never get. Open copies of ours would keep its pipes from ever ending. */
const closeOurs = (stdin: Input, pipes: ReadonlyArray<Pipe> | null): void => {
  if (typeof stdin === "number") closeSync(stdin)
  for (const pipe of pipes ?? []) closeSync(pipe.write)
}

const startOnce = async (asked: Asked): Promise<Running> => {
  const { request } = asked
  const stdin = await inputOf(request)
  const pipes = await openPipes(request.merge_stderr ? 1 : 2)
  const since = request.since === undefined ? momentNow() : request.since
  try {
    const child = startShell(request, stdin, pipes)
    // Before anything is awaited: a command may have ended by then.
    const exit = new Promise<void>((resolve) => child.once("exit", () => resolve()))
    child.stdio[3]?.on("error", () => {})
    // it may end before it has read all
    child.stdin?.on("error", () => {})
    const id = await started(child)
    const streams = pipes?.map((pipe) => pipe.read) ?? [child.stdout, child.stderr].filter((stream) => stream !== null)
    return collect(child, { id, since }, exit, streams, asked)
  } catch (cause) {
    for (const pipe of pipes ?? []) pipe.read.destroy()
    throw cause
  } finally {
    closeOurs(stdin, pipes)
  }
}

const start = (asked: Asked): Effect.Effect<Running, ProcessNotStarted> =>
  Effect.tryPromise({ try: () => startOnce(asked), catch: codeOf }).pipe(
    Effect.catch((code) =>
      Effect.flatMap(
        Effect.promise(() => isDirectory(asked.request.cwd)),
        (cwdExists) => Effect.fail(notStarted(code, cwdExists, asked.request))
      )
    )
  )

/** What stands still while the process waits for somebody else. */
const makeHeld = (printed: Running["printed"], clock: Clock.Clock) => {
  let count = 0
  let since = 0
  let before = 0
  let released: PromiseWithResolvers<void> | null = null
  const begin = (): (() => void) => {
    if (count++ === 0) {
      since = monotonicMs(clock)
      released = Promise.withResolvers()
    }
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      if (--count > 0) return
      printed.at = monotonicMs(clock)
      before += printed.at - since
      released?.resolve()
      released = null
    }
  }
  return {
    begin,
    /** So far, without what goes on. */
    ms: (): number => before,
    released: Effect.suspend(() =>
      released === null ? Effect.void : Effect.promise(() => (released as PromiseWithResolvers<void>).promise)
    )
  }
}

const silence = ({ held, printed }: Running, limit: number, clock: Clock.Clock): Effect.Effect<"idle"> =>
  Effect.gen(function* (): Effect.gen.Return<"idle"> {
    for (;;) {
      yield* held.released
      const quiet = monotonicMs(clock) - printed.at
      if (quiet >= limit) return "idle"
      yield* Effect.sleep(limit - quiet)
    }
  })

const overtime = ({ held }: Running, { clock, from, request }: Asked): Effect.Effect<"timeout"> =>
  Effect.gen(function* (): Effect.gen.Return<"timeout"> {
    for (;;) {
      yield* held.released
      const left = request.timeout_ms + held.ms() - (monotonicMs(clock) - from)
      if (left <= 0) return "timeout"
      yield* Effect.sleep(left)
    }
  })

/** Waits for whatever ends the command first. Limits follow the clock of the caller and count from when it was asked for. */
const firstEnd = (running: Running, asked: Asked): Effect.Effect<ProcessResult["ended_by"]> => {
  const { clock, request } = asked
  const idle = request.idle_timeout_ms ?? null
  const exit = Effect.promise(() => running.exit)
  const { child, conversation } = running
  const said = Effect.promise(() => conversation?.done ?? new Promise<never>(() => {})).pipe(
    Effect.andThen(Effect.sync(() => child.stdin?.end())),
    Effect.andThen(Effect.timeoutOption(exit, graceOf(request)))
  )
  return Effect.raceAllFirst<Effect.Effect<ProcessResult["ended_by"]>>([
    Effect.as(Effect.raceFirst(exit, said), "itself"),
    overtime(running, asked),
    ...(idle === null ? [] : [silence(running, idle, clock)])
  ])
}

const graceOf = ({ grace_ms = DEFAULT_GRACE_MS }: ProcessRequest): number => grace_ms

const end = (running: Running, grace_ms: number): Effect.Effect<void> =>
  Effect.promise(async () => {
    if (running.conversation !== null && !running.hasEnded()) {
      await Promise.race([running.conversation.cancel(), running.exit, pause(grace_ms, undefined, { ref: false })])
    }
    // after a while in which this process stood still it may not have heard yet that the leader has ended
    if (!running.hasEnded()) await nextTurn()
    const gone = await endGroup(running.group, running.hasEnded, grace_ms)
    // Its exit code arrives a moment after it has died. One that has become somebody else's cannot be ended by us.
    if (gone) await Promise.race([running.exit, pause(EXIT_LIMIT_MS, undefined, { ref: false })])
    await drained(running.streams, () => running.printed.bytes)
    running.child.stdio[3]?.destroy()
    running.child.forget?.()
    running.child.stdin?.destroy()
  })

/**
 * Runs a shell command to its end. Whatever ends it – itself, a limit, an interruption, the death of this process –
 * ends everything in its process group, and the effect completes only when the group is gone. A command that still
 * runs gets TERM and the grace first; what a finished command left behind is killed at once.
 */
export const spawn = Effect.fn("node-process.spawn")(function* (
  request: ProcessRequest
): Effect.fn.Return<ProcessResult, ProcessNotStarted> {
  const clock = yield* Clock.Clock
  const from = monotonicMs(clock)
  const asked = { request, clock, from }
  const { running, ended_by } = yield* Effect.acquireUseRelease(
    start(asked),
    (running) => Effect.map(firstEnd(running, asked), (ended_by) => ({ running, ended_by })),
    (running) => end(running, graceOf(request))
  )
  return {
    exit_code: running.child.exitCode,
    signal: running.child.signalCode,
    ended_by,
    duration_ms: monotonicMs(clock) - from,
    stdout: running.stdout.bytes(),
    stderr: running.stderr.bytes()
  }
})
