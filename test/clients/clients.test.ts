import { execFileSync, spawn } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { type AgentRole, Agents } from "@proofline/kernel"
import type { PresetName } from "@proofline/plugins/adapters/command-agent"
import { Effect, Fiber } from "effect"
import { finish, launcher } from "../cli/proofline.ts"
import { agentsOf, request } from "../plugins/command-agent/support.ts"
import { directory, written } from "../plugins/node-process/support.ts"
import { settings, userOf, withOnly } from "./clients.ts"
import type { Asked } from "./dialects.ts"
import { inOrder, type Play, type Reply, scriptedModel } from "./scriptedModel.ts"

/** A folder in which the clients were installed with npm. */
const folder = process.env["PROOFLINE_TEST_CLIENTS"]
const bin = resolve(folder ?? ".", "node_modules", ".bin")

const LIMIT_MS = 180_000

const JSON_ANSWER = '{"summary":"written by the scripted model"}'
const SPOKEN = `All done.\n\n\`\`\`json\n${JSON_ANSWER}\n\`\`\`\n`
const NO_ANSWER = "I am done."

/** More than a command line takes, and what a shell or a client may take for its own. */
const PROMPT = [
  '# Task t-1: "It\'s" a `prompt`, größer als $HOME $(touch run-by-a-shell)',
  "@decorated /slash !bang #hash {prompt} %s \\n 日本語 🙂",
  ...Array.from({ length: 4_000 }, (_, line) => `line ${line} of a prompt that is long`),
  "The end of the prompt."
].join("\n")

/** One client of one user, with an empty project and a scripted model. */
const scene = (client: PresetName, play: (root: string) => Play) =>
  Effect.gen(function* () {
    const place = directory()
    const root = join(place, "project")
    mkdirSync(root)
    const model = yield* scriptedModel(play(root))
    const env = userOf(client, bin, join(place, "home"), model.url)
    const spec = { preset: client, model: settings[client].model }
    const ask = (role: AgentRole, stateDir = join(root, ".proofline", "state")) =>
      withOnly(
        env,
        Effect.flatMap(Agents, (agents) =>
          agents.run("a", request({ role, prompt: PROMPT, timeout_ms: LIMIT_MS, run_id: place }))
        ).pipe(Effect.provide(agentsOf({ root, stateDir, agents: { a: spec } })))
      )
    return { place, root, model, env, ask }
  })

/** Everything that runs with something of this place in its command line or its environment. */
const processesOf = (place: string): ReadonlyArray<string> =>
  execFileSync("ps", ["axeww", "-o", "pid=,command="], { encoding: "utf8", maxBuffer: 1e8 })
    .split("\n")
    .filter((line) => line.includes(place))

const filesIn = (root: string): ReadonlyArray<string> => readdirSync(root).filter((name) => name !== ".proofline")

const said = (asked: ReadonlyArray<Asked>): ReadonlyArray<boolean> => asked.map(({ user }) => user.includes(PROMPT))

/** How a model that follows its prompt gets at the report file. One client shows it no variables but tells the path. */
const report = ({ system }: Asked): Reply => {
  const path = /PROOFLINE_REPORT_FILE is (\S+)/.exec(system)?.[1]
  return path === undefined
    ? { shell: `printf '%s' '${JSON_ANSWER}' > "$PROOFLINE_REPORT_FILE"` }
    : { write: { path, content: JSON_ANSWER } }
}

/** Not below the temporary directory: one of the clients may write there by its own rule. */
const OUTSIDE = "/outside-of-every-project"
const REFUSED = /Read-only file system|you haven't granted it|Path not in workspace|rejected permission/

const TASKS = `tasks:
  - id: t-1
    name: Add numbers
    instruction: Write add() in src/add.py.
    checklist: ["add() adds"]
    validation: ["add() is there"]
`
const PASSED = {
  data: { judgment: "PASS", checks: [{ criterion: "add() is there", passed: true, details: "It is." }] }
}
const reportOf = (evidence: string) => ({
  task_id: "t-1",
  data: { summary: "add() is there.", checklist: [{ item: "add() adds", status: "done", evidence }] }
})

