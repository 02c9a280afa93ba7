import { isUtf8 } from "node:buffer"
import { existsSync, rmSync } from "node:fs"
import { Effect, Schema } from "effect"
import { type Child, startChild } from "../processes/child.ts"
import { drained } from "../processes/drained.ts"
import { gitEnvironment, withoutNetwork } from "./environment.ts"
import { type Held, heldBy } from "./held.ts"

/** Why git did not do what it was asked to. */
export class GitFailed extends Schema.TaggedError<GitFailed>()("GitFailed", {
  reason: Schema.Literals(["missing", "no_repository", "name", "slow", "large", "failed"]),
  /** Exit code of git; null when it had none. */
  exit_code: Schema.NullOr(Schema.Int),
  /** One or more whole sentences. */
  message: Schema.String,
  /** Its own last word on it, without a full stop; empty when there was none. */
  said: Schema.String,
  /** What it had printed on standard output. */
  printed: Schema.String
}) {}

/** Whether no other try makes it good: the disk is full, or may not be written. */
export const isLasting = ({ message }: GitFailed): boolean =>
  /Permission denied|Read-only file system|No space left|Out of diskspace|Disk quota exceeded/.test(message)

/** A checkout of a repository, named to git in full: without its `.git` it would be taken for a part of another. */
export interface Checkout {
  readonly top: string
  /** What it has for itself in the repository: HEAD, index. */
  readonly own: string
}

/** A directory, in whose repository git looks, or a checkout. */
export type Where = string | Checkout

export interface GitOptions {
  /** Standard input; nothing when left out. */
  readonly input?: string | Uint8Array
  /** Added to the environment; undefined: taken out of it. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** An index of ours in place of the checkout's. */
  readonly index?: string
  /** What a partial clone has not may be fetched, as for a checkout; otherwise it is not there. */
  readonly mayFetch?: boolean
  /** The file that a git of this process id leaves in the repository when it fails, and nobody reads: it is removed. */
  readonly crashReport?: (pid: number) => string
}

/** A check may take long, git must not: a filter that waits for the network would hold the run for ever. */
export const gitLimitMs = 600_000
/**
 * How long it may wait for more of a filter that has ended, when another process has the filter's output: that one may
 * still write the rest of it, so it is not ended, and what git has read so far is not taken for all.
 */
const heldLimitMs = 60_000
/** From one look at whether it is held to the next. */
const lookMs = 5_000
/** From TERM, at which git removes its locks, to KILL. */
const graceMs = 1_000
/** How long a git may take to disappear after KILL. Only one that is stuck in the system kernel takes longer. */
const killLimitMs = 10_000
/** More is no answer; enough for a listing of a million files. */
const maxOutputBytes = 256 * 1_024 * 1_024

/** One set for every call: nothing of the user's is run, and no setting of the user's changes what we read or keep. */
const settings = Object.entries({
  "core.hooksPath": "/dev/null",
  "core.fsmonitor": "false",
  "commit.gpgSign": "false",
  "submodule.recurse": "false",
  // it would be noted in the repository's own configuration
  "worktree.useRelativePaths": "false",
  "advice.detachedHead": "false",
  "gc.auto": "0",
  "maintenance.auto": "false",
  "core.splitIndex": "false",
  "index.sparse": "false",
  "core.safecrlf": "false",
  "core.logAllRefUpdates": "false",
  "rerere.enabled": "false",
  // renames of folders are not applied to the files of others: evidence names files where they were put
  "merge.directoryRenames": "false"
}).flatMap(([name, value]) => ["-c", `${name}=${value}`])

const directoryOf = (where: Where): string => (typeof where === "string" ? where : where.top)

/** A git whose output is read while it is written. It has a group of its own, so that its filters can be ended with it. */
export const spawnGit = (
  where: Where,
  args: ReadonlyArray<string>,
  { env = {}, index, mayFetch = false }: GitOptions = {}
): Child =>
  startChild("git", [...settings, ...args], {
    cwd: directoryOf(where),
    env: {
      ...gitEnvironment(),
      ...(mayFetch ? {} : withoutNetwork),
      ...(typeof where === "string" ? {} : { GIT_DIR: where.own, GIT_WORK_TREE: where.top }),
      ...(index === undefined ? {} : { GIT_INDEX_FILE: index }),
      ...env
    },
    stdio: ["pipe", "pipe", "pipe"]
  })

