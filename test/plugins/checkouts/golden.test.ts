import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { composePlugins, makeManifest, type Recorded, toNdjson } from "@proofline/kernel"
import { aRun, aTask } from "@proofline/kernel/testing"
import { checkouts, type RecordedTree, RecordTree } from "@proofline/plugins/policies/checkouts"
import { Effect } from "effect"
import { effect } from "../../effects.ts"
import { isUpdating, release } from "../../kernel/golden/release.ts"
import { locatedAt, where } from "../../kernel/support/located.ts"
import { replayOf } from "../../kernel/support/recorded.ts"
import { newLog, newProcess, readRun, workerOptions, works } from "../../kernel/support/world.ts"

const here = fileURLToPath(new URL("../../golden/checkouts/", import.meta.url))
const plugins = [...works, checkouts]

const read = (folder: string): ReadonlyArray<Recorded> =>
  readFileSync(`${here}${folder}/run.ndjson`, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line))

const commit = (letter: string): string => letter.repeat(40)
const bundle = (letter: string) => ({ sha256: letter.repeat(64), bytes: 1_234 })
const handed: RecordedTree = {
  onto: null,
  commit: commit("a"),
  prefix: "packages/app",
  refs: [],
  bundle: bundle("1"),
  remote: "ssh://git@example.org/project.git",
  by: null
}
const again: RecordedTree = { ...handed, onto: commit("a"), commit: commit("b"), remote: null }
const worked: RecordedTree = {
  ...again,
  onto: commit("b"),
  commit: commit("c"),
  refs: [{ name: "refs/proofline/run_1/a/a-sub-1", commit: commit("d") }],
  bundle: null,
  by: { item: "item", lease: 2 }
}

/** Every kind of tree: handed over, handed over again, and with the report of work. */
const scenario = Effect.gen(function* () {
  const log = yield* newLog
  const { engine, worker } = yield* newProcess(log, plugins)
  yield* engine.execute("run_1", aRun([aTask("a")]), { also: RecordTree(handed) })
  yield* engine.execute("run_1", RecordTree(again))
  let reported = false
  const located = locatedAt(
    where({
      report: (result) => {
        const also = reported ? undefined : RecordTree(worked)
        reported = true
        return Effect.succeed({ result, also })
      }
    })
  )
  const working = yield* Effect.forkChild(located(worker.run(workerOptions())))
  while (!(yield* readRun(log)).some(({ event_type }) => event_type === "RUN_COMPLETED")) yield* Effect.yieldNow
  assert.isUndefined(working.pollUnsafe())
  return yield* readRun(log)
})

describe.runIf(isUpdating)("the golden logs of runs with checkouts", () => {
  effect(`writes ${release}`, function* () {
    writeFileSync(`${here}${release}/run.ndjson`, (yield* scenario).map(toNdjson).join(""))
  })
})

describe.skipIf(isUpdating)("a run with checkouts of any release", () => {
  it.each(readdirSync(here))("given its log (%s), then today's rules decide every event again", (folder) => {
    const composition = composePlugins(plugins)
    assert.isNull(replayOf(composition, read(folder)).divergence)
  })

  it.each(readdirSync(here))("given its log (%s), then every tree of it is told in a sentence", (folder) => {
    const manifest = makeManifest(composePlugins(plugins))
    const trees = read(folder).filter(({ event_type }) => event_type === "TREE_RECORDED")
    assert.deepStrictEqual(
      trees.map((event) => {
        const { content, type } = manifest.decode(event, () => {
          throw new Error("It needs no state.")
        })
        return manifest.sentenceOf({ type, content })
      }),
      [
        `The run begins with commit ${commit("a")} of the project.`,
        `What was changed in the project was handed over: the run stands on commit ${commit("b")}.`,
        `The work of item item was merged: the run stands on commit ${commit("c")}.`
      ]
    )
  })
})
