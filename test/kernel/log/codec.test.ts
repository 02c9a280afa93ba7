import { describe, it } from "@effect/vitest"
import {
  ChainBroken,
  canonicalJson,
  Digest,
  type EventCandidate,
  genesisHash,
  NotCanonical,
  type Recorded,
  seal,
  toExport,
  toNdjson,
  verifyChain
} from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { Effect, Result, Schema } from "effect"
import { assert } from "vitest"

const { sha256 } = Effect.runSync(Digest.pipe(Effect.provide(nodeDigest)))

/** RFC 8785 by other means: sorted keys by a replacer on a copy, everything else by JSON.stringify. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  return new Map(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)])
  )
}
const written = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(written).join()}]`
  if (!(value instanceof Map)) return JSON.stringify(value)
  return `{${[...value].map(([key, inner]) => `${JSON.stringify(key)}:${written(inner)}`).join()}}`
}

const WellFormed = Schema.String.check(Schema.makeFilter((text: string) => text.isWellFormed()))
const Candidate = Schema.Struct({
  event_type: WellFormed,
  schema_version: Schema.Int,
  timestamp: WellFormed,
  visibility: Schema.Literals(["summary", "full"]),
  content: Schema.Json,
  command_id: WellFormed,
  causation_id: Schema.NullOr(WellFormed),
  correlation_id: WellFormed
})

const wellFormed = (value: unknown): boolean =>
  JSON.stringify(value).isWellFormed() && !/\\ud[89a-f]/.test(JSON.stringify(value))

const candidate = (n: number): EventCandidate => ({
  event_type: "FACT",
  schema_version: 1,
  timestamp: "2026-01-02T03:04:05.678Z",
  visibility: "full",
  content: { n, text: "é" },
  command_id: `cmd_${n}`,
  causation_id: null,
  correlation_id: "run_a"
})

const chain = (length: number): Array<Recorded> => {
  const events: Array<Recorded> = []
  for (let version = 1; version <= length; version++) {
    const prev_hash = events.at(-1)?.hash ?? genesisHash
    events.push(seal(candidate(version), { position: version * 10, stream: "run_a", version, prev_hash }, sha256))
  }
  return events
}

/** Hashed anew after a change, as a forger would. */
const rehashed = ({ hash: _, ...rest }: Recorded): Recorded => ({ ...rest, hash: sha256(canonicalJson(rest)) })

