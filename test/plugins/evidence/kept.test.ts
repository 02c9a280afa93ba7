import { mkdirSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { EvidenceFile } from "@proofline/kernel"
import { layer as blobs } from "@proofline/plugins/adapters/file-blobs"
import { layer as baseline } from "@proofline/plugins/adapters/node-baseline"
import { layer as digest } from "@proofline/plugins/adapters/node-digest"
import { layer as projectFiles } from "@proofline/plugins/adapters/node-project-files"
import { NotRecorded, RecordedEvidence, layer as recordedEvidence } from "@proofline/plugins/adapters/recorded-evidence"
import { makeReadFacts } from "@proofline/plugins/policies/evidence"
import { Baseline, BlobStore, ProjectFiles } from "@proofline/plugins/ports"
import { Effect, Exit, Layer } from "effect"
import { kept, noting } from "../../../packages/plugins/src/policies/evidence/kept/readFacts.ts"
import { repository } from "../git-scratch-checkouts/support.ts"
import { grammars } from "../tree-sitter/support.ts"

const claims = [
  { index: 0, evidence: "src/a.ts:1-3", item: "Add a() to src/a.ts" },
  { index: 1, evidence: "src/b.ts:1", item: "one that was there" },
  { index: 2, evidence: "src/none.ts:1", item: "nothing" },
  { index: 3, evidence: "large.txt:2", item: "too much" },
  { index: 4, evidence: "src/b.ts:99", item: "out of range" }
]

/** What is found of these claims in a project, with what was kept of it. */
const looked = Effect.gen(function* () {
  const {
    base: _,
    room,
    root
  } = yield* repository({ "src/b.ts": "export const b = () => run(1)\n", ".gitignore": "*.log\n" })
  const store = Layer.provideMerge(blobs({ directory: Path.join(room, "blobs") }), digest)
  const world = Layer.provideMerge(
    Layer.mergeAll(projectFiles({ root }), baseline({ root, state: Path.join(root, ".proofline/state") }), grammars),
    store
  )
  const found = yield* Effect.gen(function* () {
    const base = yield* (yield* Baseline).capture
    mkdirSync(Path.join(root, "src"), { recursive: true })
    writeFileSync(Path.join(root, "src/a.ts"), "\ufeffexport const a = (n: number) => {\r\n  return n + 1\r\n}\r\n")
    writeFileSync(Path.join(root, "large.txt"), `${"x".repeat(300_000)}\nlast\n`)
    const { files, read } = noting(yield* ProjectFiles)
    const facts = yield* (yield* makeReadFacts())(claims, base, files)
    const bundle = yield* kept({ baseline: yield* Baseline, blobs: yield* BlobStore }, read, base, root)
    return { base, bundle, facts }
  }).pipe(Effect.provide(world))
  return { ...found, store }
})

describe("the files that were read for evidence", () => {
  it.effect("are kept with what they were before, and the same rules find the same in them, without the project", () =>
    Effect.gen(function* () {
      const { base, bundle, facts, store } = yield* looked
      const of = (path: string): EvidenceFile | undefined => bundle.find((file) => file.path === path)
      assert.deepInclude(of("src/a.ts"), { before: { was: "absent" }, ignored: false })
      assert.strictEqual(of("src/b.ts")?.before?.was, "text")
      assert.strictEqual(of("src/none.ts")?.refused?.reason, "not_found")
      assert.isNull(of("large.txt")?.text)

      const again = (some: typeof claims) =>
        Effect.gen(function* () {
          const { within } = yield* RecordedEvidence
          const readFacts = yield* makeReadFacts()
          return yield* within(bundle, readFacts(some, base))
        }).pipe(Effect.provide(Layer.provideMerge(Layer.merge(recordedEvidence, grammars), store)))
      const small = claims.filter(({ index }) => index !== 3)
      assert.deepStrictEqual(
        yield* again(small),
        facts.filter(({ index }) => index !== 3)
      )
      // what was not kept is not made up
      for (const unknown of [claims[3], { index: 0, evidence: "src/other.ts:1", item: "never read" }]) {
        const exit = yield* Effect.exit(again([unknown as (typeof claims)[number]]))
        assert.isTrue(
          Exit.isFailure(exit) &&
            exit.cause.reasons.some((one) => one._tag === "Die" && one.defect instanceof NotRecorded)
        )
      }
    }).pipe(Effect.scoped)
  )
})
