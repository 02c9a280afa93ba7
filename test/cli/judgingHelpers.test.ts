import { assert, describe } from "@effect/vitest"
import type { EvidenceVerdict } from "@proofline/plugins/policies/evidence"
import { Deferred, Effect, Fiber } from "effect"
import { type Judge, judgedTogether, judgingHelpers, type Part } from "../../packages/cli/src/driving/judgingHelpers.ts"
import { effect, live } from "../effects.ts"
import { processesWith } from "../plugins/programs.ts"
import { project } from "./proofline.ts"

const part = (first: number, ...evidence: ReadonlyArray<string>): Part => ({ evidence, noun: "line", first })
const verdict = (evidence: string): EvidenceVerdict => ({
  evidence,
  ok: true,
  key: null,
  message: null,
  reason: null,
  declaration: null
})

describe("judges that share parts", () => {
  effect("given the first part takes longest, then all are told in their order, each once", function* () {
    const parts = Array.from({ length: 20 }, (_, i) => part(i + 1, `a.ts:${i + 1}`))
    const othersAreDone = yield* Deferred.make<void>()
    let judged = 0
    const judge: Judge = ({ evidence, first }) =>
      Effect.gen(function* () {
        if (first === 1) yield* Deferred.await(othersAreDone)
        else if (++judged === parts.length - 1) yield* Deferred.succeed(othersAreDone, undefined)
        return evidence.map(verdict)
      })
    const told: Array<string> = []
    yield* judgedTogether(judge, [judge], parts, (verdicts) =>
      Effect.sync(() => void told.push(...verdicts.map(({ evidence }) => evidence)))
    )
    assert.deepStrictEqual(
      told,
      parts.flatMap(({ evidence }) => evidence)
    )
  })
})

describe("another process that judges", () => {
  const here: Judge = ({ evidence }) =>
    Effect.succeed(evidence.map((text) => ({ ...verdict(text), declaration: "here" })))

  // processes are found by what Linux tells of them
  const onLinux = process.platform === "linux" ? live : () => {}
  onLinux(
    "given it lives, then it answers, by the number of each line; once it is killed, this one does",
    function* () {
      const dir = project({ "a.py": "def add(a, b):\n    return a + b\n" })
      const [helper = here] = yield* judgingHelpers(dir, here, 1)
      const [good, none] = yield* helper(part(7, "a.py:1-2", ""))
      assert.deepStrictEqual(good, { ...verdict("a.py:1-2"), declaration: "add" })
      assert.include(none?.message, "'line 8'")
      const waiting = yield* Effect.forkChild(helper(part(1, "a.py:1-2")), { startImmediately: true })
      for (const pid of processesWith(dir)) process.kill(Number(pid), "SIGKILL")
      const [last] = yield* Fiber.join(waiting)
      assert.include(["here", "add"], last?.declaration)
      const [after] = yield* helper(part(1, "a.py:1-2"))
      assert.strictEqual(after?.declaration, "here")
    }
  )
})
