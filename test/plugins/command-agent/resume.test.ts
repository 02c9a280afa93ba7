import { readFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { type AgentRequest, type AgentSession, type AgentStep, TimedStep } from "@proofline/kernel"
import type { AgentSpec, PresetName } from "@proofline/plugins/adapters/command-agent"
import { Effect, Schema } from "effect"
import { directory, script } from "../node-process/support.ts"
import { withEnv } from "./fakeClients.ts"
import { ask, type Project, project } from "./support.ts"

const said: Readonly<Record<PresetName, (session: string) => ReadonlyArray<object>>> = {
  claude: (session_id) => [
    { type: "system", subtype: "init", session_id },
    { type: "result", result: "```json\n{}\n```", is_error: false, session_id }
  ],
  codex: (thread_id) => [
    { type: "thread.started", thread_id },
    { type: "item.completed", item: { type: "agent_message", text: "```json\n{}\n```" } },
    { type: "turn.completed", usage: { input_tokens: 20, output_tokens: 10 } }
  ],
  gemini: (session_id) => [
    { type: "init", session_id },
    { type: "message", role: "assistant", content: "```json\n{}\n```" },
    { type: "result", status: "success" }
  ],
  opencode: (sessionID) => [{ type: "text", sessionID, part: { text: "```json\n{}\n```" } }]
}

/** Clients that know one session, note how they are called, and begin `new` where they are asked for none. */
const clients = (known: string, broken = "Session not found"): string => {
  const folder = directory()
  for (const [name, lines] of Object.entries(said)) {
    script(
      folder,
      name,
      "node",
      `const { appendFileSync } = require("node:fs")
const argv = process.argv.slice(2)
appendFileSync("calls.jsonl", JSON.stringify(argv) + "\\n")
const at = argv.findIndex((one) => ["--resume", "resume", "--session"].includes(one))
const asked = at < 0 ? null : argv[at + 1]
if (asked !== null && asked !== ${JSON.stringify(known)}) {
  console.error(${JSON.stringify(broken)})
  process.exit(1)
}
for (const line of ${JSON.stringify(lines("SESSION"))}) console.log(JSON.stringify(line).replaceAll("SESSION", asked ?? "new"))`
    )
  }
  return folder
}

const isFull = process.env["PROOFLINE_TEST"] === "full"

const linesIn = (at: Project, file: string): ReadonlyArray<never> =>
  readFileSync(join(at.root, file), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as never)

const stepsIn = (steps: Uint8Array): ReadonlyArray<AgentStep> =>
  new TextDecoder()
    .decode(steps)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Schema.decodeUnknownSync(TimedStep)(line).step)

const notesIn = (steps: Uint8Array): number => stepsIn(steps).filter(({ type }) => type === "note").length

const call = (spec: AgentSpec, known: string, resume: AgentSession | undefined, broken?: string) =>
  Effect.gen(function* () {
    const at = project()
    const more: Partial<AgentRequest> = resume === undefined ? {} : { resume }
    const PATH = `${clients(known, broken)}${delimiter}${process.env["PATH"]}`
    const result = yield* withEnv({ PATH }, ask(at, spec, more))
    return { ...result, calls: linesIn(at, "calls.jsonl") as ReadonlyArray<ReadonlyArray<string>> }
  })

const flags: Readonly<Record<PresetName, string>> = {
  claude: "--resume s-1",
  codex: "resume s-1 -",
  gemini: "--resume s-1",
  opencode: "--session s-1"
}

describe("a client whose session goes on", () => {
  it.live.each(Object.keys(flags) as ReadonlyArray<PresetName>)("%s names its session", (preset) =>
    Effect.gen(function* () {
      const { calls, outcome, session } = yield* call({ preset }, "s-1", undefined)
      assert.deepStrictEqual([outcome, session?.id, calls.length], ["COMPLETE", "new", 1])
    })
  )

  it.live.each(Object.keys(flags) as ReadonlyArray<PresetName>)("%s is told which session goes on", (preset) =>
    Effect.gen(function* () {
      const { calls, outcome, session, steps } = yield* call({ preset }, "s-1", { id: "s-1" })
      assert.deepStrictEqual([outcome, session?.id, calls.length, notesIn(steps)], ["COMPLETE", "s-1", 1, 0])
      assert.include(calls[0]?.join(" "), flags[preset])
    })
  )

  it.live.each(Object.keys(flags) as ReadonlyArray<PresetName>)(
    "%s begins a new one within the same attempt, and says so, given a session that it does not have",
    (preset) =>
      Effect.gen(function* () {
        const { answer, calls, outcome, session, steps } = yield* call({ preset }, "other", { id: "s-1" })
        assert.deepStrictEqual([outcome, answer, session?.id], ["COMPLETE", "{}", "new"])
        assert.deepStrictEqual([calls.length, notesIn(steps)], [2, 1])
        assert.notInclude(calls[1]?.join(" "), "s-1")
      })
  )

  it.live.each(["Invalid API key", "Error: connect ECONNREFUSED 127.0.0.1:1"])(
    "is not asked again where a new session would end alike: %s",
    (broken) =>
      Effect.gen(function* () {
        const lines = [{ type: "turn.failed", error: { message: broken } }]
        const folder = directory()
        script(
          folder,
          "codex",
          "node",
          `require("node:fs").appendFileSync("calls.jsonl", "[]\\n")
console.log(${JSON.stringify(JSON.stringify(lines[0]))})
process.exitCode = 1`
        )
        const at = project()
        const { outcome } = yield* withEnv(
          { PATH: `${folder}${delimiter}${process.env["PATH"]}` },
          ask(at, { preset: "codex" }, { resume: { id: "s-1" } })
        )
        assert.deepStrictEqual([outcome, linesIn(at, "calls.jsonl").length], ["ERROR", 1])
      })
  )

  it.live.each(["--yolo", "-c", "a b", "a;id", "$(id)", "", "x".repeat(201), "../x"])(
    "is given no name that is none: %j",
    (id) =>
      Effect.gen(function* () {
        const { calls, outcome } = yield* call({ preset: "codex" }, "s-1", { id })
        assert.deepStrictEqual([outcome, calls.length], ["COMPLETE", 1])
        assert.notInclude(calls[0]?.join(" "), "resume")
      })
  )

  it.live.each(["-c", "two words", "$(id)"])("names no session that is none: %j", (id) =>
    Effect.gen(function* () {
      const at = project()
      const folder = directory()
      const lines = said.codex(id).map((line) => JSON.stringify(line))
      script(folder, "codex", "node", `for (const line of ${JSON.stringify(lines)}) console.log(line)`)
      const PATH = `${folder}${delimiter}${process.env["PATH"]}`
      const result = yield* withEnv({ PATH }, ask(at, { preset: "codex" }))
      assert.strictEqual(result.outcome, "COMPLETE")
      assert.isUndefined(result.session)
    })
  )

  it.live("has used in this call what it says of all of its session, less what it had said before", () =>
    Effect.gen(function* () {
      const used = { input_tokens: 15, output_tokens: 4, cost_usd: null }
      const { session, usage } = yield* call({ preset: "codex" }, "s-1", { id: "s-1", used })
      assert.deepStrictEqual(usage, { input_tokens: 5, output_tokens: 6, cost_usd: null })
      assert.deepStrictEqual(session?.used, { input_tokens: 20, output_tokens: 10, cost_usd: null })
      const begun = yield* call({ preset: "codex" }, "other", { id: "s-1", used })
      assert.deepStrictEqual(begun.usage, { input_tokens: 20, output_tokens: 10, cost_usd: null })
    })
  )
})

