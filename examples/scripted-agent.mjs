/**
 * A scripted agent: there is no model in it. It plays a coding agent in one of the examples, `node scripted-agent.mjs python`:
 * on the first attempt at its first task it reports a stub as done, the way agents do, and then it does the work. So the
 * examples show the same on every machine, offline.
 *
 * Proofline starts it like any other agent (`--agent command`). Below `scripted/<example>/<task>/` it has a folder for each
 * attempt, with files for the project and the report; the last one is for all later attempts.
 */
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const [example = ""] = process.argv.slice(2)
const {
  PROOFLINE_ATTEMPT: attempt = "1",
  PROOFLINE_REPORT_FILE: reportFile,
  PROOFLINE_ROLE: role,
  PROOFLINE_ROOT: root = process.cwd(),
  PROOFLINE_TASK_ID: task = ""
} = process.env
const folder = fileURLToPath(new URL(`scripted/${example}/`, import.meta.url))

const giveUp = (why) => {
  process.stderr.write(`This scripted agent only knows its examples: ${why}.\n`)
  process.exit(1)
}

if (!/^\w+$/.test(example) || !existsSync(folder)) giveUp(`there is no example called "${example}"`)
if (reportFile === undefined) giveUp("it is started by Proofline, with --agent command")

/** The folder of an attempt; the last one there is for those that follow. */
const folderOf = (number) => {
  const own = join(folder, task, String(number))
  return existsSync(own) || number <= 1 ? own : folderOf(number - 1)
}

if (role === "generate") {
  // a plan for requirements.yaml: the tasks that lie beside it
  writeFileSync(reportFile, readFileSync(join(root, "tasks.yaml")))
} else if (role === "work") {
  const own = folderOf(Number(attempt))
  if (!existsSync(own)) giveUp(`it has no task called "${task}"`)
  cpSync(join(own, "files"), root, { recursive: true })
  cpSync(join(own, "report.json"), reportFile)
  process.stdout.write(`Scripted agent (no model), task ${task}, attempt ${attempt}: all done.\n`)
} else if (role === "verify") {
  // it finds everything met, as agents do; what counts are the tests, and what the tasks have shown
  const requirement_status = [{ requirement_id: task, met: true, evidence: "It looks right." }]
  writeFileSync(reportFile, JSON.stringify({ all_requirements_met: true, requirement_status }))
} else giveUp(`it is not asked for ${role}`)
