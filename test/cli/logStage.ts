import { rmSync } from "node:fs"
import * as Path from "node:path"
import { documentOf, project, proofline } from "./proofline.ts"

/** It does what it is asked once the project has a file `work`. */
const agent = `#!/bin/sh
test -e work || exit 0
echo done > a.txt
echo '{"summary":"done","checklist":[{"item":"a.txt is there","status":"done","evidence":"a.txt:1"}]}' > "$PROOFLINE_REPORT_FILE"
`

const tasks = `tasks:
  - id: a
    name: a
    instruction: Write a.txt.
    checklist: [{item: a.txt is there, check: "test -e a.txt"}]
`

/** The command that runs it. */
export const runOf = [
  "run",
  "tasks.yaml",
  "--agent",
  "command",
  "--agent-command",
  "./agent.sh",
  "--max-retries",
  "0"
] as const

/** A project with a run that was completed and one that was stopped after its first step. */
export const begun = async (files: Readonly<Record<string, string>> = {}) => {
  const dir = project({ "agent.sh": agent, "tasks.yaml": tasks, work: "", ...files })
  const completed = documentOf(await proofline([...runOf, "--json"], dir)).data.run_id
  rmSync(Path.join(dir, "work"))
  const stopped = documentOf(await proofline([...runOf, "--step", "--json"], dir)).data.run_id
  return { dir, completed, stopped, other: Path.join(dir, "other") }
}
