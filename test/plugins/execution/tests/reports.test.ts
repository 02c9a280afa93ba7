import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { isNamed, withoutFiles } from "../../../../packages/plugins/src/policies/execution/tests/fileTests.ts"
import {
  counted,
  type ReportedTest,
  reportsIn,
  type TestStatus
} from "../../../../packages/plugins/src/policies/execution/tests/reports.ts"

const read = (name: string): string => readFileSync(new URL(`./${name}.txt`, import.meta.url), "utf8")

const named = (tests: ReadonlyArray<ReportedTest>, status: TestStatus) =>
  tests.flatMap((test) =>
    test.status === status ? [test.file === null ? test.name : `${test.file}: ${test.name}`] : []
  )

/** What is expected of a report: its format and how many passed, failed and were skipped; some of the names. */
type Row = readonly [
  file: string,
  format: string,
  passed: number,
  failed: number,
  skipped: number,
  names?: Partial<Record<TestStatus, ReadonlyArray<string>>>
]

/** As runners wrote them. */
const real: ReadonlyArray<Row> = [
  [
    "reports/node-spec",
    "node-spec",
    7,
    2,
    3,
    {
      passed: ["outer > inner > case [1]", "outer > flat", "parent > child a", "alone"],
      failed: ["fails & <breaks>", "outer > inner > case [2]"],
      skipped: ["skipped by option", "skipped with reason", "later"]
    }
  ],
  ["reports/node20-spec", "node-spec", 7, 2, 3, { failed: ["fails & <breaks>", "outer > inner > case [2]"] }],
  ["reports/node-none-spec", "node-spec", 1, 0, 0, { passed: ["none.test.mjs"] }],
  ["reports/node-zero-spec", "node-spec", 0, 0, 0],
  [
    "reports/node-tap",
    "tap",
    6,
    2,
    3,
    {
      passed: ["adds", "outer > inner > case [1]", "outer > flat", "parent > child a", "parent > child b", "alone"],
      failed: ["fails & <breaks>", "outer > inner > case [2]"],
      skipped: ["skipped by option", "skipped with reason", "later"]
    }
  ],
  ["reports/node20-tap", "tap", 6, 2, 3],
  ["reports/node-zero-tap", "tap", 0, 0, 0],
  [
    "reports/node-junit",
    "junit",
    7,
    2,
    3,
    {
      failed: ["/home/me/project/a.test.mjs: fails & <breaks>", "/home/me/project/a.test.mjs: outer > inner > case [2]"]
    }
  ],
  ["reports/node20-junit", "junit", 7, 2, 3, { failed: ["fails & <breaks>", "outer > inner > case [2]"] }],
  ["reports/node-zero-junit", "junit", 0, 0, 0],
  [
    "reports/tape",
    "tap",
    2,
    1,
    0,
    { failed: ["fails > not the same"], passed: ["sums > should be strictly equal", "sums > is fine"] }
  ],
  ["reports/bats", "tap", 1, 1, 1, { passed: ["adds"], failed: ["fails"], skipped: ["skips"] }],
  ["reports/perl", "tap", 3, 0, 1, { passed: ["one", "group > in a", "group > in b"], skipped: ["to come"] }],
  ["reports/prove", "prove", 4, 1, 1],
  ["reports/prove-ok", "prove", 3, 0, 0],
  ["reports/prove-v", "prove", 4, 1, 2, { failed: ["fails"], passed: ["adds", "one", "group > in a", "group > in b"] }],
  ["reports/prove-none", "prove", 0, 0, 0],
  ["reports/mocha-tap", "tap", 2, 1, 2, { failed: ["outer inner breaks"] }],
  ["reports/vitest-tap", "tap", 3, 1, 2, { failed: ["a.test.js > outer > inner > breaks"] }],
  ["reports/vitest", "vitest", 3, 1, 2],
  [
    "reports/vitest-v",
    "vitest",
    3,
    1,
    2,
    {
      passed: ["a.test.js: adds", "a.test.js: outer > inner > case [1]", "b.test.js: alone"],
      failed: ["a.test.js: outer > inner > breaks"],
      skipped: ["a.test.js: outer > skipped one", "a.test.js: outer > later"]
    }
  ],
  [
    "reports/vitest-json",
    "vitest",
    3,
    1,
    2,
    {
      failed: ["/home/me/project/a.test.js: outer > inner > breaks"],
      skipped: ["/home/me/project/a.test.js: outer > skipped one", "/home/me/project/a.test.js: outer > later"]
    }
  ],
  ["reports/vitest-xml", "junit", 3, 1, 2, { failed: ["a.test.js: outer > inner > breaks"] }],
  ["reports/vitest-ok", "vitest", 1, 0, 0],
  ["reports/vitest-t", "vitest", 0, 0, 5],
  ["reports/vitest-empty", "vitest", 0, 0, 0],
  ["reports/vitest-none", "vitest", 0, 0, 0],
  ["reports/vitest-none2", "vitest", 0, 0, 0],
  ["reports/jest", "jest", 3, 1, 2],
  [
    "reports/jest-v",
    "jest",
    3,
    1,
    2,
    {
      passed: ["./a.test.js: adds", "./a.test.js: outer > inner > case [1]", "./b.test.js: alone"],
      failed: ["./a.test.js: outer > inner > breaks"],
      skipped: ["./a.test.js: outer > skipped one", "./a.test.js: outer > later"]
    }
  ],
  ["reports/jest-json", "jest", 3, 1, 2, { failed: ["/home/me/project/a.test.js: outer > inner > breaks"] }],
  // jest-junit says nothing of a todo
  ["reports/jest-junit-xml", "junit", 4, 1, 1, { failed: ["outer inner breaks"] }],
  ["reports/jest-t", "jest", 0, 0, 5],
  ["reports/jest-empty", "jest", 0, 0, 0],
  ["reports/jest-none", "jest", 0, 0, 0],
  ["reports/jest-none2", "jest", 0, 0, 0],
  [
    "reports/mocha",
    "mocha",
    2,
    1,
    2,
    {
      passed: ["adds", "outer > inner > case [1]"],
      failed: ["outer > inner > breaks"],
      skipped: ["outer > skipped one", "outer > pending one"]
    }
  ],
  ["reports/mocha-dot", "mocha", 2, 1, 2],
  ["reports/mocha-none", "mocha", 0, 0, 0],
  ["reports/mocha-json", "mocha", 2, 1, 2, { failed: ["/home/me/project/a.spec.js: outer inner breaks"] }],
  ["reports/mocha-json-none", "mocha", 0, 0, 0],
  ["reports/mocha-xunit", "junit", 2, 1, 2, { failed: ["/home/me/project/a.spec.js: outer inner > breaks"] }],
  ["reports/jasmine", "jasmine", 1, 1, 1],
  ["reports/ava", "ava", 1, 1, 2, { passed: ["adds"] }],
  ["reports/bats-pretty", "bats", 1, 1, 1, { passed: ["adds"], failed: ["fails"], skipped: ["skips"] }],
  ["reports/ctest", "ctest", 1, 2, 2, { passed: ["adds"], failed: ["breaks", "gone"], skipped: ["skips", "off"] }],
  // that the program of one was not there is skipped in it
  ["reports/ctest-xml", "junit", 1, 1, 3, { failed: ["breaks"] }],
  ["reports/ctest-none", "ctest", 0, 0, 0],
  ["reports/pytest", "pytest", 4, 2, 2, { failed: ["test_calc.py: test_pairs[2-z]", "test_calc.py: test_errors"] }],
  [
    "reports/pytest-v",
    "pytest",
    4,
    2,
    2,
    {
      passed: [
        "test_calc.py: test_adds",
        "test_calc.py: test_pairs[1-x y]",
        "test_calc.py: test_unexpected",
        "test_calc.py: TestGroup > test_in_group"
      ],
      failed: ["test_calc.py: test_pairs[2-z]", "test_calc.py: test_errors"],
      skipped: ["test_calc.py: test_skipped", "test_calc.py: test_expected"]
    }
  ],
  ["reports/pytest-rA", "pytest", 4, 2, 2, { skipped: ["test_calc.py: test_expected"] }],
  ["reports/pytest-xml", "junit", 4, 2, 2, { failed: ["test_calc > test_pairs[2-z]", "test_calc > test_errors"] }],
  ["reports/pytest-none", "pytest", 0, 0, 0],
  ["reports/pytest-q-none", "pytest", 0, 0, 0],
  ["reports/pytest-deselected", "pytest", 0, 0, 0],
  ["reports/pytest-none-xml", "junit", 0, 0, 0],
  ["reports/unittest", "unittest", 2, 3, 2],
  [
    "reports/unittest-v",
    "unittest",
    2,
    3,
    2,
    {
      passed: ["unit_calc.Calc > test_adds", "unit_calc.Calc > test_documented"],
      skipped: ["unit_calc.Calc > test_expected", "unit_calc.Calc > test_skipped"]
    }
  ],
  ["reports/unittest-ok", "unittest", 1, 0, 1, { passed: ["unit_ok.Fine > test_one"] }],
  ["reports/unittest-none", "unittest", 0, 0, 0],
  [
    "reports/cargo",
    "cargo",
    4,
    1,
    1,
    {
      passed: ["tests > adds", "tests > panics", "whole", "src/lib.rs: add (line 2)"],
      failed: ["tests > fails"],
      skipped: ["tests > waits"]
    }
  ],
  ["reports/cargo-zero", "cargo", 0, 0, 0],
  ["reports/lab", "lab", 1, 0, 0],
  ["reports/lab-none", "lab", 0, 0, 0],
  ["reports/uvu", "uvu", 1, 0, 0],
  ["reports/uvu-skip", "uvu", 0, 0, 1],
  ["reports/uvu-none", "uvu", 0, 0, 0],
  ["reports/tap-terse", "tap", 1, 0, 0],
  ["reports/tap-terse-skip", "tap", 0, 0, 1],
  ["reports/mocha-lines-none", "mocha", 0, 0, 0],
  ["reports/bun-filter-none", "bun", 0, 0, 0],
  ["reports/go-one-none", "go", 0, 0, 0],
  ["reports/go-program-none", "go", 0, 0, 0],
  ["reports/gotestsum", "gotestsum", 1, 0, 1],
  ["reports/gotestsum-none", "gotestsum", 0, 0, 0],
  ["reports/busted", "busted", 1, 0, 1],
  ["reports/busted-none", "busted", 0, 0, 0],
  ["reports/cucumber", "cucumber", 1, 0, 0],
  ["reports/cucumber-none", "cucumber", 0, 0, 0],
  ["reports/behave", "behave", 1, 0, 0],
  ["reports/behave-none", "behave", 0, 0, 1],
  ["reports/pytest-collect", "pytest", 0, 0, 0],
  ["reports/pytest-q-collect", "pytest", 0, 0, 0],
  ["reports/pytest-qq", "pytest", 1, 0, 1],
  ["reports/libtest", "libtest", 2, 1, 1, { failed: ["tests > fails"], skipped: ["tests > waits"] }]
]

