import { randomUUID } from "node:crypto"
import { Effect, Layer } from "effect"
import { type CommandRequest, type CommandResult, CommandRunner } from "../../port/index.ts"
import { momentNow } from "../../processes/proc.ts"
import { ownVariable } from "../../processes/watcher.ts"
import { keptLines } from "./keptLines.ts"
import { killThoseWith } from "./leftovers.ts"
import { movedEnvironment } from "./moved.ts"
import { type ProcessNotStarted, spawn } from "./spawn.ts"

export { makeAncestors } from "../../processes/ancestors.ts"
export { beginStarter } from "../../processes/starter.ts"
export { makeTemporary } from "../../processes/temporary.ts"
export { killLeftovers, type Marker } from "./leftovers.ts"

export interface NodeProcessOptions {
  /** The project directory; commands run in it. */
  readonly root: string
  /** From TERM to KILL, in ms; 5,000 when left out. */
  readonly grace_ms?: number
}

/** Neither an exit code nor a signal: no command ran. The sentence that says why stands where its output would. */
const neverRan = (error: ProcessNotStarted): CommandResult => ({
  exit_code: null,
  signal: null,
  timed_out: false,
  duration_ms: 0,
  output: new TextEncoder().encode(`${error.message}\n`)
})

const run = (options: NodeProcessOptions, request: CommandRequest): Effect.Effect<CommandResult> =>
  Effect.suspend(() => {
    const id = randomUUID()
    const since = momentNow()
    // what has left its group is out of reach of whoever ends the group
    return Effect.ensuring(carriedOut(options, request, id), killThoseWith({ [ownVariable]: id }, since))
  })

/** Bytes. The first half is kept whole, and the end. */
const outputLimit = 8 * 1_024 * 1_024

const carriedOut = (options: NodeProcessOptions, request: CommandRequest, id: string): Effect.Effect<CommandResult> => {
  const kept = request.keeps === undefined ? null : keptLines(request.keeps, outputLimit / 2)
  return spawn({
    command: request.command,
    cwd: request.directory ?? options.root,
    env: {
      // what a command prints is kept, and a token that this process was given is not for keeping
      PROOFLINE_TOKEN: undefined,
      // where the checks lie is not for what agents have written
      PROOFLINE_CHECKS_FROM: undefined,
      // nor is the log
      PROOFLINE_DATABASE_URL: undefined,
      ...(request.directory === undefined ? {} : movedEnvironment(options.root, request.directory)),
      ...request.env
    },
    id,
    merge_stderr: true,
    output_limit_bytes: outputLimit,
    ...(kept === null ? {} : { on_output: (_: string, chunk: Uint8Array) => kept.push(chunk) }),
    timeout_ms: request.timeout_ms,
    ...(options.grace_ms === undefined ? {} : { grace_ms: options.grace_ms })
  }).pipe(
    Effect.map(({ exit_code, signal, ended_by, duration_ms, stdout }) => {
      const lines = kept?.lines() ?? []
      return {
        exit_code,
        signal,
        timed_out: ended_by === "timeout",
        duration_ms,
        output: stdout,
        ...(lines.length === 0 ? {} : { kept_lines: lines })
      }
    }),
    Effect.catchTag("ProcessNotStarted", (error) => Effect.succeed(neverRan(error)))
  )
}

/** Runs the project's commands as processes of this machine. Linux and macOS. */
export const layer = (options: NodeProcessOptions): Layer.Layer<CommandRunner> =>
  Layer.succeed(CommandRunner, { run: (request) => run(options, request) })
