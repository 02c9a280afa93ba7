import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "vitest"
import { daily } from "../often.ts"
import { done, scriptedAgent, withAgent } from "./agent.ts"
import { achieved, asked, each } from "./asked.ts"
import { connect } from "./mcpClient.ts"
import { documentOf, finish, isGone, project, proofline, start, until } from "./proofline.ts"
import { ask, connectHttp, serving } from "./serveClient.ts"
import { git, repository } from "./sessionStage.ts"

const database = (dir: string): string => Path.join(dir, ".proofline/state/proofline.db")

const change = (dir: string, sql: string): void => {
  const db = new DatabaseSync(database(dir), { timeout: 5_000 })
  db.exec(sql)
  db.close()
}

const tasks = "tasks:\n  - { id: a, name: A, instruction: A, checks: [test -s a.txt], checklist: [Write a.txt] }\n"
const hanging = { "tasks.yaml": tasks, ...scriptedAgent({ a: [{ hang: true }] }) }
const honest = {
  "tasks.yaml": tasks,
  ...scriptedAgent({ a: [{ files: { "a.txt": "content\n" }, report: done({ "Write a.txt": "a.txt:1" }) }] })
}

// what others do to the log of a project in which something is at work
const clean = (dir: string): void => void git(dir, "clean", "-fdxq")
const empty = (dir: string): void => change(dir, "delete from event")
const remove = (dir: string): void => {
  for (const end of ["", "-wal", "-shm"]) rmSync(`${database(dir)}${end}`, { force: true })
}

/** A run at work in a process of its own, and somebody who looks on; comes back when its log is lost and all has ended. */
const losing = async (lose: (dir: string) => void, ...look: ReadonlyArray<string>) => {
  const dir = repository(hanging)
  const ended = finish(start(["run", "tasks.yaml", ...withAgent, "--json"], dir))
  await until(() => existsSync(Path.join(dir, "hanging")))
  const agent = Number(readFileSync(Path.join(dir, "hanging"), "utf8"))
  const looking = look.length === 0 ? null : start(look, dir)
  let seen = ""
  looking?.stdout?.on("data", (chunk) => (seen += chunk))
  const looked = looking === null ? null : finish(looking)
  await until(() => looking === null || seen.includes("\n"))
  lose(dir)
  return { agent, ended: await ended, looked: await looked }
}

describe("given a process at work, when its log is lost", () => {
  it("then a run ends its agents and itself, and whoever looks on is told: log_lost, exit 5", async () => {
    const all = [losing(clean, "events", "--follow"), losing(empty, "watch"), losing(remove)]
    for (const { agent, ended, looked } of await Promise.all(all)) {
      expect(ended.code, ended.stdout).toBe(5)
      expect(documentOf(ended).data.problems).toEqual([
        expect.objectContaining({ code: "log_lost", message: expect.stringContaining("proofline.db") })
      ])
      expect(isGone(agent)).toBe(true)
      if (looked === null) continue
      expect(looked.code, looked.stderr).toBe(5)
      expect(looked.stderr).toContain("[log_lost]")
    }
  })

  it("then servers answer with it, start nothing, make no new log, and end, one that nobody asks too: exit 5", async () => {
    const [asked, alone, overStdio] = [repository(hanging), repository(hanging), repository(hanging)]
    const [server, other, local] = await Promise.all([serving(asked), serving(alone), connect(overStdio)])
    const agent = await connectHttp(server, server.token)
    const leaving = await connectHttp(other, other.token)
    for (const one of [agent, leaving, local]) expect((await one.call("get_next_action")).ok).toBe(true)
    await leaving.client.close()
    remove(alone)
    empty(overStdio)
    clean(asked)

    const begin = { file: "tasks.yaml", agent_command: "node agent.mjs" }
    const answers = [ask(server, "/about"), ask(server, "/runs"), ask(server, "/runs", begin)]
    for (const answered of await Promise.all(answers)) {
      expect(answered).toMatchObject({ status: 503, body: { code: "log_lost" } })
      expect(answered.body.detail).toContain("proofline.db")
    }
    for (const one of [agent, local]) {
      const refused = await one.call("get_next_action")
      expect(refused).toMatchObject({ ok: false, body: { error: "log_lost", needs_person: true } })
    }
    expect(await server.ended).toBe(5)
    await until(() => isGone(local.pid))
    for (const stderr of [server.stderr(), local.stderr()]) expect(stderr).toContain("[log_lost]")
    for (const stderr of [server.stderr(), local.stderr()]) expect(stderr).not.toMatch(/\n\s+at /)
    expect(existsSync(Path.dirname(database(asked)))).toBe(false)
    expect(existsSync(Path.join(asked, "hanging"))).toBe(false)
    expect(await other.ended).toBe(5)
  })
})

const ended = async (dir: string): Promise<string> => {
  return (await achieved(["run", "tasks.yaml", ...withAgent], dir)).data.run_id
}

const cutOff = "delete from event where position > (select max(position) - 2 from event)"