/** Written after the documentation of runners. */
const documented: ReadonlyArray<Row> = [
  [
    "documented/go-v",
    "go",
    3,
    1,
    1,
    {
      passed: ["example.com/calc > TestAdd", "example.com/calc > TestPairs/one", "example.com/calc/other > TestOther"],
      failed: ["example.com/calc > TestPairs/two_and_more"]
    }
  ],
  ["documented/go-panic", "go", 1, 1, 0, { failed: ["example.com/calc > TestPanics"] }],
  ["documented/go-none", "go", 0, 0, 0],
  ["documented/go-json", "go", 1, 1, 1, { failed: ["example.com/calc > TestPairs/one"] }],
  ["documented/go-json-none", "go", 0, 0, 0],
  ["documented/go-junit-report", "junit", 1, 1, 0, { failed: ["example.com/calc > TestPairs/two"] }],
  [
    "documented/surefire-xml",
    "junit",
    2,
    1,
    1,
    {
      passed: ["com.example.CalcTest > adds", "com.example.CalcTest > pairs(int)[1]"],
      failed: ["com.example.CalcTest > breaks"]
    }
  ],
  [
    "documented/phpunit-xml",
    "junit",
    2,
    0,
    0,
    {
      passed: [
        "/home/me/project/tests/CalcTest.php: Tests.CalcTest > testAdds",
        '/home/me/project/tests/CalcTest.php: Tests.CalcTest > testPairs with data set "one > two"'
      ]
    }
  ],
  ["documented/counts-xml", "junit", 2, 2, 1],
  ["documented/maven", "surefire", 2, 2, 1],
  ["documented/maven-none", "surefire", 0, 0, 0],
  ["documented/gradle", "gradle", 2, 1, 1, { passed: ["CalcTest > adds()", "CalcTest > pairs(int) > [1] 1"] }],
  ["documented/gradle-failed", "gradle", 3, 1, 1, { failed: ["CalcTest > breaks()"] }],
  ["documented/gradle-none", "gradle", 0, 0, 0],
  ["documented/junit-console", "junit-console", 2, 1, 1],
  ["documented/sbt", "sbt", 2, 1, 1],
  ["documented/nextest", "nextest", 2, 1, 1, { failed: ["calc > tests > fails"] }],
  ["documented/nextest-none", "nextest", 0, 0, 0],
  ["documented/rspec", "rspec", 2, 1, 1],
  ["documented/rspec-none", "rspec", 0, 0, 0],
  ["documented/rspec-json", "rspec", 1, 0, 1, { passed: ["./spec/calc_spec.rb: Calc adds"] }],
  ["documented/minitest", "minitest", 1, 2, 1, { failed: ["CalcTest > test_fails", "CalcTest > test_breaks"] }],
  ["documented/minitest-none", "minitest", 0, 0, 0],
  ["documented/phpunit", "phpunit", 2, 2, 1],
  ["documented/phpunit-ok", "phpunit", 3, 0, 0],
  ["documented/phpunit-none", "phpunit", 0, 0, 0],
  ["documented/pest", "pest", 3, 1, 1],
  ["documented/exunit", "exunit", 3, 1, 1],
  ["documented/dart", "dart", 2, 1, 1],
  ["documented/dotnet", "dotnet", 5, 1, 1, { failed: ["Calc.Tests.CalcTests.Fails"] }],
  ["documented/dotnet-normal", "dotnet", 2, 0, 1, { skipped: ["Calc.Tests.CalcTests.Waits"] }],
  ["documented/dotnet-summary", "dotnet", 2, 1, 1],
  ["documented/dotnet-none", "dotnet", 0, 0, 0],
  ["documented/swift", "swift", 2, 1, 0, { failed: ["CalcTests > testFails"] }],
  ["documented/swift-none", "swift", 0, 0, 0],
  ["documented/deno", "deno", 1, 1, 1, { failed: ["./calc_test.ts: fails"] }],
  ["documented/deno-none", "deno", 0, 0, 0],
  ["documented/bun", "bun", 1, 1, 2, { failed: ["calc.test.ts: outer > fails"] }],
  ["documented/bun-none", "bun", 0, 0, 0],
  ["documented/playwright", "playwright", 3, 1, 1],
  ["documented/dotnet-zero", "dotnet", 0, 0, 0],
  ["documented/karma", "karma", 5, 1, 2],
  ["documented/karma-none", "karma", 0, 0, 3],
  ["documented/robot", "robot", 1, 1, 1],
  ["documented/robot-none", "robot", 0, 0, 0],
  ["documented/testthat", "testthat", 4, 1, 1],
  ["documented/testthat-none", "testthat", 0, 0, 0],
  ["documented/googletest", "googletest", 1, 1, 1, { failed: ["Calc > Fails"] }],
  ["documented/googletest-none", "googletest", 0, 0, 0],
  ["documented/catch2", "catch2", 2, 1, 0],
  [
    "documented/pytest-json",
    "pytest",
    2,
    1,
    1,
    { passed: ["tests/test_a.py: test_one", "tests/test_a.py: TestGroup > test_two[a::b-1]"] }
  ],
  ["documented/pytest-json-none", "pytest", 0, 0, 0],
  ["documented/pytest-xdist", "pytest", 1, 1, 0, { failed: ["tests/test_a.py: test_two[a - b]"] }],
  ["documented/django-none", "unittest", 0, 0, 0],
  ["documented/jest-old", "jest", 1, 0, 0, { passed: ["src/calc.test.js: Calc > adds"] }]
]

