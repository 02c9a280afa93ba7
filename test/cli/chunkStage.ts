import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { type Project as Repository, git as runGit } from "../plugins/git-workspaces/support.ts"
import { type Call, callsOf, type Move, notesIn, type Script, scriptedAgent } from "./agent.ts"
import { type Finished, project, proofline } from "./proofline.ts"

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

export const stage = (script: Script, files: Readonly<Record<string, string>> = {}, below = ""): Stage => {
  const room = project(scriptedAgent(script))
  const top = Path.join(room, "project")
  const dir = Path.join(top, below)
  mkdirSync(dir, { recursive: true })
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(Path.dirname(Path.join(dir, name)), { recursive: true })
    writeFileSync(Path.join(dir, name), text)
  }
  const agent = ["--agent", "command", "--agent-command", `node ${room}/agent.mjs`, "--retry-delay", "0s"]
  const isReviewing = Object.keys(script).some((key) => key.startsWith("review:"))
  return {
    dir,
    room,
    agent,
    withAgent: isReviewing ? [...agent, "--reviewer", "command"] : agent,
    calls: (role) => callsOf(room).filter((call) => role === undefined || call.role === role),
    order: () => notesIn(room, "order"),
    read: (file) => (existsSync(Path.join(dir, file)) ? readFileSync(Path.join(dir, file), "utf8") : null),
    git: (...args) => runGit(dir, ...args),
    repository: { room, top, root: dir, stateDir: Path.join(dir, ".proofline/state") }
  }
}

/** The same with everything committed. */
export const gitStage = (script: Script, files: Readonly<Record<string, string>> = {}, below = ""): Stage => {
  const staged = stage(script, files, below)
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
