import { chmodSync, existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { finish, project, start } from "./proofline.ts"

const tasks = "tasks: [{id: a, name: a, instruction: Do it., checklist: [it is done]}]\n"

/** Where a start with this `XDG_CACHE_HOME` keeps what it has compiled. */
const kept = (cache: string) => join(cache, "proofline", "compiled")

/** What this run of tests has for all that it starts. */
const unset = { NODE_COMPILE_CACHE: "" }

describe("what was compiled", () => {
  it("given a cache of this user, is kept there, and `status` neither writes nor needs it", async () => {
    const dir = project({})
    const env = { ...unset, XDG_CACHE_HOME: join(dir, "cache") }
    assert.strictEqual((await finish(start(["status"], dir, env))).code, 1)
    assert.isFalse(existsSync(env.XDG_CACHE_HOME))
    assert.strictEqual((await finish(start(["sample", "tasks"], dir, env))).code, 0)
    assert.isNotEmpty(readdirSync(kept(env.XDG_CACHE_HOME)))
  })

  it.each<[string, Readonly<Record<string, string>>, number]>([
    ["that others may write to", { "cache/proofline/compiled/.keep": "" }, 0o777],
    ["that is a file", { "cache/proofline": "" }, 0o644]
  ])("given a cache %s, is not kept, and the command answers", async (_, files, mode) => {
    const dir = project(files)
    const cache = join(dir, "cache")
    if (existsSync(kept(cache))) chmodSync(kept(cache), mode)
    const { code, stderr } = await finish(start(["sample", "tasks"], dir, { ...unset, XDG_CACHE_HOME: cache }))
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.deepStrictEqual(
      existsSync(kept(cache)) ? readdirSync(kept(cache)) : [],
      existsSync(kept(cache)) ? [".keep"] : []
    )
  })

  it.runIf(process.platform === "linux")(
    "given a home in which nothing can be made, is not kept, and a run ends",
    async () => {
      const dir = project({ "tasks.yaml": tasks, "agent.sh": "#!/bin/sh\n" })
      const env = { ...unset, HOME: "/proc/1", XDG_CACHE_HOME: "", XDG_STATE_HOME: "", PROOFLINE_NO_RECENT: "" }
      const args = ["run", "tasks.yaml", "--agent", "command", "--agent-command", "./agent.sh", "--max-retries", "0"]
      const { code, stderr } = await finish(start(args, dir, env))
      assert.strictEqual(code, 1, stderr)
    }
  )
})
