import { fileURLToPath } from "node:url"
import { repository } from "./proofline.ts"

const program = fileURLToPath(new URL("../plugins/command-agent/acpAgent.ts", import.meta.url))

/** A project whose scripted agent asks a person for leave before it changes a file. */
export const asksForLeave = (): string =>
  repository({
    "tasks.yaml": "tasks: [{ id: edit, name: Edit, instruction: Change it., checklist: [Change a.txt] }]\n",
    "proofline.yaml": `agent: open\nagents:\n  open: { acp: "exec node --no-warnings ${program} task", permissions: ask }\n`
  })
