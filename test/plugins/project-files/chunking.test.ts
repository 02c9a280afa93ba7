import { it } from "@effect/vitest"
import { defaultChunkingConfig, RetryCondition } from "@proofline/kernel"
import {
  type ChunkingSettings,
  mergeChunking,
  parseChunking,
  parseConfig
} from "@proofline/plugins/adapters/project-files"
import { Arbitrary, Effect, Result, Schema } from "effect"
import { assert, describe, expect } from "vitest"
import { stringify } from "yaml"
import { often } from "../../often.ts"
import { chunkingProblems, configProblems, tasksProblems, withLines } from "./told.ts"

/** The example of the chunking document, as it is printed there. */
const printed = `// .claude/task-chunking.json
{
  "enabled": true,
  "auto_detect": true,
  "min_subtasks": 2,
  "max_subtasks": 10,
  "execution_mode": "auto",
  "retry": {
    "max_retries": 2,
    "retry_delay_ms": 2000,
    "backoff_multiplier": 1.5,
    "retry_on": ["INCOMPLETE", "ERROR", "TIMEOUT"]
  },
  "fail_fast": false,
  "review_loop_per_subtask": true
}
`

const settingsOf = (text: string): ChunkingSettings => {
  const { chunking, problems } = parseChunking(text, "task-chunking.json")
  assert.deepStrictEqual(problems, [])
  assert(chunking !== null)
  return chunking
}

const sectionOf = (text: string): ChunkingSettings | null => {
  const { config, problems } = parseConfig(text, "proofline.yaml")
  assert.deepStrictEqual(problems, [])
  assert(config !== null)
  return config.chunking
}

/** Place and code, and the quoted or marked key the message begins with or holds. */
const placesOf = (problems: ReturnType<typeof parseChunking>["problems"]) =>
  problems.map(({ code, column, line, message }) => {
    const [, path = ""] = /(?:[Tt]he key "|`)([^"`]+)["`]/.exec(message) ?? []
    return `${line}:${column} ${code} ${path}`
  })

describe("a sound task-chunking.json", () => {
  it("may be the one of the document, which is the defaults", () => {
    const settings = settingsOf(printed)
    assert.deepStrictEqual(
      Object.keys(settings).toSorted(),
      Object.keys(JSON.parse(printed.replace(/^.*\n/, ""))).toSorted()
    )
    assert.deepStrictEqual(mergeChunking(settings), Result.succeed(defaultChunkingConfig))
  })

  it("is the same with Windows line ends, a byte order mark, old Macintosh line ends and tabs", () => {
    const expected = settingsOf(printed)
    assert.deepStrictEqual(settingsOf(printed.replaceAll("\n", "\r\n")), expected)
    assert.deepStrictEqual(settingsOf(`\uFEFF${printed}`), expected)
    assert.deepStrictEqual(settingsOf(printed.replaceAll("\n", "\r")), expected)
    assert.deepStrictEqual(settingsOf(printed.replaceAll("  ", "\t")), expected)
  })

  it("leaves open what it does not say", () => {
    assert.deepStrictEqual(settingsOf("{}"), {})
    assert.deepStrictEqual(settingsOf('{"retry": {"retry_delay_ms": 0}}'), { retry: { retry_delay_ms: 0 } })
  })

  it("may hold comments, commas behind the last value, and escapes", () => {
    const text = `/* first */ { // "enabled": false,
      "$schema": "https:\\/\\/example.com//x", /* "enabled": false */
      "\\u0061nalyzer": "\\u0061gent", "workers": 2e0,
      "retry": {"retry_on": ["ERROR", "ERROR",], /**/ },
    } // last`
    assert.deepStrictEqual(settingsOf(text), { analyzer: "agent", workers: 2, retry: { retry_on: ["ERROR"] } })
  })

  it("may ask for an exact number of subtasks", () => {
    assert.deepStrictEqual(settingsOf('{"min_subtasks": 3, "max_subtasks": 3}'), { min_subtasks: 3, max_subtasks: 3 })
  })

  it("has a short form for the resolution of conflicts, beside or instead of the long one", () => {
    const expected: ChunkingSettings = { aggregation_strategy: { conflict_resolution: "manual" } }
    assert.deepStrictEqual(settingsOf('{"conflict_resolution": "manual"}'), expected)
    const both = '{"conflict_resolution": "manual", "aggregation_strategy": {"conflict_resolution": "manual"}}'
    assert.deepStrictEqual(settingsOf(both), expected)
    assert.deepStrictEqual(settingsOf('{"conflict_resolution": "fail", "aggregation_strategy": {"type": "custom"}}'), {
      aggregation_strategy: { type: "custom", conflict_resolution: "fail" }
    })
  })
})

