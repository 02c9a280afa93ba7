import { assert, describe, it } from "@effect/vitest"
import { goneNames } from "../../../packages/plugins/src/policies/evidence/asked/goneNames.ts"
import {
  dependenciesStill,
  dependenciesToDrop
} from "../../../packages/plugins/src/policies/evidence/work/dependencies.ts"

describe("names that an item wants gone", () => {
  it.each([
    ["Remove login()", "login"],
    ["Remove login() entirely", "login"],
    ["Delete the unused function login", "login"],
    ["Remove the class Legacy from src/a.py", "Legacy"],
    ["Delete `Auth.login`", "login"],
    ["Drop the method old_name, nobody calls it", "old_name"],
    ["Remove a() and b()", "a", "b"],
    ["Remove the function `check`", "check"],
    ["login() is gone", "login"],
    ["The function login has been removed", "login"],
    ["`login` no longer exists", "login"],
    ["There is no login() any more", "login"],
    ["login関数を削除する", "login"],
    ["`login()` を削除", "login"],
    ["login関数が存在しない", "login"]
  ])("are found: %s", (item, ...names) => {
    assert.deepStrictEqual(goneNames(item).names, names)
  })

  it.each([
    "Rename login() to signIn()",
    "Remove login() and use signIn() instead",
    "Remove the `login` from the exports",
    "Remove the function name from the log",
    "Remove the login() call from main()",
    "Remove the tests of login()",
    "Remove support for login()",
    "Remove the method call in main",
    "Remove the type check",
    "Delete the helper function",
    "The user is removed",
    "Deleted users are gone",
    "There is no error",
    "login() returns nothing when the user is gone",
    "Add a function that deletes users"
  ])("are none: %s", (item) => {
    assert.deepStrictEqual(goneNames(item).names, [])
  })

  it.each([
    ["Remove login()", true],
    ["Remove login() from the codebase", true],
    ["loginを削除する", true],
    ["Remove login() from a.js", false],
    ["Remove the function login in the module of users", false],
    ["a.pyからloginを削除する", false]
  ])("are to be gone from everywhere where no place is named: %s", (item, expected) => {
    assert.strictEqual(goneNames(item).isEverywhere, expected)
  })
})

describe("dependencies that an item asks to drop", () => {
  it.each([
    ["Drop the dependency lodash", "lodash"],
    ["Remove the `left-pad` package", "left-pad"],
    ["Remove the dependencies a-b and @c/d", "a-b", "@c/d"],
    ["Uninstall lodash from package.json", "lodash"],
    ["Remove the moment dependency, it is not used", "moment"],
    ["lodash への依存を削除する", "lodash"],
    ["依存関係 lodash を削除", "lodash"]
  ])("are found: %s", (item, ...names) => {
    assert.deepStrictEqual(dependenciesToDrop(item), names)
  })

  it.each([
    "Move lodash to the dev dependencies",
    "Remove lodash from dependencies",
    "Remove the dependency of save() on the clock",
    "Replace the dependency lodash",
    "Drop lodash in favour of lodash-es",
    "Remove the package-lock",
    "Remove the unused import of lodash"
  ])("are none: %s", (item) => {
    assert.deepStrictEqual(dependenciesToDrop(item), [])
  })

  it.each([
    ["package.json", '"dependencies": {', '"a": "1"', '"devDependencies": {', '"a": "1"'],
    ["Cargo.toml", "[dependencies]", 'a = "1"', "[dependencies.a]", 'version = "1"'],
    ["requirements-dev.txt", "", "a==1", "", "a>=2"],
    ["go.mod", "require (", "x.org/a v1.0.0", "require (", "x.org/a v1.0.1"],
    ["Gemfile", "", 'gem "a"', "group :x do", "gem 'a', '~> 1'"]
  ])("are still there where they stand elsewhere: %s", (path, head, line, headNow, lineNow) => {
    const before = () => ({ tokens: [head, line] })
    assert.deepStrictEqual(dependenciesStill(["a"], path, before, [headNow, lineNow]), ["a"])
  })

  it.each([
    ["package.json", '"dependencies": {', '"a": "1"', '"scripts": {', '"a": "run"'],
    ["package.json", '"dependencies": {', '"a": "1"', '"dependencies": {', '"a-b": "1"'],
    ["requirements.txt", "", "a==1", "", "a-b==1"],
    ["go.mod", "require (", "x.org/a v1.0.0", "require (", "x.org/a v1.0.0 // indirect"],
    ["Cargo.toml", "[dependencies]", 'a = "1"', "[dependencies]", 'b = { version = "1", features = ["a"] }']
  ])("are gone where something else has the name: %s", (path, head, line, headNow, lineNow) => {
    const before = () => ({ tokens: [head, line] })
    assert.deepStrictEqual(dependenciesStill(["a"], path, before, [headNow, lineNow]), [])
  })
})
