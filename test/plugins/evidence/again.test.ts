import { assert, describe } from "@effect/vitest"
import type { Json, KindReceipt, LineReceipt, Receipt } from "@proofline/kernel"
import { layer as digest } from "@proofline/plugins/adapters/node-digest"
import { type EvidenceKind, judgeReceipts, makeRelocate } from "@proofline/plugins/policies/evidence"
import { Baseline, FileRefused, ProjectFiles, type ProjectReader } from "@proofline/plugins/ports"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { makeReadFacts } from "../../../packages/plugins/src/policies/evidence/readFacts.ts"
import { effect } from "../../effects.ts"
import { letOthersGoOn } from "../../kernel/support/letOthersGoOn.ts"
import { grammars } from "../tree-sitter/support.ts"

type Files = Readonly<Record<string, string>>

/** A project in memory; how often each file was read. */
const inMemory = (files: Files, listed: ReadonlyArray<string> = Object.keys(files)) => {
  const reads: Array<string> = []
  const project: ProjectReader = {
    root: "/project",
    readText: (path) => {
      reads.push(path)
      const text = files[path]
      if (text === undefined)
        return Effect.fail(new FileRefused({ path, reason: "not_found", message: `There is no ${path}.` }))
      return text === "binary"
        ? Effect.fail(new FileRefused({ path, reason: "not_text", message: `${path} is no text.` }))
        : Effect.succeed({ path, text, git_blob: `blob of ${text}`, git_commit: null })
    },
    digest: (path) => Effect.die(`Nobody asks for ${path} as a whole.`),
    entryAt: (path) => Effect.die(`Nobody asks what ${path} is.`),
    resolveTarget: (path) => Effect.die(`Nobody writes ${path}.`),
    paths: Effect.succeed(listed),
    at: () => project
  }
  return { project, reads }
}

const worldOf = (files: Files) =>
  Layer.mergeAll(digest, grammars, Layer.succeed(ProjectFiles, inMemory(files).project), Layer.mock(Baseline, {}))

/** What was recorded when these lines were accepted. */
const acceptedOf = (files: Files, evidence: string) =>
  makeReadFacts().pipe(
    Effect.flatMap((read) => read([{ index: 0, evidence }], null)),
    Effect.map(([fact]) => {
      assert.isNotNull(fact?.receipt)
      return fact?.receipt as LineReceipt
    }),
    Effect.provide(worldOf(files))
  )

const judgedIn = (receipts: ReadonlyArray<Receipt>, project: ProjectReader, kinds: ReadonlyArray<EvidenceKind> = []) =>
  Effect.provide(
    judgeReceipts(
      receipts.map((receipt) => ({ receipt })),
      project,
      kinds
    ),
    Layer.merge(digest, grammars)
  )

const add = "export const add = (a: number, b: number): number => {\n  return a + b\n}\n"
const before = { "src/a.ts": add }

/** How the lines of `add` stand in a later project. */
const later = Effect.fnUntraced(function* (files: Files, evidence = "src/a.ts:1-3", was: Files = before) {
  const receipt = yield* acceptedOf(was, evidence)
  const [found] = yield* judgedIn([receipt], inMemory(files).project)
  return [found?.status, found?.now, found?.reason] as const
})