describe("what a runner reported", () => {
  it.each(
    [...real, ...documented].map(
      ([file, format, passed, failed, skipped, names = {}]) => [file, format, passed, failed, skipped, names] as const
    )
  )("given %s, then it is %s: %i passed, %i failed, %i skipped", (file, format, passed, failed, skipped, names) => {
    const reports = reportsIn(read(file))
    assert.deepStrictEqual(
      reports.map(({ failed, format, passed, skipped }) => ({ format, passed, failed, skipped })),
      [{ format, passed, failed, skipped }]
    )
    const tests = reports.flatMap((report) => report.tests)
    for (const status of ["passed", "failed", "skipped"] as const) {
      const expected = names[status]
      if (expected !== undefined) assert.includeMembers([...named(tests, status)], [...expected])
    }
    assert.isAtMost(tests.length, passed + failed + skipped)
  })

  it("given colours and lines that end as on Windows, then it is the same", () => {
    const text = read("reports/pytest")
      .replaceAll("\n", "\r\n")
      .replace("1 failed", "\u001b[31m\u001b[1m1 failed\u001b[0m")
    assert.deepStrictEqual(reportsIn(text), reportsIn(read("reports/pytest")))
  })

  it("given a line that looks as if a tool said the package before it, then it is the same", () => {
    const text = `Error:at: here\n${read("reports/node-tap").replace("# Subtest: parent", "warning:some: text\n# Subtest: parent")}`
    assert.deepStrictEqual(reportsIn(text), reportsIn(read("reports/node-tap")))
    const xml = read("reports/pytest-xml").replaceAll("assert a", "a:b: assert a\na:b: \na:b: ")
    assert.deepStrictEqual(reportsIn(xml), reportsIn(read("reports/pytest-xml")))
  })

  it("given what npm says before, then it is the same", () => {
    for (const file of ["reports/jest-json", "reports/mocha-json", "reports/node-junit", "reports/node-tap"])
      assert.deepStrictEqual(
        reportsIn(`\n> calc@1.0.0 test\n> run them\n\n${read(file)}\n`),
        reportsIn(read(file)),
        file
      )
  })
})

