import { assert, describe, it } from "@effect/vitest"
import {
  effectlessIn,
  mayHaveEmptyBranch,
  mayNeverRun
} from "../../../packages/plugins/src/adapters/tree-sitter/mayBeIdle.ts"

describe("a long text in which nothing is found", () => {
  // each begins like something that is looked for, again and again, and could be taken apart in many ways
  it.each([
    "for(a of b)x;",
    "if (((((a",
    "if (a) { /* a */ // b ;;; # c\n",
    "then # : ; true\n",
    "catch (e) { // # // #\n",
    "&& ! ( ( ( ",
    "a = b = ",
    "    pas\n",
    "assert(((((! ",
    "if(a){b()}else{c()}for(let i=0;i<9;i++){d(i)}",
    "if a\n  # b\n",
    "()",
    "{/*"
  ])("is looked through once: %j", (part) => {
    const text = `if (${part.repeat(Math.ceil(100_000 / part.length))} x`
    for (const language of ["javascript", "python", "ruby", "bash", "php", "c"]) {
      mayNeverRun(text)
      mayHaveEmptyBranch(text, language)
      assert.isFalse(effectlessIn(text, language).handlers)
    }
  })
})

describe("names that are given a value and read nowhere", () => {
  it("given names of which one is read, then the others, also where they stand twice", () => {
    const text = "function f() {\n  const once = 1\n  let twice = 2\n  return twice\n}\n"
    assert.deepStrictEqual([...effectlessIn(text, "javascript").unread], ["once"])
    assert.deepStrictEqual([...effectlessIn(text + text, "javascript").unread], ["once"])
    assert.deepStrictEqual([...effectlessIn("def f():\n    once = 1\n    return 2\n", "python").unread], ["once"])
    assert.deepStrictEqual([...effectlessIn(text, "go").unread], [])
  })
})
