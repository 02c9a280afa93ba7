import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import {
  type CompiledPayload,
  compileNotation,
  compilePayload
} from "../../../packages/plugins/src/operations/payload.ts"
import { forSeeds } from "../../kernel/support/random.ts"
import { often } from "../../often.ts"
import {
  brokenFields,
  type Field,
  fieldsAsTexts,
  fittingFields,
  randomFields,
  randomJson,
  written
} from "./notations.ts"

const payload = (expected: Readonly<Record<string, string>>): CompiledPayload =>
  Result.getOrThrow(compilePayload(expected))

/** Checks one field `x`. */
const check = (notation: string, value: unknown) => payload({ x: notation }).check({ x: value })

const pathsOf = ({ failures }: ReturnType<CompiledPayload["check"]>) => failures.map(({ path }) => path)

const fits = (notation: string, value: unknown): boolean => {
  const schema = Result.getOrThrow(compileNotation(notation))
  return Result.isSuccess(Schema.decodeUnknownResult(schema)(value))
}

const of = (fields: ReadonlyArray<Field>) =>
  payload(Object.fromEntries(fields.map(({ name, optional, type }) => [`${name}${optional ? "?" : ""}`, type.text])))

const nested = (levels: number): unknown => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`)

describe("a notation", () => {
  it.each([
    ["str", ["", "a"], [1, null, undefined, [], {}, true]],
    ["int", [0, -1], [1.5, "1", null, 2 ** 60, Number.NaN]],
    ["float", [0, 1.5], ["1", null, Number.POSITIVE_INFINITY]],
    ["number", [0, 1.5], ["1", null]],
    ["bool", [true, false], [0, "true", null]],
    ["any", [null, 0, "a", [], {}], [undefined, Number.NaN, 1n, () => 0]],
    ["dict", [{}, { a: [1] }], [[], null, "{}"]],
    ["object", [{}], [[]]],
    ["{}", [{ a: 1 }], [[]]],
    ["list", [[], [1, "a"]], [{}, null, "[]"]],
    ["[]", [[1]], [{}]],
    ["list[]", [[1]], [{}]],
    ["list[int]", [[], [1]], [["a"], [null]]],
    ["int[]", [[1]], [["a"]]],
    ["int?[][]", [[[1, null]]], [[1], [null], null]],
    ["list[int?]?", [null, [null, 1]], [["a"], 1]],
    [
      "{a, b?, c: int, d?: int, e: int?}",
      [
        { a: 0, c: 1 },
        { a: [], b: {}, c: 1, d: null, e: 2 }
      ],
      [{ a: null, c: 1 }]
    ],
    ["delete|merge|continue", ["merge"], ["merge ", "Merge", null]],
    [`"a b"|'c|d'|"str"`, ["a b", "c|d", "str"], ["a", "int"]],
    [`"only"`, ["only"], ["other"]],
    [`"int"`, ["int"], [1]],
    ["pending", ["pending"], ["done"]],
    ["text|lst|pending[]", ["text", "lst", ["pending"]], ["pending"]],
    ["in-progress|v1.2|完了", ["in-progress", "v1.2", "完了"], ["in"]],
    ["a|b?", ["a", null], ["c"]],
    ["str|{path, decision: keep|discard, reason?}", ["a", { path: "a", decision: "keep" }], [{ path: "a" }, 1]],
    ["\n list [ \u3000{ a\n:\tint , b ? } ]\n", [[{ a: 1 }]], [[{ a: "" }]]]
  ] as const)("%s", (notation, fitting, others) => {
    for (const value of fitting) assert.isTrue(fits(notation, value), `${JSON.stringify(value)} fits`)
    for (const value of others) assert.isFalse(fits(notation, value), `${typeof value} ${String(value)} does not fit`)
  })

  it.each([
    ["", 0, "empty"],
    ["  ", 2, "empty"],
    ["strng", 0, "`strng` is no type"],
    ["list[{a: strng}]", 9, "`strng` is no type"],
    ["strng?", 0, "`strng` is no type"],
    ["strng[]", 0, "`strng` is no type"],
    ["lst", 0, "`lst` is no type"],
    ["Int", 0, "`Int` is no type"],
    ["flot", 0, "`flot` is no type"],
    ["integer", 0, "`integer` is no type"],
    ["dictionary", 0, "`dictionary` is no type"],
    ["text", 0, "`text` is no type"],
    ["string|int", 0, "`string` is no type"],
    ["str|null", 4, "`null` is no type"],
    ["1|2", 0, "`1` is no type"],
    ["a|", 2, "the end of the notation"],
    ["|a", 0, "`|`"],
    ["list[str", 8, "not closed"],
    ["{a, b", 5, "not closed"],
    ["{a b}", 3, "not closed"],
    ["{a:}", 3, "`}`"],
    ["{a, }", 4, "name of a field"],
    ["{a, b, a?}", 7, "twice"],
    ["{toString}", 1, "cannot be named toString"],
    ["{__proto__: str}", 1, "cannot be named __proto__"],
    ["a|'b", 2, "does not end"],
    ["str[int]", 4, "Only list"],
    ["[str]", 0, "begin with its name"],
    ["str str", 4, "`s` stands behind"],
    ["(a|b)", 0, "`(`"],
    ["😀", 0, "`😀`"]
  ] as const)("with a fault says what and where: %j", (notation, at, word) => {
    const fault = Result.getOrThrow(Result.flip(compileNotation(notation)))
    assert.strictEqual(fault.at, at)
    assert.include(fault.message, word)
    assert.match(fault.message, /^.+\.$/)
    assert.match(fault.hint, /^.+\.$/)
  })

  it.each([
    ["lists", "list[".repeat(10_000), 160],
    ["objects", "{a:".repeat(10_000), 96],
    ["lists of lists", `str${"[]".repeat(10_000)}`, 67]
  ] as const)("is bounded in depth: %s", (_, notation, at) => {
    const fault = Result.getOrThrow(Result.flip(compileNotation(notation)))
    assert.strictEqual(fault.at, at)
    assert.include(fault.message, "More than 32")
  })

  it("whatever it is, is compiled or has a fault inside", () => {
    forSeeds(often(3_000), (random) => {
      const pieces = ["list", "str", "a", "'", '"', "{", "}", "[", "]", "?", ":", ",", "|", " ", "é", "😀", "1"]
      const notation = Array.from({ length: random.below(12) }, () => random.pick(pieces)).join("")
      const compiled = compileNotation(notation)
      if (Result.isSuccess(compiled)) return
      assert.isAtLeast(compiled.failure.at, 0)
      assert.isAtMost(compiled.failure.at, notation.length)
    })
  })
})

/** The payloads of the whole phase machine, beside those every phase has. */
const phases: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  common: { summary: "str", "tools_used?": "list[str]", "compaction_count?": "int" },
  BRANCH_INTERVENTION: { choice: "delete|merge|continue" },
  DOCUMENT_RESEARCH: { documents_reviewed: "list[str]" },
  QUERY_FRAME: {
    action_type: "str",
    target_symbols: "list[str]",
    scope: "any",
    "constraints?": "any",
    "slots?": "{target_feature?: {value, quote: str}, trigger_condition?: dict, observed_issue?, desired_action?}"
  },
  EXPLORATION: { explored_files: "list[str]", findings: "list[str|{}]" },
  Q1: { needs_more_information: "bool", reason: "str" },
  SEMANTIC: { search_query: "str", search_results: "list" },
  Q2: { has_unverified_hypotheses: "bool", reason: "str" },
  VERIFICATION: { hypotheses_verified: "list[{hypothesis: str, result: bool|confirmed|refuted, evidence}]" },
  Q3: { needs_impact_analysis: "bool", reason: "str" },
  IMPACT_ANALYSIS: { impact_summary: "{}" },
  READY_PLAN: {
    tasks:
      "list[{id: str, description: str, status?: pending, checklist?: list[{item: str, status?: pending}], failure_count?: int, revert_reason?: str}]"
  },
  READY_PLAN_of_the_seed: { tasks: "list[{id, description, status, checklist: list[{item, status}]}]" },
  READY_IMPL_of_the_seed: { task_id: "str", checklist: "list[{item, status, evidence?, reason?}]" },
  POST_IMPL_VERIFY: { verifier_used: "str", passed: "bool", details: "any", "failed_tasks?": "list[str]" },
  VERIFY_INTERVENTION: { prompt_used: "str", action_taken: "str" },
  PRE_COMMIT: {
    reviewed_files: "list[str|{path: str, decision: keep|discard, reason?: str}]",
    commit_message: "str",
    review_prompt_used: "str?"
  },
  QUALITY_REVIEW: { quality_score: "number?", issues: "list[any]", quality_prompt_used: "str?" }
}

describe("the payload of a phase", () => {
  it.each(Object.keys(phases))("%s can be written", (phase) => {
    const expected = phases[phase] ?? {}
    const { fields } = payload(expected)
    assert.deepStrictEqual(
      fields.map(({ name, notation }) => [name, notation]),
      Object.entries(expected).map(([name, notation]) => [name.replace("?", ""), notation])
    )
  })

  it("has fields that may be left out by their name or by their type", () => {
    const { check, fields } = payload({ a: "str", "b?": "str", c: " str? ", " d ? ": "int" })
    assert.deepStrictEqual(fields, [
      { name: "a", optional: false, notation: "str" },
      { name: "b", optional: true, notation: "str" },
      { name: "c", optional: true, notation: "str?" },
      { name: "d", optional: true, notation: "int" }
    ])
    assert.deepStrictEqual(pathsOf(check({ a: "" })), [])
    assert.deepStrictEqual(pathsOf(check({ a: "", b: null, c: null, d: null })), [])
  })

  it.each([
    [{ a: "str", b: "list[" }, "b", 5],
    [{ "a b": "str" }, "a b", 2],
    [{ "": "str" }, "", 0],
    [{ "a??": "str" }, "a??", 2],
    [{ constructor: "str" }, "constructor", 0],
    [{ a: "str", "a?": "str" }, "a?", 0]
  ] as const)("with a fault names the field: %j", (expected, field, at) => {
    const fault = Result.getOrThrow(Result.flip(compilePayload(expected)))
    assert.deepInclude(fault, { field, at })
  })

  it("is compiled once", () => {
    const expected = { a: "str" }
    assert.strictEqual(payload(expected), payload(expected))
  })
})

describe("what an agent sent", () => {
  const plan = payload({
    tasks: "list[{id, description: str, checklist?: list[{item: str, status: pending|done|skipped}]}]",
    "count?": "int"
  })

  it("fails in every place at once, in words to act on", () => {
    const { failures, unexpected } = plan.check({
      tasks: [
        { id: "a", description: "A", checklist: [{ item: "i", status: "Done" }, { item: "j" }] },
        { id: null, checklst: [], checklist: null },
        "b"
      ],
      count: 1.5,
      note: "n"
    })
    assert.deepStrictEqual(
      failures.map(({ key, message }) => [key, message]),
      [
        [
          "field_invalid",
          `Field tasks[0].checklist[0].status is the text "Done"; expected one of "pending", "done", "skipped".`
        ],
        [
          "field_missing",
          `Field tasks[0].checklist[1].status is missing; expected one of "pending", "done", "skipped".`
        ],
        ["field_invalid", "Field tasks[1].id is null; expected a value other than null."],
        ["field_missing", "Field tasks[1].description is missing; expected a text."],
        [
          "field_invalid",
          `Field tasks[2] is the text "b"; expected an object, {id, description: str, checklist?: list[{item: str, status: pending|done|skipped}]}.`
        ],
        ["field_invalid", "Field count is the number 1.5; expected a whole number."]
      ]
    )
    assert.deepStrictEqual(unexpected, ["tasks[1].checklst", "note"])
  })

  it("keeps what nobody asked for, by its own name", () => {
    const sent = JSON.parse('{"tasks": [{"id": 1, "description": "", "a b": 1}], "__proto__": {"x": 1}, "toString": 2}')
    const { failures, unexpected, value } = plan.check(sent)
    assert.deepStrictEqual(failures, [])
    assert.deepStrictEqual(value, sent)
    assert.deepStrictEqual(unexpected, ['tasks[0]["a b"]', "__proto__", "toString"])
    assert.deepStrictEqual(Object.keys(Schema.decodeUnknownSync(plan.schema)(value)).sort(), Object.keys(sent).sort())
  })

  it.each([null, undefined, 1, "", "no JSON", "[]", "null", [], [{}], '"{}"'])("is no object: %j", (sent) => {
    const { failures, value } = plan.check(sent)
    assert.deepStrictEqual(value, {})
    assert.strictEqual(failures.length, 1)
    assert.deepInclude(failures[0], { key: "field_invalid", path: "" })
    assert.match(failures[0]?.message ?? "", /^The payload is .+; expected an object, \{tasks, count\?\}\.$/)
  })

  it("may be a text of JSON, and hold such texts where they can be nothing else, each read once", () => {
    const inner = JSON.stringify([JSON.stringify({ id: "7", description: "[]", checklist: "null" })])
    assert.deepStrictEqual(plan.check(JSON.stringify({ tasks: inner, count: "5" })), {
      value: { tasks: [{ id: "7", description: "[]", checklist: null }], count: 5 },
      failures: [],
      unexpected: []
    })
    assert.deepStrictEqual(pathsOf(check("int", '"5"')), ["x"])
    assert.deepStrictEqual(check("bool", "true").value, { x: true })
    assert.deepStrictEqual(check("bool", "True").value, { x: "True" })
    assert.deepStrictEqual(check("int|bool", "true").value, { x: true })
    assert.deepStrictEqual(check("str|int", "5").value, { x: "5" })
    assert.deepStrictEqual(check("none|int", "5").value, { x: 5 })
    assert.deepStrictEqual(check("any", "5").value, { x: "5" })
    assert.deepStrictEqual(check("{a: int}|{b: int}", { b: "5" }).value, { x: { b: 5 } })
    assert.deepStrictEqual(pathsOf(check("keep|{a: int}", '{"a": "no"}')), ["x.a"])
    assert.deepStrictEqual(pathsOf(check("str", "null")), [])
    assert.deepStrictEqual(check("int", "null").value, { x: "null" })
    assert.deepStrictEqual(check("int?", "null").value, { x: null })
    assert.deepStrictEqual(check("str?", "null").value, { x: "null" })
  })

  it("is not changed by being read", () => {
    const sent = { tasks: ['{"id": 1, "description": ""}'], count: "5" }
    const copy = structuredClone(sent)
    assert.notDeepEqual(plan.check(sent).value, copy as Readonly<Record<string, unknown>>)
    assert.deepStrictEqual(sent, copy)
  })

  it("is judged by the alternative that it comes nearest to", () => {
    const kinds = `{kind: "a", n: int}|{kind: "b", s: str, t: str}`
    assert.deepStrictEqual(pathsOf(check(kinds, { kind: "a", n: "no" })), ["x.n"])
    assert.deepStrictEqual(pathsOf(check(kinds, { kind: "b", s: "s" })), ["x.t"])
    assert.deepStrictEqual(pathsOf(check("{a: int}|{b: int}", {})), ["x"])
    assert.deepStrictEqual(pathsOf(check("{a: int}?", { a: "no" })), ["x.a"])
    for (const value of ["no", 1.5]) {
      const [failure] = check("int|{a: int}", value).failures
      assert.deepInclude(failure, { path: "x", expected: "a whole number or an object, {a: int}" })
    }
  })

  it("is refused in at most 50 places, the last of which tells how many there are", () => {
    const tasks = (n: number) => plan.check({ tasks: Array.from({ length: n }, () => ({ id: 1 })) }).failures
    assert.strictEqual(tasks(50).length, 50)
    assert.deepInclude(tasks(50)[49], { path: "tasks[49].description" })
    assert.strictEqual(tasks(100_000).length, 50)
    assert.deepInclude(tasks(100_000)[48], { path: "tasks[48].description" })
    assert.deepInclude(tasks(100_000)[49], {
      path: "",
      message: "And 99951 more fields do not fit; repair these first, then send it again."
    })
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`more${i}`, i]))
    assert.strictEqual(plan.check({ tasks: [], ...many }).unexpected.length, 50)
  })

  it("is bounded in depth wherever no notation bounds it, also inside a text and in fields nobody asked for", () => {
    for (const notation of ["any", "list", "dict", "{a}", "list[any]", "str|{a}"]) {
      for (const value of [nested(100_000), [nested(100_000)], { a: nested(100_000) }]) {
        assert.isAtLeast(check(notation, value).failures.length, 1, notation)
      }
    }
    assert.deepStrictEqual(pathsOf(check("any", nested(64))), [])
    assert.deepStrictEqual(pathsOf(check("any", nested(65))), ["x"])
    assert.deepStrictEqual(pathsOf(check("list", JSON.stringify([1]).padStart(100_000, "["))), ["x"])
    assert.deepStrictEqual(pathsOf(check("list", `${"[".repeat(100_000)}${"]".repeat(100_000)}`)), ["x[0]"])
    assert.deepStrictEqual(pathsOf(payload({}).check({ more: nested(100_000) })), ["more"])
    assert.include(check("any", nested(65)).failures[0]?.message, "nested more than 64 levels deep")
  })

  it("holds whole characters only: nothing else can be recorded", () => {
    assert.deepStrictEqual(pathsOf(check("str", "\ud800")), ["x"])
    assert.deepStrictEqual(pathsOf(check("{a?: str?}", { a: "\ud800" })), ["x.a"])
    assert.deepStrictEqual(pathsOf(check("any", [{ a: "\udc00" }])), ["x"])
    assert.deepStrictEqual(pathsOf(check("any", { "\ud800": 1 })), ["x"])
    assert.deepStrictEqual(pathsOf(check("dict", { "\ud800": 1 })), ["x"])
    assert.deepStrictEqual(pathsOf(check("{a?}", { "\ud800": 1 })), ["x"])
    assert.deepStrictEqual(pathsOf(payload({}).check({ "\ud800": 1 })), [""])
    for (const failure of check("{a: int}", { a: `${"x".repeat(59)}😀` }).failures)
      assert.isTrue(failure.message.isWellFormed())
  })

  it("is named in bounded sentences", () => {
    const long = "x".repeat(100_000)
    const { failures, unexpected } = payload({ a: "int", d: "dict" }).check({
      a: long,
      d: { [long]: nested(70) },
      [long]: 1
    })
    assert.strictEqual(failures.length, 2)
    for (const text of [...failures.map(({ message }) => message), ...unexpected]) assert.isBelow(text.length, 300)
  })
})

describe("any payload", () => {
  it("that fits is taken as it is, by the check as by the schema", () => {
    forSeeds(often(1_000), (random) => {
      const fields = randomFields(random, 3)
      const { check, schema } = of(fields)
      const sent = fittingFields(random, fields)
      assert.deepStrictEqual(check(sent), { value: sent, failures: [], unexpected: [] })
      assert.deepStrictEqual(Schema.decodeUnknownSync(schema)(sent), sent)
    })
  })

  it("that is wrong in one place is refused for that place", () => {
    let broken = 0
    forSeeds(often(1_000), (random) => {
      const fields = randomFields(random, 3)
      const made = brokenFields(random, fields)
      if (made === null) return
      broken += 1
      const { check, schema } = of(fields)
      const { failures } = check(made.value)
      assert.deepStrictEqual(
        failures.map(({ path }) => path),
        [written(made.path)],
        JSON.stringify([fields.map(({ name, type }) => [name, type.text]), made.value])
      )
      assert.isTrue(Result.isFailure(Schema.decodeUnknownResult(schema)(made.value)))
    })
    assert.isAbove(broken, often(800))
  })

  it("that was sent as texts of JSON is read as what it was", () => {
    let changed = 0
    forSeeds(often(1_000), (random) => {
      const fields = randomFields(random, 3)
      const meant = fittingFields(random, fields)
      const sent = fieldsAsTexts(fields, meant)
      if (JSON.stringify(sent) !== JSON.stringify(meant)) changed += 1
      const { check } = of(fields)
      assert.deepStrictEqual(check(sent), { value: meant, failures: [], unexpected: [] })
      assert.deepStrictEqual(check(JSON.stringify(sent)).value, meant)
    })
    assert.isAbove(changed, often(500))
  })

  it("is refused by the check exactly when the schema refuses what was read", () => {
    const counts = { fit: 0, refused: 0 }
    forSeeds(often(3_000), (random) => {
      const fields = randomFields(random, 2)
      const { check, schema } = of(fields)
      const some = random.chance(0.5) ? fittingFields(random, fields) : {}
      const sent = random.chance(0.1)
        ? randomJson(random)
        : {
            ...some,
            ...Object.fromEntries(fields.filter(() => random.chance(0.4)).map(({ name }) => [name, randomJson(random)]))
          }
      const { failures, value } = check(sent)
      const isText = typeof sent === "string" && /^\s*\{/.test(sent)
      const isObject = typeof sent === "object" && sent !== null && !Array.isArray(sent)
      const decoded = Schema.decodeUnknownResult(schema)(isObject || isText ? value : sent)
      assert.strictEqual(failures.length === 0, Result.isSuccess(decoded), JSON.stringify(sent))
      if (Result.isSuccess(decoded)) assert.deepStrictEqual(decoded.success, value)
      counts[failures.length === 0 ? "fit" : "refused"] += 1
    })
    assert.isAbove(Math.min(counts.fit, counts.refused), often(3_000) === 3_000 ? 300 : 30)
  })
})
