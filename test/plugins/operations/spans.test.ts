import { assert, describe } from "@effect/vitest"
import { Option } from "effect"
import { effect } from "../../effects.ts"
import { attributesOf, named, spansOf } from "../../kernel/support/spans.ts"
import { aWatcher } from "../oversight/watcher.ts"
import { explored } from "../sessions/rules/playing.ts"
import { aClient, alone, newProject, newServer, readAll } from "../sessions/servers.ts"

describe("given one call of an operation", () => {
  effect("it is a span with name, run and version, and its commands are below it", function* () {
    const { alice, project } = yield* alone()
    const version = (yield* readAll(project.log)).length
    const spans = yield* spansOf(alice.call("submit_phase", { data: explored }))
    const [operation, ...others] = named(spans, "Operation.call")
    assert.isEmpty(others)
    assert.isDefined(operation)
    const { run } = alice.opened
    assert.deepStrictEqual(attributesOf(operation), { operation: "submit_phase", run, version })
    const commands = named(spans, "Engine.execute").filter((span) => span.attributes.get("command") === "SubmitPhase")
    assert.lengthOf(commands, 1)
    for (const command of commands) {
      assert.strictEqual(Option.getOrUndefined(command.parent)?.spanId, operation.spanId)
      const written = (yield* readAll(project.log)).length - version
      assert.deepInclude(attributesOf(command), { run, version: version + written, events: written })
    }
  })

  effect("it says which run was found, where the call names none", function* () {
    const project = yield* newProject()
    const { opened } = yield* aClient(yield* newServer(project, "one"), "alice")
    const watcher = yield* aWatcher(project.log)
    const version = (yield* readAll(project.log)).length
    const [operation] = named(yield* spansOf(watcher.ask("get_run")), "Operation.call")
    assert.isDefined(operation)
    assert.deepStrictEqual(attributesOf(operation), { operation: "get_run", run: opened.run, version })
  })
})
