import { rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { done, scriptedAgent, withAgent } from "./agent.ts"
import { achieved, answerOf, asked } from "./asked.ts"
import { begun } from "./logStage.ts"
import { piped } from "./mcpPipe.ts"
import { eventsOf, finish, project, start, withSources } from "./proofline.ts"

/** A plugin with these parts; `before` is declared in front of it. */
const odd = (parts: string, before = ""): string =>
  withSources(`import { completed, definePlugin, gates, open, passed, plugin, reject, Run, RunStarted, StartAttempt, Tasks } from "@proofline/kernel/plugin"
import { Evidence, evidenceKind, evidenceKinds } from "@proofline/plugins/policies/evidence"
import { Effect, Schema } from "effect"
const Odd = plugin("odd", { state: { n: 0 }, after: [Run, Tasks, Evidence] })
${before}
export default definePlugin(Odd, { version: "1", parts: [${parts}] })
`)

const item = "Write the note"
const tasks = `tasks:
  - id: a
    name: A
    instruction: Write it.
    checks: ["test -f note.txt"]
    checklist: [${item}]
`
const agent = { a: [{ files: { "note.txt": "It is written.\n" }, report: done({ [item]: "note:1" }) }] }
const noteKind = (hooks: string) =>
  odd(
    'Odd.offer(evidenceKinds, "kind", kind)',
    `const kind = evidenceKind({
  scheme: "note",
  schema: Schema.String,
  look: () => Effect.succeed("x"),
  judge: () => ({ holds: true }),
  ...{ ${hooks} }
})`
  )
const sound = noteKind("")

const staged = (plugin: string) =>
  project({
    "proofline.yaml": "plugins: [./odd.mjs]\n",
    "odd.mjs": plugin,
    "tasks.yaml": tasks,
    ...scriptedAgent(agent)
  })

const run = ["run", "tasks.yaml", ...withAgent, "--max-retries", "0"]
/** By a process of its own: one that is kept has the plugin of before. */
const anew = async (args: ReadonlyArray<string>, dir: string) => answerOf(await finish(start([...args, "--json"], dir)))

describe("given a plugin that breaks in a run", () => {
  it.each([
    [
      "a guard that throws",
      'Odd.guard(StartAttempt, () => { throw new Error("no ink") })',
      "guard of StartAttempt: no ink"
    ],
    [
      "a gate that is async",
      'Odd.offer(gates, "last", { name: "g", verdict: async () => passed })',
      "verdict of g: It answered a Promise"
    ],
    [
      "a verdict that counts in the state",
      'Odd.offer(gates, "last", { name: "g", verdict: (s) => { s.odd.n++; return passed } })',
      "verdict of g: Cannot assign to read only property"
    ],
    [
      "a gate that takes items from the task it is asked about",
      'Odd.offer(gates, "ready", { name: "g", verdict: (_, task) => { task.items.pop(); return passed } })',
      "verdict of g: Cannot delete property"
    ],
    [
      "a reaction that asks for what nobody lists",
      'Odd.react([RunStarted], () => [{ _tag: "Strat" }])',
      "the command Strat, which no plugin lists"
    ],
    ["a look that fails", "", "look of note: no ink"]
  ])(
    "when it is %s, then it is named, nothing has failed, and a resume goes on with the mended plugin",
    async (_, parts, says) => {
      const broken =
        parts === ""
          ? noteKind('look: () => Effect.fail(new Error("no ink"))')
          : sound.replace("parts: [", `parts: [${parts}, `)
      const dir = staged(broken)
      const { code, data, refused } = await anew(run, dir)
      expect([code, ...refused]).toEqual([1, "plugin_broken"])
      expect(data.problems[0].message).toMatch(/^Plugin odd, /)
      expect(data.problems[0].message).toContain(says)
      const { runs } = (await achieved(["history"], dir)).data
      writeFileSync(Path.join(dir, "odd.mjs"), sound)
      if (runs.length > 0) {
        const failed = (await eventsOf(runs[0].run_id, dir)).filter(({ event_type }) => /FAILED/.test(event_type))
        expect(failed).toEqual([])
      }
      const again = await anew(runs.length === 0 ? run : ["resume", ...withAgent], dir)
      expect([again.code, again.data.status], again.stderr).toEqual([0, "completed"])
    }
  )

  it("when a guard refuses what the run asks for, then its next step is told too", async () => {
    const refusing = 'Odd.guard(StartAttempt, () => reject("frozen", "It is frozen.", "Thaw it."))'
    const { code, data } = await anew(run, staged(sound.replace("parts: [", `parts: [${refusing}, `)))
    expect(code).toBe(1)
    expect(JSON.stringify(data)).toContain("It is frozen. Thaw it.")
  })
})

describe("given a plugin that writes on the console", () => {
  const talking = `console.log("loaded")\nconsole.info("loaded")\nconsole.debug("loaded")\n${sound}`.replace(
    "judge: () => (",
    'judge: () => (console.log("judged"), '
  )

  it("when a command answers on standard output, then that is all there is", async () => {
    const dir = staged(talking)
    const checked = await finish(start(["plugins", "check", "--json"], dir))
    expect(JSON.parse(checked.stdout).data.problems).toEqual([])
    expect(checked.stderr).toBe("loaded\nloaded\nloaded\n")
    expect((await anew(run, dir)).data.status).toBe("completed")
  })

  it("when an agent asks over MCP, then each line is a message", async () => {
    const server = piped(staged(talking))
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } }
    await server.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`)
    expect(await server.next()).toMatchObject({ jsonrpc: "2.0", id: 1 })
    server.end()
    await server.ended
    expect(server.stderr()).toContain("loaded")
  })
})

describe("given a plugin that cannot be loaded", () => {
  it.each([
    ["tasks.yaml", tasks],
    ["requirements.yaml", "name: N\nrequirements:\n  - { id: r, description: a note, acceptance_criteria: [a note] }\n"]
  ])("when %s is validated, then that is said, and of a project without plugins nothing", async (name, text) => {
    const dir = staged('throw new Error("no licence")\n')
    writeFileSync(Path.join(dir, name), text)
    const { code, refused, stderr } = await asked(["validate", name], dir)
    expect([code, ...refused], stderr).toEqual([2, "plugin_unusable"])
    rmSync(Path.join(dir, "proofline.yaml"))
    expect((await asked(["validate", name], dir)).refused).toEqual([])
  })

  it.each([
    ["a.ts", 'import { plugin } from "@proofline/kernel/plugin"\nexport default plugin\n'],
    ["a.js", "export default null\n"]
  ])("when its package says that %s is no module, then how to make it one", async (name, text) => {
    const dir = project({
      [name]: text,
      "package.json": '{ "type": "commonjs" }\n',
      "proofline.yaml": `plugins: [./${name}]\n`
    })
    const { data } = await asked(["plugins", "check"], dir)
    expect(data.problems).toMatchObject([
      { code: "plugin_unusable", hint: expect.stringContaining('"type": "module"') }
    ])
  })
})

describe("given a run that was made with a plugin", () => {
  const noting = (schema: string, visibility = "full") =>
    withSources(`import { definePlugin, plugin, Run, started, Tasks } from "@proofline/kernel/plugin"
import { Schema } from "effect"
const Diary = plugin("diary", { state: null, after: [Run, Tasks] })
const Noted = Diary.event("NOTED", { schema: Schema.Struct(${schema}), visibility: "${visibility}", sentence: ({ text }) => \`Noted: \${text}.\` })
const Note = Diary.command("diary.Note", { schema: Schema.Struct({}), decide: () => [Noted({ text: "a" })], recall: "follows" })
export default definePlugin(Diary, { version: "1", events: [Noted], commands: [Note], parts: [Diary.react([started], () => [Note({})])] })
`)
  const plugin = { "diary.mjs": noting("{ text: Schema.String }"), "proofline.yaml": "plugins: [./diary.mjs]\n" }

  it.each([
    ["summary", 1],
    ["full", 0]
  ])("when its event is for %s display, then the run tells its sentence so often: %i", async (visibility, times) => {
    const dir = staged(sound)
    writeFileSync(Path.join(dir, "odd.mjs"), noting("{ text: Schema.String }", visibility))
    const { stderr } = await finish(start(run, dir))
    expect(stderr.match(/^[\d:]+ Noted: a\.$/gm) ?? []).toHaveLength(times)
  })

  it("when it is not there any more, then every command says so with its name", async () => {
    const { completed, dir, stopped } = await begun(plugin)
    rmSync(Path.join(dir, "proofline.yaml"))
    for (const command of [
      ["status", completed],
      ["show", completed],
      ["replay", completed],
      ["resume", stopped]
    ]) {
      const { code, data, refused } = await anew(command, dir)
      expect([command[0], code, ...refused]).toEqual([command[0], 2, "plugin_missing"])
      expect(data.problems[0]).toMatchObject({
        message: `Run ${command[1]} was made with plugins that are not here: diary.`,
        hint: "Name them under `plugins:` in proofline.yaml again."
      })
    }
    const { code, data } = await anew(["backtest", completed, "--accept", "untouched"], dir)
    expect([code, data.runs, data.integrity]).toEqual([2, 0, []])
    expect(data.left_out).toEqual([
      {
        run_id: completed,
        code: "plugin_missing",
        message: `Run ${completed} was made with plugins that are not here: diary.`
      }
    ])
  })

  it("when it came with a resume and is not there any more, then the run is not decided without it", async () => {
    const { dir, stopped } = await begun()
    writeFileSync(Path.join(dir, "odd.mjs"), odd("Odd.guard(StartAttempt, () => null)"))
    writeFileSync(Path.join(dir, "proofline.yaml"), "plugins: [./odd.mjs]\n")
    const resumed = await anew(["resume", stopped, "--step"], dir)
    expect(resumed.refused).toEqual([])
    expect((await anew(["replay", stopped], dir)).code).toBe(0)
    const [resume] = (await eventsOf(stopped, dir)).filter(({ event_type }) => event_type === "RUN_RESUMED")
    expect(resume.content.plugins).toContainEqual({ name: "odd", version: "1" })
    rmSync(Path.join(dir, "proofline.yaml"))
    for (const command of ["replay", "resume"])
      expect(await anew([command, stopped], dir)).toMatchObject({ code: 2, refused: ["plugin_missing"] })
    const { data } = await anew(["backtest", stopped, "--accept", "untouched"], dir)
    expect(data).toMatchObject({ runs: 0, items: {}, left_out: [{ run_id: stopped, code: "plugin_missing" }] })
  })

  it("when its event has another schema and no upcaster, then its author is told what to do", async () => {
    const { completed, dir } = await begun(plugin)
    writeFileSync(Path.join(dir, "diary.mjs"), noting("{ text: Schema.String, by: Schema.String }"))
    for (const command of [
      ["status", completed],
      ["show", completed]
    ]) {
      const { data, refused } = await anew(command, dir)
      expect(refused).toEqual(["log_newer"])
      expect(data.problems[0].hint).toContain("Where plugin diary was changed since, its author adds an upcaster")
    }
  })
})
