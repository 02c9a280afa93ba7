import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { afterAll } from "vitest"
import { write } from "../plugins/repositories.ts"
import { done, type Script, scriptedAgent, withAgent } from "./agent.ts"
import { achieved } from "./asked.ts"
import { project } from "./proofline.ts"

export const requirements = `
name: Geometry <b>lib</b>
context: A small library.
requirements:
  - id: req_1
    name: Areas
    description: Areas of shapes
    acceptance_criteria:
      - Areas of circles
      - {criterion: It knows pi, check: "grep -q math.pi calc.py"}
  - id: req_2
    name: Volumes
    acceptance_criteria: [Volumes of cubes]
  - id: req_3
    name: Read me
    acceptance_criteria: [{criterion: It says how, check: "cat README.md"}]
    priority: optional
generation: {tasks: [plan-1.yaml, plan-2.yaml]}
verification: {verifier: none}
`
const plan1 = `
tasks:
  - {id: areas, name: Write area, instruction: Write it., covers: [req_1.1, req_1.2], checklist: [Add area()]}
  - {id: cubes, name: Write volume, instruction: Write it., covers: [req_2.1], checklist: [Add volume()]}
`
const plan2 = `
tasks:
  - {id: again, name: Write volume again, instruction: Write it., covers: [req_2.1], depends_on: [areas], checklist: [Add volume() now]}
`
export const calc = `import math


def area(radius):
    square = radius * radius
    return math.pi * square  # <script>alert(1)</script>
`
const cube = `def volume(side):
    return side * side * side
`
/** The first iteration proves areas and fails with cubes; the second one proves cubes. */
export const script: Script = {
  areas: [{ files: { "calc.py": calc }, report: done({ "Add area()": "calc.py:4" }) }],
  cubes: [{ report: done({ "Add volume()": "cube.py:1" }) }],
  again: [{ files: { "cube.py": cube }, report: done({ "Add volume() now": "cube.py:1-2" }) }]
}

export const files = (turns: Script, text = requirements): Record<string, string> => ({
  "geometry-requirements.yaml": text,
  "plan-1.yaml": plan1,
  "plan-2.yaml": plan2,
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
afterAll(async () => {
  if (template !== undefined) rmSync((await template).dir, { recursive: true, force: true })
})

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
  write(dir, files(script))
  const { run_id: run } = (await achieved(command, dir)).data
  return { dir, run: run as string, children: [1, 2].map((n) => `${run}-iter${n}`) as [string, string] }
}
