import { readdirSync, readFileSync } from "node:fs"
import {
  type Problem,
  parseChecks,
  parseConfig,
  parseRequirements,
  parseTasks
} from "@proofline/plugins/adapters/project-files"
import { describe, expect, it } from "vitest"
import { told } from "./told.ts"

interface Answer {
  readonly problems: ReadonlyArray<Problem>
  readonly warnings: ReadonlyArray<Problem>
}

/** By folder: what reads the files in it. */
const kinds: Readonly<Record<string, (text: string) => Answer>> = {
  checks: (text) => parseChecks(text, "f", { tasks: ["login", "logout"], requirements: ["req_1", "req_1.1"] }),
  proofline: (text) => parseConfig(text, "f"),
  requirements: (text) => parseRequirements(text, "f"),
  tasks: (text) => parseTasks(text, "f")
}

const answered = ({ problems, warnings }: Answer): string =>
  [told(problems), ...(warnings.length === 0 ? [] : ["warnings:", told(warnings)])].filter(Boolean).join("\n")

/** What is told of `name.yaml` stands in `name.txt`; `vitest -u` writes it. */
describe.each(Object.entries(kinds))("given a file of %s", (kind, read) => {
  const folder = new URL(`cases/${kind}/`, import.meta.url)
  const names = readdirSync(folder).flatMap((file) => (file.endsWith(".yaml") ? [file.slice(0, -".yaml".length)] : []))

  it.each(names)("when it is %s, then all that is wrong is told, with its place and what to do", async (name) => {
    const text = readFileSync(new URL(`${name}.yaml`, folder), "utf8")
    await expect(`${answered(read(text))}\n`).toMatchFileSnapshot(new URL(`${name}.txt`, folder).pathname)
  })
})
