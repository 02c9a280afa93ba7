import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, rmSync } from "node:fs"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "vitest"
import { scriptedAgent, withAgent } from "./agent.ts"
import { connect } from "./mcpClient.ts"
import { finish, isGone, project, start, until } from "./proofline.ts"
import { ask, connectHttp, serving } from "./serveClient.ts"

const database = (dir: string): string => Path.join(dir, ".proofline/state/proofline.db")

/** A committed project with an agent that never ends. */
const committed = (): string => {
  const dir = project({
    "tasks.yaml": "tasks:\n  - { id: a, name: A, instruction: A, checklist: [Write a.txt] }\n",
    ...scriptedAgent({ a: [{ hang: true }] })
  })
  git(dir, "init", "-q")
  git(dir, "add", "-A")
  git(dir, "-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "start")
  return dir
}

const git = (dir: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", args, { cwd: dir, encoding: "utf8" })

type Loss = readonly [what: string, lose: (dir: string) => void]

/** What others do to the log of a project in which something is at work. */
const losses: readonly [Loss, Loss, Loss] = [
  ["git clean -fdxq", (dir) => void git(dir, "clean", "-fdxq")],
  [
    "delete from event",
    (dir) => {
      const db = new DatabaseSync(database(dir), { timeout: 5_000 })
      db.exec("delete from event")
      db.close()
    }
  ],
  [
    "rm proofline.db*",
    (dir) => {
      for (const end of ["", "-wal", "-shm"]) rmSync(`${database(dir)}${end}`, { force: true })
    }
  ]
]

/** A run whose agent is at work, in a process of its own. */
const running = async () => {
  const dir = committed()
  const child = start(["run", "tasks.yaml", ...withAgent, "--json"], dir)
  const ended = finish(child)
  await until(() => existsSync(Path.join(dir, "hanging")))
  return { dir, ended, agent: Number(readFileSync(Path.join(dir, "hanging"), "utf8")) }
}

describe("given a process at work whose log is lost", () => {
  const [[, cleaned], [, emptied], [, removed]] = losses

  it.each(losses)("when somebody does %s then a run ends its agents and itself: log_lost, exit 5", async (_, lose) => {
    const { agent, dir, ended } = await running()
    lose(dir)
    const { code, stdout } = await ended
    expect(code, stdout).toBe(5)
    const [problem, ...others] = JSON.parse(stdout).data.problems
    expect(problem).toMatchObject({ code: "log_lost", message: expect.stringContaining("proofline.db") })
    expect(others).toEqual([])
    expect(isGone(agent)).toBe(true)
  })

  it.each([
    ["watch", emptied],
    ["events --follow", cleaned]
  ] as const)("then whoever looks on with %s is told, and it ends: exit 5", async (command, lose) => {
    const { dir, ended } = await running()
    const looking = start(command.split(" "), dir)
    let seen = ""
    looking.stdout?.on("data", (chunk) => (seen += chunk))
    const looked = finish(looking)
    await until(() => seen.includes("\n"))
    lose(dir)
    const { code, stderr } = await looked
    expect(code, stderr).toBe(5)
    expect(stderr).toContain("[log_lost]")
    expect((await ended).code).toBe(5)
  })

  it("then a server answers with it, to pages and to agents, starts nothing, makes no new log, and ends: exit 5", async () => {
    const dir = committed()
    const server = await serving(dir)
    const agent = await connectHttp(server, server.token)
    expect((await agent.call("get_next_action")).ok).toBe(true)
    cleaned(dir)
    const answered = await ask(server, "/about")
    expect(answered).toMatchObject({ status: 503, body: { code: "log_lost" } })
    expect(answered.body.detail).toContain("proofline.db")
    const begin = { file: "tasks.yaml", agent_command: "node agent.mjs" }
    const [listed, begun] = await Promise.all([ask(server, "/runs"), ask(server, "/runs", begin)])
    for (const one of [listed, begun]) expect(one).toMatchObject({ status: 503, body: { code: "log_lost" } })
    const refused = await agent.call("get_next_action")
    expect(refused).toMatchObject({ ok: false, body: { error: "log_lost", needs_person: true } })
    expect(await server.ended).toBe(5)
    expect(server.stderr()).toContain("[log_lost]")
    expect(existsSync(Path.dirname(database(dir)))).toBe(false)
    expect(existsSync(Path.join(dir, "hanging"))).toBe(false)
  })

  it("then a server that nobody asks ends too: exit 5", async () => {
    const dir = committed()
    const server = await serving(dir)
    const agent = await connectHttp(server, server.token)
    await agent.call("get_next_action")
    await agent.client.close()
    removed(dir)
    expect(await server.ended).toBe(5)
  })

  it("then an agent over MCP is told by its next tool, and the server ends: exit 5", async () => {
    const dir = committed()
    const agent = await connect(dir)
    expect((await agent.call("get_next_action")).ok).toBe(true)
    emptied(dir)
    const refused = await agent.call("get_next_action")
    expect(refused).toMatchObject({ ok: false, body: { error: "log_lost", needs_person: true } })
    await until(() => isGone(agent.pid))
    expect(agent.stderr()).toContain("[log_lost]")
  })
})
