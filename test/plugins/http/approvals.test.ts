import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { approvalsOf } from "../../../packages/plugins/src/frontends/http/rows.ts"
import { Approval } from "../../../packages/plugins/src/frontends/http/schemas.ts"
import { phases, to, withContract } from "../sessions/rules/playing.ts"

describe("what waits for a person, over HTTP", () => {
  it("given commands that failed before a person is asked, then each is told with how it ended", () => {
    const POST_IMPL_VERIFY = {
      ...phases.POST_IMPL_VERIFY,
      transitions: [
        to("DONE", { when: { outcome: "passed" } }),
        to("VERIFY_INTERVENTION", { when: { outcome: "failed" } })
      ]
    }
    const ends = {
      "it exits": { exit_code: 2, signal: null, timed_out: false },
      "it takes too long": { exit_code: null, signal: "SIGKILL", timed_out: true },
      "it is ended": { exit_code: null, signal: "SIGSEGV", timed_out: false },
      "it does not start": { exit_code: null, signal: null, timed_out: false }
    }
    const verifiers = ["it passes", ...Object.keys(ends)]
    const play = withContract({ POST_IMPL_VERIFY }, {}, { verifiers }).working("a").proven("a").handedIn()
    const runs = Object.entries(ends).map(([command, end]) => ({ command, output_tail: `${command}.`, ...end }))
    const { state } = play.after(play.ends({ command: "it passes" }, ...runs))
    const [question, ...more] = Schema.encodeSync(Schema.Array(Approval))(approvalsOf(state, null))
    assert.deepStrictEqual(more, [])
    assert.strictEqual(question?.kind, "question")
    assert.deepStrictEqual(
      question?.failed,
      runs.map(({ output_tail: output, ...run }) => ({ ...run, output }))
    )
  })
})
