import { assert, describe, it } from "@effect/vitest"
import { saidOf } from "../../../packages/plugins/src/policies/evidence/asked/said.ts"

describe("an item with what only sorts it", () => {
  it.each([
    ["docs: Add a comment", "Add a comment"],
    ["fix(api)!: close the file", "close the file"],
    ["- [ ] 2. [docs] chore(a): Run gofmt", "Run gofmt"],
    ["[x] src/a.py: fix a typo", "fix a typo"],
    ["`a.go`: run  gofmt", "run gofmt"],
    ["In src/a.py, add a()", "add a()"],
    ["* Please remove it (#123).", "remove it."],
    ["１. ＤＯＣＳ: 書く", "書く"]
  ])("then it says what is left: %s", (item, said) => {
    assert.strictEqual(saidOf(item), said)
  })

  it.each([
    "Add a comment",
    "Note: it is slow",
    "GET /users: answer with 404",
    "docs:",
    "[docs]",
    "http://a.example: x",
    "-1 is refused"
  ])("when nothing sorts it, then it says all of it: %s", (item) => {
    assert.strictEqual(saidOf(item), item)
  })
})