describe("canonical JSON", () => {
  it("writes the examples of RFC 8785", () => {
    assert.strictEqual(
      canonicalJson({
        numbers: [JSON.parse("333333333.33333329"), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
        string: '\u20ac$\u000f\nA\'B"\\\\"/',
        literals: [null, true, false]
      }),
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )
    // sorted by UTF-16 code units: the emoji comes before the dalet of the presentation forms
    assert.strictEqual(
      canonicalJson({ "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\ud83d\ude00": 5, "\u0080": 6, "\u00f6": 7 }),
      '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}'
    )
    assert.strictEqual(
      canonicalJson([-0, 5e-324, -1.7976931348623157e308, JSON.parse("9007199254740993"), 1e21, 1e-7]),
      "[0,5e-324,-1.7976931348623157e+308,9007199254740992,1e+21,1e-7]"
    )
    assert.strictEqual(canonicalJson({ 10: 1, 9: 2, a: { b: 1, a: 2 } }), '{"10":1,"9":2,"a":{"a":2,"b":1}}')
    assert.strictEqual(canonicalJson(JSON.parse('{"__proto__":1}')), '{"__proto__":1}')
  })

  it.prop("says the same as JSON and the same for the same", [Schema.Json], ([value]) => {
    if (!wellFormed(value)) return
    const text = canonicalJson(value)
    assert.strictEqual(text, written(sorted(value)))
    assert.strictEqual(canonicalJson(JSON.parse(text)), text)
  })

  it.each([1, 2, 31, 32, 33, 2_000])("orders %i keys by their code units, whichever came before", (count) => {
    const starts = ["\u{1f600}", "\ufb33", "z", "", "é", '"', "Z".repeat(100)]
    const keys = Array.from({ length: count }, (_, i) => `${starts[i % starts.length]}${(i * 7_919) % count}`)
    const value = Object.fromEntries(keys.map((key, i) => [key, i]))
    const members = [...keys].sort().map((key) => `${JSON.stringify(key)}:${value[key]}`)
    for (let again = 0; again < 2; again++) assert.strictEqual(canonicalJson(value), `{${members.join()}}`)
  })

  it("refuses what is no JSON and says where it is", () => {
    const refused = (value: unknown): string => {
      try {
        return canonicalJson(value)
      } catch (error) {
        assert.instanceOf(error, NotCanonical)
        return (error as NotCanonical).message
      }
    }
    const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)])
    assert.strictEqual(refused({ a: [1, { b: "\ud800" }] }), "Not canonical JSON: a lone surrogate at $.a[1].b.")
    assert.strictEqual(refused("\udc00x"), "Not canonical JSON: a lone surrogate at $.")
    assert.match(refused({ "\ud800": 1 }), /^Not canonical JSON: a lone surrogate in a key at \$\./)
    assert.strictEqual(refused([Number.NaN]), "Not canonical JSON: NaN at $[0].")
    assert.strictEqual(refused({ n: -Infinity }), "Not canonical JSON: -Infinity at $.n.")
    assert.strictEqual(refused({ a: undefined }), "Not canonical JSON: undefined at $.a.")
    // biome-ignore lint/suspicious/noSparseArray: a hole reads as undefined
    assert.strictEqual(refused([1, , 2]), "Not canonical JSON: undefined at $[1].")
    assert.strictEqual(refused({ a: 1n }), "Not canonical JSON: a bigint at $.a.")
    assert.strictEqual(refused({ f: () => 1 }), "Not canonical JSON: a function at $.f.")
    assert.strictEqual(refused({ at: new Date(0) }), "Not canonical JSON: an object that is not plain at $.at.")
    assert.strictEqual(refused([new Map()]), "Not canonical JSON: an object that is not plain at $[0].")
    assert.strictEqual(canonicalJson(deep(1_000)).length, 2_001)
    assert.match(refused(deep(1_001)), /more than 1000 levels/)
  })
})

describe("a sealed event", () => {
  it.prop("is hashed as the canonical JSON of itself without its hash", [Candidate, WellFormed], ([given, stream]) => {
    if (!wellFormed(given.content)) return
    const place = { position: 7, stream, version: 3, prev_hash: sha256("before") }
    const recorded = seal(given, place, sha256)
    const { hash, ...rest } = recorded
    assert.strictEqual(hash, sha256(canonicalJson(rest)))
    assert.deepStrictEqual(seal(given, place, sha256, canonicalJson(given.content)), recorded)
    assert.strictEqual(canonicalJson(recorded.content), canonicalJson(given.content))
    assert.deepStrictEqual(JSON.parse(toNdjson(recorded)), JSON.parse(JSON.stringify(recorded)))
  })

  it("is refused when any of its texts is no text", () => {
    const place = { position: 1, stream: "run_a", version: 1, prev_hash: genesisHash }
    for (const key of ["event_type", "timestamp", "command_id", "causation_id", "correlation_id"]) {
      assert.throws(() => seal({ ...candidate(1), [key]: "\ud800" }, place, sha256), `a lone surrogate at $.${key}`)
    }
    assert.throws(() => seal(candidate(1), { ...place, stream: "\ud800" }, sha256), "a lone surrogate at $.stream")
  })

  it("does not change with what it was made of", () => {
    const content = { list: [1] }
    const [recorded] = [seal({ ...candidate(1), content }, { ...(chain(1)[0] as Recorded) }, sha256)]
    content.list.push(2)
    assert.deepStrictEqual(recorded.content, { list: [1] })
  })

  it("is hashed and exported with the position it had where it was written first", () => {
    const [event] = chain(1) as [Recorded]
    const moved = { ...event, position: 99, origin_position: event.position }
    assert.strictEqual(toNdjson(moved), toNdjson(event))
    assert.isTrue(Result.isSuccess(verifyChain([moved], sha256)))
    const wrong = verifyChain([{ ...event, origin_position: 99 }], sha256)
    assert.isTrue(Result.isFailure(wrong) && wrong.failure.reason === "hash")
  })

  it("is exported with its keys in order, one line each", () => {
    const [event] = chain(1) as [Recorded]
    const { event_type, ...rest } = event
    const shuffled = { ...rest, event_type, extra: 1 } as Recorded
    assert.deepStrictEqual(Object.keys(toExport(shuffled)), [
      "event_type",
      "timestamp",
      "visibility",
      "content",
      "position",
      "stream",
      "version",
      "schema_version",
      "command_id",
      "causation_id",
      "correlation_id",
      "prev_hash",
      "hash"
    ])
    const line = toNdjson({ ...shuffled, content: { text: "a\nb\u2028" } })
    assert.isTrue(line.startsWith('{"event_type":"FACT","timestamp":"') && line.endsWith("}\n"))
    assert.strictEqual(line.indexOf("\n"), line.length - 1)
  })
})

