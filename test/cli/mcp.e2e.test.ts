import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { often } from "../often.ts"
import { type Connected, connect } from "./mcpClient.ts"
import { files, journey, refusals, standing } from "./mcpStage.ts"
import { documentOf, eventsOf, isGone, project, proofline, until } from "./proofline.ts"

/** The runs of a project. */
const runsOf = async (dir: string): Promise<ReadonlyArray<{ run_id: string; kind: string; status: string }>> =>
  documentOf(await proofline(["history", "--json"], dir)).data.runs

/** The events of its only run, which is one of sessions. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into events of every kind
const logOf = async (dir: string): Promise<Array<any>> => {
  const runs = await runsOf(dir)
  expect(runs).toMatchObject([{ kind: "session" }])
  return eventsOf(runs[0]?.run_id ?? "", dir)
}

const typesOf = async (dir: string): Promise<ReadonlyArray<string>> =>
  (await logOf(dir)).map(({ event_type }) => event_type)

/** Everything in the project is deleted but what Proofline itself keeps of the run. */
const forgetFiles = (dir: string): void => {
  for (const name of readdirSync(dir)) if (name !== ".proofline") rmSync(Path.join(dir, name), { recursive: true })
  const own = Path.join(dir, ".proofline")
  for (const name of readdirSync(own)) if (name !== "state") rmSync(Path.join(own, name), { recursive: true })
}

const expectReplay = async (dir: string): Promise<void> => {
  const replayed = await proofline(["replay", "--json"], dir)
  expect(replayed.code, replayed.stdout).toBe(0)
  expect(documentOf(replayed).data).toMatchObject({ divergence: null })
}

const linesIn = (dir: string, name: string): ReadonlyArray<string> =>
  existsSync(Path.join(dir, name)) ? readFileSync(Path.join(dir, name), "utf8").trim().split("\n") : []

const stepsBefore = (name: string): typeof journey => {
  const end = journey.findIndex((step) => step.name === name)
  expect(end).toBeGreaterThan(0)
  return journey.slice(0, end)
}

/** Takes the steps of the whole journey up to one of this name, which is left to the test. */
const walkTo = async (name: string, agent: Connected, dir: string): Promise<void> => {
  for (const { take } of stepsBefore(name)) await take(agent, dir)
}

describe("a session over MCP", () => {
  it("goes from the first look to the word that it is done, and is decided the same without client and files", {
    timeout: 120_000
  }, async () => {
    const dir = project(files)
    const agent = await connect(dir)
    for (const { take } of journey) await take(agent, dir)
    await agent.close()
    expect(agent.stderr()).toBe("")
    expect(linesIn(dir, "verified")).toEqual(["run", "run"])
    expect(await runsOf(dir)).toMatchObject([{ kind: "session", status: "completed" }])
    expect((await typesOf(dir)).filter((type) => type === "COMPLETION_REPORTED").length).toBe(1)
    forgetFiles(dir)
    await expectReplay(dir)
  })

  it("goes on in a new server between its steps, with the same rules in force", { timeout: 240_000 }, async () => {
    const dir = project(files)
    let agent = await connect(dir)
    // `npm run test:full` takes each step by itself
    const every = often(5) === 5 ? 1 : 4
    for (const [i, { name, take }] of stepsBefore("passes the verifier").entries()) {
      await take(agent, dir)
      if (i % every !== every - 1) continue
      const refused = await refusals(agent)
      const before = await standing(agent)
      await agent.kill()
      agent = await connect(dir)
      expect(await standing(agent), `after the agent ${name}`).toEqual(before)
      expect(await refusals(agent), `after the agent ${name}`).toEqual(refused)
    }
    await agent.kill()
    forgetFiles(dir)
    await expectReplay(dir)
  })

  it("is still there when the server is killed between the last verification and the word that it is done", {
    timeout: 120_000
  }, async () => {
    const dir = project(files)
    const first = await connect(dir)
    await walkTo("reports completion", first, dir)
    const before = await standing(first)
    await first.kill()
    const second = await connect(dir)
    expect(await standing(second)).toEqual(before)
    expect((await second.call("submit_phase", { data: {} })).ok).toBe(false)
    const report = { result: "success", summary: "Auth" }
    const { body } = await second.call("report_completed", report)
    expect(body).toMatchObject({ success: true, action: "exit" })
    expect((await second.call("report_completed", report)).body).toMatchObject({ success: true, action: "exit" })
    // who has not heard the answer asks again, and begins nothing by it
    await second.kill()
    const third = await connect(dir)
    expect((await third.call("report_completed", report)).body).toMatchObject({ success: true, action: "exit" })
    await third.close()
    expect(await runsOf(dir)).toMatchObject([{ kind: "session", status: "completed" }])
    expect((await typesOf(dir)).filter((type) => type === "COMPLETION_REPORTED").length).toBe(1)
    forgetFiles(dir)
    await expectReplay(dir)
  })

  it("survives a kill in the middle of a long verification, which is run again and counts once", {
    timeout: 120_000
  }, async () => {
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
    expect((await typesOf(dir)).filter((type) => type === "PHASE_VERIFIED").length).toBe(1)
    await expectReplay(dir)
  })

  it("ends with its client, and leaves the work to the next one", async () => {
    const dir = project(files)
    const first = await connect(dir)
    await walkTo("asks where it may write", first, dir)
    await first.close()
    expect((await logOf(dir)).at(-1)).toMatchObject({ event_type: "SESSION_CLOSED" })
    const second = await connect(dir, { name: "Another" })
    expect((await second.call("get_my_task")).body).toMatchObject({ task: { task_id: "auth" } })
  })

  it("is not begun by a client that says nothing and goes", async () => {
    const dir = project(files)
    expect(await proofline(["mcp"], dir)).toEqual({ code: 0, stdout: "", stderr: "" })
    expect(await runsOf(dir)).toEqual([])
  })
})
