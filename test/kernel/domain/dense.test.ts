import { assert, describe, it } from "@effect/vitest"
import type { CommandOf, EndAttempt, StartAttempt } from "@proofline/kernel"
import { aRun, aTask, given } from "@proofline/kernel/testing"

const about = { task_id: "t0", attempt: 1 }
const started: CommandOf<typeof StartAttempt> = {
  _tag: "StartAttempt",
  ...about,
  agent: "command",
  worker_id: "w",
  item_id: "i",
  lease: 1,
  prompt: { sha256: "", bytes: 0 }
}
const failed: CommandOf<typeof EndAttempt> = {
  _tag: "EndAttempt",
  ...about,
  outcome: "ERROR",
  exit_code: 1,
  signal: null,
  duration_ms: 1,
  error: null,
  output: null,
  report: null,
  files_modified: null
}

describe("a graph in which every task waits for all before it", () => {
  it("ends when the first fails: each of the others is skipped once", () => {
    const ids = Array.from({ length: 600 }, (_, i) => `t${i}`)
    const tasks = ids.map((id, i) => aTask(id, { depends_on: ids.slice(0, i) }))
    const { events } = given()
      .after(aRun(tasks, { max_retries: 0 }), started)
      .when(failed)
    const types = events.map(({ type }) => type)
    assert.strictEqual(types.filter((type) => type === "TASK_SKIPPED").length, 599)
    assert.strictEqual(types.at(-1), "RUN_FAILED")
  })
})