describe("the section `chunking` of proofline.yaml", () => {
  it("is told apart from one that is not there", () => {
    assert.isNull(sectionOf("workers: 3\n"))
    assert.deepStrictEqual(sectionOf("chunking: {}\n"), {})
  })

  it("may say for subtasks what the file says for the run", () => {
    const text = "workers: 3\nchunking: {workers: 8, timeout_ms: 1, idle_timeout_ms: null, max_iterations: 100}\n"
    assert.deepStrictEqual(sectionOf(text), { workers: 8, timeout_ms: 1, idle_timeout_ms: null, max_iterations: 100 })
  })
})

/** What is wrong, the settings as lines of JSON in braces that begin on line 2, and what is told of them. */
const faults: ReadonlyArray<readonly [string, string, ReadonlyArray<string>]> = [
  ["an unknown key", '"enable": true', ["2:1 unknown_key enable"]],
  ["an unknown key in a group", '"retry": {"retries": 1}', ["2:11 unknown_key retry.retries"]],
  ["a key of another group", '"max_retries": 1', ["2:1 unknown_key max_retries"]],
  ["a switch that is a number", '"enabled": 1', ["2:12 wrong_type enabled"]],
  ["a switch that is a text", '"auto_detect": "true"', ["2:16 wrong_type auto_detect"]],
  ["a number that is a text", '"min_subtasks": "2"', ["2:17 wrong_type min_subtasks"]],
  ["a number below its range", '"min_subtasks": 0', ["2:17 number_not_allowed min_subtasks"]],
  ["a number above its range", '"max_subtasks": 10001', ["2:17 number_not_allowed max_subtasks"]],
  ["a number that is not whole", '"max_iterations": 1.5', ["2:19 number_not_allowed max_iterations"]],
  ["too many iterations", '"max_iterations": 101', ["2:19 number_not_allowed max_iterations"]],
  ["a number too large for any", '"timeout_ms": 1e999', ["2:15 number_not_allowed timeout_ms"]],
  ["a huge number", `"timeout_ms": ${"9".repeat(400)}`, ["2:15 number_not_allowed timeout_ms"]],
  ["a negative number", '"retry": {"retry_delay_ms": -1}', ["2:29 number_not_allowed retry.retry_delay_ms"]],
  [
    "a multiplier out of range",
    '"retry": {"backoff_multiplier": 1001}',
    ["2:33 number_not_allowed retry.backoff_multiplier"]
  ],
  ["a mode that is a fact of the plan", '"execution_mode": "hybrid"', ["2:19 value_not_allowed execution_mode"]],
  ["a mode that is none", '"execution_mode": "x"', ["2:19 value_not_allowed execution_mode"]],
  ["a condition that is none", '"retry": {"retry_on": ["ERROR", "LOST"]}', ["2:33 value_not_allowed retry.retry_on"]],
  ["conditions that are no list", '"retry": {"retry_on": "ERROR"}', ["2:23 wrong_type retry.retry_on"]],
  ["a group that is a list", '"retry": []', ["2:10 wrong_type retry"]],
  ["a group that is nothing", '"retry": null', ["2:10 blank_value retry"]],
  ["a setting that is nothing", '"fail_fast": null', ["2:14 blank_value fail_fast"]],
  ["an analyzer in capitals", '"analyzer": "Agent"', ["2:13 analyzer_invalid analyzer"]],
  ["an analyzer without a name", '"analyzer": ""', ["2:13 blank_value analyzer"]],
  ["a workspace that is none", '"workspace": "worktrees"', ["2:14 value_not_allowed workspace"]],
  [
    "a strategy that is none",
    '"aggregation_strategy": {"type": "merge", "conflict_resolution": "ask"}',
    [
      "2:34 value_not_allowed aggregation_strategy.type",
      "2:66 value_not_allowed aggregation_strategy.conflict_resolution"
    ]
  ],
  ["bounds that cross", '"max_subtasks": 2,\n"min_subtasks": 3', ["3:17 subtasks_bounds min_subtasks"]],
  [
    "two resolutions of conflicts",
    '"conflict_resolution": "fail",\n"aggregation_strategy": {"conflict_resolution": "manual"}',
    ["3:49 conflict_resolution_twice aggregation_strategy.conflict_resolution"]
  ],
  [
    "several at once, in the order of the file",
    '"workers": 0,\n"retry": {"max_retry": 1,\n"max_retries": "x"},\n"idle_timeout_ms": 0',
    [
      "2:12 number_not_allowed workers",
      "3:11 unknown_key retry.max_retry",
      "4:16 wrong_type retry.max_retries",
      "5:20 number_not_allowed idle_timeout_ms"
    ]
  ]
]

