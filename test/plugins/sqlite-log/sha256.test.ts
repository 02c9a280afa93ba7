import { hash } from "node:crypto"
import { assert, describe, it } from "vitest"
import { shortSha256 } from "../../../packages/plugins/src/adapters/sqlite-log/sha256.ts"

describe("given texts of every length around the ends of blocks", () => {
  it.each([["a"], ["é"], ["漢"], ["😀"], ["\ud800"], ["\0"]])(
    "of %j, then each has the digest that Node gives it",
    (letter) => {
      for (let length = 0; length <= 200; length++) {
        const text = letter.repeat(length)
        assert.strictEqual(shortSha256(text), hash("sha256", text), `${length}`)
      }
    }
  )
})
