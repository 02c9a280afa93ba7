import { assert, describe, it } from "@effect/vitest"
import type { EvidenceFact, TaskState } from "@proofline/kernel"
import { aRun, aTask, given } from "@proofline/kernel/testing"
import { type Found, missingFile } from "../../../packages/plugins/src/policies/criteria/expected.ts"
import { isForeign, linesOf } from "../../../packages/plugins/src/policies/criteria/file.ts"
import { jsonFault } from "../../../packages/plugins/src/policies/criteria/json.ts"
import { judgementOf, missingWork, type Seen } from "../../../packages/plugins/src/policies/criteria/judgement.ts"
import { isMeantToBeBroken } from "../../../packages/plugins/src/policies/criteria/syntax.ts"
import { fact } from "../../kernel/support/judge.ts"
import { end, start, stateOf, task } from "../../kernel/support/words.ts"
import { fileOf, linesWith } from "./files.ts"

describe("a file", () => {
  it.each([
    "node_modules/a.js",
    "x/vendor/a.go",
    "third_party/a.c",
    "third-party/a.c",
    "dist/a.js",
    "target/a.rs",
    ".venv/a.py",
    "a/venv/b.py",
    "site-packages/a.py",
    "__pycache__/a.py",
    ".git/a",
    "bower_components/a.js",
    "a.min.js",
    "a.min.css",
    "a.min.mjs",
    "a.js.map",
    "Cargo.lock",
    "a.snap",
    "a.svg",
    "package-lock.json",
    "pnpm-lock.yaml",
    "a.pb.go",
    "a_pb2.py",
    "go.sum",
    "x/go.sum",
    "npm-shrinkwrap.json"
  ])("given %s, then nobody of the project has written it", (path) => assert.isTrue(isForeign(path)))
  it.each([
    "src/a.ts",
    "my_vendor/a.go",
    "vendors/a.go",
    "distance.ts",
    "dist",
    "a.min.ts",
    "map.ts",
    "a.lock.ts",
    "lock.json",
    "xgo.sum",
    "go.sum.ts",
    "src/targets/a.rs"
  ])("given %s, then somebody may have", (path) => assert.isFalse(isForeign(path)))

  it("given line ends of any kind, then the last one begins no line, and a mark at the beginning is none of the text", () => {
    assert.deepStrictEqual(["", "a", "a\n", "a\r\nb\r\n", "a\n\n", "\ufeffa\n"].map(linesOf), [
      [],
      ["a"],
      ["a"],
      ["a", "b"],
      ["a", ""],
      [" a"]
    ])
  })

  it.each([
    "fixtures/a.js",
    "test/fixture/a.js",
    "testdata/a.js",
    "test-data/a.js",
    "invalid.json",
    "a/malformed/b.js",
    "broken-a.js",
    "a_bad.js",
    "corrupted.js",
    "a.template.js",
    "templates/a.js",
    "snapshots/a.js",
    "golden/a.js",
    "syntax-error.js",
    "a.syntax_errors.js"
  ])("given %s, then it may be broken", (path) => assert.isTrue(isMeantToBeBroken(fileOf(path, "a\n"))))
  it.each(["a.js", "badge.js", "contemplate.js", "invalidate.js", "src/goldens.js", "brokenA.js"])(
    "given %s, then it may not",
    (path) => assert.isFalse(isMeantToBeBroken(fileOf(path, "a\n")))
  )
  it.each([
    ["// @flow", true],
    ["{% if a %}", true],
    ["{%- if a %}", true],
    ["<a>{{ b }}", true],
    ["{{#each}}", true],
    ["{{ b | c }}", true],
    ["<%= a %>", true],
    ["<%- a %>", true],
    ["<% a %>", true],
    ["// @flower", false],
    ["{%if a%}", false],
    ["a = {{ b: 1 }}", false],
    ["<%a%>", false],
    ["a", false]
  ])("given the line %j, then it may be broken: %s", (line, may) => {
    assert.strictEqual(isMeantToBeBroken(fileOf("a.js", `a\n${line}\n`)), may)
    assert.isFalse(isMeantToBeBroken(fileOf("a.js", `${"a\n".repeat(2_000)}${line}\n`)))
  })
})