describe("files that a runner reports as tests", () => {
  const own: Readonly<Record<string, string>> = {
    "a.test.mjs": 'import test from "node:test"\n',
    "b.test.mjs": 'import { test } from "./helpers.mjs"\ntest("beta", () => {})\n',
    "plain.test.mjs": 'import assert from "node:assert"\nassert.ok(/b/.test("b")) // test()\n',
    "tape.test.mjs": 'import test from "tape"\ntest("a", () => {})\n'
  }
  const kept = (file: string, command: string) => {
    const found = counted(read(file), [])
    assert.isNotNull(found)
    const { failed, passed, skipped, tests } = withoutFiles(found, command, (name) => {
      const path = Object.keys(own).find((path) => isNamed(path, name))
      return path === undefined ? [] : [own[path] ?? ""]
    })
    return { passed, failed, skipped, names: tests.map(({ name }) => name) }
  }

  it.each(["spec", "tap", "junit"])(
    "given %s of a name that some have, then files without such a test are none",
    (format) => {
      const file = `reports/node-pattern-${format}`
      assert.deepStrictEqual(kept(file, "node --test --test-name-pattern=inner"), {
        ...{ passed: 1, failed: 0, skipped: 0 },
        names: ["group > inner"]
      })
      // the script may be in a package file: what the files hold tells it too, and one that uses no tests is one
      assert.deepStrictEqual(kept(file, "npm test"), {
        ...{ passed: 2, failed: 0, skipped: 0 },
        names: ["group > inner", "plain.test.mjs"]
      })
    }
  )

  it("given a name that none has, then no test has run", () => {
    assert.deepStrictEqual(kept("reports/node22-pattern-spec", "npm test"), {
      ...{ passed: 0, failed: 0, skipped: 0 },
      names: []
    })
  })

  it.each([
    ["that uses the tests of something else", "tape.test.mjs", 1],
    ["that is not there", "gone.test.mjs", 0]
  ])("given a file %s, then it counts %i", (_, name, passed) => {
    const spec = read("reports/node22-pattern-spec").replace("a.test.mjs", name)
    const found = counted(spec, [])
    assert.isNotNull(found)
    assert.strictEqual(
      withoutFiles(found, "npm test", (name) => (own[name] === undefined ? [] : [own[name]])).passed,
      passed
    )
  })

  it("given a test of another runner that is called like a file, then it is one", () => {
    const found = counted(read("reports/pytest-v").replaceAll("test_adds", "test_adds.js"), [])
    assert.isNotNull(found)
    assert.strictEqual(
      withoutFiles(found, "pytest", () => []),
      found
    )
  })
})

