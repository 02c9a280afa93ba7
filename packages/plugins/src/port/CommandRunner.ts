import { Context, type Effect } from "effect"

export interface CommandRequest {
  /** Run with `sh -c` in the project directory. */
  readonly command: string
  /** Another directory to run it in, absolute. */
  readonly directory?: string
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>
  /** Hard limit in ms. */
  readonly timeout_ms: number
  /** Lines of which this says so are kept where they are cut out of a long output, within a bound. Must not throw. */
  readonly keeps?: (line: string) => boolean
}

export interface CommandResult {
  /** Null when a signal ended it. */
  readonly exit_code: number | null
  readonly signal: string | null
  readonly timed_out: boolean
  readonly duration_ms: number
  /** What it printed on stdout and stderr, in order of arrival. */
  readonly output: Uint8Array
  /** Of what was cut out of it, the lines that were to be kept; left out: none. */
  readonly kept_lines?: ReadonlyArray<string>
}

/** Runs the project's own commands. Interrupting ends the command and every process it started. */
export class CommandRunner extends Context.Service<
  CommandRunner,
  { readonly run: (request: CommandRequest) => Effect.Effect<CommandResult> }
>()("@proofline/plugins/port/CommandRunner") {}
