/** A scripted agent for tests: what it does in attempt n of a task stands in script.json, the last entry for all later ones. */
export interface Turn {
  /** Written before it reports. */
  readonly files?: Readonly<Record<string, string>>
  /** Its answer; a string is written as it is. Left out: it gives none. */
  readonly report?: unknown
  readonly stdout?: string
  readonly stderr?: string
  readonly exit?: number
  /** Runs until it is ended. */
  readonly hang?: boolean
}

/** By `<role>:<task>` or `<task>` for work. */
export type Script = Readonly<Record<string, ReadonlyArray<Turn>>>

const agent = `#!/usr/bin/env node
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
const { PROOFLINE_TASK_ID: task, PROOFLINE_ATTEMPT: attempt, PROOFLINE_ROLE: role, PROOFLINE_REPORT_FILE: answer } = process.env
const prompt = readFileSync(0, "utf8")
appendFileSync("calls.ndjson", JSON.stringify({ task, attempt: Number(attempt), role, pid: process.pid, prompt }) + "\\n")
const turns = JSON.parse(readFileSync("script.json", "utf8"))[role === "work" ? task : role + ":" + task] ?? []
const turn = turns[Math.min(Number(attempt), turns.length) - 1] ?? {}
for (const [file, text] of Object.entries(turn.files ?? {})) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
if (turn.hang) {
  writeFileSync("hanging", String(process.pid))
  process.on("SIGTERM", () => {})
  setInterval(() => {}, 1000)
} else {
  if (turn.report !== undefined) writeFileSync(answer, typeof turn.report === "string" ? turn.report : JSON.stringify(turn.report))
  if (turn.stdout) process.stdout.write(turn.stdout)
  if (turn.stderr) process.stderr.write(turn.stderr)
  process.exitCode = turn.exit ?? 0
}
`

/** The files of a project with a scripted agent. */
export const scriptedAgent = (script: Script): Record<string, string> => ({
  "agent.mjs": agent,
  "script.json": JSON.stringify(script)
})

export const withAgent = ["--agent", "command", "--agent-command", "node agent.mjs", "--retry-delay", "0s"] as const

/** The same, named as the reviewer too. */
export const withReviewer = [...withAgent, "--reviewer", "command"] as const

/** A report with everything done, with this evidence. */
export const done = (items: Readonly<Record<string, string>>): unknown => ({
  summary: "done",
  checklist: Object.entries(items).map(([item, evidence]) => ({ item, status: "done", evidence }))
})