describe("settings that cannot be", () => {
  it.each(faults)("%s: are told with code, path and place", (_, lines, expected) => {
    assert.deepStrictEqual(placesOf(parseChunking(`{\n${lines}\n}`, "f").problems), expected)
  })

  it.each(faults)("%s: are told alike in proofline.yaml", (_, lines, expected) => {
    const text = `chunking: {\n ${lines.replaceAll("\n", "\n ")}\n }`
    const inYaml = expected.map((line) =>
      line.replace(/^(\d+):(\d+) (\S+) /, (__, row, column, code) => `${row}:${Number(column) + 1} ${code} chunking.`)
    )
    assert.deepStrictEqual(placesOf(parseConfig(text, "f").problems), inYaml)
  })

  it("are told in sentences that say what to do", () => {
    expect(
      chunkingProblems(`{
  "chunking": {},
  "execution_mode": "hybrid",
  "analyzer": "My Analyzer",
  "max_retries": 1,
  "min_subtasks": 12,
  "max_subtasks": 3,
  "conflict_resolution": "fail",
  "aggregation_strategy": {"conflict_resolution": "manual"},
  "retry": {"retry_on": ["error"]}
}`)
    ).toMatchInlineSnapshot(`
      "2:3 unknown_key
        The key "chunking" is not known.
        Write its settings directly in the file; the section is for proofline.yaml.
      3:21 value_not_allowed
        \`execution_mode\` cannot be "hybrid".
        Write \`auto\`: a plan in which only some subtasks wait for others is run as \`hybrid\` by itself.
      4:15 analyzer_invalid
        \`analyzer\` cannot be "My Analyzer".
        Use lower-case letters, digits and \`-\` only, at most 100, e.g. \`heuristic\` or \`agent\`.
      5:3 unknown_key
        The key "max_retries" is not known.
        Write it under \`retry\`.
      7:19 subtasks_bounds
        \`max_subtasks\` is 3, but \`min_subtasks\` is 12 (line 6, column 19).
        Raise \`max_subtasks\` or lower \`min_subtasks\`.
      9:51 conflict_resolution_twice
        \`aggregation_strategy.conflict_resolution\` is manual, but \`conflict_resolution\` is fail (line 8, column 26).
        Keep one of them.
      10:26 value_not_allowed
        Item 1 of \`retry.retry_on\` cannot be "error".
        Did you mean \`ERROR\`? Allowed is \`INCOMPLETE\`, \`ERROR\` or \`TIMEOUT\`."
    `)
    expect(
      configProblems(`chunking:
  execution_mode: hybrid
  min_subtasks: 12
  max_subtasks: 3
  retry:
    max_retries: .nan
    max_retries: 3
    retry_on: ERROR
  workspace: worktrees
`)
    ).toMatchInlineSnapshot(`
      "2:19 value_not_allowed
        \`chunking.execution_mode\` cannot be "hybrid".
        Write \`auto\`: a plan in which only some subtasks wait for others is run as \`hybrid\` by itself.
      4:17 subtasks_bounds
        \`chunking.max_subtasks\` is 3, but \`chunking.min_subtasks\` is 12 (line 3, column 17).
        Raise \`max_subtasks\` or lower \`min_subtasks\`.
      6:18 number_not_allowed
        \`chunking.retry.max_retries\` cannot be .nan.
        Write a whole number from 0 to 10000.
      7:5 yaml_duplicate_key
        The key "chunking.retry.max_retries" is given twice.
        Keep one of the two; the first is on line 6.
      8:15 wrong_type
        \`chunking.retry.retry_on\` must be a list, not the text "ERROR".
        Write any of INCOMPLETE, ERROR and TIMEOUT, each on a line that begins with \`- \`.
      9:14 value_not_allowed
        \`chunking.workspace\` cannot be "worktrees".
        Did you mean \`worktree\`? Allowed is \`auto\`, \`shared\` or \`worktree\`."
    `)
  })
})

