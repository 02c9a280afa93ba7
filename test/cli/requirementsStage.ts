import { readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { done, type Script, scriptedAgent } from "./agent.ts"
import { fixture } from "./asked.ts"
import { project } from "./proofline.ts"

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
export const { "requirements.yaml": requirements = "" } = fixture("requirements")

export const plans = {
  "plan-1.yaml": planOf({ task_1: { covers: ["req_1.1"] } }),
  "plan-2.yaml": planOf({ task_2: { covers: ["req_2.1", "req_3.1"], after: ["task_1"] } })
}

const opinion = { requirement_id: "%task", met: true, evidence: "$ ls\nnotes" }

/** Its plans are `plan-<iteration>.yaml` of the files, its opinion is that all is well, its work `<task>.txt`, which it cites. */
const scriptOf = (files: Readonly<Record<string, string>>): Script => ({
  ...Object.fromEntries(
    Object.entries(files).flatMap(([name, text]) => {
      const [, iteration] = /^plan-(\d+)\.yaml$/.exec(name) ?? []
      const stdout = `This is the plan:\n\n\`\`\`yaml\n${text}\`\`\`\n`
      return iteration === undefined ? [] : [[`generate:iteration-${iteration}`, [{ stdout }]]]
    })
  ),
  "generate:*": [{ stdout: "I have no plan.\n" }],
  "verify:*": [{ report: { all_requirements_met: true, requirement_status: [opinion] } }],
  "*": [
    {
      files: { "%task.txt": "work of %task\n" },
      report: done({ "%task.txt is written": "%task.txt:1" }, "wrote %task")
    }
  ]
})

/** A project with requirements and the scripted agent, which waits for good in the call `<role>:<task>` of `hangs`. */
export const stage = (more: Readonly<Record<string, string>> = {}, hangs?: string): string => {
  const files = { "requirements.yaml": requirements, ...plans, ...more }
  const dir = project({ ...scriptedAgent(scriptOf(files)), ...files })
  if (hangs !== undefined) hang(dir, hangs)
  return dir
}

/** From now on it waits for good in a call. */
export const hang = (dir: string, call: string): void =>
  change(dir, (script) => ({ ...script, [call.replace(/^work:/, "")]: [{ hang: true }] }))

/** It goes on as if nothing had been. */
export const letGo = (dir: string, files: Readonly<Record<string, string>> = {}): void =>
  change(dir, () => scriptOf({ ...plans, ...files }))

const change = (dir: string, to: (script: Script) => Script): void => {
  const file = Path.join(dir, "script.json")
  writeFileSync(file, JSON.stringify(to(JSON.parse(readFileSync(file, "utf8")))))
}
