import { assert, describe } from "@effect/vitest"
import type { EvidenceVerdict } from "@proofline/plugins/policies/evidence"
import { Deferred, Effect, Fiber } from "effect"
import { type Judge, judgedTogether, judgingHelpers, type Line } from "../../packages/cli/src/driving/judgingHelpers.ts"
import { effect, live } from "../effects.ts"
import { processesWith } from "../plugins/programs.ts"
import { project } from "./proofline.ts"

const linesOf = (first: number, ...evidence: ReadonlyArray<string>): ReadonlyArray<Line> =>
  evidence.map((text, i) => ({ evidence: text, item: `line ${first + i}` }))
const verdict = (evidence: string): EvidenceVerdict => ({
  evidence,
  ok: true,
  key: null,
  message: null,
  reason: null,
  declaration: null
})

describe("judges that share lines", () => {
  effect("given the first line takes longest, then all are told in their order, each once", function* () {
    const evidence = Array.from({ length: 2_000 }, (_, i) => `${"abcdefg"[i % 7]}.ts:${i + 1}`)
    const othersHaveMany = yield* Deferred.make<void>()
    let judged = 0
    const judge: Judge = (lines) =>
      Effect.gen(function* () {
        if (lines[0]?.item === "line 1") yield* Deferred.await(othersHaveMany)
        judged += lines.length
        if (judged > 500) yield* Deferred.succeed(othersHaveMany, undefined)
        return lines.map((one) => verdict(one.evidence))
      })
    const told: Array<string> = []
    yield* judgedTogether(judge, [judge], linesOf(1, ...evidence), (verdicts) =>
      Effect.sync(() => void told.push(...verdicts.map((one) => one.evidence)))
    )
    assert.deepStrictEqual(told, evidence)
  })
})

describe("another process that judges", () => {
  const here: Judge = (lines) =>
    Effect.succeed(lines.map(({ evidence }) => ({ ...verdict(evidence), declaration: "here" })))

  // processes are found by what Linux tells of them
  const onLinux = process.platform === "linux" ? live : () => {}
  onLinux(
    "given it lives, then it answers, by the number of each line; once it is killed, this one does",
    function* () {
      const dir = project({ "a.py": "def add(a, b):\n    return a + b\n" })
      const [helper = here] = yield* judgingHelpers(dir, here, 1)
      const [good, none] = yield* helper(linesOf(7, "a.py:1-2", ""))
      assert.deepStrictEqual(good, { ...verdict("a.py:1-2"), declaration: "add" })
      assert.include(none?.message, "'line 8'")
      const waiting = yield* Effect.forkChild(helper(linesOf(1, "a.py:1-2")), { startImmediately: true })
      for (const pid of processesWith(dir)) process.kill(Number(pid), "SIGKILL")
      const [last] = yield* Fiber.join(waiting)
      assert.include(["here", "add"], last?.declaration)
      const [after] = yield* helper(linesOf(1, "a.py:1-2"))
      assert.strictEqual(after?.declaration, "here")
    }
  )
})