describe("an agent of the Agent Client Protocol whose session goes on", () => {
  const program = fileURLToPath(new URL("acpAgent.ts", import.meta.url))
  /** Asked until nothing is told any more of what was in the session. */
  const quiet = Array.from({ length: 3 }, () => "_proofline/barrier")
  it.live.each([
    { name: "that loads sessions", mode: "load", methods: ["session/load", ...quiet], session: "s-1", notes: 0 },
    { name: "that takes sessions up", mode: "takeup", methods: ["session/resume"], session: "s-1", notes: 0 },
    { name: "that has lost it", mode: "lost", methods: ["session/load", "session/new"], session: "s1", notes: 1 },
    { name: "that can neither", mode: "cannot", methods: ["session/new"], session: "s1", notes: 0 }
  ])("is asked for it, given one $name", ({ methods, mode, notes, session }) =>
    Effect.gen(function* () {
      const at = project()
      const acp = `exec node --no-warnings ${program} ${mode}`
      const result = yield* ask(at, { acp }, { resume: { id: "s-1" }, prompt: "Again." })
      assert.deepStrictEqual([result.outcome, result.answer, result.session?.id], ["COMPLETE", "{}", session])
      assert.strictEqual(notesIn(result.steps), notes)
      assert.notInclude(new TextDecoder().decode(result.steps), "old")
      const asked = linesIn(at, "asked.jsonl") as ReadonlyArray<{
        readonly method: string
        readonly params: { readonly sessionId?: string; readonly cwd?: string }
      }>
      assert.deepStrictEqual(
        asked.map(({ method }) => method),
        ["initialize", ...methods, "session/prompt"]
      )
      assert.deepStrictEqual([asked[1]?.params.cwd, asked.at(-1)?.params.sessionId], [at.root, session])
    })
  )

  it.live.each([
    { when: "before it says that it has loaded it", mode: "load" },
    { when: "after it has said that it has loaded it", mode: "behind" },
    { when: "after it was prompted", mode: "late" },
    { when: "also of one that is lost", mode: "lost" },
    ...(isFull ? [{ when: "and answers nothing that it does not know", mode: "deaf" }] : [])
  ])("counts nothing that was in it before, given one that tells it $when", ({ mode }) =>
    Effect.gen(function* () {
      const acp = `exec node --no-warnings ${program} ${mode}`
      const resume = { id: "s-1", used: { input_tokens: null, output_tokens: null, cost_usd: 9 } }
      const { answer, error, outcome, session, steps, usage } = yield* ask(
        project(),
        { acp },
        { resume, prompt: "Again." }
      )
      assert.deepStrictEqual([outcome, answer, error], ["COMPLETE", "{}", null])
      const isLate = mode === "late"
      // tokens are those of the turn, the cost is that of the session
      assert.deepStrictEqual(usage, isLate ? { input_tokens: 7, output_tokens: 5, cost_usd: 0.5 } : null)
      assert.strictEqual(session?.used?.cost_usd, isLate ? 9.5 : mode === "lost" ? undefined : 9)
      const told = stepsIn(steps).filter(({ type }) => type !== "note")
      assert.deepStrictEqual(told, [{ type: "text", text: "```json\n{}\n```\n" }])
    })
  )

  it.live("fails, given one that ends while it tells what was in it", () =>
    Effect.gen(function* () {
      const acp = `exec node --no-warnings ${program} gone`
      const { answer, error, outcome } = yield* ask(project(), { acp }, { resume: { id: "s-1" } })
      assert.deepStrictEqual([outcome, answer, error?.code], ["ERROR", null, "agent_protocol"])
    })
  )
})
