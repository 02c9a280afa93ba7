import { type ChildProcess, fork, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { onTestFinished, TestRunner } from "vitest"
import { isProgramBuilt } from "../built.ts"
import { begin, write } from "../plugins/repositories.ts"

export const launcher = fileURLToPath(new URL("../../packages/cli/bin/proofline.cjs", import.meta.url))

const sources: Readonly<Record<string, string>> = {
  "@proofline/kernel": "kernel/src/index.ts",
  "@proofline/kernel/plugin": "kernel/src/plugin.ts",
  "@proofline/plugins/policies/evidence": "plugins/src/policies/evidence/plugin.ts",
  "@proofline/plugins/policies/requirements": "plugins/src/policies/requirements/plugin.ts",
  "@proofline/plugins/ports": "plugins/src/port/index.ts",
  "@proofline/plugins/policies/sessions": "plugins/src/policies/sessions/plugin.ts"
}

/** A plugin of a project in which the packages it imports are not installed. */
export const withSources = (plugin: string): string =>
  plugin.replace(/(?<=from ")(?:@proofline\/[^"]+|effect)(?=")/g, (name) => {
    if (name === "effect") return import.meta.resolve("effect")
    const source = sources[name]
    if (source === undefined) throw new Error(`The tests know no sources of ${name}.`)
    return new URL(`../../packages/${source}`, import.meta.url).href
  })

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const environment = (env: Readonly<Record<string, string>>) => {
  const { FORCE_COLOR, NO_COLOR, ...rest } = process.env
  return { ...rest, ...env }
}

const leftByAll: Array<() => unknown> = []

/** Undoes something with the file of tests that is being run. */
export const afterFile = (undo: () => unknown): void => void leftByAll.push(undo)

/** Files of tests come one after the other in one process; `leaving.ts` calls this at the end of each. */
export const leaveFile = async (): Promise<void> => {
  for (const undo of leftByAll.splice(0)) await undo()
  if (host?.busy !== true) return
  // a test that failed has left it at a command
  host.child.kill("SIGKILL")
  host = null
}

/** Undoes something when the test has ended, or with the file when it was made for all of its tests. */
export const afterwards = (undo: () => unknown): void => {
  if (TestRunner.getCurrentTest() === undefined) afterFile(undo)
  else onTestFinished(async () => void (await undo()))
}

interface Started {
  readonly cwd: string
  /** All of its environment. */
  readonly env: NodeJS.ProcessEnv
  /** What starts it in its place. */
  readonly by?: ReadonlyArray<string>
  readonly input?: string | Uint8Array | undefined
}

const startAs = (args: ReadonlyArray<string>, { by = [], cwd, env, input }: Started): ChildProcess => {
  const [program = "", ...rest] = [...by, process.execPath, launcher, ...args]
  const child = spawn(program, rest, { cwd, env, stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"] })
  child.stdin?.end(input)
  afterwards(() => child.kill("SIGKILL"))
  // it may have ended before anybody asks
  void finish(child)
  return child
}

/** Starts the real program; it is ended with the test if it has not ended by then. `input`: all that it may read. */
export const start = (
  args: ReadonlyArray<string>,
  cwd: string,
  env: Readonly<Record<string, string>> = {},
  input?: string | Uint8Array
): ChildProcess => startAs(args, { cwd, env: environment(env), input })

// modes do not bind root, but one without any capability; it still owns the files, and may go where root may
const bound = process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] : []

/** The same for a user whom the modes of files bind. */
export const startBound = (
  args: ReadonlyArray<string>,
  cwd: string,
  env: Readonly<Record<string, string>> = {}
): ChildProcess => startAs(args, { cwd, env: environment(env), by: bound })

/** It would be compiled anew for each: it changes nothing but how long a program takes to start. */
const compiled = (): Readonly<Record<string, string>> => {
  const { NODE_COMPILE_CACHE, PROOFLINE_BUNDLE } = process.env
  return {
    ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
    ...(PROOFLINE_BUNDLE === undefined ? {} : { PROOFLINE_BUNDLE })
  }
}

/** The same for a user who has this environment and nothing else but what it was compiled to. */
export const startIn = (
  cwd: string,
  env: Readonly<Record<string, string>>,
  args: ReadonlyArray<string>
): ChildProcess => startAs(args, { cwd, env: { ...compiled(), ...env } })

/** Everything a process prints until it has ended; one of `start` is listened to from its beginning. */
export const finish = (child: ChildProcess): Promise<Finished> => {
  const before = endings.get(child)
  if (before !== undefined) return before
  const ending = new Promise<Finished>((resolve) => {
    let stdout = ""
    let stderr = ""
    child.stdout?.on("data", (chunk) => (stdout += chunk))
    child.stderr?.on("data", (chunk) => (stderr += chunk))
    child.on("close", (code) => resolve({ code, stdout, stderr }))
  })
  endings.set(child, ending)
  return ending
}

const endings = new WeakMap<ChildProcess, Promise<Finished>>()

/** The kept program runs what is built; sources that are newer are run by a new process. */
const mayBeKept = (): boolean => process.env["PROOFLINE_BUNDLE"] === "newest" || isProgramBuilt()

/** A program that is kept between calls, and whether it is at one. */
let host: { readonly child: ChildProcess; busy: boolean } | null = null

const freeHost = () => {
  if (host === null || host.child.exitCode !== null || host.child.signalCode !== null) {
    if (!mayBeKept()) return null
    const child = fork(fileURLToPath(new URL("host.cjs", import.meta.url)), {
      stdio: ["ignore", "inherit", "inherit", "ipc"]
    })
    child.unref()
    child.channel?.unref()
    modulesRead.clear()
    host = { child, busy: false }
  }
  return host.busy ? null : host
}

/**
 * `status` has its own quick way, a demo lets other programs print for it, and a module of a project's plugin that has
 * changed is read anew only by a new process.
 */
const needsItsOwn = (args: ReadonlyArray<string>, cwd: string): boolean =>
  ["demo", "status"].includes(args[0] ?? "") ||
  [cwd, ...args]
    .map((place) => Path.resolve(cwd, place))
    .filter(hasPlugins)
    .some(hasOtherModules)

const hasPlugins = (directory: string): boolean => {
  const file = Path.join(directory, "proofline.yaml")
  return existsSync(file) && /^plugins:/m.test(readFileSync(file, "utf8"))
}

/** What a plugin may consist of, by project, as the kept program has read it. */
const modulesRead = new Map<string, string>()

/** Whether the kept program has read others there before. */
const hasOtherModules = (directory: string): boolean => {
  const now = modulesIn(directory)
    .map((file) => `${file}\n${readFileSync(file, "utf8")}`)
    .join("\n")
  const before = modulesRead.get(directory) ?? now
  modulesRead.set(directory, before)
  return before !== now
}

const modulesIn = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = Path.join(directory, entry.name)
    if (entry.isDirectory()) return /^(?:\.|node_modules$)/.test(entry.name) ? [] : modulesIn(path)
    return entry.isFile() && /\.(?:[cm]?[jt]s|json)$/.test(entry.name) ? [path] : []
  })