/** What git prints. Interrupting ends it with all that it started, and waits until it is gone. */
export const gitBytes = (
  where: Where,
  args: ReadonlyArray<string>,
  options: GitOptions = {}
): Effect.Effect<Buffer, GitFailed> =>
  Effect.suspend(() => {
    let git: Child | undefined
    const printed = printedBy(where, args, options, (child) => {
      git = child
    })
    return Effect.raceFirst(
      printed,
      outOfTime(args, () => git?.pid)
    )
  })

const printedBy = (
  where: Where,
  args: ReadonlyArray<string>,
  options: GitOptions,
  started: (child: Child) => void
): Effect.Effect<Buffer, GitFailed> =>
  Effect.callback<Buffer, GitFailed>((resume) => {
    const child = spawnGit(where, args, options)
    started(child)
    const out: Array<Buffer> = []
    const err: Array<Buffer> = []
    let size = 0
    let ended = false
    child.stdout?.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxOutputBytes) out.push(chunk)
      else killGroup(child, "SIGTERM")
    })
    let said = 0
    child.stderr?.on("data", (chunk: Buffer) => {
      said += chunk.length
      err.push(chunk)
    })
    // what a filter or a hook of the transport has left running may hold its pipes for ever
    child.on("exit", () => {
      const streams = [child.stdout, child.stderr].filter((stream) => stream !== null)
      void drained(streams, () => size + said)
    })
    child.on("error", (cause) => {
      ended = true
      resume(Effect.fail(notStarted(where, cause)))
    })
    child.on("close", (code, signal) => {
      ended = true
      const printed = Buffer.concat(out)
      if (code !== 0 && child.pid !== undefined && options.crashReport !== undefined)
        rmSync(options.crashReport(child.pid), { force: true })
      if (size > maxOutputBytes)
        resume(failure("large", `\`git ${named(args)}\` printed more than ${maxOutputBytes / 1_024 ** 2} MiB.`))
      else if (code === 0) resume(Effect.succeed(printed))
      else resume(Effect.fail(failed(args, code, signal, Buffer.concat(err).toString(), printed)))
    })
    // git may have ended before it has read everything
    child.stdin?.on("error", () => {})
    child.stdin?.end(options.input)
    return gone(child, () => ended)
  })

/** Fails when it has taken too long, or is held. */
const outOfTime = (args: ReadonlyArray<string>, pid: () => number | undefined): Effect.Effect<never, GitFailed> =>
  Effect.gen(function* () {
    let held: Held | null = null
    let heldMs = 0
    for (let ms = 0; ms < gitLimitMs; ms += lookMs) {
      yield* Effect.sleep(lookMs)
      const git = pid()
      const now: Held | null = git === undefined ? null : heldBy(git)
      heldMs = now !== null && now.mark === held?.mark ? heldMs + lookMs : 0
      held = now
      if (held !== null && heldMs >= heldLimitMs) return yield* failure("slow", heldSentence(args, held))
    }
    return yield* tooSlow(args)
  })

const heldSentence = (args: ReadonlyArray<string>, { by, program }: Held): string =>
  `\`git ${named(args)}\` waits for process ${by} (${program}), which a filter that has ended has left running with its output. Let the filter start what goes on with an output of its own (\`>/dev/null 2>&1\`).`

/** Of a git that was still at work when its time was over. */
export const tooSlow = (args: ReadonlyArray<string>): Effect.Effect<never, GitFailed> =>
  failure("slow", `\`git ${named(args)}\` was still at work after ${gitLimitMs / 60_000} minutes.`)

/** The same as text. */
export const git = (
  where: Where,
  args: ReadonlyArray<string>,
  options?: GitOptions
): Effect.Effect<string, GitFailed> =>
  Effect.flatMap(gitBytes(where, args, options), (bytes) =>
    isUtf8(bytes) ? Effect.succeed(bytes.toString()) : unreadableName
  )

/** For commands that print one id. */
export const gitLine = (
  where: Where,
  args: ReadonlyArray<string>,
  options?: GitOptions
): Effect.Effect<string, GitFailed> => Effect.map(git(where, args, options), (printed) => printed.trim())

