import { existsSync, readdirSync, renameSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { AgentSpec, PresetName } from "@proofline/plugins/adapters/command-agent"
import { Effect } from "effect"
import { settings } from "./clients.ts"
import type { Asked } from "./dialects.ts"
import { stepsOf } from "./replaying.ts"
import { bin, folder, JSON_ANSWER, LIMIT_MS, processesOf, SPOKEN, scene } from "./scene.ts"
import { inOrder } from "./scriptedModel.ts"
import { ways } from "./ways.ts"

interface Tried {
  readonly name: string
  readonly program: string
  readonly client: PresetName
  readonly spec: AgentSpec
  readonly env: Readonly<Record<string, string>>
}

const tried: ReadonlyArray<Tried> = [
  ...(Object.keys(settings) as ReadonlyArray<PresetName>).map((client) => ({
    name: client,
    program: client,
    client,
    spec: { preset: client, model: settings[client].model },
    env: {}
  })),
  ...ways.map(({ acp, client, env, program }) => ({
    name: `${program} over the Agent Client Protocol`,
    program,
    client,
    spec: { acp },
    env
  }))
]

/**
 * As if a minute had passed. Over the Agent Client Protocol Gemini CLI 0.61.0 names the file of a session by the minute, and
 * begins that file anew before it loads it.
 */
const minuteLater = (home: string): void => {
  const projects = join(home, ".gemini", "tmp")
  for (const project of existsSync(projects) ? readdirSync(projects) : []) {
    const chats = join(projects, project, "chats")
    for (const file of existsSync(chats) ? readdirSync(chats) : []) {
      renameSync(join(chats, file), join(chats, file.replace(/^session-\d{4}/, "session-2020")))
    }
  }
}

/** How often the model was told this so far. */
const told = ({ user }: Asked | undefined = {} as Asked, words: string): number => user.split(words).length - 1

/** Names of sessions as the clients make them, which none of them has. */
const unknown: Readonly<Record<PresetName, string>> = {
  claude: "0198c0de-0000-4000-8000-000000000000",
  codex: "0198c0de-0000-7000-8000-000000000000",
  gemini: "0198c0de-0000-4000-8000-000000000000",
  opencode: "ses_0123456789abcdefghijklmnop"
}

if (folder === undefined) {
  describe("sessions of the real clients", () => {
    it.skip("not tested: only npm run test:clients does, see test/clients/README.md", () => {})
  })
} else {
  for (const { client, env, name, program, spec } of tried) {
    const installed = existsSync(join(bin, program))
    describe.skipIf(!installed)(`${name}${installed ? "" : `, not installed in ${folder}`}`, () => {
      const opened = scene(client, () => inOrder({ say: SPOKEN }), spec, env)

      it.live(
        "given the session of an attempt, when it is asked again, then its model knows the first attempt, and each counts for itself",
        () =>
          Effect.gen(function* () {
            const { ask, env, model, place } = yield* opened
            const first = yield* ask("work", undefined, { prompt: "The first words." })
            assert.deepStrictEqual([first.outcome, first.error], ["COMPLETE", null])
            assert.isDefined(first.session)
            minuteLater(env["HOME"] ?? "")
            const resume = first.session === undefined ? {} : { resume: first.session }
            const second = yield* ask("work", undefined, { prompt: "The second words.", attempt: 2, ...resume })
            assert.deepStrictEqual([second.outcome, second.answer, second.error], ["COMPLETE", JSON_ANSWER, null])
            assert.strictEqual(second.session?.id, first.session?.id)
            const last = model.asked.at(-1)
            assert.deepStrictEqual([told(last, "The first words."), told(last, "The second words.")], [1, 1])
            assert.deepStrictEqual(second.usage, first.usage)
            const steps = stepsOf(second.steps)
            assert.deepStrictEqual(
              steps.filter(({ type }) => type === "note"),
              []
            )
            // what was said before is not said again
            assert.lengthOf(
              steps.flatMap((step) => (step.type === "text" ? (step.text.match(/All done\./g) ?? []) : [])),
              1
            )
            assert.deepStrictEqual(processesOf(place), [])
          }).pipe(Effect.scoped),
        LIMIT_MS
      )

      it.live(
        "given a session that it does not have, when it is asked, then it works in a new one and that is told",
        () =>
          Effect.gen(function* () {
            const { ask, model } = yield* opened
            const resume = { id: unknown[client] }
            const result = yield* ask("work", undefined, { prompt: "The only words.", attempt: 2, resume })
            assert.deepStrictEqual([result.outcome, result.answer, result.error], ["COMPLETE", JSON_ANSWER, null])
            assert.isDefined(result.session)
            assert.notStrictEqual(result.session?.id, resume.id)
            assert.deepStrictEqual(
              stepsOf(result.steps).flatMap((step) => (step.type === "note" ? [step.type] : [])),
              ["note"]
            )
            assert.strictEqual(told(model.asked.at(-1), "The only words."), 1)
          }).pipe(Effect.scoped),
        LIMIT_MS
      )
    })
  }
}
