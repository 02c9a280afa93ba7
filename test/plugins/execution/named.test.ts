import { assert, describe, it } from "@effect/vitest"
import type { TaskSpec } from "@proofline/kernel"
import { aRun, aTask, given } from "@proofline/kernel/testing"
import { isWorkIn, isWorkOf, ofScript } from "../../../packages/plugins/src/policies/execution/commands/checkFiles.ts"
import { namedBy, scriptIn, withScript } from "../../../packages/plugins/src/policies/execution/commands/named.ts"
import { stateOf } from "../../kernel/support/words.ts"

const root = "/home/me/project"
const scriptsOf = (command: string) =>
  namedBy(command, root).scripts.flatMap(({ path, script }) =>
    /^(?:pre|post)/.test(script) ? [] : [`${path} ${script}`]
  )

describe("what a command names", () => {
  it.each([
    ["./check.sh", ["check.sh"]],
    ["sh -e scripts/check.sh src/a.ts", ["scripts/check.sh", "src/a.ts"]],
    ["node --test 'test/a b.test.js'", ["test/a b.test.js"]],
    ['sh -c "cd sub && ./check.sh --config=ci.yml"', ["check.sh", "sub/check.sh", "ci.yml", "sub/ci.yml"]],
    ["CONFIG=a.json pytest tests/test_a.py::test_x -c./setup.cfg", ["a.json", "tests/test_a.py", "setup.cfg"]],
    ["python3 -m pkg.check", ["pkg/check.py", "pkg/check/__main__.py"]],
    ["node check", ["check.js", "check.mjs"]],
    [`${root}/check.sh; cat < data.txt`, ["check.sh", "data.txt"]],
    ["cd a/b && ../../check.sh", ["check.sh"]],
    ["make -C build ci", ["Makefile", "build/Makefile"]],
    ["just test", ["justfile"]]
  ])("given %s", (command, expected) => {
    const { paths } = namedBy(command, root)
    for (const path of expected) assert.include(paths, path)
  })

  it("given what leads out of the project or is a pattern, then it is none of it", () => {
    const { paths } = namedBy("cat ../x /etc/passwd a/../../y src/*.ts $HOME/z ~/w", root)
    assert.deepStrictEqual(paths, ["cat"])
  })

  it.each([
    ["npm test", ["package.json test"]],
    ["npm run -s lint -- --fix", ["package.json lint"]],
    ["npm --prefix web run build", ["package.json build", "web/package.json build"]],
    ["cd web && yarn e2e", ["package.json e2e", "web/package.json e2e"]],
    ["pnpm t && pnpm run lint", ["package.json test", "package.json lint"]],
    ["composer run-script check", ["composer.json check"]],
    ["node --run test", ["package.json test"]],
    ["npm; test -e a", []]
  ])("given %s, then its script", (command, expected) => {
    assert.deepStrictEqual(scriptsOf(command), expected)
  })

  it("given a script that was changed, then it alone is put back", () => {
    const before = '{"name":"a","scripts":{"test":"node test.js"}}'
    const now = '{"name":"b","type":"module","scripts":{"test":"true","lint":"x"}}'
    assert.strictEqual(scriptIn(before, "test"), "node test.js")
    assert.isNull(scriptIn(before, "lint"))
    for (const broken of ["", "[]", "null", '{"scripts":[]}', '{"scripts":"x"}'])
      assert.isNull(scriptIn(broken, "test"))
    assert.deepStrictEqual(JSON.parse(withScript(now, before, "test") ?? ""), {
      name: "b",
      type: "module",
      scripts: { test: "node test.js", lint: "x" }
    })
  })
})

describe("whether a file that a command of the user runs is the work itself", () => {
  const check = "node sum.mjs"
  const printed = [{ item: "sum.mjs prints the sum" }]
  it.each<readonly [about: string, task: Partial<TaskSpec>, path: string, isWork: boolean]>([
    ["an item names it, of the task that the command checks", { checks: [check], checklist: printed }, "sum.mjs", true],
    ["an item names it, which the command checks", { checklist: [{ item: "sum.mjs prints", check }] }, "sum.mjs", true],
    ["the instruction asks to write it", { checks: [check], instruction: "Add the sum to sum.mjs." }, "sum.mjs", true],
    [
      "an item asks to take something out of it",
      { checks: [check], checklist: [{ item: "Remove the old total from sum.mjs" }] },
      "sum.mjs",
      true
    ],
    ["the item names another file", { checks: [check], checklist: printed }, "check.mjs", false],
    ["nothing names it", { checks: [check] }, "sum.mjs", false],
    ["the instruction only says to run it", { checks: [check], instruction: "Run sum.mjs." }, "sum.mjs", false],
    ["another command checks the task that names it", { checks: ["true"], checklist: printed }, "sum.mjs", false],
    ["an agent chose the command", { checks: [check], checklist: printed, commands_by: "agent" }, "sum.mjs", false]
  ])("given that %s", (_, task, path, isWork) => {
    const { step } = given().when(aRun([aTask("a", task), aTask("b", { instruction: "Add to sum.mjs." })]))
    assert.strictEqual(isWorkOf(stateOf(step?.after), check)(path), isWork)
  })

  it.each<readonly [description: string, criterion: string, path: string, isWork: boolean]>([
    ["Add --version to sum.mjs.", "It prints 1.2", "sum.mjs", true],
    ["Add --version", "sum.mjs --version prints 1.2", "sum.mjs", true],
    ["Add --version", "sum.mjs --version prints 1.2", "check.mjs", false],
    ["Add --version", "It prints 1.2", "sum.mjs", false],
    // that is the check
    ["Add --version. Run check.mjs to see it.", "check.mjs passes", "check.mjs", false],
    ["Add --version", "test/sum.test.mjs tests the version", "test/sum.test.mjs", false],
    ["Add tests of the version to test/sum.test.mjs", "They pass", "test/sum.test.mjs", true]
  ])(
    "given a requirement %j with the criterion %j, when its command runs %s, then that is the work: %s",
    (...given) => {
      const [description, criterion, path, isWork] = given
      assert.strictEqual(isWorkIn(description, [criterion])(path), isWork)
    }
  )

  it.each<readonly [item: string, isWork: boolean]>([
    ["Change the test script in package.json to ava", true],
    ["Set the `test` script in package.json to ava", true],
    ["Write scripts.test in package.json so that it runs ava", true],
    ["package.json の test スクリプトを変更する", true],
    // of another script, or of no script
    ["Add a build script to package.json", false],
    ["Change the test:unit script in package.json", false],
    ["Add a dependency to package.json and test it", false]
  ])("given that an item says %j, then the script test of the package file is the work: %s", (item, isWork) => {
    const { step } = given().when(aRun([aTask("a", { checks: ["npm test"], checklist: [{ item }] })]))
    assert.strictEqual(isWorkOf(stateOf(step?.after), "npm test", ofScript("test"))("package.json"), isWork)
  })
})