describe("a file of JSON", () => {
  const broken = '{\n  "a": 1,\n  "b": 2,\n}\n'
  it.each<readonly [string, string, ReadonlyArray<number> | null, ReadonlyArray<number>]>([
    ["that is whole", '{ "a": 1 }\n', null, []],
    ["with a mark at its beginning", '\ufeff{ "a": 1 }\n', null, []],
    ["that is broken", broken, null, [4]],
    ["that is broken behind what was changed", broken, [2], [3]],
    ["that is broken in front of what was changed", '{\n  "a": 1\n  "b": 2\n}\n', [3], [4]],
    ["that is broken elsewhere", broken, [0], []],
    ["of which nothing was changed", broken, [], []],
    ["that ends too early", '{\n  "a": 1,\n', null, [2]],
    ["of documents line by line", '{"a":1}\n\n [2]\n', null, []],
    ["of documents of which one is broken", '{"a":1}\n{"a":\n', null, [2]],
    ["of values line by line", "1\n2\n", null, [2]]
  ])("given one %s", (_, text, rows, lines) => {
    assert.deepStrictEqual(linesWith(jsonFault(fileOf("a.json", text, rows))), lines)
  })

  it.each([
    ["tsconfig.json", true],
    ["x/tsconfig.build.json", true],
    ["jsconfig.json", true],
    [".vscode/settings.json", true],
    [".eslintrc.json", true],
    ["biome.json", true],
    ["babel.config.json", true],
    ["package.json", false],
    ["mytsconfig.json", false],
    ["biome.json5.json", false]
  ])("given %s with comments and commas too many, then it may have them: %s", (path, may) => {
    const text = '{\n  // a\n  "a": "x, ]", /* b */\n  "c": [1, 2, ],\n}\n'
    assert.strictEqual(jsonFault(fileOf(path, text)).length === 0, may)
    assert.lengthOf(jsonFault(fileOf(path, '{ "a": }\n')), 1)
  })

  it("given why it is none, then that is told in a line", () => {
    const [fault] = jsonFault(fileOf("a.json", '{ "a": x }\n'))
    assert.match(fault?.text ?? "", /^it is no JSON: Unexpected token 'x'$/)
  })
})