describe("a text that only speaks of tests", () => {
  const lines = (file: string, before: string) => read(file).replaceAll(/^/gm, before)
  it.each<readonly [about: string, text: string]>([
    ["nothing", ""],
    ["praise", "all 5 tests passed!\n5 tests passed, 0 failed\n✔ done (3ms)\n"],
    ["a sentence", "We saw 5 passed, 2 failed in 3s and 5 passing.\nRan 3 tests in 2s was the answer.\n"],
    ["a checklist", "- [x] ok 1\n- ok 2\nok then\nnot ok\n"],
    ["a diff of TAP", lines("reports/node-tap", "+")],
    ["a diff of a log of pytest", lines("reports/pytest", "-")],
    ["quoted output of cargo", lines("reports/cargo", "> ")],
    ["the source of a report", 'console.log("1..3"); echo "ok 1 - a"\nassert "Tests:  1 passed, 1 total" in out\n'],
    ["plain go test", "ok  \texample.com/calc\t0.003s\n?   \texample.com/none\t[no test files]\n"],
    [
      "plain go test that fails",
      "--- FAIL: TestAdd (0.00s)\n    calc_test.go:3: no\nFAIL\nFAIL\texample.com/calc\t0.003s\nFAIL\n"
    ],
    ["unfinished XML", '<testsuites><testsuite name="a" tests="1"><testcase name="b"/>'],
    ["XML that does not nest", '<testsuite name="a"><testcase name="b"></testsuite></testcase>'],
    ["XML with entities of its own", '<!DOCTYPE a [<!ENTITY b "c">]><testsuite><testcase name="&b;"/></testsuite>'],
    ["other XML", '<?xml version="1.0"?><project><testsuite/></project>'],
    ["broken JSON", '{"numTotalTests": 1, "testResults": ['],
    ["other JSON", '{"name": "calc", "scripts": {"test": "jest"}, "tests": 5, "summary": {"total": 5}}'],
    ["JSON lines of something else", '{"type":"test","event":"ok"}\n{"Action":"pass"}\n']
  ])("given %s, then it is no report", (_, text) => {
    assert.deepStrictEqual(reportsIn(text), [])
    assert.isNull(counted(text, [text]))
  })
})