/** What is no JSON, and what is told of it. */
const notJson: ReadonlyArray<readonly [string, string, ReadonlyArray<string>]> = [
  ["nothing", "", ["1:1 file_empty "]],
  ["a byte order mark alone", "\uFEFF", ["1:1 file_empty "]],
  ["comments alone", "// x\n/* y */\n", ["1:1 file_empty "]],
  ["a list", "[]", ["1:1 wrong_type "]],
  ["a text", '"x"', ["1:1 wrong_type "]],
  ["a number", "3", ["1:1 wrong_type "]],
  ["null", "null", ["1:1 blank_value "]],
  ["YAML", "enabled: true\n", ["1:1 json_syntax "]],
  ["no braces", '"enabled": true', ["1:10 json_syntax "]],
  ["NaN", '{"retry": {"max_retries": NaN}}', ["1:27 json_syntax retry.max_retries"]],
  ["Infinity", '{"timeout_ms": -Infinity}', ["1:16 json_syntax timeout_ms"]],
  ["a hexadecimal number", '{"timeout_ms": 0x10}', ["1:16 json_syntax timeout_ms"]],
  ["a number with a leading zero", '{"timeout_ms": 010}', ["1:16 json_syntax timeout_ms"]],
  ["a word", '{"analyzer": agent}', ["1:14 json_syntax analyzer"]],
  ["a word in capitals", '{"enabled": True}', ["1:13 json_syntax enabled"]],
  ["an anchor", '{"enabled": &a true}', ["1:13 json_syntax enabled", "1:16 json_syntax "]],
  ["a key without quotes", "{enabled: 3}", ["1:2 json_syntax enabled", "1:11 wrong_type enabled"]],
  [
    "keys without quotes one in another",
    "{retry: {max_retries: -1}}",
    ["1:2 json_syntax retry", "1:10 json_syntax retry.max_retries", "1:23 number_not_allowed retry.max_retries"]
  ],
  ["a key of one letter without quotes", "{a: 1}", ["1:2 json_syntax "]],
  ["a key that is a number", "{12: 1}", ["1:2 json_syntax "]],
  ["a key in single quotes", "{'enabled': true}", ["1:2 json_syntax enabled"]],
  ["a text in single quotes", "{\"analyzer\": 'agent'}", ["1:14 json_syntax analyzer"]],
  ["an escape of YAML", '{"analyzer": "a\\x41"}', ["1:16 json_syntax analyzer"]],
  ["a key with such an escape", '{"retry": {"max\\_retries": 1}}', ["1:16 json_syntax retry"]],
  ["half an escape", '{"analyzer": "\\u00e"}', ["1:15 json_syntax analyzer"]],
  ["a tab in a text", '{"analyzer": "a\tb"}', ["1:16 control_character analyzer"]],
  ["a line break in a text", '{"analyzer": "a\nb"}', ["1:14 json_syntax "]],
  [
    "a key given twice",
    '{"retry": {"max_retries": 1,\n"max_retries": 1}}',
    ["2:1 json_duplicate_key retry.max_retries"]
  ],
  ["a key given twice, once escaped", '{"enabled": true, "\\u0065nabled": true}', ["1:19 json_duplicate_key enabled"]],
  ["a key given twice in a list", '{"x": [{"y": 1, "y": 2}]}', ["1:2 unknown_key x", "1:17 json_duplicate_key y"]],
  ["a comma too many", '{"enabled": true,, "workers": 0}', ["1:18 json_syntax ", "1:31 number_not_allowed workers"]],
  ["a comma alone", "{,}", ["1:2 json_syntax "]],
  ["a comma missing", '{"enabled": true "workers": 0}', ["1:18 json_syntax ", "1:29 number_not_allowed workers"]],
  ["commas missing in a list", '{"x": [1 2 {}]}', ["1:2 unknown_key x", "1:10 json_syntax ", "1:12 json_syntax "]],
  ["a word behind a value", '{"enabled": true x, "workers": 0}', ["1:18 json_syntax "]],
  [
    "a word between a key and its colon",
    '{"workers": 0, "enabled" x: true}',
    ["1:13 number_not_allowed workers", "1:16 json_syntax enabled"]
  ],
  [
    "a colon missing",
    '{"workers": 0, "enabled" true}',
    ["1:13 number_not_allowed workers", "1:16 json_syntax enabled"]
  ],
  ["a colon in a list", '{"retry": {"retry_on": ["ERROR": 1]}}', ["1:32 json_syntax "]],
  ["a value missing", '{"enabled": , "workers": 0}', ["1:13 json_syntax enabled", "1:26 number_not_allowed workers"]],
  ["a value missing behind a comment", '{"enabled": // none\n}', ["2:1 json_syntax enabled"]],
  ["two colons", '{"enabled": : true}', ["1:13 json_syntax enabled"]],
  ["a comma before all", ",{}", ["1:1 json_syntax "]],
  ["a bracket that closes nothing", "]", ["1:1 json_syntax "]],
  ["a word behind the braces", "{} x", ["1:4 json_syntax "]],
  [
    "braces missing in braces",
    '{"retry": {"max_retries": {',
    ["1:1 json_syntax ", "1:11 json_syntax ", "1:27 json_syntax "]
  ],
  ["a text that ends nowhere in braces", '{"analyzer": "agent}', ["1:14 json_syntax "]],
  ["a text in single quotes that ends nowhere", '{"analyzer": \'agent}', ["1:14 json_syntax "]],
  ["a brace missing", '{"retry": {"max_retries": -1, "workers": 1}', ["1:1 json_syntax "]],
  ["a brace too many", '{"workers": 0}}', ["1:13 number_not_allowed workers", "1:15 json_syntax "]],
  ["brackets that do not match", '{"retry": {"retry_on": ["ERROR"}}', ["1:32 json_syntax "]],
  ["two values", "{} {}", ["1:4 json_syntax "]],
  ["a comment that never ends", '{"enabled": true /* }', ["1:18 json_syntax "]],
  ["a comment of YAML", '{"enabled": true # x\n}', ["1:18 json_syntax "]],
  ["a blank that is none", '{"enabled":\u00a0true}', ["1:12 json_syntax "]],
  ["a control character", '{"enabled":\0true}', ["1:12 json_syntax "]],
  ["brackets without end", "[".repeat(100_000), ["1:65 json_too_deep "]],
  ["5 MiB", " ".repeat(5 * 1024 * 1024 + 1), ["1:1 file_too_large "]]
]

