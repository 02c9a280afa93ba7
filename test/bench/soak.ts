/**
 * Whether the real programs keep their memory over many events: `proofline serve` that takes them from agents over HTTP,
 * and `proofline events --follow` that prints each of them. Fails when memory goes on growing after the first third.
 * `soak.ts [events]`: 1,000,000 when it is left out. Not measured: agents, other machines.
 */
import { execFileSync, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const launcher = fileURLToPath(new URL("../../packages/cli/bin/proofline.cjs", import.meta.url))
const wanted = Number(process.argv[2] ?? 1_000_000)
const agents = 16
const samples = 30
/** MiB that a program may have more at the end than after the first third: what its heap takes between two collections. */
const allowed = 48

const dir = mkdtempSync(join(tmpdir(), "proofline-soak-"))
const cli = (...args: ReadonlyArray<string>): string =>
  execFileSync(process.execPath, [launcher, ...args], { cwd: dir, encoding: "utf8" })
const program = (...args: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [launcher, ...args], { cwd: dir, stdio: ["ignore", "pipe", "inherit"] })
  started.push(child)
  return child
}

/** Those that are ended with this one. */
const started: Array<ReturnType<typeof spawn>> = []

/** Of a process, in MiB. */
const residentOf = (pid: number | undefined): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024

process.once("exit", () => {
  for (const one of started) one.kill("SIGKILL")
  rmSync(dir, { recursive: true, force: true })
})

const server = program("serve", "--port", "0", "--json")
server.once("exit", (code, signal) => process.stdout.write(`serve ended: ${code ?? signal}\n`))
const lines = createInterface({ input: server.stdout })
const [said = ""] = await new Promise<ReadonlyArray<string>>((resolve) => lines.once("line", (line) => resolve([line])))
const { url } = JSON.parse(said).data
const tokens = Array.from(
  { length: agents },
  (_, i) => JSON.parse(cli("session", "open", "--agent", `agent-${i}`, "--json")).data.token
)

const follower = program("events", "--follow")
let printed = 0
createInterface({ input: follower.stdout }).on("line", () => printed++)

const seen: Array<{ readonly events: number; readonly server: number; readonly follower: number }> = []
const began = performance.now()
let asked = 0
const work = async (token: string) => {
  while (asked < wanted) {
    const n = asked++
    const ask = () =>
      fetch(`${url}/api/v1/operations/check_write_target`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ file_path: `src/file-${n % 100}.ts` })
      })
    // a connection that was idle is closed by the server, and a request may be on its way to it just then
    const answer = await ask().catch(ask)
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
    await answer.arrayBuffer()
    if (n % Math.ceil(wanted / samples) !== 0) continue
    const sample = { events: n, server: residentOf(server.pid), follower: residentOf(follower.pid) }
    seen.push(sample)
    const perSecond = Math.round(n / ((performance.now() - began) / 1_000))
    process.stdout.write(
      `${String(n).padStart(9)} events  ${String(perSecond).padStart(5)}/s  serve ${sample.server.toFixed(0)} MiB  events --follow ${sample.follower.toFixed(0)} MiB\n`
    )
  }
}

/** By how much the later samples lie above those behind the first third: of each half the middle, for the heap goes up and down. */
const grown = (of: "server" | "follower"): number => {
  const after = seen.slice(Math.ceil(seen.length / 3)).map((sample) => sample[of])
  const middle = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
  const half = Math.floor(after.length / 2)
  return middle(after.slice(half)) - middle(after.slice(0, half))
}

await Promise.all(tokens.map(work))
const inLog = Number(JSON.parse(cli("doctor", "--json")).data.runs[0].events)
const seconds = (performance.now() - began) / 1_000
const more = { serve: grown("server"), "events --follow": grown("follower") }
process.stdout.write(
  `${inLog} events in the log, each hash computed again; ${printed} printed so far; ${seconds.toFixed(0)} s\n`
)
for (const [name, mib] of Object.entries(more)) process.stdout.write(`${name}: ${mib.toFixed(1)} MiB more at the end\n`)
process.exit(inLog < wanted || Object.values(more).some((mib) => mib > allowed) ? 1 : 0)
