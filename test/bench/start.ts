/** How long the program, as it is installed, takes from its start to its end, beside Node that does nothing. */
import { spawn, spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { installedIn } from "./installed.ts"

export interface Start {
  readonly what: string
  /** Ms. */
  readonly p50: number
  readonly p95: number
}

export interface StartFigures {
  readonly node: Start
  readonly commands: ReadonlyArray<Start>
}

/** A session run that goes on, in which an agent has something to do: what makes the Stop hook read most. */
const beginSession = async (program: string, cwd: string): Promise<void> => {
  const server = spawn(process.execPath, [program, "mcp"], { cwd, stdio: ["pipe", "pipe", "ignore"] })
  const answers = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
  const say = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  const clientInfo = { name: "claude-code", version: "1" }
  say({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } })
  await answers.next()
  say({ method: "notifications/initialized" })
  say({ id: 2, method: "tools/call", params: { name: "get_next_action", arguments: {} } })
  await answers.next()
  const ended = new Promise((resolve) => server.on("exit", resolve))
  server.stdin.end()
  await ended
}

const tasks = "tasks: [{ id: a, name: A, instruction: A, checks: [test -s a.txt], checklist: [Write a.txt] }]\n"

/** Each is started so often, in turns; the first few, which fill caches, do not count. */
export const measureStart = async (directory: string, times: number): Promise<StartFigures> => {
  const project = join(directory, "start")
  mkdirSync(project)
  writeFileSync(join(project, "tasks.yaml"), tasks)
  writeFileSync(join(project, "proofline.yaml"), "agents: { mine: { command: 'true' } }\nagent: mine\n")
  const program = installedIn(directory)
  await beginSession(program, project)
  const stops = { session_id: "s", cwd: project, hook_event_name: "Stop", background_tasks: [] }
  const all: ReadonlyArray<readonly [what: string, args: ReadonlyArray<string>, input: string, says: RegExp]> = [
    ["node -e 0", ["-e", "0"], "", /^$/],
    ["--help", [program, "--help"], "", /Usage/],
    ["status", [program, "status"], "", /run_/],
    ["history", [program, "history"], "", /run_/],
    ["hook claude-stop", [program, "hook", "claude-stop"], JSON.stringify(stops), /"block"/],
    ["run tasks.yaml --dry-run", [program, "run", "tasks.yaml", "--dry-run"], "", /Would run/]
  ]
  const env = { ...process.env, XDG_CACHE_HOME: join(directory, "cache") }
  const taken = all.map(() => [] as Array<number>)
  for (let time = -3; time < times; time++) {
    for (const [i, [what, args, input, says]] of all.entries()) {
      const begun = performance.now()
      const { stdout } = spawnSync(process.execPath, args, { cwd: project, env, input, encoding: "utf8" })
      const ms = performance.now() - begun
      if (!says.test(stdout)) throw new Error(`${what} said ${JSON.stringify(stdout)}.`)
      if (time >= 0) taken[i]?.push(ms)
    }
  }
  const [node, ...commands] = all.map(([what], i): Start => {
    const sorted = (taken[i] ?? []).toSorted((a, b) => a - b)
    const at = (part: number): number => sorted[Math.ceil(sorted.length * part) - 1] ?? 0
    return { what, p50: at(0.5), p95: at(0.95) }
  })
  if (node === undefined) throw new Error("Nothing was measured.")
  return { node, commands }
}
