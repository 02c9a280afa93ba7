import { rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { git } from "../plugins/repositories.ts"
import { done, type Move, rolesOf, scriptedAgent, withAgent } from "./agent.ts"
import { achieved, asked } from "./asked.ts"
import { repository } from "./proofline.ts"

const task = (id: string) => `  - { id: ${id}, name: ${id}, instruction: Write it., checklist: [Add ${id}()] }\n`
const writes = (id: string): Move => ({
  files: { [`${id}.js`]: `export const ${id} = (a) => {\n  return a + 1\n}\n` },
  report: done({ [`Add ${id}()`]: `${id}.js:1-3` })
})
const fails: Move = { exit: 1 }

/** What the agent does from now on, whatever it was asked before. */
const nowDoes = (dir: string, script: Readonly<Record<string, ReadonlyArray<Move>>>): void => {
  writeFileSync(Path.join(dir, "script.json"), JSON.stringify(script))
}

const run = ["run", "tasks.yaml", ...withAgent, "--max-retries", "0"]

/** A project with a run of two tasks, of which the second has failed. */
const failedOnce = async () => {
  const dir = repository({
    "tasks.yaml": `tasks:\n${task("login")}${task("mail")}`,
    ...scriptedAgent({ login: [writes("login")], mail: [fails] })
  })
  const { data } = await asked(run, dir)
  expect(data.status).toBe("incomplete")
  return { dir, older: String(data.run_id) }
}

describe("given a run that failed", () => {
  it("when its file is run again, then that it is not completed is said, and how its work would count", async () => {
    const { dir, older } = await failedOnce()
    const head = git(dir, "rev-parse", "HEAD").trim().slice(0, 12)
    const again = await asked(run, dir)
    expect(again.stderr).toMatch(
      new RegExp(
        `NOTE: ${older} of tasks\\.yaml is not completed \\(incomplete\\)\\..*unless \`--base ${head}\` is given.*resume ${older}\n`
      )
    )
  })

  it("when a later run of the same file is completed, then resume takes neither by itself, and says how to go on with it", async () => {
    const { dir, older } = await failedOnce()
    rmSync(Path.join(dir, "login.js"))
    nowDoes(dir, { login: [writes("login")], mail: [writes("mail")] })
    const newer = (await achieved(run, dir)).data.run_id
    const calls = rolesOf(dir).length
    const { code, data } = await asked(["resume", ...withAgent], dir)
    expect([code, data.problems[0].code]).toEqual([2, "run_unknown"])
    expect(data.problems[0].message).toContain(
      `${older} is not completed, but ${newer} of tasks.yaml was completed after it`
    )
    expect(data.problems[0].hint).toContain(`resume ${older}`)
    expect(rolesOf(dir).length).toBe(calls)
    // named, it goes on
    expect((await asked(["resume", older, ...withAgent], dir)).data.run_id).toBe(older)
    expect((await asked(run, dir)).stderr).not.toContain(newer)
  })

  it("when a later run of the same file completed only some of its tasks, then resume goes on with it, and says which it is", async () => {
    const { dir, older } = await failedOnce()
    rmSync(Path.join(dir, "login.js"))
    nowDoes(dir, { login: [writes("login")], mail: [writes("mail")] })
    await achieved([...run, "--only", "login"], dir)
    const { data, stderr } = await asked(["resume", ...withAgent], dir)
    expect(data.run_id).toBe(older)
    expect(stderr).toContain(`Going on with ${older}.`)
  })
})
