import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { often } from "../often.ts"
import { type Connected, connect } from "./mcpClient.ts"
import { files, journey, refusals, standing } from "./mcpStage.ts"
import { documentOf, isGone, project, proofline, until } from "./proofline.ts"
import { expectReplay, newestLog } from "./sessionStage.ts"

/** The runs of a project. */
const runsOf = async (dir: string): Promise<ReadonlyArray<{ run_id: string; kind: string; status: string }>> =>
  documentOf(await proofline(["history", "--json"], dir)).data.runs

/** Everything in the project is deleted but what Proofline itself keeps of the run. */
const forgetFiles = (dir: string): void => {
  for (const name of readdirSync(dir)) if (name !== ".proofline") rmSync(Path.join(dir, name), { recursive: true })
  const own = Path.join(dir, ".proofline")
  for (const name of readdirSync(own)) if (name !== "state") rmSync(Path.join(own, name), { recursive: true })
}

const linesIn = (dir: string, name: string): ReadonlyArray<string> =>
  existsSync(Path.join(dir, name)) ? readFileSync(Path.join(dir, name), "utf8").trim().split("\n") : []

/** How often something has happened in the newest run. */
const countOf = async (dir: string, type: string): Promise<number> =>
  (await newestLog(dir)).filter(({ event_type }) => event_type === type).length

const at = (name: string): number => {
  const found = journey.findIndex((step) => step.name === name)
  expect(found).toBeGreaterThan(0)
  return found
}

/** Takes the steps of the whole journey up to one of this name, which is left to the test. */
const walkTo = async (name: string, agent: Connected, dir: string): Promise<void> => {
  for (const { take } of journey.slice(0, at(name))) await take(agent, dir)
}

describe("a session over MCP", () => {
  it("goes from the first look to the word that it is done through servers that are killed, under the same rules, and is decided the same without client and files", async () => {
    const dir = project(files)
    let agent = await connect(dir)
    const exchange = async (after: string, told: () => Promise<unknown>): Promise<void> => {
      const before = await told()
      await agent.kill()
      agent = await connect(dir)
      expect(await told(), `after the agent ${after}`).toEqual(before)
    }
    // `npm run test:full` takes each step by itself
    const every = often(5) === 5 ? 1 : 4
    const last = at("passes the verifier")
    for (const [i, { name, take }] of journey.slice(0, last).entries()) {
      await take(agent, dir)
      if (i % every === every - 1) await exchange(name, async () => [await refusals(agent), await standing(agent)])
    }
    await journey[last]?.take(agent, dir)
    await exchange("passes the verifier", () => standing(agent))
    expect((await agent.call("submit_phase", { data: {} })).ok).toBe(false)
    const report = { result: "success", summary: "Auth" }
    const left = { success: true, action: "exit" }
    for (const _ of ["once", "twice"]) expect((await agent.call("report_completed", report)).body).toMatchObject(left)
    // who has not heard the answer asks again, and begins nothing by it
    await agent.kill()
    agent = await connect(dir)
    expect((await agent.call("report_completed", report)).body).toMatchObject(left)
    await agent.close()
    expect(agent.stderr()).toBe("")
    expect(linesIn(dir, "verified")).toEqual(["run", "run"])
    expect(await runsOf(dir)).toMatchObject([{ kind: "session", status: "completed" }])
    expect(await countOf(dir, "COMPLETION_REPORTED")).toBe(1)
    forgetFiles(dir)
    await expectReplay(dir)
  }, 180_000)

  it("survives a kill in the middle of a long verification, which is run again and counts once", async () => {
    // at the base it fails at once
    const verifier = `#!/bin/sh\n[ -e README.md ] || exit 1\necho $$ >> pids\nwhile [ ! -e go ]; do sleep 0.05; done\n`
    const dir = project({ ...files, "verify.sh": verifier })
    const first = await connect(dir)
    await walkTo("is sent back by the verifier", first, dir)
    const lost = first.call("submit_phase", { data: {} }).catch((error: unknown) => error)
    await until(() => linesIn(dir, "pids").length === 1)
    await first.kill()
    expect(await lost).toBeInstanceOf(Error)

    const second = await connect(dir)
    const asked = second.call("get_next_action")
    await until(() => linesIn(dir, "pids").length === 2)
    // nobody may say in the meantime that it has passed
    expect((await second.call("submit_phase", { data: {} })).body).toMatchObject({ error: "verification_running" })
    expect((await second.call("report_completed", { result: "success" })).body).toMatchObject({ error: "phase_open" })
    writeFileSync(Path.join(dir, "go"), "")
    expect((await asked).body).toMatchObject({ action: "report_completion", phase: "DONE" })
    expect((await second.call("report_completed", { result: "success" })).ok).toBe(true)
    await second.close()
    await until(() => linesIn(dir, "pids").map(Number).every(isGone))
    expect(await countOf(dir, "PHASE_VERIFIED")).toBe(1)
    await expectReplay(dir)
  })

  it("is not begun by a client that says nothing, and ends with its client, which leaves the work to the next one", async () => {
    const dir = project(files)
    expect(await proofline(["mcp"], dir)).toEqual({ code: 0, stdout: "", stderr: "" })
    expect(await runsOf(dir)).toEqual([])
    const first = await connect(dir)
    await walkTo("asks where it may write", first, dir)
    await first.close()
    expect((await newestLog(dir)).at(-1)).toMatchObject({ event_type: "SESSION_CLOSED" })
    const second = await connect(dir, { name: "Another" })
    expect((await second.call("get_my_task")).body).toMatchObject({ task: { task_id: "auth" } })
  })
})
