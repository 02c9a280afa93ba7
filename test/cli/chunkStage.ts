import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { type Project as Repository, git as runGit } from "../plugins/git-workspaces/support.ts"
import { type Finished, project, proofline } from "./proofline.ts"

/** What an agent does when it is asked, in the directory it is started in. `%task` stands for the task's id, `%stage` for the stage. */
export interface Move {
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

/** By `<task>` for work and `<role>:<task>` for anything else; `*` stands for every task without moves of its own. */
export type Moves = Readonly<Record<string, ReadonlyArray<Move>>>

/** The agent stands beside the project, and what it notes too: nothing but its work changes the project. */
const program = `
import { execSync } from "node:child_process"
import { appendFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
const here = import.meta.dirname
const { PROOFLINE_TASK_ID: task, PROOFLINE_ATTEMPT: attempt, PROOFLINE_ROLE: role, PROOFLINE_REPORT_FILE: answer } = process.env
const prompt = readFileSync(0, "utf8")
const moves = JSON.parse(readFileSync(join(here, "moves.json"), "utf8"))
const key = role === "work" ? task : role + ":" + task
const calls = join(here, "calls.ndjson")
// another one may be writing its line just now
const mine = '{"key":' + JSON.stringify(key) + ","
const asked = existsSync(calls) ? readFileSync(calls, "utf8").split("\\n").filter((line) => line.startsWith(mine)).length : 0
const note = (line) => appendFileSync(join(here, "order"), line + " " + key + "\\n")
appendFileSync(calls, JSON.stringify({ key, task, attempt: Number(attempt), role, pid: process.pid, cwd: process.cwd(), root: process.env.PROOFLINE_ROOT, prompt }) + "\\n")
note("+")
const turns = moves[key] ?? moves[role === "work" ? "*" : role + ":*"] ?? []
const move = JSON.parse(JSON.stringify(turns[Math.min(asked + 1, turns.length) - 1] ?? {}).replaceAll("%task", task).replaceAll("%stage", here))
const waitFor = (holds) => {
  const end = Date.now() + 30_000
  while (!holds()) {
    if (Date.now() > end) process.exit(9)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
  }
}
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

/** A project with an agent beside it. */
export interface Stage {
  /** The project. */
  readonly dir: string
  /** Where the agent and its notes are. */
  readonly room: string
  /** Names the agent; no wait before a retry. */
  readonly agent: ReadonlyArray<string>
  /** The same, and names it as the reviewer too where it has moves for that. */
  readonly withAgent: ReadonlyArray<string>
  readonly calls: (role?: string) => ReadonlyArray<Call>
  /** `+ <key>` and `- <key>` for each beginning and end, in order. */
  readonly order: () => ReadonlyArray<string>
  readonly read: (file: string) => string | null
  readonly git: (...args: ReadonlyArray<string>) => string
  /** For the helpers that look at a repository. */
  readonly repository: Repository
}

export const stage = (moves: Moves, files: Readonly<Record<string, string>> = {}, below = ""): Stage => {
  const room = project({ "agent.mjs": program, "moves.json": JSON.stringify(moves) })
  const top = Path.join(room, "project")
  const dir = Path.join(top, below)
  mkdirSync(dir, { recursive: true })
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(Path.dirname(Path.join(dir, name)), { recursive: true })
    writeFileSync(Path.join(dir, name), text)
  }
  // the agent may be writing its next line
  const notes = (name: string) =>
    existsSync(Path.join(room, name)) ? readFileSync(Path.join(room, name), "utf8").split("\n").slice(0, -1) : []
  const agent = ["--agent", "command", "--agent-command", `node ${room}/agent.mjs`, "--retry-delay", "0s"]
  const isReviewing = Object.keys(moves).some((key) => key.startsWith("review:"))
  return {
    dir,
    room,
    agent,
    withAgent: isReviewing ? [...agent, "--reviewer", "command"] : agent,
    calls: (role) =>
      notes("calls.ndjson")
        .map((line): Call => JSON.parse(line))
        .filter((call) => role === undefined || call.role === role),
    order: () => notes("order"),
    read: (file) => (existsSync(Path.join(dir, file)) ? readFileSync(Path.join(dir, file), "utf8") : null),
    git: (...args) => runGit(dir, ...args),
    repository: { room, top, root: dir, stateDir: Path.join(dir, ".proofline/state") }
  }
}

/** The same with everything committed. */
export const gitStage = (moves: Moves, files: Readonly<Record<string, string>> = {}, below = ""): Stage => {
  const staged = stage(moves, files, below)
  const { top } = staged.repository
  runGit(top, "init", "--quiet", "--initial-branch", "main")
  runGit(top, "add", "--all")
  runGit(top, "commit", "--quiet", "--allow-empty", "--message", "base")
  return staged
}

/** One part of a plan; it is what an agent answers in the role `analyze`. */
export const part = (prompt: string, dependencies: ReadonlyArray<number> = [], more: object = {}): object => ({
  prompt,
  dependencies,
  acceptance_criteria: [`${prompt}: done`],
  ...more
})

/** A plan as the agent's answer. */
export const planned = (...subtasks: ReadonlyArray<object>): ReadonlyArray<Move> => [
  { report: { is_decomposable: true, decomposition_reason: "several parts", subtasks } }
]

/** Work that leaves a file, and says so. */
export const writes = (file: string, text = `export const made = "${file}"\n`): Move => ({
  files: { [file]: text },
  report: { summary: `${file} is written` }
})

export const pass: Move = { report: { judgment: "PASS" } }

/** The prompt of every task that a scripted analyzer splits. */
export const bigTask = "Do the big thing"

/** A prompt that is split by the scripted agent and run. */
export const chunk = (on: Stage, ...more: ReadonlyArray<string>): Promise<Finished> => {
  const agent = more.includes("--reviewer") ? on.agent : on.withAgent
  return proofline(["chunk", bigTask, ...agent, "--analyzer", "agent", "--json", ...more], on.dir)
}

/** An event as it stands in the log. */
export interface Logged {
  readonly stream: string
  readonly version: number
  readonly event_type: string
  readonly visibility: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every kind
  readonly content: any
}

/** The newest run's events, read from the file, also while or after somebody writes it. */
export const logOf = (dir: string): ReadonlyArray<Logged> => {
  const db = new DatabaseSync(Path.join(dir, ".proofline/state/proofline.db"), { readOnly: true })
  try {
    return db
      .prepare(
        "select stream, version, event_type, visibility, timestamp, content from event where stream = (select run_id from run_summary order by started_at desc limit 1) order by version"
      )
      .all()
      .map((row) => ({ ...row, content: JSON.parse(String(row["content"])) }) as unknown as Logged)
  } finally {
    db.close()
  }
}

export const ofType = (events: ReadonlyArray<Logged>, ...types: ReadonlyArray<string>): ReadonlyArray<Logged> =>
  events.filter(({ event_type }) => types.includes(event_type))
