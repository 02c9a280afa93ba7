import { spawn } from "node:child_process"
import * as Path from "node:path"
import { WorktreeRefused } from "@proofline/kernel"
import { Effect } from "effect"
import { gitEnvironment } from "../../git/environment.ts"

/** Where the project lies in its repository. Absolute paths, links resolved. */
export interface Repository {
  /** The user's checkout. */
  readonly top: string
  /** From there to the project, `/` separated; empty when they are the same. */
  readonly prefix: string
  /** What all checkouts of the repository share. */
  readonly common: string
}

/** A check may take long, git must not: a filter that waits for the network would hold the run for ever. */
const gitLimit = "10 minutes"

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

/** What git prints. Interrupting ends it with all that it started, and waits until it is gone. */
export const git = (directory: string, args: ReadonlyArray<string>): Effect.Effect<string, WorktreeRefused> =>
  Effect.callback<string, WorktreeRefused>((resume) => {
    const child = spawn("git", [...settings, ...args], {
      cwd: directory,
      env: environment(),
      stdio: ["ignore", "pipe", "pipe"],
      // a group of its own, so that the filters it starts can be ended with it
      detached: true
    })
    const out: Array<Buffer> = []
    const err: Array<Buffer> = []
    let ended = false
    child.stdout.on("data", (chunk) => out.push(chunk))
    child.stderr.on("data", (chunk) => err.push(chunk))
    child.on("error", ({ message }) => {
      ended = true
      resume(refused(`Git could not be started: ${message}. Install git, or leave \`ablation\` off.`))
    })
    child.on("close", (code, signal) => {
      ended = true
      if (code === 0) resume(decoded(Buffer.concat(out)))
      else
        resume(refused(failed(args, code === null ? `${signal}` : `exit code ${code}`, Buffer.concat(err).toString())))
    })
    return Effect.callback<void>((done) => {
      if (ended || child.pid === undefined) return done(Effect.void)
      child.once("close", () => done(Effect.void))
      kill(-child.pid)
    })
  }).pipe(
    Effect.timeoutOrElse({
      duration: gitLimit,
      orElse: () => refused(`\`git ${args[0]}\` was still at work after ${gitLimit}.`)
    })
  )

export const refused = (message: string): Effect.Effect<never, WorktreeRefused> =>
  Effect.fail(new WorktreeRefused({ message }))

const kill = (group: number): void => {
  try {
    process.kill(group, "SIGKILL")
  } catch {
    // it has just ended by itself
  }
}

const failed = (args: ReadonlyArray<string>, how: string, words: string): string => {
  const said = words
    .split("\n")
    .findLast((line) => /^(?:fatal|error):/.test(line))
    ?.replace(/^(?:fatal|error): /, "")
  return `\`git ${args.slice(0, 2).join(" ")}\` ended with ${how}${said === undefined ? "" : `: ${said.trim().replace(/\.$/, "")}`}.`
}

/** A name of other bytes could be neither copied nor removed for certain. */
const decoded = (bytes: Uint8Array): Effect.Effect<string, WorktreeRefused> => {
  try {
    return Effect.succeed(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch {
    return refused("A changed file of the project has a name that is not valid UTF-8. Rename it, or let git ignore it.")
  }
}

/** The entries of a list that git ends with zero bytes. */
export const entries = (printed: string): ReadonlyArray<string> => printed.split("\0").filter((entry) => entry !== "")

/** The repository the directory is part of. */
export const locate = (directory: string): Effect.Effect<Repository, WorktreeRefused> =>
  git(directory, ["rev-parse", "--show-toplevel", "--show-prefix", "--git-common-dir"]).pipe(
    Effect.map((printed) => {
      const [top = "", prefix = "", common = ""] = printed.split("\n")
      return { top, prefix: prefix.replace(/\/$/, ""), common: Path.resolve(directory, common) }
    }),
    Effect.mapError(({ message }) =>
      message.includes("not a git repository")
        ? new WorktreeRefused({
            message: "The project is not in a git repository. Make it one and commit it, or leave `ablation` off."
          })
        : new WorktreeRefused({ message })
    )
  )
