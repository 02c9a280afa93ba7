import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import * as Path from "node:path"
import { Effect, Schema } from "effect"
import { gitEnvironment } from "./environment.ts"

/** Why git did not do what it was asked to. */
export class GitFailed extends Schema.TaggedError<GitFailed>()("GitFailed", {
  reason: Schema.Literals(["missing", "no_repository", "name", "slow", "failed"]),
  /** Exit code of git; null when it had none. */
  exit_code: Schema.NullOr(Schema.Int),
  /** One or more whole sentences. */
  message: Schema.String,
  /** What it had printed on standard output. */
  printed: Schema.String
}) {}

/** Where the project lies in its repository. Absolute paths, links resolved. */
export interface Repository {
  /** The user's checkout. */
  readonly top: string
  /** From there to the project, `/` separated; empty when they are the same. */
  readonly prefix: string
  /** What all checkouts of the repository share. */
  readonly common: string
  /** What this checkout has for itself: its HEAD and index. */
  readonly own: string
}

/** A check may take long, git must not: a filter that waits for the network would hold the run for ever. */
const gitLimit = "10 minutes"
/** From TERM, at which git removes its locks, to KILL. */
const graceMs = 1_000

const settings = Object.entries({
  // nothing of the user's is run because of a checkout of ours
  "core.hooksPath": "/dev/null",
  "core.fsmonitor": "false",
  "submodule.recurse": "false",
  // it would be noted in the repository's own configuration
  "worktree.useRelativePaths": "false",
  "advice.detachedHead": "false",
  "gc.auto": "0",
  "maintenance.auto": "false"
}).flatMap(([name, value]) => ["-c", `${name}=${value}`])

const environment = (): NodeJS.ProcessEnv => ({
  ...gitEnvironment(),
  // nor are settings of somebody else's command ours, who write
  GIT_CONFIG_COUNT: undefined,
  GIT_CONFIG_PARAMETERS: undefined,
  GIT_QUARANTINE_PATH: undefined
})

export interface GitOptions {
  /** Standard input; nothing when left out. */
  readonly input?: string | Uint8Array
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>
}

/** What git prints, as text. Interrupting ends it with all that it started, and waits until it is gone. */
export const git = (
  directory: string,
  args: ReadonlyArray<string>,
  options: GitOptions = {}
): Effect.Effect<string, GitFailed> => Effect.flatMap(gitBytes(directory, args, options), decoded)

/** The same for what need not be text. */
export const gitBytes = (
  directory: string,
  args: ReadonlyArray<string>,
  { env = {}, input }: GitOptions = {}
): Effect.Effect<Uint8Array, GitFailed> =>
  Effect.callback<Uint8Array, GitFailed>((resume) => {
    const child = spawn("git", [...settings, ...args], {
      cwd: directory,
      env: { ...environment(), ...env },
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      // a group of its own, so that the filters it starts can be ended with it
      detached: true
    })
    const out: Array<Buffer> = []
    const err: Array<Buffer> = []
    let ended = false
    child.stdout?.on("data", (chunk) => out.push(chunk))
    child.stderr?.on("data", (chunk) => err.push(chunk))
    child.on("error", ({ message }) => {
      ended = true
      resume(
        existsSync(directory)
          ? failure("missing", `Git could not be started: ${message}.`)
          : failure("failed", `The directory ${directory} does not exist.`)
      )
    })
    child.on("close", (code, signal) => {
      ended = true
      const printed = Buffer.concat(out)
      if (code === 0) resume(Effect.succeed(printed))
      else
        resume(
          failure(
            ...failed(args, code === null ? `${signal}` : `exit code ${code}`, Buffer.concat(err).toString()),
            code,
            printed.toString()
          )
        )
    })
    // git may have ended before it has read everything
    child.stdin?.on("error", () => {})
    child.stdin?.end(input)
    return gone(child, () => ended)
  }).pipe(
    Effect.timeoutOrElse({
      duration: gitLimit,
      orElse: () => failure("slow", `\`git ${args[0]}\` was still at work after ${gitLimit}.`)
    })
  )

/** Ends a child with all of its group, and waits until it is gone. */
const gone = (child: ChildProcess, hasEnded: () => boolean): Effect.Effect<void> =>
  Effect.callback<void>((done) => {
    const group = child.pid
    if (hasEnded() || group === undefined) return done(Effect.void)
    const timer = setTimeout(() => kill(-group, "SIGKILL"), graceMs)
    child.once("close", () => {
      clearTimeout(timer)
      kill(-group, "SIGKILL")
      done(Effect.void)
    })
    kill(-group, "SIGTERM")
  })

const failure = (
  reason: GitFailed["reason"],
  message: string,
  exit_code: number | null = null,
  printed = ""
): Effect.Effect<never, GitFailed> => Effect.fail(new GitFailed({ reason, message, exit_code, printed }))

const kill = (group: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(group, signal)
  } catch {
    // it has just ended by itself
  }
}

const failed = (args: ReadonlyArray<string>, how: string, words: string): [GitFailed["reason"], string] => {
  const said = words
    .split("\n")
    .findLast((line) => /^(?:fatal|error):/.test(line))
    ?.replace(/^(?:fatal|error): /, "")
  return [
    /not a git repository|must be run in a work tree/.test(words) ? "no_repository" : "failed",
    `\`git ${withoutSettings(args).slice(0, 2).join(" ")}\` ended with ${how}${said === undefined ? "" : `: ${said.trim().replace(/\.$/, "")}`}.`
  ]
}

const withoutSettings = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args[0] === "-c" ? withoutSettings(args.slice(2)) : args

/** A name of other bytes could be neither copied nor removed for certain. */
const decoded = (bytes: Uint8Array): Effect.Effect<string, GitFailed> => {
  try {
    return Effect.succeed(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch {
    return failure(
      "name",
      "A changed file of the project has a name that is not valid UTF-8. Rename it, or let git ignore it."
    )
  }
}

/** The entries of a list that git ends with zero bytes. */
export const entries = (printed: string): ReadonlyArray<string> => printed.split("\0").filter((entry) => entry !== "")

/** The repository the directory is part of. */
export const locate = (directory: string): Effect.Effect<Repository, GitFailed> =>
  Effect.map(
    git(directory, ["rev-parse", "--show-toplevel", "--show-prefix", "--git-common-dir", "--absolute-git-dir"]),
    (printed) => {
      const [top = "", prefix = "", common = "", own = ""] = printed.split("\n")
      return { top, prefix: prefix.replace(/\/$/, ""), common: Path.resolve(directory, common), own }
    }
  )