describe("all tests of a command", () => {
  /** What two packages print, line by line in turn. */
  const packages = (one: string, other: string): string =>
    read("reports/pytest-v")
      .split("\n")
      .flatMap((line) => [`${one}${line}`, `${other}${line}`])
      .join("\n")

  const numbers = (output: string, ...files: ReadonlyArray<string>) => {
    const all = counted(output, files)
    return all === null ? null : [all.passed, all.failed, all.skipped, all.tests.length]
  }

  it.each<readonly [about: string, output: string, files: ReadonlyArray<string>, expected: ReadonlyArray<number>]>([
    ["one runner prints", read("reports/pytest-v"), [], [4, 2, 2, 8]],
    ["it writes too", read("reports/pytest"), [read("reports/pytest-xml")], [4, 2, 2, 8]],
    ["it writes twice", "", [read("reports/pytest-xml"), read("reports/pytest-xml")], [4, 2, 2, 8]],
    [
      "it writes in two formats",
      read("reports/jest"),
      [read("reports/jest-json"), read("reports/jest-junit-xml")],
      [3, 1, 2, 6]
    ],
    ["the file names no runner", read("documented/maven"), [read("documented/counts-xml")], [2, 2, 1, 0]],
    ["two runners print", read("reports/pytest-v") + read("reports/node-spec"), [], [11, 4, 5, 20]],
    ["one runs twice", read("reports/node-spec") + read("reports/node-spec"), [], [14, 4, 6, 24]],
    [
      "one of two writes",
      read("reports/pytest") + read("reports/node-spec"),
      [read("reports/pytest-xml")],
      [11, 4, 5, 20]
    ],
    ["another one writes", read("reports/pytest-v"), [read("reports/node-junit")], [11, 4, 5, 20]],
    ["none is run", read("reports/pytest-none"), [read("reports/pytest-none-xml")], [0, 0, 0, 0]],
    ["one prints in two formats", read("reports/node-spec") + read("reports/node20-tap"), [], [7, 2, 3, 12]],
    ["two of one runner print in two formats", read("reports/jest-v") + read("reports/jest-t"), [], [3, 1, 7, 6]],
    ["two runs have the same numbers", read("reports/vitest-tap") + read("documented/rspec"), [], [5, 2, 3, 6]],
    ["turbo says the package", packages("calc:test: ", "@me/web:test:unit: "), [], [8, 4, 4, 16]],
    ["pnpm says the package", packages("packages/calc test: ", "packages/web test: "), [], [8, 4, 4, 16]],
    ["yarn says the package", packages("[calc]: ", "[@me/web]: "), [], [8, 4, 4, 16]],
    ["a file is none", read("reports/node-zero-spec"), ["{}"], [0, 0, 0, 0]]
  ])("given that %s, then each test counts once", (_, output, files, expected) => {
    assert.deepStrictEqual(numbers(output, ...files), expected)
  })

  it("given specs that are one test to go, then they count", () => {
    assert.deepStrictEqual(numbers(read("documented/ginkgo-none")), [0, 0, 3, 0])
  })

  it("given a report for each class, then they are one run with what was printed", () => {
    const ofClass = (name: string) => read("documented/surefire-xml").replaceAll("com.example.CalcTest", name)
    const printed = "[INFO] Results:\n[INFO] \n[ERROR] Tests run: 8, Failures: 0, Errors: 2, Skipped: 2\n"
    const all = counted(printed, [ofClass("com.example.A"), ofClass("com.example.B")])
    assert.deepStrictEqual([all?.passed, all?.failed, all?.skipped, all?.tests.length], [4, 2, 2, 8])
  })
})