describe("a file that is no JSON", () => {
  it.each(notJson)("%s: is told with code, path and place", (_, text, expected) => {
    assert.deepStrictEqual(placesOf(parseChunking(text, "f").problems), expected)
  })

  it("is told in sentences that say what to do", () => {
    expect(
      chunkingProblems(
        '{"enabled": True, analyzer: agent, "retry": {"max_retries": NaN, "max_retries": 0x10,, "retry_on": ["\\q"]} "workers": +2}'
      )
    ).toMatchInlineSnapshot(`
      "1:13 json_syntax
        \`enabled\` is True, which is no value of JSON.
        Write it in small letters: true.
      1:19 json_syntax
        The key "analyzer" stands without quotes.
        Put it in double quotes: "analyzer".
      1:29 json_syntax
        \`analyzer\` is agent, which is no value of JSON.
        Put it in double quotes if it is meant as text: "agent".
      1:61 json_syntax
        \`retry.max_retries\` is NaN, which is no value of JSON.
        Write a number, or leave the key out.
      1:66 json_duplicate_key
        The key "retry.max_retries" is given twice.
        Keep one of the two; the first is on line 1.
      1:81 json_syntax
        \`retry.max_retries\` is 0x10, which is no value of JSON.
        Write it as 16.
      1:86 json_syntax
        Inside the brackets a comma stands without a value before it.
        Remove the comma or add the value.
      1:102 json_syntax
        Item 1 of \`retry.retry_on\` holds \\q, which is no escape of JSON.
        Write two backslashes for one backslash, and \\u00e9 for a character.
      1:108 json_syntax
        Between two values in brackets a comma is missing.
        Separate them with a comma.
      1:119 json_syntax
        \`workers\` is +2, which is no value of JSON.
        Write it as 2."
    `)
  })
})

