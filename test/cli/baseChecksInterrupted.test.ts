import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import * as Path from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { describe, expect, it, onTestFinished } from "vitest"
import { done, scriptedAgent, withAgent } from "./agent.ts"
import { finish, project, start } from "./proofline.ts"

describe("given a run whose commands are at work at the base", () => {
  it("when it is interrupted, then no copy of the project is left behind", async () => {
    const dir = project({
      "proofline.yaml": "proof: {}\n",
      // at the base it tells that it is there and stays
      "check.sh": 'echo here > "$WAITING/here"\nexec sleep 600\n',
      "tasks.yaml":
        "tasks:\n  - id: add\n    name: Add\n    instruction: Write add().\n    checks: [sh ./check.sh]\n    checklist: [Added]\n",
      ...scriptedAgent({ add: [{ files: { "add.js": "let a = 1\n" }, report: done({ Added: "add.js:1" }) }] })
    })
    const temporary = Path.join(dir, "..", `${Path.basename(dir)}-tmp`)
    mkdirSync(temporary)
    onTestFinished(() => rmSync(temporary, { recursive: true, force: true }))
    const env = { TMPDIR: temporary, WAITING: temporary }
    const child = start(["run", "tasks.yaml", ...withAgent], dir, env)
    const finished = finish(child)
    while (!existsSync(Path.join(temporary, "here")) && child.exitCode === null) await pause(5)
    const copies = () => readdirSync(temporary).filter((name) => name.startsWith("proofline-checkout-"))
    expect(copies()).toHaveLength(1)
    child.kill("SIGINT")
    expect((await finished).code).toBe(130)
    expect(copies()).toEqual([])
  })
})
