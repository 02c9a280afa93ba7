import { existsSync, readFileSync } from "node:fs"
import * as Path from "node:path"
import { project } from "./proofline.ts"

/**
 * A scripted agent for tests of requirements. Its plans stand in plan-<iteration>.yaml, its opinions in opinion.json by
 * requirement, else all is well; work writes `<task>.txt` and cites it. `hang.json` names a call, `<role>:<task>`, in which it waits for good.
 */
const agent = `#!/usr/bin/env node
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs"
const { PROOFLINE_TASK_ID: task, PROOFLINE_ATTEMPT: attempt, PROOFLINE_ROLE: role, PROOFLINE_REPORT_FILE: answer } = process.env
const prompt = readFileSync(0, "utf8")
appendFileSync("calls.ndjson", JSON.stringify({ task, attempt: Number(attempt), role, pid: process.pid, prompt }) + "\\n")
const hangs = existsSync("hang.json") ? JSON.parse(readFileSync("hang.json", "utf8")) : ""
if (hangs === role + ":" + task) {
  writeFileSync("hanging", String(process.pid))
  setInterval(() => {}, 1000)
} else if (role === "generate") {
  const plan = "plan-" + task.replace("iteration-", "") + ".yaml"
  process.stdout.write(existsSync(plan) ? "This is the plan:\\n\\n\`\`\`yaml\\n" + readFileSync(plan, "utf8") + "\`\`\`\\n" : "I have no plan.\\n")
} else if (role === "verify") {
  const opinion = JSON.parse(readFileSync("opinion.json", "utf8"))[task] ?? { met: true, evidence: "$ ls\\nnotes" }
  writeFileSync(answer, JSON.stringify({ all_requirements_met: opinion.met, requirement_status: [{ requirement_id: task, ...opinion }] }))
} else {
  writeFileSync(task + ".txt", "work of " + task + "\\n")
  writeFileSync(answer, JSON.stringify({ summary: "wrote " + task, checklist: [{ item: task + ".txt is written", status: "done", evidence: task + ".txt:1" }] }))
}
`

export interface Call {
  readonly role: string
  readonly task: string
  readonly attempt: number
  readonly prompt: string
}

/** A plan of one task for each id, with the criteria it covers. */
export const planOf = (
  tasks: Readonly<Record<string, { readonly covers: ReadonlyArray<string>; readonly after?: ReadonlyArray<string> }>>
): string =>
  `tasks:\n${Object.entries(tasks)
    .map(
      ([id, { after = [], covers }]) =>
        `  - id: ${id}\n    name: Write ${id}.txt\n    instruction: |\n      Write ${id}.txt.\n    depends_on: [${after.join(", ")}]\n    covers: [${covers.join(", ")}]\n    checklist: ["${id}.txt is written"]\n`
    )
    .join("")}`

/** Three requirements; the third has a check. Two iterations meet them. */
export const requirements = `name: notes
context: |
  A place for notes.
requirements:
  - id: req_1
    description: There is a first note.
    acceptance_criteria: [the first note is written]
  - id: req_2
    description: There is a second note.
    acceptance_criteria: [the second note is written]
  - id: req_3
    description: The second note can be read.
    acceptance_criteria:
      - { criterion: it can be read, check: test -s task_2.txt }
constraints: [plain text only]
`

export const plans = {
  "plan-1.yaml": planOf({ task_1: { covers: ["req_1.1"] } }),
  "plan-2.yaml": planOf({ task_2: { covers: ["req_2.1", "req_3.1"], after: ["task_1"] } })
}

export const stage = (files: Readonly<Record<string, string>> = {}): string =>
  project({ "agent.mjs": agent, "requirements.yaml": requirements, "opinion.json": "{}", ...plans, ...files })

export const withAgent = ["--agent", "command", "--agent-command", "./agent.mjs", "--retry-delay", "0s"] as const

export const callsOf = (dir: string): ReadonlyArray<Call> => {
  const file = Path.join(dir, "calls.ndjson")
  return existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line))
    : []
}

/** `role:task` of every call, in order. */
export const rolesOf = (dir: string): ReadonlyArray<string> => callsOf(dir).map(({ role, task }) => `${role}:${task}`)
