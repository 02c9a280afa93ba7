import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import {
  canonicalJson,
  composePlugins,
  emptySnapshot,
  jsonSchemaOf,
  makeFold,
  makeManifest,
  type Recorded,
  toNdjson,
  verifyChain
} from "@proofline/kernel"
import { Effect, Predicate, Result } from "effect"
import { sessionsRules } from "../../../packages/plugins/src/policies/sessions/rules/plugin.ts"
import { requirementsScenario } from "../../plugins/requirements/goldenScenario.ts"
import { digest, replayOf } from "../support/recorded.ts"
import { stateOf } from "../support/words.ts"
import { newLog, well } from "../support/world.ts"
import { catalogue, everyEventType } from "./everyType.ts"
import { isUpdating, release } from "./release.ts"
import { driven, rules } from "./scenarios.ts"
import { sessionScenario } from "./sessionScenario.ts"
import { thenState } from "./thenState.ts"

/** What is kept of every release: how its logs look. */
const scenarios = { ...driven, session: sessionScenario }

const here = fileURLToPath(new URL("../../golden/", import.meta.url))
const everyType = "every-type"

const read = (file: string): ReadonlyArray<Recorded> =>
  readFileSync(`${here}${file}`, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line))

const composition = Effect.gen(function* () {
  return composePlugins([...(yield* rules(yield* newLog, () => Effect.succeed(well))), sessionsRules])
})

const fold = Effect.fnUntraced(function* (log: ReadonlyArray<Recorded>) {
  const plugins = yield* composition
  const manifest = makeManifest(plugins)
  const { now, add } = makeFold(plugins, emptySnapshot(plugins))
  for (const event of log) add(manifest.decode(event, now))
  return thenState(now().state as unknown as Parameters<typeof thenState>[0])
})

const manifest = makeManifest(catalogue)

const releases = readdirSync(here).filter((name) => /^\d/.test(name))

describe.runIf(isUpdating)("the golden logs of this release", () => {
  for (const [name, scenario] of Object.entries(scenarios)) {
    it.effect(`writes ${release}/${name}`, () =>
      Effect.gen(function* () {
        const log = yield* scenario
        writeFileSync(`${here}${release}/${name}.ndjson`, log.map(toNdjson).join(""))
        writeFileSync(`${here}${release}/${name}.state.json`, `${JSON.stringify(yield* fold(log), null, 2)}\n`)
      })
    )
  }
  it.live(`writes ${release}/${everyType}`, () =>
    Effect.gen(function* () {
      const { events } = yield* requirementsScenario
      const others = events.map((event) => manifest.decode(event))
      writeFileSync(`${here}${release}/${everyType}.ndjson`, everyEventType(others).map(toNdjson).join(""))
    })
  )
})

describe.skipIf(isUpdating)("the logs of every release", () => {
  it("are there", () => {
    assert.include(releases, release)
    for (const name of [...Object.keys(scenarios), everyType]) {
      assert.isTrue(existsSync(`${here}${release}/${name}.ndjson`), `${release}/${name}: written by UPDATE_GOLDEN=1`)
    }
  })

  for (const folder of releases) {
    const logs = readdirSync(`${here}${folder}`).filter(
      (file) => file.endsWith(".ndjson") && !file.startsWith(everyType)
    )
    for (const file of logs) {
      describe(`${folder}/${file}`, () => {
        it("has an unbroken chain", () => {
          const verified = verifyChain(read(`${folder}/${file}`), digest.sha256)
          assert.isTrue(Result.isSuccess(verified), Result.isFailure(verified) ? verified.failure.message : "")
        })

        it("is, line by line, what would be exported today", () => {
          const text = readFileSync(`${here}${folder}/${file}`, "utf8")
          assert.strictEqual(read(`${folder}/${file}`).map(toNdjson).join(""), text)
        })

        it.effect("folds to the state it had then", () =>
          Effect.gen(function* () {
            const now = yield* fold(read(`${folder}/${file}`))
            const then = readFileSync(`${here}${folder}/${file.replace(".ndjson", ".state.json")}`, "utf8")
            assert.deepStrictEqual(asThen(now, JSON.parse(then)), JSON.parse(then))
          })
        )

        it.effect("is decided today as it was then", () =>
          Effect.gen(function* () {
            const { divergence, events, snapshot } = replayOf(yield* composition, read(`${folder}/${file}`))
            assert.isNull(divergence)
            assert.isAbove(events, 10)
            assert.strictEqual(stateOf(snapshot).run.status, "completed")
          })
        )
      })
    }
  }
})