/** Runs a command to its end, in a program that is kept for the next one where that makes no difference. */
export const proofline = (
  args: ReadonlyArray<string>,
  cwd: string,
  env: Readonly<Record<string, string>> = {},
  input?: string | Uint8Array
): Promise<Finished> => {
  const kept = freeHost()
  const free = kept === null || needsItsOwn(args, cwd) ? null : kept
  if (free === null) return finish(start(args, cwd, env, input))
  const { child } = free
  return new Promise((resolve) => {
    const settle = (finished: Finished) => {
      free.busy = false
      child.off("message", settle).off("exit", ended)
      child.channel?.unref()
      resolve(finished)
    }
    const ended = (code: number | null) =>
      settle({ code, stdout: "", stderr: "The program ended in the middle of a command." })
    free.busy = true
    child.channel?.ref()
    child.on("message", settle).on("exit", ended)
    const read = input === undefined ? null : Buffer.from(input).toString("base64")
    child.send({ args, cwd, env: environment(env), input: read })
  })
}

/** A directory with these files, gone when the test or the file of tests has ended. What begins with `#!` can be run. */
export const project = (files: Readonly<Record<string, string>>): string => {
  const dir = mkdtempSync(Path.join(tmpdir(), "proofline-test-"))
  afterwards(() => rmSync(dir, { recursive: true, force: true }))
  write(dir, files)
  return dir
}

/** The same as a repository, with all of it in its first commit but for what is ignored. */
export const repository = (files: Readonly<Record<string, string>>): string => {
  const dir = project({})
  begin(dir, { ".gitignore": "node_modules\n.proofline\ncalls.ndjson\n", ...files })
  return dir
}

/** The document a command printed with `--json`. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into documents of every kind
export const documentOf = (finished: Finished): any => JSON.parse(finished.stdout)

/** The events of a run, parsed. */
export const eventsOf = async (
  run: string,
  cwd: string,
  env: Readonly<Record<string, string>> = {},
  flags: ReadonlyArray<string> = []
  // biome-ignore lint/suspicious/noExplicitAny: as above
): Promise<Array<any>> => {
  const { stdout } = await proofline(["events", run, ...flags], cwd, env)
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
}

/** The process is gone, or dead and only not yet collected by its parent. */
export const isGone = (pid: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    return ["Z", "X"].includes(stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3))
  } catch {
    if (existsSync("/proc/self/stat")) return true
  }
  try {
    process.kill(pid, 0)
    return false
  } catch {
    return true
  }
}

/** How long is waited for anything; only there so that a broken program ends the test. */
export const limitMs = 120_000

/** Looks until the condition holds. */
export const until = async (condition: () => boolean | Promise<boolean>, limit = limitMs): Promise<void> => {
  const end = performance.now() + limit
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`It did not come about within ${limit} ms.`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