describe("a file that a part names", () => {
  const missing = (prompt: string, path: string, found: Found = "not_found", files: ReadonlyArray<string> = []) =>
    missingFile(path, found, { prompt, files })?.text ?? null

  it.each([
    "Create a.ts.",
    "Adds a.ts",
    "writing a.ts",
    "Make a.ts",
    "Generates a.ts",
    "Build a.ts",
    "Produce a.ts",
    "Save to a.ts",
    "Output a.ts",
    "Export a.ts",
    "implements a.ts",
    "Put it in a.ts",
    "A new a.ts",
    "Set up a.ts",
    "scaffold a.ts",
    "introduce a.ts",
    "provide a.ts",
    "a.tsを作成",
    "a.tsを作る",
    "a.tsに追加",
    "a.tsを新規に",
    "a.tsに書く",
    "Rename b.ts, then write a.ts",
    "Split b.ts into a.ts, and add it."
  ])("given that it is missing after %j, then that is told", (prompt) =>
    assert.strictEqual(missing(prompt, "a.ts"), "it does not exist")
  )

  it.each([
    "Fix a.ts.",
    "Look at a.ts.",
    "Remove a.ts and add b.",
    "Delete `a.ts`. Create b.ts.",
    "Add b, then drop a.ts",
    "Rename a.ts to b.ts, a new one",
    "Move a.ts; add b",
    "Merging a.ts adds b",
    "Get rid of a.ts and write b.ts",
    "Replacing a.ts. Add b.",
    "a.ts should be removed. Create b.",
    "a.ts must be deleted, create b",
    "a.ts will be renamed; add b",
    "`a.ts` is to be moved. Make b.",
    "a.ts can be split; add b",
    "a.tsを削除し、bを作成",
    "a.tsは不要なので消す。bを追加",
    "a.tsのファイルを統合して追加"
  ])("given %j, then it is not missed", (prompt) => assert.isNull(missing(prompt, "a.ts")))

  it.each<readonly [string, Found, ReadonlyArray<string>, string | null]>([
    ["src/a.ts", "not_found", [], "it does not exist"],
    ["src/a.ts", null, [], null],
    ["src/a.ts", "not_a_file", [], "it is not a file"],
    ["src/a", "not_a_file", [], null],
    ["src/a.ts", "outside_root", [], null],
    ["src/a.ts", "not_text", [], null],
    ["src/*.ts", "not_found", [], null],
    ["client/server", "not_found", [], null],
    ["src/Makefile", "not_found", [], "it does not exist"],
    ["src/LICENSE", "not_found", [], "it does not exist"],
    ["src/LICENCE", "not_found", [], "it does not exist"],
    ["src/README", "not_found", [], "it does not exist"],
    ["src/mvnw", "not_found", [], "it does not exist"],
    ["src/myREADME", "not_found", [], null],
    ["src/README2", "not_found", [], null],
    ["src/.env", "not_found", [], "it does not exist"],
    ["bin/run", "not_found", [], "it does not exist"],
    ["script/run", "not_found", [], "it does not exist"],
    ["x/bin/run", "not_found", [], null],
    ["src/a.", "not_found", [], null],
    ["src/a.ts", "not_found", ["packages/x/src/a.ts"], null],
    ["src/a.ts", "not_found", ["packages/xsrc/a.ts"], "it does not exist"],
    ["src/A.ts", "not_found", ["src/b.ts", "src/a.ts"], "it does not exist; src/a.ts is written in another way"],
    ["src/a.ts", "not_found", ["src/a.ts"], "it does not exist"]
  ])("given %s that is %s, and the files %j", (path, found, files, text) => {
    assert.strictEqual(missing("Look around.", path, found, files), text)
  })
})

describe("the judgement", () => {
  const none = {
    expected_files: [],
    no_omission_markers: [],
    no_todo_left: [],
    syntax_parses: [],
    evidence_present: []
  }
  const findings = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ path: "a.ts", line: i + 1, text: `x${i}` }))
  const judge = (seen: Partial<Omit<Seen, "findings">> & { readonly findings?: Partial<Seen["findings"]> }) =>
    judgementOf({ judged: 1, unknown: [], ...seen, findings: { ...none, ...seen.findings } })

  it("given nothing that speaks against it, then it passes, and says what was looked at", () => {
    const { checks, judgment, modification_prompt } = judge({})
    assert.deepStrictEqual([judgment, modification_prompt], ["PASS", null])
    assert.deepStrictEqual(
      checks.map(({ details, passed }) => [passed, details]),
      [
        "Nothing speaks against it.",
        ...Array(3).fill("1 changed file was looked at."),
        "Nothing speaks against it."
      ].map((details) => [true, details])
    )
  })

  it("given files of which nobody can tell, then ten of them are named", () => {
    const details = (count: number) =>
      judge({ judged: 2, unknown: Array.from({ length: count }, (_, i) => `f${i}`) }).checks[1]?.details
    const head = "2 changed files were looked at."
    const named = Array.from({ length: 10 }, (_, i) => `f${i}`).join(", ")
    assert.strictEqual(details(0), head)
    assert.strictEqual(details(10), `${head} Not judged, as nobody can tell what was changed in them: ${named}.`)
    assert.strictEqual(details(11), `${head} Not judged, as nobody can tell what was changed in them: ${named}, ….`)
  })

  it("given what speaks against it, then it is told by criterion, ten places in a list and thirty in the prompt", () => {
    const all = judge({
      findings: {
        no_todo_left: findings(31),
        expected_files: [{ path: "b.ts", line: null, text: "it does not exist" }],
        evidence_present: [{ path: "", line: null, text: "nothing was done" }]
      }
    })
    assert.strictEqual(all.judgment, "REJECT")
    assert.deepStrictEqual(
      all.checks.map(({ passed }) => passed),
      [false, true, false, true, false]
    )
    assert.strictEqual(all.checks[0]?.details, "b.ts: it does not exist")
    assert.match(all.checks[2]?.details ?? "", /^a\.ts:1: x0; .*; a\.ts:10: x9; and 21 more$/)
    assert.strictEqual(all.checks[4]?.details, "nothing was done")
    const prompt = all.modification_prompt ?? ""
    assert.isTrue(prompt.startsWith("The work does not meet 3 of the 5 built-in criteria."))
    assert.include(prompt, "- a.ts:30: x29\n- and 1 more\n\nevidence_present. ")
    assert.notInclude(prompt, "syntax_parses")
    const whole = judge({ findings: { no_todo_left: findings(30) } })
    assert.isTrue(whole.modification_prompt?.endsWith("- a.ts:30: x29"))
    assert.isTrue(judge({ findings: { no_todo_left: findings(10) } }).checks[2]?.details?.endsWith("a.ts:10: x9"))
  })
})

