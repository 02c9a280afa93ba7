import { assert, describe, it } from "@effect/vitest"
import { composePlugins, makeManifest, type Recorded } from "@proofline/kernel"
import { aRun, aTask, given } from "@proofline/kernel/testing"
import { makeCheckpoints } from "../../packages/ui/src/fold/checkpoints.ts"
import { makeRunLog } from "../../packages/ui/src/fold/log.ts"
import diary, { Noted } from "../kernel/support/diary.ts"
import { notesIn, notesOf } from "../kernel/support/lifted.ts"
import { recordedOf } from "../kernel/support/recorded.ts"
import { sent, textsOf } from "./foldLogs.ts"

const composition = composePlugins([diary])
const rules = { composition, manifest: makeManifest(composition) }
const notes = 1_200

/** A run of one task, and so many notes that the page keeps checkpoints of it. */
const today = recordedOf(composition, [
  given([], [diary]).when(aRun([aTask("a")])).events,
  ...Array.from({ length: notes }, (_, i) => [Noted({ text: `Note ${i}.`, number: i + 1, run: "a run" })])
])

/** As the worker of the page has it, a hundred events at a time. */
const shown = (log: ReadonlyArray<Recorded>) => {
  const held = makeRunLog()
  const checkpoints = makeCheckpoints(held, rules)
  const texts = sent(textsOf(log))
  for (let from = 0; from < log.length; from += 100) {
    const some = log.slice(from, from + 100)
    for (const [i, event] of some.entries()) held.take(texts[from + i] as (typeof texts)[number], event)
    checkpoints.add(some)
  }
  return checkpoints
}

/** Those are the only thing that differs. */
const withoutHashes = (value: unknown): string =>
  JSON.stringify(value, (key, inner: unknown) => (key === "hash" ? "" : inner))

describe("given a log with events of earlier schema versions, when the page folds it in its worker", () => {
  const checkpoints = { old: shown(notesIn([1, 2, 3], today)), today: shown(today) }

  it("then it is the run that today's events make, at its end and at any moment before", () => {
    assert.isNull(checkpoints.old.fault)
    assert.strictEqual(checkpoints.old.last.version, today.length)
    for (const version of [0, 1, 2, 5, 511, 512, 513, 700, 1_024, 1_100, 3, today.length]) {
      const [old, now] = [checkpoints.old.at(version), checkpoints.today.at(version)]
      assert.deepStrictEqual(old.snapshot.slices, now.snapshot.slices, `version ${version}`)
      assert.strictEqual(withoutHashes(old.history), withoutHashes(now.history), `version ${version}`)
    }
    const { diary: slice } = Object.fromEntries(
      composition.plugins.map(({ name }, i) => [name, checkpoints.old.last.snapshot.slices[i]])
    ) as { readonly diary?: { readonly notes: ReadonlyArray<string> } }
    assert.strictEqual(slice?.notes.length, notes)
    assert.strictEqual(slice?.notes[0], "1. Note 0. (a run)")
  })

  it("then one that cannot be lifted stops it there, and why is said", () => {
    const log = notesIn([1, 2, 3], today).map((event) =>
      event.version === 700 ? { ...event, schema_version: 4 } : event
    )
    assert.strictEqual(notesOf(log).length, notes)
    const { fault, last } = shown(log)
    assert.strictEqual(last.version, 699)
    assert.deepInclude(fault, { version: 700 })
    assert.include(fault?.message, "(NOTED v4) cannot be read: it is read here up to schema version 3")
  })
})
