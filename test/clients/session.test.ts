import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { PresetName } from "@proofline/plugins/adapters/command-agent"
import { Effect } from "effect"
import { expectReplay, newestLog, newestRun } from "../cli/sessionStage.ts"
import { settings } from "./clients.ts"
import { snippetFor } from "./docs.ts"
import { bin, folder } from "./scene.ts"
import { inOrder, type Play, scriptedModel } from "./scriptedModel.ts"
import { clients, source, userIn } from "./users.ts"

const LIMIT_MS = 180_000
const login = "SALT = 'x'\n\n\ndef login(users, name):\n    users[name] = name\n    return users\n"
const item = `Add login() to ${source}`

const report = (evidence: string) => ({
  tool: "complete_task",
  input: { task_id: "login", data: { summary: "login() is there.", checklist: [{ item, status: "done", evidence }] } }
})

/** A whole session of an agent that lies once: it explores, plans, works, is refused, repairs, is verified and reports. */
const session = (root: string): Play =>
  inOrder(
    { tool: "get_next_action", input: {} },
    {
      tool: "submit_phase",
      input: { data: { explored_files: [source], findings: [`${source}: there is no login`] } }
    },
    {
      tool: "submit_phase",
      input: {
        data: {
          tasks: [
            { id: "login", description: "Add a login", status: "pending", checklist: [{ item, status: "pending" }] }
          ]
        }
      }
    },
    { tool: "check_write_target", input: { file_path: source } },
    { write: { path: join(root, source), content: login } },
    report(`${source}:40`),
    report(`${source}:4-6`),
    { tool: "submit_phase", input: { data: { summary: "People can log in." } } },
    { tool: "submit_phase", input: { data: {} } },
    { tool: "get_next_action", input: {} },
    { tool: "report_completed", input: { result: "success", summary: "People can log in." } },
    { say: "All done." }
  )

/** What a log says of the way, in order. */
// biome-ignore lint/suspicious/noExplicitAny: events of every kind
const wayOf = (log: ReadonlyArray<any>): ReadonlyArray<string> =>
  log.flatMap(({ content, event_type }) => {
    switch (event_type) {
      case "PHASE_ENTERED":
        return [content.phase]
      case "CHECKLIST_ITEM_REJECTED":
        return [content.key]
      case "PHASE_VERIFIED":
        return [content.passed ? "verified" : "not verified"]
      case "COMPLETION_REPORTED":
        return [content.result]
      case "WRITE_TARGET_CHECKED":
      case "TASK_COMPLETED":
      case "RUN_COMPLETED":
        return [event_type]
      default:
        return []
    }
  })

const way = [
  "EXPLORATION",
  "READY_PLAN",
  "READY_IMPL",
  "WRITE_TARGET_CHECKED",
  "checklist_evidence_line_out_of_range",
  "TASK_COMPLETED",
  "READY_COMPLETE",
  "POST_IMPL_VERIFY",
  "verified",
  "DONE",
  "RUN_COMPLETED",
  "success"
]

if (folder === undefined) {
  describe("whole sessions of the real clients", () => {
    it.skip("not tested: only npm run test:clients does, see test/clients/README.md", () => {})
  })
} else {
  for (const client of Object.keys(settings) as ReadonlyArray<PresetName>) {
    const installed = existsSync(join(bin, client))
    describe.skipIf(!installed)(`a session of ${client}${installed ? "" : `, not installed in ${folder}`}`, () => {
      it.live(
        "given a model that lies once, when it works in the phases of its session, then it is refused, repairs it, and all is verified",
        () =>
          Effect.gen(function* () {
            let play: Play = () => "never"
            const model = yield* scriptedModel((asked) => play(asked))
            const { follow, root, run } = userIn(client, model.url)
            play = session(root)
            const { command, config, edits, more } = clients[client]
            follow(config, snippetFor(config, "stdio"))
            if (more !== undefined) follow(more, snippetFor(more))
            follow("proofline.yaml", `verifiers: ["grep -q 'def login' ${source}"]\n`)
            const { code, stderr, stdout } = yield* run([...command(settings[client].model), ...edits])
            const shown = `${stdout}\n${stderr}\n${JSON.stringify(model.asked.map(({ result }) => result))}`
            assert.strictEqual(code, 0, shown)
            assert.strictEqual(readFileSync(join(root, source), "utf8").trim(), login.trim())
            const log = yield* Effect.promise(() => newestLog(root))
            assert.deepStrictEqual(wayOf(log), way)
            assert.deepInclude(yield* Effect.promise(() => newestRun(root)), { kind: "session", status: "completed" })
            yield* Effect.promise(() => expectReplay(root))
          }).pipe(Effect.scoped),
        LIMIT_MS
      )
    })
  }
}