/** Today's state without the fields that came later: what was said then must still be true. */
const asThen = (today: unknown, then: unknown): unknown =>
  Array.isArray(today) && Array.isArray(then)
    ? today.map((one, i) => asThen(one, then[i]))
    : Predicate.isObject(today) && Predicate.isObject(then)
      ? Object.fromEntries(
          Object.entries(today).flatMap(([key, value]) =>
            key in then ? [[key, asThen(value, (then as Record<string, unknown>)[key])]] : []
          )
        )
      : today

describe.skipIf(isUpdating)("the scenarios", () => {
  it("tell what their names promise", () => {
    const types = (name: string) => read(`${release}/${name}.ndjson`).map(({ event_type }) => event_type)
    assert.notInclude(types("completed"), "CHECKLIST_ITEM_REJECTED")
    assert.includeMembers(types("refused-then-proven"), ["CHECKLIST_ITEM_REJECTED", "CHECKLIST_ITEM_ACCEPTED"])
    assert.include(types("crash-and-resume"), "RUN_RESUMED")
    const outcomes = read(`${release}/crash-and-resume.ndjson`).map(
      ({ content }) => (content as { outcome?: string }).outcome
    )
    assert.include(outcomes, "LOST")
    const reasons = read(`${release}/budget.ndjson`).map(({ content }) => (content as { reason?: string }).reason)
    assert.include(reasons, "budget")
    assert.includeMembers(types("budget"), ["AGENT_CALLED", "RUN_FAILED", "RUN_RESUMED", "RUN_COMPLETED"])
    assert.includeMembers(types("session"), [
      "PHASE_CONTRACT_ADOPTED",
      "SESSION_OPENED",
      "NEXT_ACTION_ISSUED",
      "PHASE_REJECTED",
      "PHASE_SUBMITTED",
      "PHASE_ENTERED",
      "WRITE_TARGET_CHECKED",
      "TASKS_CREATED",
      "TASK_ASSIGNED",
      "CHECKLIST_ITEM_REJECTED",
      "CHECKLIST_ITEM_ACCEPTED",
      "PHASE_VERIFIED",
      "COMPLETION_REPORTED",
      "SESSION_CLOSED"
    ])
  })

  for (const [name, scenario] of Object.entries(scenarios)) {
    it.effect(`${name} gives the same log whenever it is played`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* scenario, yield* scenario)
      })
    )
  }
})

describe.skipIf(isUpdating)("every event type", () => {
  const lines = isUpdating ? [] : releases.flatMap((folder) => read(`${folder}/${everyType}.ndjson`))

  for (const [type, { event }] of catalogue.events) {
    for (let version = 1; version <= manifest.schemaVersionOf(type); version++) {
      it(`${type} v${version} can still be read`, () => {
        const kept = lines.filter((line) => line.event_type === type && line.schema_version === version)
        assert.isNotEmpty(kept, "a golden line")
        for (const line of kept) {
          const { content } = manifest.decode(line)
          // nothing of what was written is lost on the way
          if (version === manifest.schemaVersionOf(type)) {
            assert.strictEqual(canonicalJson(content), canonicalJson(line.content))
          }
        }
      })
    }

    it(`${type} has a golden line for each of its fields`, () => {
      const { properties = {} } = jsonSchemaOf(event.options.schema) as { readonly properties?: object }
      const now = lines.filter(
        (line) => line.event_type === type && line.schema_version === manifest.schemaVersionOf(type)
      )
      const said = now.flatMap(({ content }) => Object.keys(content as object))
      assert.isEmpty(Object.keys(properties).filter((name) => !said.includes(name)))
    })
  }

  it("has no golden line that nobody knows", () => {
    for (const { event_type } of lines) assert.include([...manifest.types], event_type)
  })
})
