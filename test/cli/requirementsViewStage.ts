import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { write } from "../plugins/repositories.ts"
import { done, type Script, scriptedAgent, withAgent } from "./agent.ts"
import { achieved, fixture } from "./asked.ts"
import { afterFile, project } from "./proofline.ts"

const {
  "geometry-requirements.yaml": requirements = "",
  "calc.py": calc = "",
  "cube.py": cube = "",
  ...plans
} = fixture("geometry")

export { calc, requirements }

/** The first iteration proves areas and fails with cubes; the second one proves cubes. */
export const script: Script = {
  areas: [{ files: { "calc.py": calc }, report: done({ "Add area()": "calc.py:4" }) }],
  cubes: [{ report: done({ "Add volume()": "cube.py:1" }) }],
  again: [{ files: { "cube.py": cube }, report: done({ "Add volume() now": "cube.py:1-2" }) }]
}

export const files = (turns: Script, text = requirements): Record<string, string> => ({
  ...plans,
  "geometry-requirements.yaml": text,
  ...scriptedAgent(turns)
})

/** Nobody else may read it: it must not be found in what is written for others. */
export const secret = "token-4711-in-a-command-line"

export const command = [
  "run-requirements",
  "geometry-requirements.yaml",
  ...withAgent.map((word) => (word === "node agent.mjs" ? `: ${secret}; ${word}` : word)),
  "--max-retries",
  "0"
] as const

let template: ReturnType<typeof make> | undefined

/** Two iterations, all that is required met; made once, to be looked at. */
export const metRun = () => {
  template ??= make()
  return template
}

/** The same for a test that changes it. */
export const copyOfMet = async () => {
  const met = await metRun()
  const dir = project({})
  cpSync(met.dir, dir, { recursive: true })
  return { ...met, dir }
}

const make = async () => {
  const dir = mkdtempSync(Path.join(tmpdir(), "proofline-test-"))
  afterFile(() => {
    template = undefined
    rmSync(dir, { recursive: true, force: true })
  })
  write(dir, files(script))
  const { run_id: run } = (await achieved(command, dir)).data
  return { dir, run: run as string, children: [1, 2].map((n) => `${run}-iter${n}`) as [string, string] }
}
