import { assert, describe, it } from "@effect/vitest"
import { functionsNamedIn, unrelatedTo } from "../../../packages/plugins/src/policies/evidence/asked/namedPlaces.ts"
import { normalized } from "../../../packages/plugins/src/policies/evidence/code/normalized.ts"
import { splitLines } from "../../../packages/plugins/src/text/lines.ts"
import { outlined } from "../tree-sitter/support.ts"

describe("functions in which an item says that its work is", () => {
  it.each([
    ["Add retry to fetchAll()", "fetchAll"],
    ["Add retry with backoff to `Client.fetch(url)` in src/client.ts", "fetch"],
    ["Call init() in main()", "main"],
    ["Use slugify() in the function titleOf", "titleOf"],
    ["Handle an empty list in mean(), so that it gives NaN", "mean"],
    ["Remove the debug output from load_all()", "load_all"],
    ["Validate the id inside `save()` and log it at the end of close()", "save"],
    ["Add retry to fetchUser in src/api.ts", "fetchUser"],
    ["Add retry to `fetchUser` in src/api.ts", "fetchUser"],
    ["Add retry to the fetchUser function in src/api.ts", "fetchUser"],
    ["Add logging to the load_users() function", "load_users"],
    ["fix(api): Make fetchUser() retry on failure", "fetchUser"],
    ["Fix load_users to close the file", "load_users"],
    ["Optimize the method `load`", "load"],
    ["Speed up Users.load_users()", "load_users"],
    ["users.py: load_users() logs its path", "load_users"],
    ["load_users() raises ValueError on an empty path", "load_users"],
    ["In users.py, add logging to load_users()", "load_users"],
    ["fetchAll() に再試行を追加する", "fetchAll"],
    ["save() の中で id を検証する", "save"]
  ])("when it says so, then these: %s", (item, names) => {
    assert.deepStrictEqual(functionsNamedIn(item), names.split(" "))
  })

  it.each([
    "Add tests for mean()",
    "Add a call to load()",
    "Add an alias to parse()",
    "Pass the timeout to fetch()",
    "Rename a() to b()",
    "Migrate from a() to b()",
    "Format dates as in save()",
    "Add a timeout to fetch() calls",
    "Add retry to the client",
    "Fix the tests of mean()",
    "Fix load_users tests",
    "Improve `load` error messages",
    "Improve fetchAll documentation of errors",
    "Update fetchUser() callers",
    "Change fetchUser()'s callers",
    "Make it fast",
    "Fix main",
    "Add retry to main",
    "Fix load.py",
    "Refactor the loadUsers.ts module",
    "mean() tests are added",
    "Test mean()",
    "Import parse() from lib.js",
    "Document --retry in README.md",
    "mean() のテストを追加"
  ])("when it only speaks of one, then none: %s", (item) => {
    assert.deepStrictEqual(functionsNamedIn(item), [])
  })
})

const before = `const limit = 3

async function send(url) {
  return await call(url, limit)
}

// Gets all.
async function fetchAll(urls) {
  return Promise.all(urls.map((url) => send(url)))
}

function titleOf(text) {
  return text.trim()
}

class Client {
  constructor() {
    this.base = "http://a"
  }
  get(path) {
    return call(this.base + path)
  }
  list() {
    const found = titleOf("x")
    return found
  }
}

export const run = () => fetchAll(all)
`

const placed = async (text: string) => {
  const [lines, outline] = [splitLines(text), await outlined("a.js", text)]
  return { path: "a.js", outline, tokens: normalized("a.js", lines, outline) }
}

/** Cites the rows from one text up to another after a change, for work in a function. */
const citing = async (name: string, from: string, to: string, cited: string) => {
  const after = before.replace(from, to)
  assert.notStrictEqual(after, before)
  const rows = after.split("\n")
  const first = rows.findIndex((row) => row.includes(cited)) + 1
  assert.isAbove(first, 0)
  return unrelatedTo([name], await placed(after), await placed(before), { start: first, end: first })
}

describe("lines that are cited for work in a function", () => {
  it.each([
    ["another one was changed", "fetchAll", "return text.trim()", "return text.trim().toLowerCase()", "toLowerCase"],
    [
      "a new one that nothing uses",
      "titleOf",
      "class Client",
      "function again(f) {\n  return f()\n}\n\nclass Client",
      "return f()"
    ],
    ["a value that it does not use", "titleOf", "const limit = 3", "const limit = 5", "limit = 5"],
    ["a member that it does not use", "list", '"http://a"', '"http://b"', "http://b"]
  ])(
    "given that it was not changed, when they are elsewhere, then they have nothing to do with it: %s",
    async (_, name, from, to, cited) => {
      assert.deepStrictEqual(await citing(name, from, to, cited), [name])
    }
  )

  it.each([
    ["they are in it", "titleOf", "return text.trim()", "return text.trim().toLowerCase()", "toLowerCase"],
    ["a comment before it", "fetchAll", "// Gets all.", "// Gets all at once.", "at once"],
    ["what it calls was changed", "fetchAll", "await call(url, limit)", "await again(() => call(url, limit))", "again"],
    ["what calls it was changed", "fetchAll", "fetchAll(all)", "again(() => fetchAll(all))", "again"],
    ["what calls it through another was changed", "send", "fetchAll(all)", "again(() => fetchAll(all))", "again"],
    ["a value that it uses through another", "fetchAll", "const limit = 3", "const limit = 5", "limit = 5"],
    ["a member that it uses", "get", '"http://a"', '"http://b"', "http://b"],
    ["there is none of this name", "nobody", "const limit = 3", "const limit = 5", "limit = 5"]
  ])("given that they may be work on it, then nothing is said: %s", async (_, name, from, to, cited) => {
    assert.deepStrictEqual(await citing(name, from, to, cited), [])
  })

  it("given that it was changed too, then nothing is said", async () => {
    const after = before.replace("text.trim()", "text").replace("base + path", "base + '/' + path")
    const at = { start: 13, end: 13 }
    const unchanged = await placed(before)
    assert.deepStrictEqual(unrelatedTo(["get"], await placed(after), unchanged, at), [])
    assert.deepStrictEqual(unrelatedTo(["get"], unchanged, unchanged, at), ["get"])
  })

  it("given a file of tests, then nothing is said", async () => {
    const [now, old] = [await placed(before.replace("text.trim()", "text")), await placed(before)]
    const at = { start: 13, end: 13 }
    assert.deepStrictEqual(unrelatedTo(["fetchAll"], now, old, at), ["fetchAll"])
    assert.deepStrictEqual(unrelatedTo(["fetchAll"], { ...now, path: "a.test.js" }, old, at), [])
  })
})
