/** Programs of our own that tests start, to end them at whatever moment. */

import { type ChildProcess, spawn } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { until } from "./repositories.ts"

/** Starts a program from its sources. */
export const program = (
  file: URL,
  args: ReadonlyArray<string>,
  {
    env = {},
    stdin = "ignore",
    stdout = "ignore"
  }: Partial<Record<"stdin" | "stdout", "ignore" | "pipe">> & {
    readonly env?: NodeJS.ProcessEnv
  } = {}
): ChildProcess =>
  spawn(process.execPath, ["--conditions=@proofline/source", fileURLToPath(file), ...args], {
    stdio: [stdin, stdout, "inherit"],
    env: { ...process.env, ...env }
  })

/** By which signal it has ended. */
export const ended = (child: ChildProcess): Effect.Effect<NodeJS.Signals | null> =>
  Effect.callback((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.succeed(child.signalCode))
    child.once("exit", (_, signal) => resume(Effect.succeed(signal)))
  })

/** The ids of processes that have this text in their command line or environment. Only on Linux. */
export const processesWith = (text: string): ReadonlyArray<string> =>
  readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && isAbout(pid, text))

/** A process that was begun and is not yet what it will be has the command line of the one that begins it. */
const isAbout = (pid: string, text: string): boolean => {
  try {
    return ["cmdline", "environ"].some((file) => readFileSync(`/proc/${pid}/${file}`, "utf8").includes(text))
  } catch {
    return false
  }
}

/**
 * What a killed process has left to itself works on for a moment, also what is just being started. While it is, it has
 * no command line at all: nothing is to be seen of it several times in a row.
 */
export const quiet = (text: string): Effect.Effect<void> =>
  Effect.suspend(() => {
    let seen = 0
    return until(() => {
      seen = processesWith(text).length > 0 ? 0 : seen + 1
      return seen === 5
    })
  })
