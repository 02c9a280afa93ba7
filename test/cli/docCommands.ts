/** Runs the commands of a page as they stand. */
import { type ChildProcess, spawn } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Block, blocksOf, commandsIn, isTried } from "../docs/blocks.ts"
import { commit, write } from "../plugins/repositories.ts"
import type { DocStage } from "./docStage.ts"
import { type Finished, proofline } from "./proofline.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** They would change this machine; what they install is what the tests run with. */
const installs = /^(?:npm (?:install|ci|pack)\b|PATH=)/

/** They go on until they are stopped. */
const servers = /^(?:\w+=(?:\$\([^)]*\)|\S+) )*proofline (?:serve|mcp$|docs(?: --\S+)*$)|^proofline run .*--ui\b/

/** Pages that begin before there are tasks. */
const withoutTasks = /^docs\/(?:migrating\/|requirements\.md)/

/** What a page has come to. */
interface Reading {
  readonly stage: DocStage
  dir: string
  env: Record<string, string>
  /** What the last block has printed. */
  printed: string
}

/** Runs the blocks of a page in their order, and says what went otherwise than it says. */
export const faultsOf = async (page: string, stage: DocStage): Promise<ReadonlyArray<string>> => {
  const reading: Reading = { stage, dir: stage.dir, env: { ...stage.env }, printed: "" }
  if (withoutTasks.test(page)) rmSync(join(stage.dir, "tasks.yaml"))
  const faults: Array<string> = []
  for (const block of blocksOf(page).filter(isTried)) {
    if (block.file !== "" && !block.file.startsWith("~")) write(reading.dir, { [block.file]: block.text })
    else if (block.language === "sh") faults.push(...(await faultsOfCommands(block, reading)))
    else if (block.language === "text" && page.endsWith("tutorial.md")) faults.push(...unsaid(block, reading))
  }
  return faults
}

const placeOf = ({ line, page }: Block): string => `${page}:${line}`

/** Lines that the page shows and nobody has printed. */
const unsaid = (block: Block, { printed }: Reading): ReadonlyArray<string> =>
  block.text
    .trimEnd()
    .split("\n")
    .flatMap((line) => (printed.includes(line) ? [] : [`${placeOf(block)}: not said: ${line}\n${printed}`]))

const faultsOfCommands = async (block: Block, reading: Reading): Promise<ReadonlyArray<string>> => {
  const faults: Array<string> = []
  const before = reading.printed
  reading.printed = ""
  // between two blocks a reader commits what was done
  if (reading.dir === reading.stage.dir) commit(reading.dir)
  const { directive } = block
  const codes = directive._tag === "ends with" ? directive.codes : [0]
  const commands = commandsIn(block.text).filter((one) => !installs.test(one))
  for (const [index, command] of commands.entries()) {
    const { code, stderr, stdout } = await carriedOut(filled(command, before + reading.printed, reading), reading)
    reading.printed += stdout
    const wanted = codes[Math.min(index, codes.length - 1)]
    const said = `${stderr.slice(-600)}${stdout.slice(-300)}`
    if (code !== wanted) faults.push(`${placeOf(block)}: ${command}\n  ended with ${code}, not ${wanted}: ${said}`)
  }
  return faults
}

/** What stands for something of the reader's. */
const filled = (command: string, printed: string, { stage: { runs, versions } }: Reading): string => {
  const nameOf = (run: string): string => run.slice(run.lastIndexOf("_") + 1)
  return command
    .replaceAll("k3x9q2", nameOf(runs.newer))
    .replaceAll("m4y8r3", nameOf(runs.older))
    .replace("--of <run>", `--of ${runs.requirements}`)
    .replaceAll(/[<[]run[>\]]/g, runs.newer)
    .replaceAll("<checkout>", root)
    .replace(/(--(?:at|good|until)) 40\b/, `$1 ${versions.middle}`)
    .replace("--bad 120", `--bad ${versions.last}`)
    .replace("ses_…", /\bses_[\w-]+/.exec(printed)?.[0] ?? "ses_none")
}

const carriedOut = async (command: string, reading: Reading): Promise<Finished> => {
  const { dir, env } = reading
  const [, variable] = /^export (\w+)=/.exec(command) ?? []
  if (variable !== undefined) {
    const finished = await inShell(`${command}; printf %s "$${variable}"`, dir, env)
    reading.env = { ...env, [variable]: finished.stdout }
    return finished
  }
  // what a run makes is there from an earlier block
  const [, out] = /--out ([\w.]+)/.exec(command) ?? []
  if (out !== undefined) rmSync(join(dir, out), { force: true })
  if (servers.test(command)) return untilItSpeaks(command, dir, env)
  const isPlain = /^proofline [\w\s./:,=@+-]*$/.test(command)
  const finished = isPlain ? await proofline(command.split(/\s+/).slice(1), dir, env) : await inShell(command, dir, env)
  const [, into] = /(?:^|&& )cd (\S+)/.exec(command) ?? []
  if (into !== undefined) reading.dir = join(dir, into)
  return finished
}

const started = (command: string, cwd: string, env: Readonly<Record<string, string>>): ChildProcess =>
  spawn("sh", ["-c", command], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true
  })

/** Everything that it prints; `heard` after each piece of it. */
const ended = (child: ChildProcess, heard: (said: string) => void = () => {}): Promise<Finished> =>
  new Promise((resolve) => {
    let [stdout, stderr] = ["", ""]
    child.stdout?.on("data", (chunk) => {
      stdout += chunk
      heard(stdout + stderr)
    })
    child.stderr?.on("data", (chunk) => {
      stderr += chunk
      heard(stdout + stderr)
    })
    child.on("close", (code) => resolve({ code, stdout, stderr }))
  })

const inShell = (command: string, dir: string, env: Readonly<Record<string, string>>): Promise<Finished> =>
  ended(started(command, dir, env))

/** Waits until it says where it is, then stops it as Ctrl-C does: it has done well when it got so far. */
const untilItSpeaks = async (
  command: string,
  dir: string,
  env: Readonly<Record<string, string>>
): Promise<Finished> => {
  const child = started(command, dir, env)
  let isThere = false
  const finished = await ended(child, (said) => {
    if (isThere || !said.includes("http://127.0.0.1")) return
    isThere = true
    if (child.pid !== undefined) process.kill(-child.pid, "SIGINT")
  })
  return isThere ? { ...finished, code: 0 } : finished
}
