/** Runs that a server starts: each is a Proofline of its own, which goes on when the server dies. */
import { type ChildProcess, spawn } from "node:child_process"
import * as Path from "node:path"
import { Effect } from "effect"
import { ownProgram } from "../assets.ts"
import { blobsVariable, databaseVariable } from "../base/database.ts"
import type { ProjectPaths } from "../base/paths.ts"
import type { Problem } from "../base/problems.ts"
import { checksVariable, takenChecks } from "../base/takenEnvironment.ts"
import { commandFor, say } from "../process/output.ts"

/** Bytes of what it printed that are kept until it is at work. */
const documentMax = 16 * 1_024 * 1_024
const tailMax = 16 * 1_024

/** How long a run has to end by itself once the server ends, and once it was told again; ms. */
const endsWithinMs = 10_000
const endsAtOnceMs = 2_000

/** A Proofline that was started. */
export interface Child {
  readonly pid: number
  /** The document it printed, when it had ended; null: it printed none. */
  readonly ended: Promise<{ readonly data: ChildData | null; readonly tail: string }>
  /** It is at work on this run: what it prints from now on is nobody's. */
  readonly begun: (run: string) => void
}

export interface ChildData {
  readonly run_id?: string
  readonly problems?: ReadonlyArray<Problem>
}

export interface Children {
  /** Starts `proofline <args>` for the project, with `stdin` where it reads that; a text: the system's name for why there is no such process. */
  readonly start: (args: ReadonlyArray<string>, stdin?: string) => Effect.Effect<Child | string>
}

interface Living {
  readonly process: ChildProcess
  readonly ended: Promise<unknown>
  run: string | null
}

/** When the scope closes they are interrupted and waited for, and it is said how they go on. */
export const makeChildren = Effect.fnUntraced(function* (paths: ProjectPaths) {
  const living = new Set<Living>()
  yield* Effect.addFinalizer(() => Effect.suspend(() => endAll([...living], paths)))
  const start: Children["start"] = (args, stdin) =>
    Effect.promise(async () => {
      const begun = await spawned(args, paths, stdin)
      if (typeof begun === "string") return begun
      const { child, pid } = begun
      const output = collect(child)
      const one: Living = { process: child, run: null, ended: output.ended }
      living.add(one)
      void output.ended.then(() => living.delete(one))
      return {
        pid,
        ended: output.ended,
        begun: (run) => {
          one.run = run
          output.forget()
        }
      }
    })
  return { start } satisfies Children
})

const spawnChild = (
  [command = "", ...args]: ReadonlyArray<string>,
  { blobStore, databaseUrl, root, state }: ProjectPaths,
  stdin: string | undefined
): ChildProcess => {
  // the operator's token is not for what runs there
  const { PROOFLINE_TOKEN, ...env } = process.env
  const checks = takenChecks()
  const taken = {
    ...(checks === undefined ? {} : { [checksVariable]: checks }),
    // not as an argument: everybody on the machine sees those
    ...(databaseUrl === undefined ? {} : { [databaseVariable]: databaseUrl }),
    ...(blobStore === undefined ? {} : { [blobsVariable]: blobStore })
  }
  return spawn(process.execPath, [ownProgram, command, "--json", `--cwd=${root}`, `--state=${state}`, ...args], {
    cwd: root,
    env: { ...env, ...taken },
    stdio: [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    // Ctrl-C of a terminal is for the server, which ends them in its own way
    detached: true
  })
}

/** The process once it is there, or why it is not. */
const spawned = (
  args: ReadonlyArray<string>,
  paths: ProjectPaths,
  stdin: string | undefined
): Promise<{ readonly child: ChildProcess; readonly pid: number } | string> =>
  new Promise<{ readonly child: ChildProcess; readonly pid: number }>((resolve, reject) => {
    const child = spawnChild(args, paths, stdin)
    // one that ends before it has read all of it says itself why
    child.stdin?.on("error", () => {})
    child.stdin?.end(stdin)
    child.once("error", reject)
    child.once("spawn", () => resolve({ child, pid: child.pid ?? 0 }))
  }).catch(({ code = "unknown" }: NodeJS.ErrnoException) => code)

const collect = (child: ChildProcess) => {
  let document: Array<Buffer> | null = []
  let bytes = 0
  let tail = ""
  child.stdout?.on("data", (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > documentMax) document = null
    document?.push(chunk)
  })
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    tail = (tail + chunk).slice(-tailMax)
  })
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve())).then(() => ({
    data: dataIn(document),
    tail
  }))
  return {
    ended,
    forget: () => {
      document = null
    }
  }
}

const dataIn = (document: ReadonlyArray<Buffer> | null): ChildData | null => {
  try {
    return document === null ? null : (JSON.parse(Buffer.concat(document).toString()).data ?? null)
  } catch {
    return null
  }
}

/** As Ctrl-C would: agents are ended and it is recorded, so that every run can be resumed. */
const endAll = Effect.fnUntraced(function* (living: ReadonlyArray<Living>, paths: ProjectPaths) {
  if (living.length === 0) return
  const ended = Promise.all(living.map((one) => one.ended)).then(() => true)
  const within = (ms: number) =>
    Effect.promise(() => {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<boolean>((resolve) => {
        timer = setTimeout(() => resolve(false), ms)
      })
      return Promise.race([ended, late]).finally(() => clearTimeout(timer))
    })
  const tell = (signal: NodeJS.Signals) => {
    for (const { process: child } of living) child.kill(signal)
  }
  tell("SIGINT")
  if (!(yield* within(endsWithinMs))) {
    // told again it does not wait for its agents; they end with it
    tell("SIGTERM")
    if (!(yield* within(endsAtOnceMs))) tell("SIGKILL")
  }
  // workers go on with them
  if (paths.databaseUrl !== undefined) return
  const runs = living.flatMap(({ run }) => run ?? [])
  const resume = commandFor(paths)
  if (runs.length > 0)
    yield* say(`Interrupted: ${runs.join(", ")}. Go on with: ${runs.map((run) => resume(`resume ${run}`)).join("; ")}`)
})

/** A file as the child knew it, from the project on. */
export const fromProject = (file: string, root: string): string => {
  const path = Path.relative(root, Path.resolve(root, file))
  return path.startsWith("..") ? file : path.split(Path.sep).join("/")
}
