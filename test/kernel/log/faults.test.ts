import { describe, it } from "@effect/vitest"
import { type Away, Digest, makeFaultFinder, type RunHead, sealChain } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { Effect } from "effect"
import { assert } from "vitest"

const { sha256 } = Effect.runSync(Digest.pipe(Effect.provide(nodeDigest)))

const events = sealChain(
  "run_a",
  [1, 2, 3, 4, 5].map((n) => [
    {
      event_type: "FACT",
      schema_version: 1,
      timestamp: "2026-01-02T03:04:05.678Z",
      visibility: "full",
      content: { n },
      command_id: `cmd_${n}`,
      causation_id: null,
      correlation_id: "run_a"
    },
    n
  ]),
  sha256
)

const headAt = (version: number): RunHead => ({ run_id: "run_a", version, hash: events[version - 1]?.hash ?? "" })

const away = (kind: Away["kind"], version: number): Away => {
  const at = "2026-01-02T04:00:00.000Z"
  return { kind, place: "/there", at, version, hash: events[version - 1]?.hash ?? "" }
}

/** What is found in a log that has the first `count` events of the run. */
const found = (count: number, kept: RunHead | null, where: Away | null) => {
  const { add, end, known } = makeFaultFinder(sha256, kept, where)
  for (const event of events.slice(0, count)) add(event)
  const fault = end()
  return { code: fault?.code ?? null, message: fault?.message ?? "", known: known?.version ?? null }
}

describe("given a head that was kept of a run", () => {
  for (const [what, count, kept, where, code, known] of [
    ["a run that is here", 5, headAt(5), null, null, 5],
    ["one whose end was taken out", 3, headAt(5), null, "log_cut", 5],
    ["one that was moved and ended there", 3, headAt(5), away("moved", 3), null, 3],
    ["one that was moved after it had ended", 3, headAt(3), away("moved", 3), null, 3],
    ["one that was moved, without what had ended before", 2, headAt(3), away("moved", 4), "log_cut", 3],
    ["one that was moved, without where it left", 2, headAt(5), away("moved", 3), "log_cut", 3],
    ["one that was moved, and comes back", 4, headAt(5), away("moved", 3), null, 3],
    [
      "one that was moved, with another event there",
      4,
      headAt(5),
      { ...away("moved", 3), hash: "0" },
      "log_rewritten",
      3
    ],
    ["one that is arriving", 2, headAt(5), away("arriving", 0), null, null],
    ["one that came of a damaged log", 3, headAt(5), away("cut", 3), "log_cut", 5],
    ["one that came of a damaged log, without a head", 3, null, away("cut", 3), "log_cut", null]
  ] as const) {
    it(`then ${what} is ${code ?? "as it was written"}`, () => {
      const { message, ...rest } = found(count, kept, where)
      assert.deepStrictEqual(rest, { code, known })
      if (where?.kind === "moved" && code !== null)
        assert.include(message, known === 3 && kept?.version === 5 ? "/there" : "ended")
    })
  }

  it("then a chain that breaks is told first", () => {
    const { add, end } = makeFaultFinder(sha256, headAt(5), away("cut", 3))
    for (const event of [events[0], events[2]]) if (event !== undefined) add(event)
    assert.strictEqual(end()?.code, "log_changed")
  })
})
