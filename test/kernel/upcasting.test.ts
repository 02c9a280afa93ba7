import { assert, describe, it } from "@effect/vitest"
import {
  composePlugins,
  definePlugin,
  EventLog,
  emptySnapshot,
  foldEvent,
  makeFold,
  makeManifest,
  NoFields,
  PluginFault,
  plugin,
  type Recorded,
  type Snapshot,
  UnknownEvent,
  verifyChain
} from "@proofline/kernel"
import { aRun, aTask, given } from "@proofline/kernel/testing"
import { Context, Effect, Result, Stream } from "effect"
import diary, { Note } from "./support/diary.ts"
import { judge } from "./support/judge.ts"
import { inVersion, notesIn, notesOf, sealedAnew } from "./support/lifted.ts"
import { digest, recordedOf, replayOf } from "./support/recorded.ts"
import { end, start, verified } from "./support/words.ts"
import { newLog, newProcess } from "./support/world.ts"

const plugins = [judge, diary]
const composition = composePlugins(plugins)
const manifest = makeManifest(composition)

const itemOf = (key: string) => digest.uuid5(`run_1/${key}`)
const commands = [
  aRun([aTask("a"), aTask("b")]),
  Note({ text: "It is begun." }),
  start("a", 1, { item_id: itemOf("attempt/a/1") }),
  end("a"),
  verified("a"),
  start("b", 1, { item_id: itemOf("attempt/b/1") }),
  end("b"),
  verified("b"),
  Note({ text: "It is over." })
]
/** A run with four notes: two that were asked for, and one for each task that begins. */
const today = recordedOf(
  composition,
  commands.map(
    (command, i) =>
      given([], plugins)
        .after(...commands.slice(0, i))
        .when(command).events
  )
)

const Mute = plugin("mute", { state: null, after: [] })
const mute = definePlugin(Mute, {
  version: "1",
  events: [
    Mute.event("SAID", {
      schema: NoFields,
      visibility: "full",
      sentence: () => {
        throw new Error("no words")
      }
    })
  ]
})

const first = today.find(({ event_type }) => event_type === "NOTED") as Recorded

describe("a stored event", () => {
  it("given it is of today's version, then it is told in its own sentence", () => {
    assert.strictEqual(manifest.tell(first), "Note 1: It is begun.")
  })

  it("given it is not, nobody can read it, or its sentence breaks, then in the words of its type", () => {
    const broken = makeManifest(composePlugins([judge, mute]))
    assert.strictEqual(manifest.tell({ ...first, event_type: "NOBODY_KNOWS" }), "nobody knows.")
    assert.strictEqual(manifest.tell({ ...first, schema_version: 99 }), "noted.")
    assert.strictEqual(manifest.tell(inVersion(first, 1)), "noted.")
    assert.strictEqual(broken.tell({ ...first, event_type: "SAID", schema_version: 1, content: {} }), "said.")
  })
})

const slices = ({ slices: all }: Snapshot) => JSON.stringify(all)
const foldedOneByOne = (log: ReadonlyArray<Recorded>) =>
  log.reduce(
    (now, recorded) =>
      foldEvent(
        composition,
        now,
        manifest.decode(recorded, () => now)
      ),
    emptySnapshot(composition)
  )
const foldedAtOnce = (log: ReadonlyArray<Recorded>) => {
  const { add, end: over, now } = makeFold(composition, emptySnapshot(composition))
  for (const recorded of log) add(manifest.decode(recorded, now))
  return over()
}

/** In which versions the notes of a log are, one after the other. */
const written: ReadonlyArray<ReadonlyArray<number>> = [[1], [2], [3], [1, 2, 3], [3, 1]]

