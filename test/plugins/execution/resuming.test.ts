import { assert, describe, it } from "@effect/vitest"
import type { AttemptState, KernelState, TaskState } from "@proofline/kernel"
import { resumed, sessionOf } from "../../../packages/plugins/src/policies/execution/resuming.ts"

const ended = {
  attempt: 1,
  agent: "a",
  outcome: "COMPLETE",
  cancelled: false,
  session: { id: "s-1", directory: "/w/1" }
}
const next = { agent: "a", directory: "/w/1" }

const asked = (attempt: object | null, who: Partial<typeof next> = {}, config: object = {}) =>
  resumed({ run: { config } } as unknown as KernelState, { current: attempt as AttemptState | null } as TaskState, {
    ...next,
    ...who
  })

describe("the session with which an attempt goes on", () => {
  it("is that of the attempt before it, by the same agent in the same directory, with what it had used", () => {
    assert.deepStrictEqual(asked(ended), { resume: { id: "s-1" } })
    const used = { input_tokens: 1, output_tokens: 2, cost_usd: null }
    assert.deepStrictEqual(asked({ ...ended, session: { ...ended.session, used } }), { resume: { id: "s-1", used } })
  })

  it.each<[string, ReturnType<typeof asked>]>([
    ["there was no attempt", asked(null)],
    ["the attempt named none", asked({ ...ended, session: undefined })],
    ["another agent works", asked(ended, { agent: "b" })],
    ["it works in another directory", asked(ended, { directory: "/w/2" })],
    ["it ended badly", asked({ ...ended, outcome: "ERROR" })],
    ["it ran out of time", asked({ ...ended, outcome: "TIMEOUT" })],
    ["it was lost", asked({ ...ended, outcome: "LOST" })],
    ["it was taken back", asked({ ...ended, cancelled: true })],
    ["sessions do not go on", asked(ended, {}, { resume_sessions: false })]
  ])("is a new one where %s", (_, told) => {
    assert.deepStrictEqual(told, {})
  })

  it("is recorded with the place of the work, and not at all under a name that could be an option", () => {
    const of = (id: string) => sessionOf({ session: { id } } as Parameters<typeof sessionOf>[0], null)
    assert.deepStrictEqual(of("s-1"), { session: { id: "s-1", directory: null } })
    for (const id of ["-s", "a b", "", "x".repeat(201)]) assert.deepStrictEqual(of(id), {})
  })
})
