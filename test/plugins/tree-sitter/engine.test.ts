import { assert, describe, it } from "vitest"
import { makeEngine } from "../../../packages/plugins/src/adapters/tree-sitter/engine.ts"
import { languages } from "../../../packages/plugins/src/adapters/tree-sitter/languages/index.ts"

describe("the runtime of the grammars", () => {
  it("given a text that nests too deeply for it, throws and writes over nothing", async () => {
    const python = languages.find(({ name }) => name === "python")
    assert.isDefined(python)
    const { read } = await makeEngine()(python)
    assert.throws(() => read("a/*\\\n".repeat(14_000), () => null), RangeError)
  })
})
