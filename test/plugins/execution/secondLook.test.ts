import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import type { CheckRun, ProofConfig, ScratchRun, WeakReason } from "@proofline/kernel"
import { Effect } from "effect"
import { daily } from "../../often.ts"
import { directory, repository } from "../git-scratch-checkouts/support.ts"
import { attempted } from "./stage.ts"

interface Passed {
  readonly what: string
  /** A command of the user; `$ROOT` stands for the project. It passes in the project after the work. */
  readonly check: string
  readonly before: Readonly<Record<string, string>>
  readonly after: Readonly<Record<string, string>>
  readonly accept?: ReadonlyArray<WeakReason>
  readonly proof?: Partial<ProofConfig>
  readonly instruction?: string
  /** A piece of evidence for an item of the task; none: the command alone shows the work. */
  readonly evidence?: string
  /** Exit codes of the further runs, files that were found, and what becomes of the task. */
  readonly comes: Readonly<Record<string, unknown>>
  /** Two checks are this command. */
  readonly isShared?: boolean
  /** A program that has to be installed. */
  readonly needs?: string
}

const two = { before: { "rules.txt": "one\n" }, after: { "rules.txt": "two\n" } }
const bent = { before: { "check.sh": "exit 3\n" }, after: { "check.sh": "exit 0\n" } }
const fresh = { before: {}, after: { "check.sh": "exit 0\n" } }

/** Tests of Node. */
const tests = (...all: ReadonlyArray<string>): string =>
  [
    'import assert from "node:assert"',
    'import { test } from "node:test"',
    'import { a } from "./a.mjs"',
    ...all,
    ""
  ].join("\n")
const aTest = (name: string, body: string, kind = ""): string =>
  `test${kind === "" ? "" : `.${kind}`}("${name}", () => {\n  ${body}\n})`
const one = "assert.equal(a, 2)"
const two_ = "assert.ok(a > 1)"
const rust = (asserted: string): string =>
  `pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\n#[test]\nfn adds() {\n    assert_eq!(${asserted});\n}\n`
const ofTests = {
  check: "node --test",
  before: { "a.mjs": "export const a = 1\n", "a.test.mjs": tests(aTest("one", one), aTest("two", two_)) }
}
const filtered = {
  ...ofTests.before,
  "package.json": '{"scripts":{"none":"node --test --test-name-pattern=zzz"}}',
  Makefile: "none:\n\tnode --test --test-only\n"
}
const inFolder = (folder: string, files: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]))
/** A file whose tests need what is not there yet, beside one whose test passes. */
const unloaded = {
  check: "node --test",
  before: {
    "a.mjs": "export const a = 1\n",
    "a.test.mjs": tests(
      'import { b } from "./a.mjs"',
      aTest("add", "assert.ok(a)"),
      'test("waits", () => new Promise((done) => setTimeout(done, 300)))',
      aTest("sub", "assert.equal(b(), 2)"),
      'if (process.env.NEVER) test("never", () => {})'
    ),
    "b.test.mjs": tests(aTest("other", "assert.ok(a)"))
  }
}
/** Tests that run in the process of their runner. */
const inOne = { check: "node --test --test-isolation=none", before: ofTests.before }
const green = { ...inOne.before, "a.test.mjs": tests(aTest("one", "assert.ok(a)"), aTest("two", "assert.ok(a)")) }
const all = (count: number) => `all tests that were reported before: ${count} vanished`
const ended = (value: number) => `export const a = ${value}\nprocess.exit(0)\n`
const unit = (asserted: string) =>
  `import unittest\nfrom a import a\nclass Test(unittest.TestCase):\n  def test_a(self):\n    self.assertTrue(${asserted})\n`
const go = {
  check: "go test ./...",
  needs: "go",
  before: {
    "go.mod": "module m\n\ngo 1.18\n",
    "a.go": "package m\n\nvar A = 1\n",
    "a_test.go": 'package m\n\nimport "testing"\n\nfunc TestA(t *testing.T) {\n\tif A != 2 {\n\t\tt.Fatal()\n\t}\n}\n',
    "b/b_test.go": 'package b\n\nimport "testing"\n\nfunc TestB(t *testing.T) {}\n'
  }
}
const verbose = { ...go, check: "go test -v ./..." }
const goMain = (body: string) =>
  `package m\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) {\n\t${body}\n}\n`