describe("lines that were accepted", () => {
  effect("hold in the file as it was", function* () {
    assert.deepStrictEqual((yield* later(before)).slice(0, 2), ["proven", "src/a.ts:1-3"])
  })

  effect("hold in the one other file that has them", function* () {
    assert.deepStrictEqual(yield* later({ "lib/b.ts": add }), ["re_anchored", "lib/b.ts:1-3", "The file was renamed."])
    assert.deepStrictEqual(
      yield* later({ "src/a.ts": "export const x = 1\n", "lib/b.ts": `export const y = 2\n${add}` }),
      ["re_anchored", "lib/b.ts:2-4", "The same code in another file."]
    )
  })

  effect("are looked for only in files of the same kind, and not in those that cannot be read", function* () {
    for (const files of [
      { "lib/b.js": add },
      { "lib/b": add },
      { "lib/b.ts": "binary" },
      { "lib/b.ts": "" },
      {}
    ] as const) {
      const [status, now] = yield* later(files as Files)
      assert.deepStrictEqual([status, now], ["missing", null], JSON.stringify(files))
    }
  })

  effect("are said to be in several where they are", function* () {
    const copies = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`lib/${i}.ts`, add]))
    const [status, now, reason] = yield* later(copies(2))
    assert.deepStrictEqual([status, now], ["missing", null])
    assert.include(reason, "It is in several other files (lib/0.ts:1-3, lib/1.ts:1-3).")
    assert.include((yield* later(copies(3)))[2], "lib/2.ts:1-3).")
    assert.include((yield* later(copies(4)))[2], "lib/2.ts:1-3, …).")
  })

  effect("hold in the file that is whole, where another has a part", function* () {
    const [status, now] = yield* later({ "lib/a.ts": `const z = 1\n${add}`, "lib/b.ts": add })
    assert.deepStrictEqual([status, now], ["re_anchored", "lib/b.ts:1-3"])
  })

  effect("without a declaration are looked for by themselves", function* () {
    const was = { "notes.md": "# Notes\n\nAdd adds two numbers.\nIt never fails at all.\n" }
    const there = yield* later({ "docs/n.md": `${was["notes.md"]}More.\n`, "docs/m.md": "Add.\n" }, "notes.md:3-4", was)
    assert.deepStrictEqual(there, ["re_anchored", "docs/n.md:3-4", "The same code in another file."])
  })

  effect("do not hold where the file cannot be read, and are not looked for then", function* () {
    assert.deepStrictEqual(yield* later({ "src/a.ts": "binary", "lib/b.ts": add }), [
      "stale",
      null,
      "src/a.ts is no text."
    ])
  })

  effect("are looked for in a part of a project that is too large, and it is said", function* () {
    const listed = Array.from({ length: 5_001 }, (_, i) => `lib/${i}.ts`)
    const receipt = yield* acceptedOf(before, "src/a.ts:1-3")
    const searched = Effect.fnUntraced(function* (files: Files, paths: ReadonlyArray<string>) {
      const [found] = yield* judgedIn([receipt], inMemory(files, paths).project)
      return [found?.status, found?.reason.includes("Only a part of the project was searched for it.")]
    })
    assert.deepStrictEqual(yield* searched({}, listed), ["missing", true])
    assert.deepStrictEqual(yield* searched({}, listed.slice(1)), ["missing", false])
    assert.deepStrictEqual(yield* searched({ "lib/0.ts": add }, listed), ["missing", true])
    assert.deepStrictEqual(yield* searched({ "lib/1.ts": add }, listed.slice(1)), ["re_anchored", false])
  })

  effect("of one file are all compared with what was read once", function* () {
    const receipts = yield* Effect.forEach(["src/a.ts:1-3", "src/a.ts:2"], (one) => acceptedOf(before, one))
    const { project, reads } = inMemory(before)
    assert.lengthOf(yield* judgedIn(receipts, project), 2)
    assert.deepStrictEqual(reads, ["src/a.ts"])
  })
})