/** A list that git ends with zero bytes. One that is not valid UTF-8 is null: no name that we can use. */
export const gitFields = (
  where: Where,
  args: ReadonlyArray<string>,
  options?: GitOptions
): Effect.Effect<ReadonlyArray<string | null>, GitFailed> =>
  Effect.map(gitBytes(where, args, options), (bytes) => {
    const fields: Array<string | null> = []
    for (let at = 0, end = bytes.indexOf(0); end !== -1; at = end + 1, end = bytes.indexOf(0, at)) {
      const field = bytes.subarray(at, end)
      fields.push(isUtf8(field) ? field.toString() : null)
    }
    return fields
  })

/** What becomes of names that are not valid UTF-8: a name of other bytes could be neither copied nor removed for certain. */
export interface NameOptions extends GitOptions {
  readonly unreadable?: "refused" | "left out"
}

/** Entries of such a list: names, each behind as many fields as are told of it. */
export const gitEntries = (
  where: Where,
  args: ReadonlyArray<string>,
  { unreadable = "refused", ...options }: NameOptions = {},
  fieldsBefore = 0
): Effect.Effect<ReadonlyArray<ReadonlyArray<string>>, GitFailed> =>
  Effect.flatMap(gitFields(where, args, options), (fields) => {
    if (unreadable === "refused" && fields.includes(null)) return unreadableName
    const width = fieldsBefore + 1
    const entries = Array.from({ length: Math.floor(fields.length / width) }, (_, i) =>
      fields.slice(i * width, (i + 1) * width).filter((field) => field !== null)
    )
    return Effect.succeed(entries.filter((entry) => entry.length === width))
  })

/** The same for a list of nothing but names. */
export const gitNames = (
  where: Where,
  args: ReadonlyArray<string>,
  options?: NameOptions
): Effect.Effect<ReadonlyArray<string>, GitFailed> =>
  Effect.map(gitEntries(where, args, options), (list) => list.flat())

/** Ends a child with all of its group, and waits until it is gone, or nothing can end it. */
const gone = (child: Child, hasEnded: () => boolean): Effect.Effect<void> =>
  Effect.callback<void>((done) => {
    if (hasEnded()) return done(Effect.void)
    const timers = [
      setTimeout(() => killGroup(child, "SIGKILL"), graceMs),
      setTimeout(() => done(Effect.void), graceMs + killLimitMs)
    ]
    const over = (): void => {
      for (const timer of timers) clearTimeout(timer)
      done(Effect.void)
    }
    child.once("error", over)
    child.once("close", () => {
      killGroup(child, "SIGKILL")
      over()
    })
    killGroup(child, "SIGTERM")
  })

/** Ends a git, and what it has started; one that is being started as soon as it is. */
export const killGroup = (child: Child, signal: NodeJS.Signals): void => {
  const { pid } = child
  try {
    if (pid === undefined) child.once("spawn", () => killGroup(child, signal))
    else process.kill(-pid, signal)
  } catch {
    // it has just ended by itself
  }
}

const failure = (reason: GitFailed["reason"], message: string): Effect.Effect<never, GitFailed> =>
  Effect.fail(new GitFailed({ reason, message, said: "", exit_code: null, printed: "" }))

const unreadableName = failure(
  "name",
  "A changed file of the project has a name that is not valid UTF-8. Rename it, or let git ignore it."
)

export const notStarted = (where: Where, { message }: Error): GitFailed => {
  const isThere = existsSync(directoryOf(where))
  return new GitFailed({
    reason: isThere ? "missing" : "failed",
    message: isThere ? `Git could not be started: ${message}.` : `The directory ${directoryOf(where)} does not exist.`,
    said: "",
    exit_code: null,
    printed: ""
  })
}

const failed = (
  args: ReadonlyArray<string>,
  code: number | null,
  signal: NodeJS.Signals | null,
  words: string,
  printed: Buffer
): GitFailed => {
  const line = words.split("\n").findLast((line) => /^(?:fatal|error):/.test(line)) ?? ""
  const said = line
    .replace(/^(?:fatal|error): /, "")
    .trim()
    .replace(/\.$/, "")
  const how = code === null ? `${signal}` : `exit code ${code}`
  return new GitFailed({
    reason: /not a git repository|must be run in a work tree/.test(words) ? "no_repository" : "failed",
    message: `\`git ${named(args)}\` ended with ${how}${said === "" ? "" : `: ${said}`}.`,
    said,
    exit_code: code,
    printed: printed.toString()
  })
}

const named = (args: ReadonlyArray<string>): string => withoutSettings(args).slice(0, 2).join(" ")

const withoutSettings = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args[0] === "-c" ? withoutSettings(args.slice(2)) : args
