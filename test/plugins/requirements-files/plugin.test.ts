import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { ActivityFailure, CommandOf } from "@proofline/kernel"
import { layer as projectFiles } from "@proofline/plugins/adapters/node-project-files"
import { parseGeneratedTasks } from "@proofline/plugins/adapters/project-files"
import type { RecordPlan } from "@proofline/plugins/policies/requirements"
import { generatorFiles } from "@proofline/plugins/policies/requirements-files"
import { Effect, Result } from "effect"
import { directory } from "../node-process/support.ts"
import { completed } from "../requirements/stage.ts"
import { carryOut, generationRequest, stock } from "../requirements-agent/support.ts"

const task = (id: string, more = "") =>
  `tasks:\n  - id: ${id}\n    name: n\n    instruction: do it\n    checks: ["true"]\n    covers: [req_1.1]\n${more}`

/** A project with these files, asked for the tasks of an iteration. */
const planned = Effect.fnUntraced(function* (
  files: Readonly<Record<string, string>>,
  tasks: ReadonlyArray<string>,
  more: Parameters<typeof generationRequest>[0] = {}
) {
  const root = directory()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const plugin = yield* Effect.provide(generatorFiles(parseGeneratedTasks), projectFiles({ root }))
  const requirements = { ...stock, generation: { generator: "files", tasks } }
  const request = generationRequest({ root, requirements, ...more })
  const { dispatched, result } = yield* carryOut<CommandOf<typeof RecordPlan>>(plugin, "generator-files", request)
  assert.deepStrictEqual(dispatched, [], "no agent is asked")
  return result
})

const failureIn = (result: Result.Result<CommandOf<typeof RecordPlan>, ActivityFailure>) =>
  Result.isFailure(result) ? result.failure : { code: "", message: "it was taken" }

describe("tasks files, one for each iteration", () => {
  const files = { "plans/one.yaml": task("a"), "plans/two.yaml": task("b", "    depends_on: [a]\n") }
  const tasks = ["plans/one.yaml", "plans/two.yaml"]

  it.effect("given an iteration, then its file is the plan, and may build on what is completed", () =>
    Effect.gen(function* () {
      const first = Result.getOrThrow(yield* planned(files, tasks))
      assert.deepInclude(first, { _tag: "requirements.RecordPlan", generator: "files", iteration: 1, problems: [] })
      assert.deepInclude(first, { answer: files["plans/one.yaml"], output: null })
      assert.deepStrictEqual(
        first.tasks.map(({ covers, id }) => [id, covers]),
        [["a", ["req_1.1"]]]
      )
      const second = Result.getOrThrow(
        yield* planned(files, tasks, { iteration: 2, completed_tasks: [completed("a")], taken_ids: ["a"] })
      )
      assert.deepStrictEqual(second.problems, [])
      assert.deepStrictEqual(second.tasks[0]?.depends_on, ["a"])
    })
  )

  it.effect("given what is wrong in a file, then it is told with the file and the line", () =>
    Effect.gen(function* () {
      const { problems, tasks: found } = Result.getOrThrow(yield* planned(files, tasks, { iteration: 2 }))
      assert.deepStrictEqual(found, [])
      assert.match(problems.join("\n"), /^plans\/two\.yaml: Line 7: /)
      const prose = Result.getOrThrow(yield* planned({ "a.yaml": "All is planned." }, ["a.yaml"]))
      assert.isNotEmpty(prose.problems)
    })
  )

  it.effect("given more iterations than files, then that is said, with what to do", () =>
    Effect.gen(function* () {
      const expected: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
        [[], "names none"],
        [["plans/one.yaml"], "names one file"],
        [tasks, "names 2 files"]
      ]
      for (const [named, told] of expected) {
        const { code, message } = failureIn(yield* planned(files, named, { iteration: 3 }))
        assert.strictEqual(code, "plan_missing")
        assert.include(message, "iteration 3")
        assert.include(message, told)
      }
    })
  )

  it.effect("given a file that is not there, is none, or lies outside the project, then it is not read", () =>
    Effect.gen(function* () {
      const expected: ReadonlyArray<readonly [string, string]> = [
        ["nowhere.yaml", "does not exist"],
        ["plans", "not a file"],
        ["../one.yaml", "outside the project"],
        ["zero.yaml", "zero bytes"]
      ]
      for (const [path, told] of expected) {
        const { code, message } = failureIn(yield* planned({ ...files, "zero.yaml": "a\0" }, [path]))
        assert.strictEqual(code, "plan_unreadable", path)
        assert.include(message, told)
      }
    })
  )
})