describe("evidence of a plugin's kind", () => {
  const receipt: KindReceipt = { kind: "kind", scheme: "page", reference: "/x", fact: { title: "A", at: 1 } }
  const kindOf = (found: Effect.Effect<Json>, over: Partial<EvidenceKind> = {}): EvidenceKind => ({
    by: "pages",
    place: "kind",
    scheme: "page",
    schema: {} as never,
    look: () => found,
    judge: () => ({ holds: true }),
    ...over
  })

  const found = Effect.fnUntraced(function* (kinds: ReadonlyArray<EvidenceKind>) {
    const [one] = yield* judgedIn([receipt], inMemory({}).project, kinds)
    return [one?.status, one?.now, one?.reason]
  })

  effect("holds where the same is found, whatever the order of its keys", function* () {
    assert.deepStrictEqual(yield* found([kindOf(Effect.succeed({ at: 1, title: "A" }))]), ["proven", "page:/x", ""])
  })

  effect("holds where its plugin says that it is the same, and not where it says otherwise", function* () {
    const look = Effect.succeed({ title: "A", at: 2 })
    const same = (now: boolean) => kindOf(look, { same: () => now })
    assert.deepStrictEqual((yield* found([same(true)]))[0], "proven")
    assert.deepStrictEqual(yield* found([same(false)]), ["stale", null, "What page:/x names is not what it was."])
    assert.deepStrictEqual((yield* found([kindOf(look)]))[0], "stale")
  })

  effect("does not hold where nobody declares it, or looking breaks", function* () {
    assert.deepStrictEqual(yield* found([kindOf(Effect.succeed({}), { scheme: "other" })]), [
      "stale",
      null,
      "No plugin of this project declares evidence of the kind page, to look at it again."
    ])
    const broken = yield* found([kindOf(Effect.die(new Error("No network")))])
    assert.deepStrictEqual(broken.slice(0, 2), ["stale", null])
    assert.match(String(broken[2]), /^It could not be looked at again\. .*No network/)
  })

  effect("does not hold where its plugin looks for too long", function* () {
    const looking = yield* Effect.forkChild(found([kindOf(Effect.never)]))
    yield* letOthersGoOn
    yield* TestClock.adjust(60_000)
    assert.deepStrictEqual(yield* Fiber.join(looking), [
      "stale",
      null,
      "It could not be looked at again. Plugin pages, look of page: It did not look at /x within 60 s."
    ])
  })

  effect("is not what Proofline brings under the same name", function* () {
    const kind = kindOf(Effect.succeed({ title: "A", at: 1 }), { scheme: "file" })
    const [one] = yield* judgedIn([{ ...receipt, scheme: "file", reference: "a.ts" }], inMemory({}).project, [kind])
    assert.strictEqual(one?.status, "stale")
  })
})

describe("what parts have shown, when they are put together", () => {
  const world = (files: Files) => {
    const { project } = inMemory(files)
    const readers: ProjectReader = {
      ...project,
      digest: (path) =>
        files[path] === undefined
          ? Effect.fail(new FileRefused({ path, reason: "not_found", message: `There is no ${path}.` }))
          : Effect.succeed({ path, sha256: files[path], bytes: files[path].length }),
      entryAt: (path) => Effect.succeed(files[path] === undefined ? "missing" : "file")
    }
    return Layer.mergeAll(digest, grammars, Layer.succeed(ProjectFiles, { ...readers, at: () => readers }))
  }
  const gone: KindReceipt = {
    kind: "kind",
    scheme: "absent",
    reference: "src/old.ts",
    fact: { outcome: "ok", entry: "missing" }
  }
  const url: KindReceipt = { kind: "kind", scheme: "url", reference: "https://example.org", fact: 200 }
  const located = (receipts: ReadonlyArray<Receipt>, files: Files) =>
    Effect.flatMap(makeRelocate, (relocate) => relocate(receipts)).pipe(Effect.provide(world(files)))

  effect("is found where it stands, in its order, and told why where it is gone", function* () {
    const lines = yield* acceptedOf(before, "src/a.ts:1-3")
    const there = yield* located([url, lines], { "src/a.ts": `// moved\n${add}` })
    assert.deepStrictEqual(there, [{ evidence: "url:https://example.org" }, { evidence: "src/a.ts:2-4" }])
    const [, overwritten] = yield* located([url, lines], { "src/a.ts": "export const b = 1\n" })
    assert.deepInclude(overwritten, { evidence: null })
    assert.match(overwritten?.evidence === null ? overwritten.reason : "", /\S/u)
  })

  effect("is looked for as a file as a whole too", function* () {
    const [back] = yield* located([gone], { "src/old.ts": add })
    assert.deepInclude(back, { evidence: null })
  })
})
