/*
 * Runs a client in its place and keeps what is said: what the client prints, and for a client that is talked with also
 * what it is told. Arguments: the file that is written, whether it is talked with, the program, its arguments.
 */
import { spawn } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"

const [, , folder = "", talks = "", program = "", ...args] = process.argv
const { PROOFLINE_ATTEMPT: attempt, PROOFLINE_REPORT_FILE: report, PROOFLINE_ROLE: role } = process.env

const textsIn = (directory: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(directory, { recursive: true, encoding: "utf8" })
      .filter((name) => !name.startsWith(".proofline") && statSync(join(directory, name)).isFile())
      .map((name) => [name, readFileSync(join(directory, name), "utf8")])
  )

const before = textsIn(".")
const lines: Array<object> = []
const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return line
  }
}

/** Written whole, as often as there is something new: who is talked with is ended, and need not end by itself. */
const keep = (exit: number | null): void => {
  const changed = Object.entries(textsIn(".")).filter(([name, text]) => before[name] !== text)
  const left = {
    files: Object.fromEntries(changed),
    report: report !== undefined && existsSync(report) ? readFileSync(report, "utf8") : null,
    exit
  }
  const file = join(folder, `${role}-${attempt}.jsonl`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, [...lines, left].map((line) => `${JSON.stringify(line)}\n`).join(""))
}

const client = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] })
const isTalk = talks === "talks"
if (isTalk) {
  createInterface({ input: process.stdin })
    .on("line", (line) => {
      const { error, id, method, result } = JSON.parse(line)
      // what we ask for is left out: the prompt is long, and the token secret
      lines.push({ in: { id, method, result, error } })
      client.stdin.write(`${line}\n`)
    })
    .on("close", () => client.stdin.end())
} else process.stdin.pipe(client.stdin)
createInterface({ input: client.stdout }).on("line", (line) => {
  lines.push({ out: parsed(line) })
  if (isTalk) keep(null)
  process.stdout.write(`${line}\n`)
})
process.on("SIGTERM", () => client.kill("SIGTERM"))
client.on("close", (code) => {
  keep(isTalk ? null : code)
  process.exitCode = code ?? 1
})
