import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { PresetName } from "@proofline/plugins/adapters/command-agent"
import { Effect, Fiber } from "effect"
import { finish, startIn } from "../cli/proofline.ts"
import { directory, written } from "../plugins/node-process/support.ts"
import { settings } from "./clients.ts"
import type { Asked } from "./dialects.ts"
import {
  bin,
  filesIn,
  folder,
  JSON_ANSWER,
  LIMIT_MS,
  NO_ANSWER,
  PROMPT,
  processesOf,
  reporting,
  SPOKEN,
  scene,
  slow,
  TASKS
} from "./scene.ts"
import { inOrder, type Reply } from "./scriptedModel.ts"
import { proofline } from "./users.ts"

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

if (folder === undefined) {
  describe("the real clients", () => {
    it.skip("not tested: only npm run test:clients does, see test/clients/README.md", () => {})
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

      it.live.each([
        ["a run", false],
        ["a run in a project for which the client was set up", true]
      ] as const)(
        "given %s, when its model reports, a lie first, and another judges, then the run takes both",
        ([_name, isSetUp]) =>
          Effect.gen(function* () {
            const { place, root, model, env } = yield* scene(client, reporting)
            mkdirSync(join(root, "src"))
            writeFileSync(join(root, "tasks.yaml"), TASKS)
            if (isSetUp) {
              env["PATH"] = [proofline(place), env["PATH"]].join(delimiter)
              const set = yield* Effect.promise(() => finish(startIn(root, env, ["mcp", "install", client, "--yes"])))
              assert.strictEqual(set.code, 0, `${set.stdout}${set.stderr}`)
            }
            const before = filesIn(root)
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
            const { code, stderr, stdout } = yield* Effect.promise(() => finish(startIn(root, env, args)))
            assert.strictEqual(code, 0, `${stdout}${stderr}`)
            assert.include(stdout, "add() adds  src/add.py:1-2")
            const answers = model.asked.map(({ result }) => result)
            const isTold = answers.some((answer) => answer.includes("checklist_evidence_line_out_of_range"))
            const taken = answers.filter((answer) => answer.includes("Your report was taken."))
            assert.deepStrictEqual([isTold, taken.length], [true, 2])
            assert.notInclude(JSON.stringify(model.asked), "att_")
            assert.deepStrictEqual(filesIn(root), before)
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