const goInit = 'package m\n\nimport "os"\n\nfunc init() { os.Exit(0) }\n'
const looksForTwo = '{"scripts":{"test":"grep -q two rules.txt"}}'

const cases: ReadonlyArray<Passed> = [
  { what: "looks at the work", check: "grep -q two rules.txt", ...two, comes: { room: 0, status: "completed" } },
  { what: "passed before the work too", check: "true", ...two, comes: { room: 0, status: "failed" } },
  {
    what: "names the project",
    check: "grep -q two $ROOT/rules.txt",
    ...two,
    comes: { room: "untried", status: "failed" }
  },
  {
    what: "passes in the project alone",
    check: "test -s ../made.txt",
    before: {},
    after: { "../made.txt": "more\n" },
    comes: { room: 1, status: "retrying" }
  },
  {
    what: "stands beside evidence",
    check: "grep -q two rules.txt",
    ...two,
    evidence: "rules.txt:1",
    comes: { room: 0, status: "completed" }
  },
  {
    what: "runs a script that the agent has bent",
    check: "sh check.sh",
    isShared: true,
    ...bent,
    comes: { changed: ["check.sh"], room: 3, restored: ["check.sh"], status: "retrying" }
  },
  {
    what: "runs a bent script, which the user accepts",
    check: "sh check.sh",
    ...bent,
    accept: ["check_changed"],
    comes: { changed: ["check.sh"], room: 0, status: "completed" }
  },
  {
    what: "runs a script that is the work itself",
    check: "sh check.sh",
    ...bent,
    instruction: "Write the check in check.sh.",
    comes: { room: 0, status: "completed" }
  },
  {
    what: "runs a script that says the same in other words",
    check: "sh check.sh",
    before: { ...two.before, "check.sh": "grep -q two rules.txt\n" },
    after: { ...two.after, "check.sh": "# looks\ngrep -q two rules.txt\n" },
    comes: { changed: ["check.sh"], room: 0, restored: ["check.sh"], status: "completed" }
  },
  {
    what: "runs a script of package.json that the agent has bent",
    check: "npm test --silent",
    before: { "package.json": '{"scripts":{"test":"exit 4"}}' },
    after: { "package.json": '{"scripts":{"test":"exit 0"}}' },
    comes: { changed: ["package.json"], room: 4, restored: ["package.json"], status: "retrying" }
  },
  {
    what: "runs a script of a package.json that has changed elsewhere",
    check: "npm test --silent",
    before: { ...two.before, "package.json": looksForTwo },
    after: { ...two.after, "package.json": looksForTwo.replace("{", '{"name":"a",') },
    comes: { room: 0, status: "completed" }
  },
  {
    what: "runs nothing but what the agent wrote",
    check: "sh check.sh",
    ...fresh,
    comes: { written: ["check.sh"], room: 0, status: "failed" }
  },
  {
    what: "runs what the agent wrote, which the user accepts",
    check: "sh check.sh",
    ...fresh,
    accept: ["agents_check"],
    comes: { room: 0, status: "completed" }
  },
  {
    what: "runs what the agent wrote among others",
    check: "sh check.sh && grep -q two rules.txt",
    before: two.before,
    after: { ...two.after, ...fresh.after },
    comes: { written: ["check.sh"], without: 1, room: 0, status: "completed" }
  },
  {
    what: "runs tests that it does not name, and the agent has emptied one",
    ...ofTests,
    after: { "a.test.mjs": "// nothing\n" },
    comes: {
      tests: "1/0/0",
      ...{ changed: ["a.test.mjs"], room: 1, restored: ["a.test.mjs"] },
      ...{ lost_tests: ["one vanished", "two vanished"], status: "retrying" }
    }
  },
  {
    what: "runs tests that the agent has weakened, and the work is done too",
    ...ofTests,
    after: {
      "a.mjs": "export const a = 2\n",
      "a.test.mjs": tests(aTest("one", "assert.ok(a)"), aTest("two", "", "skip"))
    },
    comes: {
      tests: "1/0/1",
      ...{ changed: ["a.test.mjs"], room: 0, restored: ["a.test.mjs"] },
      ...{ lost_tests: ["two skipped"], changed_tests: ["one changed"], status: "retrying" }
    }
  },
  {
    what: "runs tests that the agent has weakened, which the user accepts",
    ...ofTests,
    after: { "a.test.mjs": tests(aTest("one", "assert.ok(a)")) },
    accept: ["check_changed"],
    comes: {
      tests: "1/0/0",
      ...{ changed: ["a.test.mjs"], room: 0, changed_tests: ["one changed", "two vanished"] },
      status: "completed"
    }
  },
  {
    what: "runs tests of which one has another name and one lies elsewhere now",
    ...ofTests,
    after: {
      "a.mjs": "export const a = 2\n",
      "a.test.mjs": tests(aTest("first", one)),
      "b.test.mjs": tests(aTest("two", two_))
    },
    comes: {
      tests: "2/0/0",
      ...{ changed: ["a.test.mjs"], room: 0, restored: ["a.test.mjs"], left_out: ["b.test.mjs"] },
      status: "completed"
    }
  },
  {
    what: "runs tests that the task is about",
    ...ofTests,
    after: { "a.test.mjs": tests(aTest("one", "assert.ok(a)")) },
    instruction: "Change the tests in a.test.mjs.",
    comes: { tests: "1/0/0", room: 0, status: "completed" }
  },
  {
    what: "runs tests that the task is about and that the user protects",
    ...ofTests,
    after: { "a.test.mjs": tests(aTest("one", "assert.ok(a)")) },
    instruction: "Change the tests in a.test.mjs.",
    proof: { protected: ["*.test.mjs"] },
    comes: {
      tests: "1/0/0",
      ...{ changed: ["a.test.mjs"], room: 1, restored: ["a.test.mjs"] },
      ...{ lost_tests: ["two vanished"], changed_tests: ["one changed"], status: "retrying" }
    }
  },
  {
    what: "runs no tests, and says that all is well",
    check: "node --test 'tests/*.mjs'",
    before: {},
    after: { "a.mjs": "export const a = 2\n" },
    comes: { tests: "0/0/0", status: "retrying" }
  },
  ...[
    "node --test --test-name-pattern=zzz a.test.mjs",
    "sh -c 'node --test --test-reporter=tap --test-name-pattern=zzz'",
    "npm run --silent none",
    "cd web && npm run --silent none",
    "make none"
  ].map((check) => ({
    what: `runs only tests of a name that none has, as \`${check}\``,
    check,
    before: { ...filtered, ...inFolder("web", filtered) },
    after: { "a.mjs": "export const a = 2\n" },
    comes: { tests: "0/0/0", status: "retrying" }
  })),
  {
    what: "runs files without a test in them beside a script that asserts by itself",
    check: "node --test",
    before: {
      "a.mjs": "export const a = 1\n",
      "a.test.mjs": 'import { a } from "./a.mjs"\nif (a !== 2) throw new Error("no")\n',
      "b.test.mjs": 'import { test } from "./test.mjs"\nif (process.env.NEVER) test("one", () => {})\n',
      "test.mjs": 'export { test } from "node:test"\n'
    },
    after: { "a.mjs": "export const a = 2\n" },
    comes: { tests: "1/0/0", room: 0, status: "completed" }
  },
  {
    what: "runs a test no more, though no file of tests was changed",
    check: "node --test src/*.mjs",
    before: {
      "a.mjs": "export const a = 1\nexport const isDone = false\n",
      "src/a.test.mjs": tests(
        'import { isDone } from "../a.mjs"',
        aTest("one", "assert.ok(a)"),
        aTest("done", "assert.ok(isDone)"),
        'if (a === 1) test("two", () => assert.ok(a))'
      ).replace('"./a.mjs"', '"../a.mjs"')
    },
    after: { "a.mjs": "export const a = 2\nexport const isDone = true\n" },
    comes: { tests: "2/0/0", room: 0, lost_tests: ["two vanished"], status: "retrying" }
  },
  {
    what: "runs tests beside others that stand in sources, of which one asks for something else now",
    check: "node --test",
    before: { ...ofTests.before, "src/lib.rs": rust("add(1, 2), 3") },
    after: { "a.mjs": "export const a = 2\n", "src/lib.rs": rust("add(1, 2), 4") },
    instruction: "Fix add() in src/lib.rs.",
    comes: { tests: "2/0/0", room: 0, lost_tests: ["adds changed"], status: "retrying" }
  },
  {
    what: "runs tests beside others that stand in sources, which the task is about",
    check: "node --test",
    before: { ...ofTests.before, "src/lib.rs": rust("add(1, 2), 3") },
    after: { "a.mjs": "export const a = 2\n", "src/lib.rs": rust("add(1, 2), 4") },
    instruction: "Change the tests in src/lib.rs.",
    comes: { tests: "2/0/0", room: 0, status: "completed" }
  },
  {
    what: "runs tests that pass only with a new fixture",
    check: "node --test",
    before: {
      "a.test.mjs": [
        'import { existsSync } from "node:fs"',
        'import { test } from "node:test"',
        'test("one", () => { if (!existsSync("fixtures/a.txt")) throw new Error("no") })'
      ].join("\n")
    },
    after: { "fixtures/a.txt": "a\n" },
    comes: { tests: "1/0/0", room: 1, left_out: ["fixtures/a.txt"], status: "retrying" }
  },
  {
    what: "runs a script in a shell that the agent has chosen",
    check: "npm test",
    before: { ...ofTests.before, "package.json": '{"scripts":{"test":"node --test"}}' },
    after: { ".npmrc": "script-shell=/bin/true\n" },
    comes: { room: 1, left_out: [".npmrc"], status: "retrying" }
  },
  {
    what: "runs tests of which none is reported, since the work ends their process",
    ...inOne,
    after: { "a.mjs": ended(1) },
    comes: { room: 0, lost_tests: [all(2)], status: "retrying" }
  },
  {
    what: "runs tests that passed and of which none is reported, beside evidence and a test file of the task",
    ...inOne,
    before: green,
    after: { "a.mjs": ended(2), "a.test.mjs": tests(aTest("one", one)) },
    instruction: "Make it two in a.mjs, and extend the tests in a.test.mjs.",
    evidence: "a.mjs:1",
    comes: { room: 0, lost_tests: [all(2), "one vanished", "two vanished"], status: "retrying" }
  },
  {
    what: "runs tests of which one was red and is not reported, since the work ends its process",
    ...ofTests,
    before: {
      "a.mjs": "export const a = 1\nexport const b = () => 1\n",
      "a.test.mjs": tests('import { b } from "./a.mjs"', aTest("one", "assert.equal(b(), 2)")),
      "b.test.mjs": tests(aTest("other", "assert.ok(a)"))
    },
    after: { "a.mjs": "export const a = 1\nexport const b = () => process.exit(0)\n" },
    comes: { tests: "1/0/0", room: 0, lost_tests: ["one vanished"], status: "retrying" }
  },
  {
    what: "runs tests of a file that could not be loaded before, and the work ends its process as it is loaded",
    ...unloaded,
    after: {
      "a.mjs": "export const a = 1\nexport const b = 1\nif (process.argv[1].includes('a.test')) process.exit(0)\n"
    },
    comes: {
      tests: "1/0/0",
      ...{ room: 0, lost_tests: ["add vanished", "sub vanished"] },
      status: "retrying"
    }
  },
  {
    what: "runs tests of a file that could not be loaded before, and the work ends its process amid them",
    ...unloaded,
    after: { "a.mjs": "export const a = 1\nexport const b = () => process.exit(0)\n" },
    comes: { tests: "2/0/0", room: 0, lost_tests: ["sub vanished"], status: "retrying" }
  },
  {
    what: "runs tests of a file that could not be loaded before, and the work is done",
    ...unloaded,
    after: { "a.mjs": "export const a = 1\nexport const b = () => 2\n" },
    comes: { tests: "4/0/0", room: 0, status: "completed" }
  },
  {
    what: "runs tests of which none is reported, where the user wants no clean room",
    ...inOne,
    after: { "a.mjs": ended(1) },
    proof: { clean_room: false },
    comes: { room: "off", lost_tests: [all(2)], status: "retrying" }
  },
  {
    what: "runs tests of which none is reported, which the user accepts",
    ...inOne,
    after: { "a.mjs": ended(2) },
    accept: ["check_changed"],
    comes: { room: 0, changed_tests: [all(2)], status: "completed" }
  },
  {
    what: "runs tests of which none is reported in the clean room alone",
    ...inOne,
    after: {
      "a.mjs":
        'import { existsSync } from "node:fs"\nexport const a = 2\nif (!existsSync("../made.txt")) process.exit(0)\n',
      "../made.txt": "more\n"
    },
    comes: { tests: "2/0/0", room: 0, lost_tests: [all(2)], status: "retrying" }
  },
  {
    what: "runs tests in the clean room, and in the project knows that they passed",
    check: "test -f ../passed.txt || node --test",
    before: ofTests.before,
    after: { "a.mjs": "export const a = 2\n", "../passed.txt": "yes\n" },
    comes: { room: 0, status: "completed" }
  },
  {
    what: "runs tests of Python of which none is reported",
    check: "python3 -B -m unittest -v",
    needs: "python3",
    before: { "a.py": "a = 1\n", "test_a.py": unit("a == 1") },
    after: { "a.py": "import os\na = 2\nos._exit(0)\n" },
    evidence: "a.py:2",
    comes: { room: 0, lost_tests: [all(1), "test_a.Test > test_a vanished"], status: "retrying" }
  },
  {
    what: "runs tests of Python with a module that stands for their runner",
    check: "python3 -B -m unittest",
    needs: "python3",
    before: { "a.py": "a = 1\n", "test_a.py": unit("a == 2") },
    after: { "unittest.py": "" },
    comes: { room: 0, lost_tests: [all(1)], status: "retrying" }
  },
  {
    what: "runs tests of Go that were red, and the work is done",
    ...go,
    after: { "a.go": "package m\n\nvar A = 2\n" },
    comes: { room: 0, status: "completed" }
  },
  {
    what: "runs tests of Go with a new function that ends them",
    ...go,
    after: { "main_test.go": goMain("os.Exit(0)"), "c_test.go": "package m\n" },
    comes: { room: 1, left_out: ["c_test.go", "main_test.go"], with_new: 1, status: "retrying" }
  },
  {
    what: "runs tests of Go with a new file that ends them before they begin",
    ...go,
    after: { "z_test.go": goInit },
    comes: { room: 1, left_out: ["z_test.go"], status: "retrying" }
  },
  {
    what: "runs tests of Go with a new function around them, and the work is done",
    ...go,
    after: { "a.go": "package m\n\nvar A = 2\n", "main_test.go": goMain("os.Exit(m.Run())") },
    comes: { room: 0, left_out: ["main_test.go"], status: "completed" }
  },
  {
    what: "runs new tests of Go with a function around them where there were none",
    ...go,
    before: { "go.mod": go.before["go.mod"], "a.go": go.before["a.go"] },
    after: {
      "a.go": "package m\n\nvar A = 2\n",
      "a_test.go": go.before["a_test.go"],
      "main_test.go": goMain("os.Exit(m.Run())")
    },
    evidence: "a.go:3",
    comes: { room: 0, left_out: ["a_test.go", "main_test.go"], with_new: 0, status: "completed" }
  },
  {
    what: "runs tests of Go of which none is reported, since the work ends their process",
    ...verbose,
    after: { "a.go": goInit.replace("func", "var A = 2\n\nfunc") },
    comes: { tests: "1/0/0", room: 0, lost_tests: ["tests of package m vanished"], status: "retrying" }
  },
  {
    what: "runs tests of Go that could not be built before, and now no test is reported",
    ...verbose,
    before: { "go.mod": go.before["go.mod"], "a_test.go": go.before["a_test.go"] },
    after: { "a.go": goInit.replace("func", "var A = 2\n\nfunc") },
    comes: { tests: "0/0/0", status: "retrying" }
  },
  {
    what: "runs tests of a package of Go no more",
    ...go,
    before: { ...go.before, "a_test.go": go.before["a_test.go"].replace("A != 2", "A == 0") },
    after: { "a.go": "package m\n\nvar A = 2\n", "b/go.mod": "module n\n" },
    evidence: "a.go:3",
    comes: { room: 0, lost_tests: ["tests of package m/b vanished"], status: "retrying" }
  },
  {
    what: "looks at a file that the user protects",
    check: "cmp -s wanted.txt got.txt",
    before: { "wanted.txt": "2\n", "got.txt": "1\n" },
    after: { "wanted.txt": "1\n" },
    proof: { protected: ["wanted.*"] },
    comes: { changed: ["wanted.txt"], room: 1, restored: ["wanted.txt"], status: "retrying" }
  },
  {
    what: "runs new tests and nothing else",
    check: "sh -c 'ls *.test.mjs && node --test *.test.mjs'",
    before: { "a.mjs": "export const a = 1\n" },
    after: { "a.mjs": "export const a = 2\n", "a.test.mjs": tests(aTest("one", one)) },
    comes: { tests: "1/0/0", room: 2, left_out: ["a.test.mjs"], with_new: 0, status: "failed" }
  },
  {
    what: "runs new tests beside evidence",
    check: "sh -c 'ls *.test.mjs && node --test *.test.mjs'",
    before: { "a.mjs": "export const a = 1\n" },
    after: { "a.mjs": "export const a = 2\n", "a.test.mjs": tests(aTest("one", one)) },
    evidence: "a.mjs:1",
    comes: { tests: "1/0/0", room: 2, left_out: ["a.test.mjs"], with_new: 0, status: "completed" }
  },
  {
    what: "runs tests that ask for something else now, where the user wants no clean room",
    ...ofTests,
    after: { "a.mjs": "export const a = 2\n", "a.test.mjs": tests(aTest("one", "assert.ok(a)"), aTest("two", two_)) },
    proof: { clean_room: false },
    comes: { tests: "2/0/0", changed: ["a.test.mjs"], room: "off", lost_tests: ["one changed"], status: "retrying" }
  },
  {
    what: "passes in the project alone, where the user wants that",
    check: "test -s ../made.txt",
    before: {},
    after: { "../made.txt": "more\n" },
    proof: { clean_room: false },
    comes: { room: "off", status: "completed" }
  },
  {
    what: "runs a script that the agent has bent, where the user wants no clean room",
    check: "sh check.sh",
    ...bent,
    proof: { clean_room: false },
    comes: { changed: ["check.sh"], room: "off", status: "failed" }
  }
]