describe("given an event that was written in an earlier schema version", () => {
  it("when it is read, then it is today's, with what it left out concluded from the run before it", () => {
    const before = foldedOneByOne(today.slice(0, first.version - 1))
    assert.strictEqual(manifest.schemaVersionOf("NOTED"), 3)
    for (const version of [1, 2, 3]) {
      const { content, type } = manifest.decode(inVersion(first, version), () => before)
      assert.deepStrictEqual(content, { text: "It is begun.", number: 1, run: "a run" }, `version ${version}`)
      assert.strictEqual(manifest.sentenceOf({ type, content }), "Note 1: It is begun.")
    }
  })

  it.each(written.map((versions) => [versions]))("when its log is folded, then the run is the same: %j", (versions) => {
    const log = notesIn(versions, today)
    assert.strictEqual(notesOf(log).length, 4)
    assert.isTrue(notesOf(log).every((note, i) => note.startsWith(`${versions[i % versions.length]} `)))
    assert.strictEqual(slices(foldedOneByOne(log)), slices(foldedOneByOne(today)))
    assert.strictEqual(slices(foldedAtOnce(log)), slices(foldedOneByOne(today)))
  })

  it.each(written.map((versions) => [versions]))("when it is replayed, then it is decided again: %j", (versions) => {
    const log = notesIn(versions, today)
    assert.isTrue(Result.isSuccess(verifyChain(log, digest.sha256)))
    const { divergence, events, snapshot } = replayOf(composition, log)
    assert.isNull(divergence)
    assert.strictEqual(events, today.length)
    assert.strictEqual(slices(snapshot), slices(foldedOneByOne(today)))
  })

  it("when it says what today's rules would not, then a replay parts there, in today's shape", () => {
    const log = sealedAnew(notesIn([2], today), (event) =>
      event.version === first.version ? { ...event, content: { ...(event.content as object), number: 7 } } : event
    )
    const { divergence } = replayOf(composition, log)
    assert.deepInclude(divergence, { version: first.version, reason: "different" })
    assert.deepStrictEqual(divergence?.recorded?.content, { text: "It is begun.", number: 7, run: "a run" })
  })

  it.each<[string, Partial<Recorded>, says: string]>([
    ["its version is none that is known here", { schema_version: 4 }, "up to schema version 3"],
    ["its version is none", { schema_version: 0 }, "count from 1"],
    ["it is not as its version says", { schema_version: 2, content: { note: "x" } }, 'Missing key at ["number"]'],
    ["it has today's version and an earlier shape", { content: { note: "x", number: 1 } }, 'Missing key at ["text"]']
  ])("when %s, then it is refused with its place, its version and why", (_, change, says) => {
    const before = emptySnapshot(composition)
    const read = Result.try({
      try: () => manifest.decode({ ...first, ...change }, () => before),
      catch: (error) => error
    })
    const error = Result.isFailure(read) ? read.failure : null
    assert.instanceOf(error, UnknownEvent)
    const { message } = error as UnknownEvent
    assert.include(message, `Event ${first.version} of run_1 (NOTED v${change.schema_version ?? 3}) cannot be read`)
    assert.include(message, says)
  })

  it.each([
    [
      "breaks",
      () => {
        throw new Error("no ink")
      },
      "no ink"
    ],
    ["answers later", () => Promise.resolve(null) as never, "It answered a Promise, no content of an event."],
    ["answers nothing", () => undefined as never, "It answered undefined, no content of an event."]
  ])("when its upcaster %s, then that is a fault of its plugin", (_, upcaster, problem) => {
    const Old = plugin("old", { state: null })
    const options = { schema: NoFields, visibility: "full", sentence: () => "It was." } as const
    const Written = Old.event("WRITTEN", { ...options, upcasters: [upcaster] })
    const manifest = makeManifest(composePlugins([definePlugin(Old, { version: "2", events: [Written] })]))
    assert.throws(
      () => manifest.decode({ event_type: "WRITTEN", schema_version: 1, content: {}, stream: "run_1", version: 3 }),
      PluginFault,
      `Plugin old, upcasters[0] of WRITTEN on event 3 of run_1: ${problem}`
    )
  })

  it.effect("when its run goes on, then what is new stands behind it in today's version", () =>
    Effect.gen(function* () {
      const log = yield* newLog
      const store = Context.get(log, EventLog)
      yield* Effect.orDie(store.adopt("run_1", 0, notesIn([1, 2], today)))
      const { engine } = yield* newProcess(log, plugins, "again_")
      yield* engine.execute("run_1", Note({ text: "Once more." }))
      const all = yield* Effect.orDie(Stream.runCollect(store.read("run_1")))
      assert.deepStrictEqual(
        notesOf(all).map((note) => note[0]),
        ["1", "2", "1", "2", "3"]
      )
      assert.include(notesOf(all).at(-1), '"number":5')
      assert.strictEqual(slices(yield* Effect.orDie(engine.load("run_1"))), slices(foldedOneByOne(all)))
    })
  )
})
