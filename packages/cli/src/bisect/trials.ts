import type { Base, ProjectTree } from "@proofline/kernel"
import { CommandRunner, ScratchProjects } from "@proofline/plugins/ports"
import { Effect } from "effect"
import { exitCodes, type Stop, stop } from "../base/problems.ts"
import type { Verdict } from "./search.ts"

/** A tree in which the command is run. */
export interface Trial {
  readonly tree: Base | ProjectTree
  /** What it is, for people: "the end of attempt 1 of login". */
  readonly what: string
  readonly env: Readonly<Record<string, string>>
}

export interface TrialResult {
  readonly verdict: Verdict
  /** Of the run that decided; null: a signal ended it, or it was not run. */
  readonly exit_code: number | null
  readonly signal: string | null
  readonly timed_out: boolean
  /** Why it was not run; null: it was. */
  readonly problem: string | null
  /** The end of what it printed. */
  readonly output_tail: string
}

export interface TrialOptions {
  readonly command: string
  readonly runs: number
  readonly timeout_ms: number
}

/** As `git bisect run` has it: this tree tells nothing. */
const skipCode = 125
/** A shell cannot run a command, or does not find it. */
const unrunnable: ReadonlySet<number | null> = new Set([126, 127])
const tailChars = 2_000

/** Runs the command in a fresh copy of the project as it was then, each time; all runs must agree. */
export const tried = Effect.fnUntraced(function* (
  { env, tree, what }: Trial,
  { command, runs, timeout_ms }: TrialOptions
): Effect.fn.Return<TrialResult, Stop, ScratchProjects | CommandRunner> {
  const projects = yield* ScratchProjects
  const commands = yield* CommandRunner
  let first: TrialResult | null = null
  for (let i = 0; i < runs; i++) {
    const ran: TrialResult = yield* Effect.scoped(
      Effect.gen(function* () {
        const { directory } = yield* projects.make({ at: tree })
        const { exit_code, output, signal, timed_out } = yield* commands.run({ command, directory, env, timeout_ms })
        const output_tail = new TextDecoder().decode(output).slice(-tailChars)
        const neverRan = exit_code === null && signal === null && !timed_out
        if (neverRan || unrunnable.has(exit_code)) return yield* cannotRun(what, exit_code, output_tail)
        const verdict: Verdict = exit_code === 0 ? "good" : exit_code === skipCode ? "skip" : "bad"
        return { verdict, exit_code, signal, timed_out, problem: null, output_tail }
      })
    ).pipe(
      Effect.catchTag("CheckoutRefused", ({ message }) =>
        Effect.succeed<TrialResult>({
          ...{ verdict: "skip", exit_code: null, signal: null, timed_out: false, output_tail: "" },
          problem: message
        })
      )
    )
    if (first !== null && first.verdict !== ran.verdict) return yield* flaky(what, i + 1)
    first ??= ran
    if (ran.problem !== null) break
  }
  return first as TrialResult
})

const cannotRun = (what: string, code: number | null, output: string): Stop =>
  stop(exitCodes.usage, {
    code: "bisect_cannot_run",
    message: `At ${what} the command cannot be run${code === null ? "" : ` (exit code ${code})`}: ${output.trim().split("\n").at(-1) ?? ""}`,
    hint: "Name a command that is there all the time. Where it is not, let it exit with 125: that tree is skipped."
  })

const flaky = (what: string, runs: number): Stop =>
  stop(exitCodes.unmet, {
    code: "bisect_flaky",
    message: `At ${what} the command does not end the same each time: the first ${runs} runs do not agree.`,
    hint: "Make it end the same each time, such as by a fixed seed; then ask again."
  })
