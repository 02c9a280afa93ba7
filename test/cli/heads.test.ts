import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, rmSync } from "node:fs"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "vitest"
import { done, scriptedAgent, withAgent } from "./agent.ts"
import { documentOf, project, proofline } from "./proofline.ts"

const database = (dir: string): string => Path.join(dir, ".proofline/state/proofline.db")

const change = (dir: string, sql: string): void => {
  const db = new DatabaseSync(database(dir), { timeout: 5_000 })
  db.exec(sql)
  db.close()
}

const cut = (n: number): string => `delete from event where position > (select max(position) - ${n} from event)`

const git = (dir: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", args, { cwd: dir, encoding: "utf8" })

const files = {
  "tasks.yaml": "tasks:\n  - { id: a, name: A, instruction: A, checks: [test -s a.txt], checklist: [Write a.txt] }\n",
  ...scriptedAgent({ a: [{ files: { "a.txt": "content\n" }, report: done({ "Write a.txt": "a.txt:1" }) }] })
}

const committed = (): string => {
  const dir = project(files)
  git(dir, "init", "-q")
  git(dir, "add", "-A")
  git(dir, "-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "start")
  return dir
}

/** The id of a run that has come to its end. */
const ended = async (dir: string): Promise<string> => {
  const finished = await proofline(["run", "tasks.yaml", ...withAgent, "--json"], dir)
  expect(finished.code, finished.stderr).toBe(0)
  return documentOf(finished).data.run_id
}

const check = (dir: string, ...args: ReadonlyArray<string>) => proofline([...args, "--json"], dir)

describe.each([
  ["in a repository", committed],
  ["outside of one", () => project(files)]
])("given a run that has ended %s", (_, place) => {
  it("then verify and replay find its head; when its last events are deleted, they and resume say so: exit 5", async () => {
    const dir = place()
    const run = await ended(dir)
    const { chain, kept_head } = documentOf(await check(dir, "verify")).data
    expect(chain.ok).toBe(true)
    expect(kept_head).toEqual(chain.head)
    const replayed = await check(dir, "replay")
    expect(replayed.code).toBe(0)
    expect(documentOf(replayed).data).toMatchObject({ run_id: run, divergence: null, integrity: null })
    if (existsSync(Path.join(dir, ".git"))) {
      expect(git(dir, "for-each-ref", "--format=%(refname)", "refs/proofline")).toBe(`refs/proofline/${run}\n`)
      expect(readdirSync(Path.join(dir, ".proofline"))).toEqual(["state"])
    } else expect(existsSync(Path.join(dir, `.proofline/heads/${run}.json`))).toBe(true)

    const { version } = chain.head
    // the chain of what is left is whole
    change(dir, cut(2))
    const found = { code: "log_cut", version: version - 1 }
    const verified = await check(dir, "verify")
    expect(verified.code).toBe(5)
    expect(documentOf(verified).data.chain).toMatchObject({ ok: false, events: version - 2, ...found })
    const broken = await check(dir, "replay", run)
    expect(broken.code).toBe(5)
    expect(documentOf(broken).data).toMatchObject({ run_id: run, events: version - 2, integrity: found })
    const told = await proofline(["verify"], dir)
    expect(told).toMatchObject({ code: 5 })
    expect(told.stderr).toMatch(new RegExp(`version ${version}, .* ends at version ${version - 2}\\. \\[log_cut\\]`))
    const resumed = await check(dir, "resume", run)
    expect(resumed.code).toBe(5)
    expect(documentOf(resumed).data.problems).toMatchObject([{ code: "log_cut" }])
  })

  it("when the run is deleted, or the log with all runs, then verify and replay say so: exit 5", async () => {
    const dir = place()
    const run = await ended(dir)
    const expectGone = async (...args: ReadonlyArray<string>) => {
      const finished = await proofline(args, dir)
      expect(finished.code, finished.stderr).toBe(5)
      expect(finished.stderr).toContain(run)
      expect(finished.stderr).toContain("[log_cut]")
    }
    change(dir, "delete from event")
    for (const command of ["verify", "replay"]) await expectGone(command, run)
    rmSync(Path.join(dir, ".proofline/state"), { recursive: true })
    for (const args of [["verify"], ["replay"], ["verify", run], ["replay", run]]) await expectGone(...args)
    const listed = await proofline(["history"], dir)
    expect(listed).toMatchObject({ code: 0, stdout: "No run so far.\n" })
    expect(listed.stderr).toContain(run)
    // a run that never was is no run that was lost
    expect((await proofline(["verify", "run_other"], dir)).code).toBe(2)
  })
})

describe("given a run that has ended in a repository", () => {
  it("when its end was written again then its head does not fit: exit 5", async () => {
    const dir = committed()
    const run = await ended(dir)
    change(dir, cut(2))
    const object = git(dir, "rev-parse", `refs/proofline/${run}`).trim()
    git(dir, "update-ref", "-d", `refs/proofline/${run}`)
    expect((await proofline(["resume", run, ...withAgent], dir)).code).toBe(0)
    // as if the new end had not been told
    git(dir, "update-ref", `refs/proofline/${run}`, object)
    const verified = await check(dir, "verify")
    expect(verified.code).toBe(5)
    expect(documentOf(verified).data.chain).toMatchObject({ ok: false, code: "log_rewritten" })
  })

  it("when its head was never kept, as by an older version, then it verifies, and that is said", async () => {
    const dir = committed()
    const run = await ended(dir)
    git(dir, "update-ref", "-d", `refs/proofline/${run}`)
    const verified = await check(dir, "verify")
    expect(verified.code).toBe(0)
    expect(documentOf(verified).data).toMatchObject({ chain: { ok: true }, kept_head: null })
    expect((await proofline(["verify"], dir)).stdout).toContain("No head of it was kept outside of the log")
    expect((await check(dir, "replay")).code).toBe(0)
  })
})
