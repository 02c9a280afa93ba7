import { existsSync, readdirSync, readFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { files, journey, refusals, standing } from "./mcpStage.ts"
import { documentOf, eventsOf, project, proofline } from "./proofline.ts"
import { connectHttp, serving } from "./serveClient.ts"

const revisions = ["2026-07-28", "2025-11-25"]

const runOf = async (dir: string): Promise<{ readonly run_id: string; readonly status: string }> =>
  documentOf(await proofline(["history", "--json"], dir)).data.runs[0]

describe("a session over HTTP", () => {
  it.each(revisions.slice(1))(
    "goes from the first look to the word that it is done, in %s",
    { timeout: 120_000 },
    async (pin) => {
      const dir = project(files)
      const server = await serving(dir)
      const agent = await connectHttp(server, server.token, { pin })
      for (const { take } of journey) await take(agent, dir)
      await agent.client.close()
      expect(await server.stop()).toBe(130)
      expect(server.stderr()).toBe("")
      const run = await runOf(dir)
      expect(run).toMatchObject({ kind: "session", status: "completed" })
      const opened = (await eventsOf(run.run_id, dir)).filter(({ event_type }) => event_type === "SESSION_OPENED")
      expect(opened.map(({ content }) => content.agent)).toEqual(["test-agent"])
      const replayed = await proofline(["replay", "--json"], dir)
      expect(documentOf(replayed).data, replayed.stdout).toMatchObject({ divergence: null })
    }
  )

  it("goes on in a new server that takes the place of one that was killed", { timeout: 120_000 }, async () => {
    const dir = project(files)
    let before: unknown = null
    for (let i = 0; i < journey.length; i += 5) {
      const server = await serving(dir)
      const agent = await connectHttp(server, server.token, { pin: revisions[i % 2] ?? "" })
      if (before !== null) expect([await refusals(agent), await standing(agent)]).toEqual(before)
      for (const { take } of journey.slice(i, i + 5)) await take(agent, dir)
      if (i + 5 < journey.length) before = [await refusals(agent), await standing(agent)]
      await server.kill()
    }
    expect(await runOf(dir)).toMatchObject({ status: "completed" })
  })

  it("leaves its token nowhere but on its own output", { timeout: 60_000 }, async () => {
    const dir = project(files)
    const server = await serving(dir, ["--tools", "all"])
    const opened = documentOf(await proofline(["session", "open", "--agent", "a", "--json"], dir)).data
    for (const token of [server.token, opened.token]) {
      const agent = await connectHttp(server, token)
      for (const tool of (await agent.client.listTools()).tools) await agent.call(tool.name, { task_id: "t", data: {} })
    }
    await server.stop()
    const secrets = [server.token, opened.token]
    const isClean = (text: string): boolean => secrets.every((secret) => !text.includes(secret))
    expect(isClean(server.stderr())).toBe(true)
    // as itself, and in the address of the page
    expect(server.stdout().split(server.token).length).toBe(3)
    const below = (path: string): ReadonlyArray<string> =>
      readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => Path.join(entry.parentPath, entry.name))
    const kept = below(Path.join(dir, ".proofline")).filter((file) => existsSync(file))
    expect(kept.length).toBeGreaterThan(0)
    for (const file of kept) expect(isClean(readFileSync(file, "latin1")), file).toBe(true)
  })
})
