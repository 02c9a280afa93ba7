import { existsSync, readFileSync } from "node:fs"
import * as Path from "node:path"

/**
 * What the scripted agent does when it is asked, in the directory it is started in. `%task` stands for the task's id,
 * `%stage` for the directory of the agent.
 */
export interface Move {
  /** Printed before it does anything. */
  readonly prints?: string
  /** Written before it answers. */
  readonly files?: Readonly<Record<string, string>>
  /** A shell command, run before it answers. */
  readonly run?: string
  /** Goes on only when so many moves that say so are at this point together. */
  readonly meet?: number
  /** Goes on only when the stage has this file. */
  readonly until?: string
  /** Its answer; a string is written as it is. Left out: it gives none. */
  readonly report?: unknown
  readonly stdout?: string
  readonly stderr?: string
  readonly exit?: number
  /** Runs until it is ended; `deaf`: and does not listen to TERM. */
  readonly hang?: boolean | "deaf"
}

/**
 * Its moves in order, the last one for all later calls: by `<task>` for work and `<role>:<task>` for anything else; `*`
 * stands for every task without moves of its own.
 */
export type Script = Readonly<Record<string, ReadonlyArray<Move>>>

const agent = `#!/usr/bin/env node
import { execSync } from "node:child_process"
import { appendFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
const here = import.meta.dirname
const { PROOFLINE_TASK_ID: task, PROOFLINE_ATTEMPT: attempt, PROOFLINE_ROLE: role, PROOFLINE_REPORT_FILE: answer } = process.env
const prompt = readFileSync(0, "utf8")
const moves = JSON.parse(readFileSync(join(here, "script.json"), "utf8"))
const key = role === "work" ? task : role + ":" + task
const calls = join(here, "calls.ndjson")
// another one may be writing its line just now
const mine = '{"key":' + JSON.stringify(key) + ","
const asked = existsSync(calls) ? readFileSync(calls, "utf8").split("\\n").filter((line) => line.startsWith(mine)).length : 0
// beside the project nothing but its work changes the project
const note = (line) => here !== process.cwd() && appendFileSync(join(here, "order"), line + " " + key + "\\n")
appendFileSync(calls, JSON.stringify({ key, task, attempt: Number(attempt), role, pid: process.pid, cwd: process.cwd(), root: process.env.PROOFLINE_ROOT, prompt }) + "\\n")
note("+")
const turns = moves[key] ?? moves[role === "work" ? "*" : role + ":*"] ?? []
const move = JSON.parse(JSON.stringify(turns[Math.min(asked + 1, turns.length) - 1] ?? {}).replaceAll("%task", task).replaceAll("%stage", here))
const waitFor = (holds) => {
  const end = Date.now() + 240_000
  while (!holds()) {
    if (Date.now() > end) process.exit(9)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
  }
}
if (move.prints) process.stdout.write(move.prints)
if (move.meet) {
  mkdirSync(join(here, "met"), { recursive: true })
  writeFileSync(join(here, "met", key), "")
  waitFor(() => readdirSync(join(here, "met")).length >= move.meet)
}
if (move.until) waitFor(() => existsSync(join(here, move.until)))
for (const [file, text] of Object.entries(move.files ?? {})) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
if (move.run) execSync(move.run, { stdio: "ignore" })
if (move.hang) {
  if (move.hang === "deaf") process.on("SIGTERM", () => {})
  writeFileSync(join(here, "hanging"), String(process.pid))
  setInterval(() => {}, 1000)
} else {
  if (move.report !== undefined) writeFileSync(answer, typeof move.report === "string" ? move.report : JSON.stringify(move.report))
  if (move.stdout) process.stdout.write(move.stdout)
  if (move.stderr) process.stderr.write(move.stderr)
  process.exitCode = move.exit ?? 0
  note("-")
}
`

/** The files of a scripted agent; its notes of every call, `calls.ndjson`, come beside them. */
export const scriptedAgent = (script: Script): Record<string, string> => ({
  "agent.mjs": agent,
  "script.json": JSON.stringify(script)
})

export interface Call {
  readonly key: string
  readonly task: string
  readonly attempt: number
  readonly role: string
  readonly pid: number
  readonly cwd: string
  readonly root: string
  readonly prompt: string
}

/** The lines of a file of notes; the agent may be writing the next one. */
export const notesIn = (dir: string, name: string): ReadonlyArray<string> =>
  existsSync(Path.join(dir, name)) ? readFileSync(Path.join(dir, name), "utf8").split("\n").slice(0, -1) : []

/** What it was asked, in order. */
export const callsOf = (dir: string): ReadonlyArray<Call> =>
  notesIn(dir, "calls.ndjson").map((line) => JSON.parse(line))

/** `role:task` of every call, in order. */
export const rolesOf = (dir: string): ReadonlyArray<string> => callsOf(dir).map(({ role, task }) => `${role}:${task}`)

export const withAgent = ["--agent", "command", "--agent-command", "node agent.mjs", "--retry-delay", "0s"] as const

/** A report with everything done, with this evidence. */
export const done = (items: Readonly<Record<string, string>>, summary = "done"): unknown => ({
  summary,
  checklist: Object.entries(items).map(([item, evidence]) => ({ item, status: "done", evidence }))
})
