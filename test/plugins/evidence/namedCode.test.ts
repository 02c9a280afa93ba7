import { assert, describe, it } from "@effect/vitest"
import {
  lacking,
  namedCode,
  remaining,
  untouchedIn
} from "../../../packages/plugins/src/policies/evidence/asked/namedCode.ts"
import { normalized } from "../../../packages/plugins/src/policies/evidence/code/normalized.ts"
import { outlined } from "../tree-sitter/support.ts"

const namesIn = (item: string) => {
  const { unwanted, wanted } = namedCode(item)
  return { wanted: wanted.map(({ name }) => name), unwanted }
}

describe("an item that asks to write code by name", () => {
  it.each([
    ["Add slugify(text) to src/text.py", "slugify"],
    ["Implement `Stack.push()` and `Stack.pop()`", "push pop"],
    ["Adds foo_bar(), `baz` and quxOf(a, b): all of them pure", "foo_bar baz quxOf"],
    ["Create class TokenBucket in src/bucket.ts", "TokenBucket"],
    ["Define an interface called Shape", "Shape"],
    ["Add a useCart hook", "useCart"],
    ["- [ ] Add MAX_RETRIES to config.py", "MAX_RETRIES"],
    ["2. Add the parameter `strict` to parse()", "strict"],
    ["Add a `users` table", "users"],
    ["Implement `valid?` on Order", "valid"],
    ["Add a React hook useOnline() to src/useOnline.ts", "useOnline"],
    ["Write a Kotlin extension function String.shout()", "shout"],
    ["Add a Symfony exception class OutOfStock", "OutOfStock"],
    ["Add a Money class", "Money"],
    ["Add a UserCard component", "UserCard"],
    ["Add a class named Kafka", "Kafka"],
    ["src/a.py に slugify() を実装する", "slugify"],
    ["`load` と `save` 関数を追加", "load save"]
  ])("then these are the names: %s", (item, names) => {
    assert.deepStrictEqual(namesIn(item), { wanted: names.split(" "), unwanted: [] })
  })
})

describe("an item that asks to take code away by name", () => {
  it.each([
    ["Remove a10n()", "a10n", ""],
    ["Delete the unused helper `a10n` from src/a.py", "a10n", ""],
    ["Drop class OldName and all its callers", "OldName", ""],
    ["Rename a10n() to l10n()", "a10n", "l10n"],
    ["Rename class OldName to NewName in src/x.ts", "OldName", "NewName"],
    ["Rename the OldName class to NewName", "OldName", "NewName"],
    ["Renamed MAX_LEN to LIMIT", "MAX_LEN", "LIMIT"],
    ["Rename the environment variable DB_URL to DATABASE_URL", "DB_URL", "DATABASE_URL"],
    // what only looks like a name is looked for where it was
    ["Rename UserMgr to UserManager", "UserMgr", ""],
    ["Remove UserMgr", "UserMgr", ""],
    ["Rename `oldName` to `newName`, keep oldName as an alias", "", "newName"],
    ["`load` 関数を削除する", "load", ""],
    ["fetchAll() を fetchEach() にリネームする", "fetchAll", "fetchEach"]
  ])("then these are the names: %s", (item, gone, written) => {
    const names = (text: string) => (text === "" ? [] : text.split(" "))
    assert.deepStrictEqual(namesIn(item), { wanted: names(written), unwanted: names(gone) })
  })
})

describe("an item that names code and asks for something else", () => {
  it.each([
    "Add tests for slugify()",
    "Add slugify() tests",
    "Add exponential backoff to fetch_all()",
    "Add the missing return type to foo()",
    "Add JSON.parse() guards",
    "Add `async` support",
    "Add `--dry-run` flag",
    "Add `GET /users` endpoint",
    "Add GitHub login",
    "Implement OAuth2",
    "Add auth.py",
    "Create `src/auth.py` with login()",
    "Return `None` where nothing is found",
    "slugify() lowers what it is given",
    "Remove the `strict` parameter from parse()",
    "Remove foo() from the exports",
    "Remove the cache of load_all()",
    "Remove foo() and use bar() instead",
    "Rename A to B",
    "Rename the Users page to Members",
    "Remove the Users page",
    "slugify() のテストを追加",
    "slugify() を使う関数を追加"
  ])("then no name counts: %s", (item) => {
    assert.deepStrictEqual(namesIn(item), { wanted: [], unwanted: [] })
  })
})

const text = `import re

def slugify(text):
    # login() comes later
    return re.sub("a", "b", text)

def helper(text):
    return text.lower()

verify = make(slugify)
`

const namesOf = (...names: ReadonlyArray<string>) => names.map((name) => ({ name, isCalled: true }))

describe("lines that are cited for a name", () => {
  it.each([
    ["slugify", 3, 5, true],
    ["slugify", 5, 5, true],
    ["Slugify", 3, 3, true],
    ["slugify", 7, 8, false],
    ["slugify", 10, 10, true],
    ["verify", 10, 10, true],
    // a variable may be spread over other lines
    ["verify", 7, 8, true],
    // only a comment has it
    ["login", 3, 5, false],
    ["slug", 3, 5, false]
  ] as const)("%s at %i-%i: %s", async (name, start, end, isThere) => {
    const lines = text.split(/(?<=\n)/)
    const outline = await outlined("a.py", text)
    const found = lacking(
      namesOf(name),
      { path: "a.py", outline, tokens: normalized("a.py", lines, outline) },
      { start, end }
    )
    assert.deepStrictEqual(found, isThere ? [] : [name])
  })

  it.each([
    ["Implement user_login", "src/user-login.js", true],
    ["Create `Login`", "src/login/index.js", true],
    ["Implement user_login()", "src/user-login.js", false]
  ])("given a file that bears the name, then it has it where the name is not called: %s, %s", (item, path, isThere) => {
    const { wanted } = namedCode(item)
    const found = lacking(wanted, { path, outline: null, tokens: ["run ( )"] }, { start: 1, end: 1 })
    assert.strictEqual(found.length === 0, isThere)
  })

  it("given names that are joined in other ways, then they are the same", async () => {
    const code = "export const parseDate = (text) => read(text)\nrun('--dry-run')\n"
    const outline = await outlined("a.js", code)
    const tokens = normalized("a.js", code.split(/(?<=\n)/), outline)
    assert.deepStrictEqual(
      lacking(namesOf("parse_date", "dry_run", "date"), { path: "a.js", outline, tokens }, { start: 1, end: 2 }),
      ["date"]
    )
  })
})

describe("a name that is to go", () => {
  it("given that every line with it is as it was, then it is still there", () => {
    const before = ["MAX_LEN = 3", "def cut ( text ) :", "return text [ : MAX_LEN ]"]
    const added = [...before, "LIMIT = MAX_LEN"]
    assert.deepStrictEqual(untouchedIn(["MAX_LEN", "MAX"], before, added), ["MAX_LEN"])
    assert.deepStrictEqual(untouchedIn(["MAX_LEN"], before, ["LIMIT = 3", "MAX_LEN = LIMIT", ...before.slice(1)]), [])
    assert.deepStrictEqual(untouchedIn(["LIMIT"], before, added), [])
  })

  it("given as many declarations of it as before, then it is still there", async () => {
    const before = await outlined("a.py", text)
    const without = await outlined("a.py", text.replace("def helper", "def helped"))
    assert.deepStrictEqual(remaining(["slugify", "helper"], before, without), ["slugify"])
    assert.deepStrictEqual(remaining(["slugify", "nobody"], before, null), [])
    assert.deepStrictEqual(remaining(["slugify"], null, before), [])
  })
})
