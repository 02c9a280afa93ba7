import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Permissions } from "@proofline/plugins/options"
import { Effect, Fiber } from "effect"
import { finish, startIn } from "../cli/proofline.ts"
import { written } from "../plugins/node-process/support.ts"
import { stepsOf } from "./replaying.ts"
import {
  bin,
  filesIn,
  folder,
  JSON_ANSWER,
  LIMIT_MS,
  processesOf,
  reporting,
  SPOKEN,
  scene,
  slow,
  TASKS
} from "./scene.ts"
import { inOrder } from "./scriptedModel.ts"
import { ways } from "./ways.ts"

if (folder === undefined) {
  describe("real clients over the Agent Client Protocol", () => {
    it.skip("not tested: only npm run test:clients does, see test/clients/README.md", () => {})
  })
} else {
  for (const { acp, asks, client, env, program } of ways) {
    const installed = existsSync(join(bin, program))
    describe.skipIf(!installed)(`${program}${installed ? "" : `, not installed in ${folder}`}`, () => {
      it.live.each<{ permissions: Permissions }>(asks ? [{ permissions: "allow" }, { permissions: "deny" }] : [])(
        "given work, when its model edits a file and it asks, then it is answered: $permissions",
        ({ permissions }) =>
          Effect.gen(function* () {
            const { ask, place, root } = yield* scene(
              client,
              (root) => inOrder({ write: { path: join(root, "edited.txt"), content: "edited" } }, { say: SPOKEN }),
              { acp, permissions },
              env
            )
            const { answer, error, outcome, steps } = yield* ask("work")
            const isAllowed = permissions === "allow"
            assert.deepStrictEqual([outcome, answer, error], ["COMPLETE", JSON_ANSWER, null])
            assert.deepStrictEqual(filesIn(root), isAllowed ? ["edited.txt"] : [])
            const told = stepsOf(steps)
            const answers = told.flatMap((step) => (step.type === "permission" ? [step.answer] : []))
            assert.deepStrictEqual([...new Set(answers)], [isAllowed ? "allowed" : "denied"])
            if (isAllowed) assert.isTrue(told.some((step) => step.type === "tool" && step.status === "done"))
            assert.deepStrictEqual(processesOf(place), [])
          }).pipe(Effect.scoped),
        LIMIT_MS
      )

      it.live(
        "given a run, when its model reports by complete_task, a lie first, and another judges by submit_review, then the run takes both",
        () =>
          Effect.gen(function* () {
            const { env: all, model, place, root } = yield* scene(client, reporting, { acp }, env)
            mkdirSync(join(root, "src"))
            writeFileSync(join(root, "tasks.yaml"), TASKS)
            writeFileSync(
              join(root, "proofline.yaml"),
              `agent: open\nreviewer: open\nagents: {open: {acp: "${acp}"}}\n`
            )
            const { code, stderr, stdout } = yield* Effect.promise(() =>
              finish(startIn(root, all, ["run", "tasks.yaml"]))
            )
            assert.strictEqual(code, 0, `${stdout}${stderr}`)
            assert.include(stdout, "add() adds  src/add.py:1-2")
            const answers = model.asked.map(({ result }) => result)
            assert.isTrue(answers.some((answer) => answer.includes("checklist_evidence_line_out_of_range")))
            assert.deepStrictEqual(processesOf(place), [])
          }).pipe(Effect.scoped),
        LIMIT_MS
      )

      it.live(
        "given work, when it is interrupted while a command runs, then neither the client nor the command is left",
        () =>
          Effect.gen(function* () {
            const { ask, place, root } = yield* scene(
              client,
              () => inOrder({ shell: "sh ./slow.sh" }, "never"),
              { acp },
              env
            )
            writeFileSync(join(root, "slow.sh"), slow)
            const running = yield* Effect.forkChild(ask("work"))
            yield* written(join(root, "started"))
            yield* Fiber.interrupt(running)
            assert.deepStrictEqual(processesOf(place), [])
            assert.include(readFileSync(join(root, "started"), "utf8"), "task-1")
          }).pipe(Effect.scoped),
        LIMIT_MS
      )
    })
  }
}
