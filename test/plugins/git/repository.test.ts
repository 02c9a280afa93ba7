import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { locate, prefixOf } from "../../../packages/plugins/src/git/repository.ts"
import { begin } from "../repositories.ts"

const root = realpathSync(mkdtempSync(Path.join(tmpdir(), "proofline-repository-")))
afterAll(() => rmSync(root, { recursive: true, force: true }))

describe("given a repository and a folder of it whose names are odd", () => {
  it.effect.each(["new\nline", "two\n\nlines\n", "it's", 'quo"te', "100%s", "\u{1f600} b", "x".repeat(200)])(
    "when it is %j, then its place is found whole",
    (name) =>
      Effect.gen(function* () {
        const top = Path.join(root, name)
        begin(top, { "a.txt": "a\n" })
        const folder = Path.join(top, `in ${name}`)
        mkdirSync(folder)
        const own = Path.join(top, ".git")
        assert.deepStrictEqual(yield* locate(top), { top, prefix: "", common: own, own })
        assert.deepStrictEqual(yield* locate(folder), { top, prefix: `in ${name}`, common: own, own })
        assert.strictEqual(yield* prefixOf(folder), `in ${name}/`)
      })
  )
})
