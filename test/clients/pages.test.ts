import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { finish, startIn } from "../cli/proofline.ts"
import { settings } from "./clients.ts"
import { agentPages } from "./docs.ts"
import { stepsOf } from "./replaying.ts"
import { bin, folder, reporting, SPOKEN, scene, TASKS } from "./scene.ts"
import { inOrder } from "./scriptedModel.ts"
import { clients, userIn } from "./users.ts"
import { ways } from "./ways.ts"

const LIMIT_MS = 120_000
const pages = { opencode: "opencode", gemini: "gemini-cli", codex: "codex", claude: "claude-code" } as const

/** What a page shows for the Agent Client Protocol. */
const overAcp = (page: string): string =>
  agentPages[page]?.files.find(({ path, text }) => path === "proofline.yaml" && text.includes("acp:"))?.text ?? ""

if (folder === undefined) {
  describe("docs/agents, with the real clients", () => {
    it.skip("not tested: only npm run test:clients does, see test/clients/README.md", () => {})
  })
} else {
  for (const { client, env: more, program } of ways) {
    const { INITIAL_AGENT_MODE, NO_BROWSER, GEMINI_CLI_TRUST_WORKSPACE, OPENCODE_CONFIG_CONTENT, ...env } = more
    describe.skipIf(!existsSync(join(bin, program)))(`docs/agents/${pages[client]}.md`, () => {
      it.live(
        "given its file for the Agent Client Protocol, then a run is completed with it",
        () =>
          Effect.gen(function* () {
            const model = { OPENCODE_CONFIG_CONTENT: JSON.stringify({ model: settings.opencode.model }) }
            const { env: all, root } = yield* scene(client, reporting, undefined, { ...env, ...model })
            mkdirSync(join(root, "src"))
            writeFileSync(join(root, "tasks.yaml"), TASKS)
            writeFileSync(join(root, "proofline.yaml"), overAcp(pages[client]))
            const { code, stderr, stdout } = yield* Effect.promise(() =>
              finish(startIn(root, all, ["run", "tasks.yaml"]))
            )
            assert.strictEqual(code, 0, `${stdout}${stderr}`)
            assert.include(stdout, "add() adds  src/add.py:1-2")
          }).pipe(Effect.scoped),
        LIMIT_MS
      )

      it.live(
        "given the commands that it shows for the client, then they are known to it",
        () =>
          Effect.gen(function* () {
            const shown = agentPages[pages[client]]?.lines ?? []
            const lines = shown.filter((line) => !/^(npm|proofline) /.test(line))
            const { env: all, run } = userIn(client, "http://127.0.0.1:9")
            all["OPENAI_API_KEY"] = "dummy"
            for (const line of lines) {
              assert.include(line, clients[client].command("m")[0] ?? "")
              const { code, stderr, stdout } = yield* run(["sh", "-c", line])
              assert.strictEqual(code, 0, `${line}\n${stdout}${stderr}`)
            }
          }),
        LIMIT_MS
      )
    })
  }

  describe.skipIf(!existsSync(join(bin, "opencode")))("docs/agents/opencode.md", () => {
    it.live(
      "given its permissions, when its model edits a file and that is denied, then it asked for it and goes on",
      () =>
        Effect.gen(function* () {
          const { ask, root } = yield* scene(
            "opencode",
            (root) => inOrder({ write: { path: join(root, "edited.txt"), content: "edited" } }, { say: SPOKEN }),
            { acp: "exec opencode acp", permissions: "deny" },
            { OPENCODE_CONFIG_CONTENT: JSON.stringify({ model: settings.opencode.model }) }
          )
          const [shown] = (agentPages["opencode"]?.files ?? []).filter(({ path }) => path === "opencode.json")
          writeFileSync(join(root, "opencode.json"), shown?.text ?? "")
          const { outcome, steps } = yield* ask("work")
          const answers = stepsOf(steps).flatMap((step) => (step.type === "permission" ? [step.answer] : []))
          assert.deepStrictEqual([outcome, answers], ["COMPLETE", ["denied"]])
          assert.isFalse(existsSync(join(root, "edited.txt")))
        }).pipe(Effect.scoped),
      LIMIT_MS
    )
  })
}