describe.each(
  daily(
    [
      ["in a repository", () => repository(honest)],
      ["outside of one", () => project(honest)]
    ],
    2
  )
)("given a run that has ended %s", (_, place) => {
  it("then its head is kept; when its end, all of it or the whole log is deleted, that is told: exit 5", async () => {
    const dir = place()
    const run = await ended(dir)
    const { chain, kept_head } = (await asked(["verify"], dir)).data
    expect(chain.ok).toBe(true)
    expect(kept_head).toEqual(chain.head)
    const replayed = await asked(["replay"], dir)
    expect(replayed).toMatchObject({ code: 0, data: { run_id: run, divergence: null, integrity: null } })
    if (existsSync(Path.join(dir, ".git"))) {
      expect(git(dir, "for-each-ref", "--format=%(refname)", "refs/proofline")).toContain(`refs/proofline/${run}`)
      expect(readdirSync(Path.join(dir, ".proofline"))).toEqual(["state"])
    } else expect(existsSync(Path.join(dir, `.proofline/heads/${run}.json`))).toBe(true)

    const { version } = chain.head
    // the chain of what is left is whole
    change(dir, cutOff)
    const found = { code: "log_cut", version: version - 1 }
    const left = { events: version - 2 }
    expect(await asked(["verify"], dir)).toMatchObject({ code: 5, data: { chain: { ok: false, ...left, ...found } } })
    expect(await asked(["replay", run], dir)).toMatchObject({ code: 5, data: { ...left, integrity: found } })
    expect(await asked(["resume", run], dir)).toMatchObject({ code: 5, refused: ["log_cut"] })
    const exported = await asked(["history", "export"], dir)
    expect(exported).toMatchObject({ code: 5, data: { files: [], left_out: [{ run_id: run, code: "log_cut" }] } })
    const counted = { code: 5, data: { total: { runs: 0 }, left_out: [{ run_id: run, code: "log_cut" }] } }
    expect(await asked(["stats"], dir)).toMatchObject(counted)
    const told = await proofline(["verify"], dir)
    expect(told.code).toBe(5)
    expect(told.stderr).toMatch(new RegExp(`version ${version}, .* ends at version ${version - 2}\\. \\[log_cut\\]`))

    const expectGone = async (...commands: ReadonlyArray<ReadonlyArray<string>>) => {
      for (const command of commands) {
        const finished = await proofline(command, dir)
        expect(finished.code, finished.stderr).toBe(5)
        expect(finished.stderr).toContain(run)
        expect(finished.stderr).toContain("[log_cut]")
      }
    }
    empty(dir)
    await expectGone(["verify", run], ["replay", run])
    rmSync(Path.dirname(database(dir)), { recursive: true })
    await expectGone(["verify"], ["replay"], ["verify", run], ["replay", run])
    const listed = await proofline(["history"], dir)
    expect(listed).toMatchObject({ code: 0, stdout: "No run so far.\n", stderr: expect.stringContaining(run) })
    await expectGone(["status"], ["status", run], ["resume"], ["resume", run], ["show", run])
    const looked = await asked(["doctor"], dir)
    expect(looked.code).toBe(5)
    expect(looked.data.runs).toMatchObject([{ run_id: run, events: 0, known: version, state: "lost" }])
    expect(each(looked.data.findings, "code")).toContain("log_cut")
    expect(each(looked.data.findings, "code")).not.toContain("log_none")
    // a run that never was is no run that was lost
    expect((await proofline(["verify", "run_other"], dir)).code).toBe(2)
  })
})

describe("given a run that has ended in a repository", () => {
  it("when its end was written again then its head does not fit: exit 5; when none was kept, that is said: exit 0", async () => {
    const dir = repository(honest)
    const run = await ended(dir)
    change(dir, cutOff)
    const ref = `refs/proofline/${run}`
    const object = git(dir, "rev-parse", ref)
    git(dir, "update-ref", "-d", ref)
    expect((await proofline(["resume", run, ...withAgent], dir)).code).toBe(0)
    // as if the new end had not been told
    git(dir, "update-ref", ref, object)
    const verified = await asked(["verify"], dir)
    expect(verified).toMatchObject({ code: 5, data: { chain: { ok: false, code: "log_rewritten" } } })

    // as by an older version
    git(dir, "update-ref", "-d", ref)
    expect(await asked(["verify"], dir)).toMatchObject({ code: 0, data: { chain: { ok: true }, kept_head: null } })
    expect((await proofline(["verify"], dir)).stdout).toContain("No head of it was kept outside of the log")
    expect((await proofline(["replay"], dir)).code).toBe(0)
  })

  it("when its process was killed before the head was kept then a resume of it, which starts nothing, keeps the head", async () => {
    const dir = repository(honest)
    const run = await ended(dir)
    const ref = `refs/proofline/${run}`
    const kept = (await asked(["verify"], dir)).data.kept_head
    git(dir, "update-ref", "-d", ref)
    const { code, stderr } = await proofline(["resume", run, ...withAgent], dir)
    expect([code, stderr]).toEqual([0, expect.stringContaining("completed already; nothing was started")])
    expect(await asked(["verify"], dir)).toMatchObject({ code: 0, data: { kept_head: kept } })

    // what is cut off afterwards is missed
    change(dir, cutOff)
    expect(await asked(["verify"], dir)).toMatchObject({ code: 5, data: { chain: { ok: false } } })
  })
})