describe("`chunk` of a task", () => {
  it("is true or false, and stands in the task", () => {
    expect(tasksProblems(withLines("chunk: auto", "split: true"))).toMatchInlineSnapshot(`
      "5:12 wrong_type
        \`chunk\` of task "a" must be true or false, not the text "auto".
        Leave the key out: then it is split where the run splits tasks by itself.
      6:5 unknown_key
        The key "split" is not known in task "a".
        Did you mean \`chunk\`?"
    `)
    expect(
      tasksProblems(`chunk: true\ndefaults: {chunk: true}\n${withLines("chunk: yes", "chunking: {}")}`)
    ).toMatchInlineSnapshot(`
      "1:1 unknown_key
        The key "chunk" is not known.
        Write it in the tasks themselves.
      2:12 unknown_key
        The key "chunk" is not known in \`defaults\`.
        Write it in the tasks themselves.
      7:12 wrong_type
        \`chunk\` of task "a" must be true or false, not the text "yes".
        Write true or false.
      8:5 unknown_key
        The key "chunking" is not known in task "a".
        Write \`chunk: true\` or \`chunk: false\` here; how tasks are split is said in proofline.yaml."
    `)
  })
})

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const maybe = Schema.optionalKey
const Retry = Schema.Struct({
  max_retries: maybe(between(0, 10_000)),
  retry_delay_ms: maybe(between(0, 2_147_483_647)),
  backoff_multiplier: maybe(Schema.Finite.check(Schema.isBetween({ minimum: 0.001, maximum: 1_000 }))),
  retry_on: maybe(Schema.Array(RetryCondition).check(Schema.isUnique()))
})

const Settings = Schema.Struct({
  enabled: maybe(Schema.Boolean),
  auto_detect: maybe(Schema.Boolean),
  min_subtasks: maybe(between(1, 10)),
  max_subtasks: maybe(between(10, 10_000)),
  execution_mode: maybe(Schema.Literals(["auto", "parallel", "sequential"])),
  retry: maybe(Retry),
  fail_fast: maybe(Schema.Boolean),
  review_loop_per_subtask: maybe(Schema.Boolean),
  max_iterations: maybe(between(1, 100)),
  analyzer: maybe(Schema.Literals(["heuristic", "agent", "my-1", "true", "null", "1e3", "-"])),
  workspace: maybe(Schema.Literals(["shared", "worktree"])),
  aggregation_strategy: maybe(
    Schema.Struct({
      type: maybe(Schema.Literals(["merge_all", "last_wins", "custom"])),
      conflict_resolution: maybe(Schema.Literals(["fail", "overwrite", "manual"]))
    })
  ),
  workers: maybe(between(1, 10_000)),
  timeout_ms: maybe(between(1, 2_147_483_647)),
  idle_timeout_ms: maybe(Schema.NullOr(between(1, 2_147_483_647)))
})

const keys = [
  ...(["enabled", "min_subtasks", "max_subtasks", "execution_mode", "retry", "retry_on", "analyzer"] as const),
  ...(["aggregation_strategy", "conflict_resolution", "idle_timeout_ms", "max_iterations", "", "__proto__"] as const)
]

/** Codes, where a key that is twice has one of its own in each syntax. */
const codesOf = (problems: ReturnType<typeof parseChunking>["problems"]) => problems.map(({ code }) => code).toSorted()

/** One step on the way to a setting. */
const property = (value: object, key: string): unknown => Reflect.get(value, key)

describe("any settings", () => {
  it.prop("are read back as they were printed, from JSON and from YAML", [Settings], ([settings]) => {
    assert.deepStrictEqual(settingsOf(JSON.stringify(settings)), settings)
    assert.deepStrictEqual(settingsOf(JSON.stringify(settings, null, "\t")), settings)
    assert.deepStrictEqual(sectionOf(stringify({ chunking: settings })), settings)
  })

  it.prop("that are any JSON are answered alike in both files", [Schema.Json], ([value]) => {
    const text = JSON.stringify(value)
    const inJson = parseChunking(text, "f").problems
    const inYaml = parseConfig(`chunking: ${text}`, "f").problems
    assert.deepStrictEqual(codesOf(inJson), codesOf(inYaml))
  })

  it.prop(
    "with values of any JSON are answered alike in both files",
    [Schema.Record(Schema.Literals(keys), Schema.Json)],
    ([value]) => {
      const inJson = parseChunking(JSON.stringify(value), "f").problems
      const inYaml = parseConfig(JSON.stringify({ chunking: value }), "f").problems
      const shift = '{"chunking":'.length
      assert.deepStrictEqual(
        inJson.map(({ code, column, line }) => [code, line, column + shift]),
        inYaml.map(({ code, column, line }) => [code, line, column])
      )
    },
    { arbitrary: { runs: often(500) } }
  )
})