/**
 * What a model does that has nothing but the answers to go by. A client may ask it before the server has named its tools,
 * and may keep some of them back until they are looked for.
 */
const reporting: Play = ({ result, tools, user }) => {
  const isReview = user.includes("# Review of task")
  const tool = isReview ? "submit_review" : "complete_task"
  if (!tools.some((name) => name.endsWith(tool))) {
    const isKept = tools.includes("ToolSearch")
    return isKept ? { tool: "ToolSearch", input: { query: `select:mcp__proofline__${tool}` } } : { shell: "true" }
  }
  if (result.includes("Your report was taken.")) return { say: NO_ANSWER }
  if (isReview) return { tool, input: PASSED }
  const isTold = result.includes("checklist_evidence_line_out_of_range")
  return { tool, input: reportOf(isTold ? "src/add.py:1-2" : "src/add.py:40") }
}

/** The clients that take a server from the command line or the environment, and so without touching a user's file. */
const ASKING_BACK: ReadonlyArray<PresetName> = ["claude", "codex", "opencode"]

const slow = `echo "$PROOFLINE_TASK_ID" > started\nwhile :; do sleep 1000; done\n`

if (folder === undefined) {
  describe("the real clients", () => {
    it.skip("not tested: PROOFLINE_TEST_CLIENTS names no folder, see test/clients/README.md", () => {})
  })
} else {
  it("given PROOFLINE_TEST_CLIENTS, then there is a client in its node_modules/.bin", () => {
    assert.isNotEmpty(Object.keys(settings).filter((client) => existsSync(join(bin, client))))
  })

  for (const client of Object.keys(settings) as ReadonlyArray<PresetName>) {
    const installed = existsSync(join(bin, client))
    describe.skipIf(!installed)(`${client}${installed ? "" : `, not installed in ${folder}`}`, () => {
      it.live(
        "given work, when its model edits a file and writes the report file, then both are there without a question",
        () =>
          Effect.gen(function* () {
            const { place, root, model, ask } = yield* scene(client, (root) =>
              inOrder({ write: { path: join(root, "edited.txt"), content: "edited" } }, report, { say: NO_ANSWER })
            )
            const result = yield* ask("work")
            assert.deepStrictEqual([result.outcome, result.exit_code, result.error], ["COMPLETE", 0, null])
            assert.strictEqual(result.answer?.trim(), JSON_ANSWER)
            assert.deepStrictEqual(filesIn(root), ["edited.txt"])
            assert.strictEqual(readFileSync(join(root, "edited.txt"), "utf8").trim(), "edited")
            assert.deepStrictEqual(said(model.asked), [true, true, true])
            assert.deepStrictEqual(processesOf(place), [])
          }).pipe(Effect.scoped),
        LIMIT_MS
      )

      it.live(
        "given work and a state directory elsewhere, when its model writes the report file, then it may",
        () =>
          Effect.gen(function* () {
            const { ask } = yield* scene(client, () => inOrder(report, { say: NO_ANSWER }))
            const result = yield* ask("work", directory())
            assert.strictEqual(result.answer?.trim(), JSON_ANSWER)
          }).pipe(Effect.scoped),
        LIMIT_MS
      )

      it.live(
        "given work, when its model ends with a fenced block, then that is the answer",
        () =>
          Effect.gen(function* () {
            const { place, model, ask } = yield* scene(client, () => inOrder({ say: SPOKEN }))
            const result = yield* ask("work")
            assert.deepStrictEqual([result.outcome, result.answer, result.error], ["COMPLETE", JSON_ANSWER, null])
            assert.deepStrictEqual(said(model.asked), [true])
            assert.deepStrictEqual(processesOf(place), [])
          }).pipe(Effect.scoped),
        LIMIT_MS
      )

      it.live(
        "given work, when its model tries to edit outside, then it is refused and goes on",
        () =>
          Effect.gen(function* () {
            const { model, ask } = yield* scene(client, () =>
              inOrder({ write: { path: OUTSIDE, content: "x" } }, { say: SPOKEN })
            )
            const result = yield* ask("work")
            assert.deepStrictEqual([result.outcome, result.answer], ["COMPLETE", JSON_ANSWER])
            assert.match(model.asked.at(-1)?.result ?? "", REFUSED)
            assert.isFalse(existsSync(OUTSIDE))
          }).pipe(Effect.scoped),
        LIMIT_MS
      )

      it.live(
        "given a review, when its model tries to edit and to run what edits, then nothing changes and it answers",
        () =>
          Effect.gen(function* () {
            const { root, ask } = yield* scene(client, (root) =>
              inOrder(
                { write: { path: join(root, "by-tool"), content: "x" } },
                { shell: "echo x > by-shell" },
                { shell: "touch by-command" },
                { say: SPOKEN }
              )
            )
            const result = yield* ask("review")
            assert.deepStrictEqual([result.outcome, result.answer, result.error], ["COMPLETE", JSON_ANSWER, null])
            assert.deepStrictEqual(filesIn(root), [])
          }).pipe(Effect.scoped),
        LIMIT_MS
      )

      it.live.skipIf(!ASKING_BACK.includes(client))(
        "given a run, when its model reports by complete_task, a lie first, and another judges by submit_review, then the run takes both",
        () =>
          Effect.gen(function* () {
            const { place, root, model, env } = yield* scene(client, () => reporting)
            mkdirSync(join(root, "src"))
            writeFileSync(join(root, "src/add.py"), "def add(a, b):\n    return a + b\n")
            writeFileSync(join(root, "tasks.yaml"), TASKS)
            const args = [
              "run",
              "tasks.yaml",
              "--agent",
              client,
              "--model",
              settings[client].model,
              "--reviewer",
              client
            ]
            const { code, stderr, stdout } = yield* Effect.promise(() =>
              finish(
                spawn(process.execPath, [launcher, ...args], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] })
              )
            )
            const answers = model.asked.map(({ result }) => result)
            assert.strictEqual(code, 0, `${stdout}${stderr}`)
            assert.include(stdout, "add() adds  src/add.py:1-2")
            assert.lengthOf(
              answers.filter((answer) => answer.includes("Your report was taken.")),
              2
            )
            assert.isTrue(answers.some((answer) => answer.includes("checklist_evidence_line_out_of_range")))
            assert.notInclude(JSON.stringify(model.asked), "att_")
            assert.deepStrictEqual(filesIn(root).toSorted(), ["src", "tasks.yaml"])
            assert.deepStrictEqual(processesOf(place), [])
          }).pipe(Effect.scoped),
        LIMIT_MS
      )

      it.live.each([
        ["refuses the key (401)", "refused", "agent_credentials"],
        ["has no quota left for it", "spent", "agent_quota"]
      ] as const)(
        "given work, when its provider %s, then that is terminal",
        ([_name, refuse, code]) =>
          Effect.gen(function* () {
            const { place, ask } = yield* scene(client, () => inOrder({ refuse }))
            const { outcome, answer, error } = yield* ask("work")
            assert.deepStrictEqual([outcome, answer, error?.code, error?.terminal], ["ERROR", null, code, true])
            assert.deepStrictEqual(processesOf(place), [])
          }).pipe(Effect.scoped),
        LIMIT_MS
      )

      it.live(
        "given work, when it is interrupted while a command runs, then neither the client nor the command is left",
        () =>
          Effect.gen(function* () {
            const { place, root, ask } = yield* scene(client, () => inOrder({ shell: "sh ./slow.sh" }, "never"))
            writeFileSync(join(root, "slow.sh"), slow)
            const running = yield* Effect.forkChild(ask("work"))
            yield* written(join(root, "started"))
            assert.isNotEmpty(processesOf(place))
            yield* Fiber.interrupt(running)
            assert.deepStrictEqual(processesOf(place), [])
          }).pipe(Effect.scoped),
        LIMIT_MS
      )
    })
  }
}
