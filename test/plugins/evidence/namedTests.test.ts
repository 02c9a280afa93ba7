import { assert, describe, it } from "@effect/vitest"
import { functionsToTest, untested } from "../../../packages/plugins/src/policies/evidence/asked/namedTests.ts"

describe("functions that an item asks to test", () => {
  it.each([
    ["Write a test for handle() in src/server.test.ts", "handle"],
    ["Add tests for save() and Store.load()", "load save"],
    ["test: Cover parse(text) with an empty text", "parse"],
    ["Test createUser() through main()", "createUser main"]
  ])("when they are written as calls, then these: %s", (item, names) => {
    assert.deepStrictEqual(functionsToTest(item).toSorted(), names.split(" "))
  })

  it.each(["Add handle()", "Write a test for the handler", "Fix the test of handle()", "Call test() in main()"])(
    "when it asks for something else, then none: %s",
    (item) => {
      assert.deepStrictEqual(functionsToTest(item), [])
    }
  )
})

describe("a file of tests that is cited for a function", () => {
  const at = (path: string, text: string) => ({ path, lines: text.split(/(?<=\n)/) })

  it.each([
    ["handle", "test/a.test.ts", "import { parse } from './a'\ntest('a', () => {\n  expect(parse('b')).toBe(1)\n})\n"],
    ["createUser", "a_test.go", "func TestA(t *testing.T) {\n\tif f(1) != 2 {\n\t\tt.Fatal()\n\t}\n}\n"]
  ])("when no word of its name stands there, then it is not tested: %s", (name, path, text) => {
    assert.deepStrictEqual(untested([name], at(path, text)), [name])
  })

  it.each([
    ["handle", "test/a.test.ts", "import { handle } from './a'\n"],
    ["handle", "test/handler.test.ts", "import { app } from './a'\n"],
    ["createUser", "a_test.go", 'http.Post("/users", body)\n'],
    ["f", "test/a.test.ts", "f(1)\n"],
    ["handle", "src/a.ts", "parse(1)\n"]
  ])("when one does, or it is no test, then nothing is said: %s in %s", (name, path, text) => {
    assert.deepStrictEqual(untested([name], at(path, text)), [])
  })

  it("given several, when one is spoken of, then nothing is said", () => {
    assert.deepStrictEqual(untested(["createUser", "main"], at("a.test.js", "main()\n")), [])
  })
})