describe("work of which nothing is there", () => {
  const attempted = (instruction: string, more: Partial<NonNullable<TaskState["current"]>> = {}): TaskState => {
    const { snapshot } = given().after(aRun([aTask("task_1", { instruction })]), start("task_1"), end("task_1"))
    const known = task(stateOf(snapshot), "task_1")
    return {
      ...known,
      current: { ...(known.current as NonNullable<TaskState["current"]>), files_modified: [], ...more }
    }
  }
  const missed = (one: TaskState, wasChanged = false, isDone = false) =>
    missingWork(one, null, wasChanged, isDone).map(({ text }) => text)
  const kind: EvidenceFact = { index: 0, evidence: "url:x", scheme: "url", fact: 404 }

  it.each<readonly [string, TaskState, boolean, boolean, RegExp | null]>([
    ["nothing was changed", attempted("Add it."), false, false, /^no file of the project was changed/],
    ["what was changed is nothing", attempted("Add it."), true, false, /^what was changed holds nothing/],
    ["something was done", attempted("Add it."), true, true, null],
    ["evidence holds", attempted("Add it.", { facts: [fact(0)] }), false, false, null],
    ["evidence does not hold", attempted("Add it.", { facts: [fact(0, "out_of_range")] }), false, false, /^no file/],
    ["evidence of another kind was accepted", attempted("Add it.", { facts: [kind] }), false, false, null],
    ["nobody looked", attempted("Add it.", { files_modified: null }), false, false, null],
    [
      "nobody looked, and something is there",
      attempted("Add it.", { files_modified: null }),
      true,
      false,
      /^what was changed/
    ],
    ["a crash took an attempt", { ...attempted("Add it."), lost_count: 1 }, false, false, null]
  ])("given that %s", (_, one, wasChanged, isDone, expected) => {
    const [text = null] = missed(one, wasChanged, isDone)
    if (expected === null) assert.isNull(text)
    else assert.match(text ?? "", expected)
  })

  it.each([
    "What is it",
    "  please explain it",
    "Can you   check it",
    "could you list them",
    "Summarise it",
    "summarize it",
    "Analyse it",
    "analyze it",
    "Is it so",
    "Add it, or not?",
    "追加する？ ",
    "これを説明してください",
    "原因を調べて。",
    "調査",
    "一覧にする。 ",
    "正しいですか",
    "動きますか。"
  ])("given the question %j, then nothing has to be changed", (prompt) =>
    assert.deepStrictEqual(missed(attempted(prompt)), [])
  )

  it.each([
    "Add what is missing.",
    "Whatever, add it",
    "Please add it",
    "Fix it",
    "Or so? Add it.",
    "Isolate it",
    "説明してから、次の文書をすべて書き直して追加する",
    "実装して"
  ])("given the order %j, then something has to be", (prompt) => assert.lengthOf(missed(attempted(prompt)), 1))
})
