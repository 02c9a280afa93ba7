import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { describe, expect, it } from "vitest"
import { daily } from "../often.ts"
import { expectReplay } from "./asked.ts"
import { eventsOf, finish, repository, start } from "./proofline.ts"

const item = "Add add() to add.js"
const report = (evidence: string) => ({
  answer: { summary: "", checklist: [{ item, status: "done", evidence }] }
})
const refused = report("add.js:40")
const good = report("add.js:1-3")
const judged = (judgment: string, modification_prompt: string | null = null) => ({
  answer: { judgment, checks: [], modification_prompt }
})

interface Turn {
  readonly answer?: object
  readonly says?: string
}

/** A client with sessions: each call takes the next turn of its role. It forgets all sessions where `forgets` is there. */
const client = (turns: Readonly<Record<string, ReadonlyArray<Turn>>>) => `#!/usr/bin/env node
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require("node:fs")
const argv = process.argv.slice(2)
if (argv[0] === "--version") { console.log("0.1.0"); process.exit(0) }
const role = process.env.PROOFLINE_ROLE
const log = __dirname + "/calls.jsonl"
const calls = existsSync(log) ? readFileSync(log, "utf8").trim().split("\\n").map((line) => JSON.parse(line)) : []
const at = argv.indexOf("resume")
const session = at < 0 ? null : argv[at + 1]
const isLost = session !== null && existsSync(__dirname + "/forgets")
appendFileSync(log, JSON.stringify({ role, session, isLost, prompt: readFileSync(0, "utf8") }) + "\\n")
if (isLost) { console.error("no rollout found"); process.exit(1) }
const before = calls.filter((one) => one.role === role && !one.isLost).length
const turn = ${JSON.stringify(turns)}[role][before]
const say = (event) => console.log(JSON.stringify(event))
say({ type: "thread.started", thread_id: session ?? role + "-" + (before + 1) })
if (turn.says) { say({ type: "turn.failed", error: { message: turn.says } }); process.exit(1) }
if (role === "work") writeFileSync("add.js", "export const add = (a, b) => {\\n  return a + b\\n}\\n")
say({ type: "item.completed", item: { type: "agent_message", text: "\`\`\`json\\n" + JSON.stringify(turn.answer) + "\\n\`\`\`" } })
say({ type: "turn.completed", usage: { input_tokens: 10 * (before + 1), output_tokens: 1 } })
`

const staged = (turns: Readonly<Record<string, ReadonlyArray<Turn>>>, config = "", more: object = {}) => {
  const dir = repository({
    "tasks.yaml": JSON.stringify({
      tasks: [{ id: "add", name: "Add", instruction: "Write add.", checklist: [item], ...more }]
    }),
    "proofline.yaml": `agent: one\nagents: {one: {preset: codex}, two: {preset: codex, model: m}}\nretry_delay_ms: 0\n${config}`,
    ".gitignore": "bin\n",
    "bin/codex": client(turns)
  })
  const bin = join(dir, "bin")
  chmodSync(join(bin, "codex"), 0o755)
  const env = { PATH: `${bin}${delimiter}${process.env["PATH"]}` }
  const calls = (role = "work") =>
    readFileSync(join(bin, "calls.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line): { role: string; session: string | null; prompt: string } => JSON.parse(line))
      .filter((one) => one.role === role)
  const run = async (...args: ReadonlyArray<string>) => {
    const { code, stderr } = await finish(start(["run", "tasks.yaml", ...args], dir, env))
    expect(code, stderr).toBe(0)
    return stderr
  }
  return { dir, bin, calls, env, run }
}
const sessions = (calls: ReadonlyArray<{ readonly session: string | null }>) => calls.map(({ session }) => session)
const ends = async (dir: string) =>
  (await eventsOf("last", dir)).flatMap(({ content, event_type }) =>
    event_type === "ATTEMPT_ENDED" ? [content.session?.id] : []
  )

describe("a task that is attempted again", () => {
  it("given an attempt that was refused, then the next one goes on with its session, and is told all of it", async () => {
    const { calls, dir, run } = staged({ work: [refused, good] })
    await run("--reviewer", "none")
    const [first, second] = calls()
    expect([first?.session, second?.session]).toEqual([null, "work-1"])
    expect(second?.prompt).toContain("Attempt 1 was not accepted")
    expect(second?.prompt).toContain("Write add.")
    expect(await ends(dir)).toEqual(["work-1", "work-1"])
    const used = (await eventsOf("last", dir)).flatMap(({ content, event_type }) =>
      event_type === "AGENT_CALLED" ? [content.usage.input_tokens] : []
    )
    // it says what all of its session used: 10, then 20
    expect(used).toEqual([10, 10])
    await expectReplay(dir)
  })

  it.each(
    daily(
      [
        ["REJECT", "Rename it."],
        ["RETRY", null]
      ],
      2
    )
  )(
    "given the judgement %s, then the work goes on with its session and the reviewer begins its own",
    async (judgment, words) => {
      const { calls, run } = staged(
        { work: [good, good], review: [judged(judgment, words), judged("PASS")] },
        "reviewer: two\n",
        { validation: ["It adds."] }
      )
      await run()
      expect(sessions(calls())).toEqual([null, "work-1"])
      expect(sessions(calls("review"))).toEqual([null, null])
      expect(calls()[1]?.prompt.includes("Rename it.")).toBe(words !== null)
    }
  )

  it("given a session that is lost, then the same attempt begins a new one, and no retry is used up", async () => {
    const { bin, calls, dir, run } = staged({ work: [refused, good] })
    writeFileSync(join(bin, "forgets"), "")
    await run("--reviewer", "none", "--max-retries", "1")
    expect(sessions(calls())).toEqual([null, "work-1", null])
    expect(await ends(dir)).toEqual(["work-1", "work-2"])
  })

  it("given an attempt that failed, then the next one begins a session of its own", async () => {
    const { calls, run } = staged({ work: [refused, { says: "It broke." }, good] })
    await run("--reviewer", "none")
    // the session that broke is not tried twice, and not given to the next attempt
    expect(sessions(calls()).slice(0, 2)).toEqual([null, "work-1"])
    expect(
      sessions(calls())
        .slice(2)
        .every((session) => session === null)
    ).toBe(true)
  })

  it("given another agent in the place of the first, then it is not told the session", async () => {
    const { calls, run } = staged(
      { work: [refused, { says: "You exceeded your current quota" }, good] },
      "fallback: [two]\n"
    )
    await run("--reviewer", "none")
    expect(sessions(calls())).toEqual([null, "work-1", null])
  })

  it.each(["resume_sessions: false\n", ""])(
    "given that sessions do not go on (`%s`), then none does",
    async (config) => {
      const { calls, run } = staged({ work: [refused, good] }, config)
      await run("--reviewer", "none", ...(config === "" ? ["--no-resume-sessions"] : []))
      expect(sessions(calls())).toEqual([null, null])
    }
  )

  it("given a run that was recorded, then it is played again without its client, and names no session", async () => {
    const { bin, calls, dir, env, run } = staged({ work: [refused, good] })
    await run("--reviewer", "none", "--record")
    expect(sessions(calls())).toEqual([null, "work-1"])
    rmSync(join(bin, "codex"))
    rmSync(join(dir, "add.js"))
    const { code, stderr } = await finish(
      start(["run", "tasks.yaml", "--agent", "replay:last", "--reviewer", "none"], dir, env)
    )
    expect(code, stderr).toBe(0)
    expect(await ends(dir)).toEqual([undefined, undefined])
    await expectReplay(dir)
  })
})