const codeOf = (run: ScratchRun | null | undefined) => {
  if (run == null) return run === null ? "off" : undefined
  return run.run === null ? "untried" : run.run.exit_code
}

const countsOf = (census: CheckRun["census"]) =>
  census === undefined ? undefined : `${census.passed}/${census.failed}/${census.skipped}`

const codesOf = ({ census, changed, changed_tests, clean_room, lost_tests, without, written }: CheckRun) => {
  const { left_out = [], restored = [], with_new } = clean_room ?? {}
  const named = (all: CheckRun["lost_tests"]) => all?.map(({ how, test }) => `${test} ${how}`)
  const found = {
    ...{ tests: countsOf(census) },
    ...{ room: codeOf(clean_room), with_new: codeOf(with_new), without: codeOf(without) },
    ...{ changed, written, lost_tests: named(lost_tests), changed_tests: named(changed_tests) },
    ...{
      restored: restored.length === 0 ? undefined : restored,
      left_out: left_out.length === 0 ? undefined : left_out
    }
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined))
}

const isInstalled = (program: string): boolean => spawnSync(program, ["version"]).error === undefined

describe("a command of the user that has passed", () => {
  // copies of a repository are made otherwise, and take longer
  const placed = cases
    .filter(({ needs }) => needs === undefined || isInstalled(needs))
    .map((one, at) => [one.what, at % 4 === 0 ? repository : directory, one] as const)
  it.live.each(daily(placed, 3))("given that it %s, then that is found", ([, make, one]) =>
    Effect.gen(function* () {
      const { accept = [], after, before, check, comes, evidence, instruction, isShared = false, proof = {} } = one
      const place = yield* make(before)
      const { runs, task } = yield* attempted(place, {
        checks: Array(isShared ? 2 : 1).fill(check.replace("$ROOT", place.root)),
        items: evidence === undefined ? [] : [{ item: "add two" }],
        report: evidence === undefined ? [] : [{ item: "add two", status: "done", evidence }],
        isBaseChecked: true,
        instruction,
        config: { proof: { accept, max_waived: 1, ...proof } },
        files: after
      })
      const [run, same = run] = runs as readonly [CheckRun, CheckRun?]
      assert.strictEqual(run.exit_code, 0)
      assert.deepStrictEqual({ ...codesOf(run), status: task.status }, comes)
      // what another look shows is the same for all that share a command
      assert.lengthOf(runs, isShared ? 2 : 1)
      const { duration_ms, output, output_tail } = run
      assert.deepStrictEqual({ ...same, duration_ms, output, output_tail }, run)
    })
  )
})
