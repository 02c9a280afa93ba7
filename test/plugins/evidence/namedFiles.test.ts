import { assert, describe, it } from "@effect/vitest"
import { namedFiles } from "../../../packages/plugins/src/policies/evidence/namedFiles.ts"

/** Texts that name where the work is to be done, with the names; those with a `?` are uncertain. */
const targets: ReadonlyArray<readonly [item: string, ...names: ReadonlyArray<string>]> = [
  ["Add login() to src/auth.py", "src/auth.py"],
  ["Add `login()` to `src/auth.py`", "src/auth.py"],
  ["src/auth.py: add login()", "src/auth.py"],
  ["`src/auth.py` exports login", "src/auth.py"],
  ["src/auth.py", "src/auth.py"],
  ["Implement login in auth.py", "auth.py"],
  ["Implement login in `auth.py`", "auth.py"],
  ["In src/auth.py, implement login", "src/auth.py"],
  ["Create src/auth/index.ts with login and logout", "src/auth/index.ts"],
  ["Write the README.md", "README.md?"],
  ["Document the flags in README.md", "README.md?"],
  ["Document the flags in `README.md`", "README.md"],
  ["Document the flags in docs/usage.md", "docs/usage.md"],
  ["Update package.json with the new script", "package.json?"],
  ["Update `package.json` with the new script", "package.json"],
  ["Fix the off-by-one error in lib/page.rb", "lib/page.rb"],
  ["Refactor src/a.ts and src/b.ts", "src/a.ts", "src/b.ts"],
  ["Change src/a.ts, src/b.ts and src/c.ts", "src/a.ts", "src/b.ts", "src/c.ts"],
  ["Move parse() into src/parse.go", "src/parse.go"],
  ["Move helpers from src/old.js to src/helpers.js", "src/helpers.js"],
  ["Put the constants inside src/constants.rs", "src/constants.rs"],
  ["Rewrite main.go", "main.go"],
  ["Extend the module src/store.ex with delete/1", "src/store.ex"],
  ["Edit the file config/app.yml", "config/app.yml"],
  ["Modify Dockerfile", "Dockerfile?"],
  ["Add a target `test` to the Makefile", "Makefile?"],
  ["Rename src/a.ts to src/b.ts", "src/a.ts", "src/b.ts"],
  ["Add a test to tests/test_auth.py", "tests/test_auth.py"],
  ["Write tests for src/auth.py in tests/test_auth.py", "tests/test_auth.py"],
  ["- [ ] src/auth.py: login() refuses a wrong password", "src/auth.py"],
  ["1. src/auth.py has a function login()", "src/auth.py"],
  ["shared.js exports add()", "shared.js?"],
  ["`shared.js` exports add()", "shared.js"],
  ["The file src/auth.py has a function login()", "src/auth.py"],
  ["Add login() at src/auth.py:12-30", "src/auth.py"],
  ["Add login() to ./src/auth.py", "src/auth.py"],
  ["Create a new file called notes.txt", "notes.txt?"],
  ['Create "my.config.json" with the defaults', "my.config.json"],
  ["Handle timeouts in src/net/client.cpp and src/net/client.h", "src/net/client.cpp", "src/net/client.h"],
  ["Implement add, sub and mul in calc.py.", "calc.py"],
  ["Implement login (in src/auth.py)", "src/auth.py"],
  ["Validation lives in src/validate.ts: add maxLength to src/schema.ts", "src/schema.ts"],
  ["Split `app.tsx` into components", "app.tsx"],
  ["Fix `src/[id]/page.tsx`", "src/[id]/page.tsx"],
  ["Implement the parser based on docs/grammar.md in src/parser.ts", "src/parser.ts"],
  ["Use src/util.ts in src/app.ts", "src/app.ts"],
  ["Add `.github/workflows/ci.yml`", ".github/workflows/ci.yml"],
  ["Export login from src/index.ts and document it in docs/api.md", "docs/api.md"],
  ["src/auth.py に login() を追加", "src/auth.py"],
  ["`src/auth.py` に login() を追加する", "src/auth.py"],
  ["src/auth.pyにlogin()を追加", "src/auth.py"],
  ["src/auth.py を作成する", "src/auth.py"],
  ["src/auth.py を修正", "src/auth.py"],
  ["src/auth.py の login() を実装する", "src/auth.py"],
  ["auth.py で login() を定義する", "auth.py"],
  ["README.md に使い方を記載", "README.md?"],
  ["src/old.py から src/new.py へ移動", "src/new.py"],
  ["docs/spec.md に基づいて src/auth.py に login() を実装", "src/auth.py"],
  ["「src/auth.py」に login() を追加", "src/auth.py"],
  ["tests/test_auth.py に src/auth.py のテストを追加", "tests/test_auth.py"]
]

/** Texts that name no place of work, though they hold dots and slashes, or files that are only used. */
const nothing: ReadonlyArray<string> = [
  "Implement login",
  "Support Node.js 24",
  "Works in Node.js and Deno",
  "Migrate the site to Next.js",
  "Add a socket.io server",
  "Add support for Vue.js components",
  "Upgrade to version 1.2.3",
  "Handle edge cases, e.g. empty input",
  "Return an error, i.e. null",
  "Fetch https://example.com/src/auth.py and parse it",
  "Add a link to https://example.com/index.html",
  "Send mail to admin@example.com",
  "Deploy to example.com",
  "Add user.name to the form",
  "Store the password in user.password",
  "Write config.port to the log",
  "Add process.env to the context",
  "Parse package.json",
  "Read settings from config/app.yml",
  "Load `config.json` at start",
  "Import login from src/auth.py",
  "Use src/util.ts for formatting",
  "Follow the style of src/a.ts",
  "Same behaviour as in src/a.ts",
  "See docs/spec.md",
  "Sort like lib/sort.js does",
  "Login as described in docs/auth.md",
  "Add tests for src/auth.py",
  "Write unit tests for `src/auth.py`",
  "Add a test of src/auth.py",
  "Print report.csv",
  "Check against schema.json",
  "Replace the parser instead of patching it via src/shim.js",
  "Add and/or to the grammar",
  "Reads and writes .csv files",
  "Support input/output redirection",
  "Add GET /api/users.json",
  "Answer 404 at /index.html",
  "Compile with tsc -p tsconfig.json",
  "Delete src/old.ts",
  "Keep src/api.ts unchanged",
  "src/api.ts stays unchanged",
  "The CLI supports .yml and .yaml",
  "Do not touch src/api.ts",
  "Link to docs/usage.md",
  "docs/spec.md に基づいて実装する",
  "config.json から設定を読み込む",
  "src/auth.py を参照して実装する",
  "Node.js で動くこと"
]

describe("given an item that says in which files the work is to be done", () => {
  it.each(targets)("when it is %s, then they are named", (item, ...names) => {
    assert.deepStrictEqual(
      namedFiles(item).map(({ certain, name }) => (certain ? name : `${name}?`)),
      names
    )
  })
})

describe("given an item that says of no file that the work is there", () => {
  it.each(nothing)("when it is %s, then none is named", (item) => {
    assert.deepStrictEqual(namedFiles(item), [])
  })
})

describe("given texts that nobody writes", () => {
  it("when they are long, then it takes no longer than to read them", () => {
    for (const part of ["a/", "`", "in ", "src/a.ts, ", "((", "「", "x.py"]) {
      assert.isAtMost(namedFiles(`Add x to ${part.repeat(100_000)}`).length, 1_000)
    }
  })
})