const scraps = [
  ..."{}[]:,\"\\'/*#-+.eE01 \t\n\r\0\u00a0\ud800u",
  "true",
  "NaN",
  '"a"',
  "\\u0041",
  "\\x41",
  "null",
  "0x1"
]
const Scrap = Schema.Tuple([between(0, 10_000), between(0, 3), Schema.Literals(scraps)])

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Texts that are some JSON with a few edits. */
const nearJson = Effect.map(
  Arbitrary.sampleEffect(Arbitrary.schema(Schema.Array(Scrap).check(Schema.isMaxLength(3))), {
    count: 3_000,
    seed: 11
  }),
  (samples) =>
    samples.map((edits) =>
      edits.reduce((before, [place, removed, scrap]) => {
        const at = place % (before.length + 1)
        return before.slice(0, at) + scrap + before.slice(at + removed)
      }, '{"enabled": true, "retry": {"retry_on": ["ERROR"], "retry_delay_ms": -1.5e3}, "analyzer": "a\\n"}')
    )
)

describe("what is JSON", () => {
  it.effect("is read as such, and what is not is told, but for comments and a comma behind the last value", () =>
    Effect.gen(function* () {
      const texts = yield* nearJson
      for (const text of texts) {
        const syntax = parseChunking(text, "f").problems.filter(({ code }) =>
          ["json_syntax", "control_character", "file_empty"].includes(code)
        )
        if (isJson(text)) assert.deepStrictEqual(syntax, [], text)
        else if (syntax.length === 0) assert.match(text, /\/\/|\/\*|,\s*[}\]]/, text)
      }
      const sound = texts.filter(isJson).length
      assert.isAbove(sound, 300)
      assert.isBelow(sound, 2_700)
    })
  )
})

describe("settings from several sources", () => {
  it("are the defaults where nobody says anything", () => {
    assert.deepStrictEqual(mergeChunking(), Result.succeed(defaultChunkingConfig))
    assert.deepStrictEqual(mergeChunking(null, {}, null, { retry: {}, aggregation_strategy: {} }), mergeChunking())
  })

  it.prop("win over those before them, one by one", [Settings, Settings], ([first, second]) => {
    const merged = Result.getOrThrow(mergeChunking(first, null, second))
    for (const group of ["retry", "aggregation_strategy"] as const) {
      for (const [key, byDefault] of Object.entries(defaultChunkingConfig[group])) {
        const said = [second, first].map((settings) => property(settings[group] ?? {}, key))
        assert.deepStrictEqual(
          property(merged[group], key),
          said.find((value) => value !== undefined) ?? byDefault,
          key
        )
      }
    }
    for (const [key, byDefault] of Object.entries(defaultChunkingConfig)) {
      if (key === "retry" || key === "aggregation_strategy") continue
      const said = [second, first].map((settings) => property(settings, key))
      assert.deepStrictEqual(property(merged, key), said.find((value) => value !== undefined) ?? byDefault, key)
    }
    assert.deepStrictEqual(Object.keys(merged), Object.keys(defaultChunkingConfig))
  })

  it("name every condition once", () => {
    const merged = Result.getOrThrow(mergeChunking({ retry: { retry_on: ["ERROR", "TIMEOUT", "ERROR"] } }))
    assert.deepStrictEqual(merged.retry, { ...defaultChunkingConfig.retry, retry_on: ["ERROR", "TIMEOUT"] })
  })

  it("are refused when their bounds cross, also those that are nobody's but the defaults'", () => {
    const messageOf = (...sources: ReadonlyArray<ChunkingSettings>) => {
      const fault = Result.getOrThrow(Result.flip(mergeChunking(...sources)))
      assert.strictEqual(fault.code, "subtasks_bounds")
      return fault.message
    }
    assert.deepStrictEqual(
      [
        messageOf({ min_subtasks: 12 }),
        messageOf({ max_subtasks: 1 }),
        messageOf({ min_subtasks: 5, max_subtasks: 6 }, { max_subtasks: 4 })
      ],
      [
        "`chunking.min_subtasks` is 12, but `chunking.max_subtasks` is 10 by default.",
        "`chunking.min_subtasks` is 2 by default, but `chunking.max_subtasks` is 1.",
        "`chunking.min_subtasks` is 5, but `chunking.max_subtasks` is 4."
      ]
    )
    assert.isTrue(Result.isSuccess(mergeChunking({ min_subtasks: 12 }, { max_subtasks: 12 })))
  })
})
