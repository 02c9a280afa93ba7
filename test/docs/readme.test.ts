import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { root } from "../../packages/cli/docs/site/docs.ts"
import { everyToken, headingsOf, targetsOf, tokensOf } from "../../packages/cli/docs/site/markdown.ts"
import { blocksIn } from "./blocks.ts"

const english = readFileSync(join(root, "README.md"), "utf8")
const japanese = readFileSync(join(root, "README.ja.md"), "utf8")

/** What a reader is led along by: kinds of blocks and their order, without their words. */
const shape = (text: string): ReadonlyArray<string> =>
  tokensOf(text)
    .filter(({ type }) => type !== "space")
    .map((token) =>
      token.type === "heading"
        ? `heading ${token.depth}`
        : token.type === "list"
          ? `list of ${token.items.length}`
          : token.type
    )

const codeIn = (text: string): ReadonlyArray<string> =>
  everyToken(tokensOf(text))
    .flatMap((token) => (token.type === "codespan" ? [String(token.text)] : []))
    .toSorted()

describe("README.ja.md", () => {
  it("has the blocks of README.md, in their order", () => {
    assert.deepStrictEqual(shape(japanese), shape(english))
    assert.strictEqual(headingsOf(tokensOf(japanese)).length, headingsOf(tokensOf(english)).length)
  })

  it("shows the same code, and names the same commands, files and keys", () => {
    const codes = (text: string) => blocksIn(text, "x").map(({ language, text: code }) => [language, code])
    assert.deepStrictEqual(codes(japanese), codes(english))
    assert.deepStrictEqual(codeIn(japanese), codeIn(english))
  })

  it("leads to the same places", () => {
    const places = (text: string) =>
      targetsOf(tokensOf(text))
        .filter((target) => !/^README/.test(target))
        .toSorted()
    assert.deepStrictEqual(places(japanese), places(english))
  })
})

describe("README.md", () => {
  it("comes to the first result on one screen", () => {
    const before = english.slice(0, english.indexOf("npm ci && npm run demo")).split("\n").length
    assert.isBelow(before, 25)
  })
})