describe("the chain of a stream", () => {
  const broken = (events: ReadonlyArray<Recorded>): ReadonlyArray<unknown> => {
    const verified = verifyChain(events, sha256)
    if (Result.isSuccess(verified)) return ["intact"]
    assert.instanceOf(verified.failure, ChainBroken)
    return [verified.failure.version, verified.failure.reason]
  }
  const change = (at: number, over: Partial<Recorded>) =>
    chain(6).map((event) => (event.version === at ? { ...event, ...over } : event))

  it("ends at its last event when it is intact", () => {
    const events = chain(6)
    assert.deepStrictEqual(
      verifyChain(events, sha256),
      Result.succeed({ stream: "run_a", version: 6, hash: events[5]?.hash as string })
    )
    assert.deepStrictEqual(verifyChain([], sha256), Result.succeed(null))
  })

  it("is read one event at a time", () => {
    let read = 0
    const counted = function* () {
      for (const event of change(3, { content: 1 })) {
        read++
        yield event
      }
    }
    assert.isTrue(Result.isFailure(verifyChain(counted(), sha256)))
    assert.strictEqual(read, 3)
  })

  it("breaks at the first event that was changed, removed, added, moved or is not its own", () => {
    assert.deepStrictEqual(broken(chain(6)), ["intact"])
    for (const over of [
      { content: { n: 99 } },
      { timestamp: "2027-01-01T00:00:00.000Z" },
      { command_id: "cmd_x" },
      { causation_id: "cmd_y" },
      { visibility: "summary" as const },
      { schema_version: 2 },
      { position: 31 },
      { hash: genesisHash },
      { content: "\ud800" }
    ]) {
      assert.deepStrictEqual(broken(change(3, over)), [3, "hash"], JSON.stringify(over))
    }
    assert.deepStrictEqual(broken(change(3, { prev_hash: genesisHash })), [3, "prev_hash"])
    assert.deepStrictEqual(broken(change(3, { stream: "run_b" })), [3, "stream"])
    const events = chain(6)
    assert.deepStrictEqual(broken(events.toSpliced(2, 1)), [3, "hole"])
    assert.deepStrictEqual(broken(events.toSpliced(2, 0, events[1] as Recorded)), [3, "hole"])
    assert.deepStrictEqual(broken(events.slice(1)), [1, "hole"])
    assert.deepStrictEqual(broken([events[1] as Recorded, events[0] as Recorded]), [1, "hole"])
    // hashed anew, the change shows one event later
    const forged = events.map((event) => (event.version === 3 ? rehashed({ ...event, content: "forged" }) : event))
    assert.deepStrictEqual(broken(forged), [4, "prev_hash"])
    const verified = verifyChain(forged, sha256)
    assert.include(Result.isFailure(verified) ? verified.failure.message : "", "at version 4 of run_a")
  })

  it("holds for its content in any order of keys, and breaks at another that JSON.stringify writes alike", () => {
    const [event] = chain(1) as [Recorded]
    assert.deepStrictEqual(broken([{ ...event, content: { text: "é", n: 1 } }]), ["intact"])
    const deep = Array.from({ length: 1_001 }).reduce<unknown>((inner) => [inner], 0)
    for (const content of [{ n: Infinity }, { n: "\ud800" }, { n: deep }, { n: undefined }, { n: new Date(0) }]) {
      const { hash: _, ...rest } = { ...event, content: content as unknown as Recorded["content"] }
      const stringified = JSON.stringify(rest, Object.keys({ ...rest, ...content }).sort())
      assert.deepStrictEqual(broken([{ ...rest, hash: sha256(stringified) }]), [1, "hash"])
    }
  })
})
