import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { callsOf, done, type Move, rolesOf, scriptedAgent, withAgent } from "./agent.ts"
import { asked, each, expectReplay } from "./asked.ts"
import { finish, proofline, repository, start, until } from "./proofline.ts"

const tasks = `
tasks:
  - { id: login, name: Log in, instruction: Write login., checklist: [Add login()] }
  - { id: session, name: Session, instruction: Write session., depends_on: [login], checklist: [Add session()] }
  - { id: mail, name: Mail, instruction: Write mail., checklist: [Add mail()] }
`
const ids = ["login", "session", "mail"] as const

const writes = (id: string): Move => ({
  files: { [`${id}.js`]: `export const ${id} = (a) => {\n  return a + 1\n}\n` },
  report: done({ [`Add ${id}()`]: `${id}.js:1-3` })
})
const fails: Move = { exit: 1 }
const hangs: Move = { hang: true }

const staged = (script: Readonly<Record<string, ReadonlyArray<Move>>>) =>
  repository({ "tasks.yaml": tasks, ...scriptedAgent(script) })

/** What the agent does from now on, whatever it was asked before. */
const nowDoes = (dir: string, script: Readonly<Record<string, ReadonlyArray<Move>>>): void => {
  writeFileSync(Path.join(dir, "script.json"), JSON.stringify(script))
  rmSync(Path.join(dir, "hanging"), { force: true })
}

const run = ["run", "tasks.yaml", ...withAgent, "--max-retries", "0"]
const statuses = (data: { readonly tasks: ReadonlyArray<{ readonly status: string }> }) => each(data.tasks, "status")
const calledSince = (dir: string, calls: number) => rolesOf(dir).slice(calls)

describe("a task that failed", () => {
  it("is tried again by itself, with what was skipped because of it, and its agent is told what a person says", async () => {
    const dir = staged({ login: [fails], mail: [fails] })
    expect(statuses((await asked(run, dir)).data)).toEqual(["failed", "skipped", "failed"])
    nowDoes(dir, { login: [writes("login")], session: [writes("session")], mail: [writes("mail")] })
    const calls = callsOf(dir).length
    const resume = ["resume", "last", "--task", "login", "--note", "Ask the harbour master.", ...withAgent]
    const { code, data, stderr } = await asked(resume, dir)
    expect(stderr).toContain(
      "login is tried again, with a fresh set of attempts. session, skipped because of it, goes on"
    )
    expect(stderr).toContain("What else failed or was skipped stays as it is.")
    expect([code, data.status, statuses(data)]).toEqual([1, "incomplete", ["completed", "completed", "failed"]])
    expect(calledSince(dir, calls)).toEqual(["work:login", "work:session"])
    const [first, second] = callsOf(dir).slice(calls)
    expect(first?.prompt).toContain("A person had this task tried again, and said:\n\n- Ask the harbour master.")
    expect(second?.prompt).not.toContain("harbour")
    await expectReplay(dir)
    const { chain, receipts } = (await asked(["verify"], dir)).data
    expect([chain.ok, each(receipts, "status")]).toEqual([true, ["proven", "proven"]])
    // told with pseudonyms, nobody reads what was said
    const out = Path.join(dir, "redacted.ndjson")
    expect((await proofline(["events", "export", "--redact", "--out", out], dir)).code).toBe(0)
    expect(readFileSync(out, "utf8")).not.toContain("harbour")
    expect((await proofline(["replay", out], dir)).code).toBe(0)

    const rest = await asked(["resume", "last", ...withAgent], dir)
    expect([rest.code, rest.data.status]).toEqual([0, "completed"])
    await expectReplay(dir)
  })
})

describe("a run that was killed", () => {
  it("goes on for one task, also when that is killed too, and then with the others from where they were", async () => {
    const dir = staged({ login: [hangs], mail: [hangs] })
    const killedWhile = async (args: ReadonlyArray<string>) => {
      const child = start([...args, "--json"], dir)
      await until(() => existsSync(Path.join(dir, "hanging")))
      child.kill("SIGKILL")
      await finish(child)
    }
    await killedWhile(run)
    nowDoes(dir, { mail: [hangs] })
    await killedWhile(["resume", "--task", "mail", ...withAgent])
    expect((await proofline(["replay"], dir)).code).toBe(0)
    nowDoes(dir, Object.fromEntries(ids.map((id) => [id, [writes(id)]])))
    const calls = callsOf(dir).length
    const alone = await asked(["resume", "--task", "mail", ...withAgent], dir)
    expect([alone.code, alone.data.status, statuses(alone.data)[2]]).toEqual([1, "incomplete", "completed"])
    expect(alone.data.message ?? alone.stdout).toContain("2 were left open")
    expect(calledSince(dir, calls)).toEqual(["work:mail"])
    expect(alone.data.tasks[1]).toMatchObject({ status: "pending", reason: "set_aside" })
    expect((await proofline(["show"], dir)).stdout).toContain("The run was resumed for other tasks")

    const all = await asked(["resume", ...withAgent], dir)
    expect([all.code, statuses(all.data)]).toEqual([0, ["completed", "completed", "completed"]])
    expect(calledSince(dir, calls)).toEqual(["work:mail", "work:login", "work:session"])
    await expectReplay(dir)
    expect((await proofline(["verify"], dir)).code).toBe(0)
  })
})

describe("what cannot be tried again by itself", () => {
  it("is refused with what to do, and nothing is begun", async () => {
    const dir = staged({ login: [fails], mail: [writes("mail")] })
    const { data } = await asked(run, dir)
    const calls = callsOf(dir).length
    const refusal = async (...args: ReadonlyArray<string>) => {
      const { code, data, refused } = await asked(["resume", ...args, ...withAgent], dir)
      const { hint, message } = data.problems[0]
      return [code, ...refused, `${message} ${hint}`]
    }
    expect(await refusal("--task", "logn")).toEqual([
      2,
      "task_unknown",
      `There is no task "logn" in ${data.run_id}. Did you mean \`login\`? Its tasks are: login, session, mail.`
    ])
    expect(await refusal("--task", "mail")).toEqual([2, "task_completed", expect.stringContaining("still holds")])
    expect(await refusal("--task", "session")).toEqual([
      2,
      "task_waits",
      expect.stringContaining("Name what it waits for")
    ])
    expect(await refusal("--note", "Mind it.")).toEqual([
      2,
      "note_without_task",
      expect.stringContaining("Name the task")
    ])
    expect(callsOf(dir)).toHaveLength(calls)
    expect((await asked(["history"], dir)).data.runs).toMatchObject([{ run_id: data.run_id, status: "incomplete" }])

    nowDoes(dir, { login: [writes("login")], session: [writes("session")] })
    expect((await asked(["resume", ...withAgent], dir)).code).toBe(0)
    expect(await refusal("last", "--task", "login")).toEqual([2, "run_completed", expect.any(String)])
    expect(await refusal("--task", "login")).toEqual([2, "run_unknown", expect.stringContaining(": none is open. See")])
  })

  it("given a run that is driven, is refused as any resume of it", async () => {
    const dir = staged({ login: [fails], mail: [hangs] })
    const child = start([...run, "--json"], dir)
    const ended = finish(child)
    await until(() => existsSync(Path.join(dir, "hanging")))
    expect(await asked(["resume", "--task", "login", ...withAgent], dir)).toMatchObject({
      code: 2,
      refused: ["run_is_driven"]
    })
    child.kill("SIGINT")
    await ended
  })
})
