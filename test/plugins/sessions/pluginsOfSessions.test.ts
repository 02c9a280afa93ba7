import { assert, describe } from "@effect/vitest"
import { definePlugin, plugin } from "@proofline/kernel"
import { Effect } from "effect"
import { effect } from "../../effects.ts"
import { rules } from "../../kernel/golden/scenarios.ts"
import { aPlan, explored } from "./rules/playing.ts"
import { aClient, newProject, newServer, readAll } from "./servers.ts"

const late = definePlugin(plugin("late", { state: null }), { version: "7" })

describe("a session run that is gone on with by a process that has another plugin", () => {
  effect("records all its plugins before what they decide, once, and what only reads writes nothing", function* () {
    const project = yield* newProject()
    const alice = yield* aClient(yield* newServer(project, "one"), "alice")
    yield* alice.call("submit_phase", { data: explored })
    const own = yield* rules(project.log, () => Effect.die("Nobody is driven here."))
    const second = yield* newServer(project, "two", { plugins: [...own, late] })
    const before = (yield* readAll(project.log)).length
    const bob = yield* aClient(second, "bob")
    yield* bob.call("submit_phase", { data: aPlan("a") })
    yield* bob.call("get_next_action")
    const events = yield* readAll(project.log)
    const told = events.filter(({ event_type }) => event_type === "RUN_PLUGINS_CHANGED")
    assert.strictEqual(told.length, 1)
    assert.strictEqual(events[before], told[0])
    const { plugins = [] } = (told[0]?.content ?? {}) as { readonly plugins?: ReadonlyArray<object> }
    assert.deepInclude(plugins, { name: "late", version: "7" })
    const written = (yield* readAll(project.log)).length
    yield* bob.call("get_my_task_progress")
    assert.strictEqual((yield* readAll(project.log)).length, written)
    const [run] = events
    assert.deepEqual((yield* second.load(run?.stream ?? "")).run.plugins, plugins as never)
  })
})
