import { readFileSync } from "node:fs"
import { it } from "@effect/vitest"
import { defaultChunkingConfig, defaultRunConfig } from "@proofline/kernel"
import {
  mergeChunking,
  type Problem,
  parseChunking,
  parseConfig,
  parseRequirements,
  parseTasks
} from "@proofline/plugins/adapters/project-files"
import { Result, Schema } from "effect"
import { assert, describe } from "vitest"
import { often } from "../../often.ts"

const template = (name: string): string =>
  readFileSync(new URL(`../../../packages/cli/templates/${name}`, import.meta.url), "utf8")

const tasksYaml = template("tasks.yaml")
const configYaml = template("proofline.yaml")
const requirementsYaml = template("requirements.yaml")
/** With every comment that holds a setting switched on. */
const fullConfig = configYaml.replaceAll(/^# ?(?= *(?:[a-z_]+:|command:))/gm, "")

const chunkingJson = `// .claude/task-chunking.json
${JSON.stringify({ ...defaultChunkingConfig, analyzer: "a\u00e9" }, null, 2)}
`

/** Pieces that mean something in YAML. */
const pieces = [
  ..."[]{}:,-?#&*!|>'\"%@`\\ \t\n\r\0\u0007\uFEFF\u2028ä👩",
  "\r\n",
  "- ",
  ": ",
  " #",
  "<<",
  "---\n",
  "...\n",
  "%YAML 1.1\n",
  "&a ",
  "*a",
  "!!str ",
  "!x ",
  "~",
  "null",
  "true",
  ".inf",
  "1e999",
  "tasks:",
  "  - id: a\n",
  "depends_on: [a, b]\n",
  "checklist:\n",
  "requirements:",
  "acceptance_criteria:\n",
  "name:",
  "\uD800",
  "x".repeat(1_100),
  '"',
  "//",
  "/*",
  "*/",
  '"retry": {',
  '"max_subtasks": 3,',
  "\\u00",
  "NaN"
]

const Piece = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: pieces.length - 1 }))
const Place = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))
const Edit = Schema.Tuple([Place, Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 })), Piece])

const edited = (text: string, edits: ReadonlyArray<typeof Edit.Type>): string =>
  edits.reduce((before, [place, removed, piece]) => {
    const at = place % (before.length + 1)
    return before.slice(0, at) + (pieces[piece] ?? "") + before.slice(at + removed)
  }, text)

const assertSaid = (problem: Problem, lines: ReadonlyArray<string>): void => {
  assert.match(problem.code, /^[a-z][a-z0-9_]*$/)
  assert.match(problem.message, /^[^\n]*\.$/)
  assert.match(problem.hint, /^[^\n]*[.?]$/)
  assert.strictEqual(problem.file, "f.yaml")
  assert.isAtLeast(problem.line, 1)
  assert.isAtMost(problem.line, lines.length)
  assert.isAtLeast(problem.column, 1)
  assert.isAtMost(problem.column, Array.from(lines[problem.line - 1] ?? "").length + 1)
}

/** What holds of the answer to any text whatsoever. */
const assertSound = (text: string): void => {
  const lines = text.split(/\r\n|\r|\n/)
  const tasks = parseTasks(text, "f.yaml")
  const config = parseConfig(text, "f.yaml")
  assert.strictEqual(tasks.tasks === null, tasks.problems.length > 0)
  assert.strictEqual(config.config === null, config.problems.length > 0)
  const chunking = parseChunking(text, "f.yaml")
  assert.strictEqual(chunking.chunking === null, chunking.problems.length > 0)
  const requirements = parseRequirements(text, "f.yaml")
  assert.strictEqual(requirements.requirements === null, requirements.problems.length > 0)
  for (const { problems, warnings } of [tasks, config, chunking, requirements]) {
    for (const problem of [...problems, ...warnings]) assertSaid(problem, lines)
  }
  for (const { problems } of [tasks, chunking, requirements]) {
    const places = problems.map(({ column, line }) => line * 1e6 + column)
    assert.deepStrictEqual(
      places,
      places.toSorted((a, b) => a - b)
    )
  }
}
describe("the templates", () => {
  it("are valid and without warnings", () => {
    const tasks = parseTasks(tasksYaml, "tasks.yaml")
    assert.deepStrictEqual([...tasks.problems, ...tasks.warnings], [])
    const requirements = parseRequirements(requirementsYaml, "requirements.yaml")
    assert.deepStrictEqual([...requirements.problems, ...requirements.warnings], [])
    const config = parseConfig(configYaml, "proofline.yaml")
    assert.deepStrictEqual([...config.problems, ...config.warnings], [])
    assert.deepStrictEqual(config.config?.defaults, {})
  })

  it("hold settings that are valid once they are switched on, but for the two ways to name an agent", () => {
    const { problems } = parseConfig(fullConfig, "proofline.yaml")
    assert.deepStrictEqual(
      problems.map(({ code }) => code),
      ["agent_conflict"]
    )
    const one = parseConfig(fullConfig.replace(/^agent_command.*$/m, ""), "proofline.yaml")
    assert.deepStrictEqual(one.problems, [])
    assert.strictEqual(one.config?.defaults.max_retries, 2)
    assert.deepStrictEqual(Array.from(one.config?.agents.keys() ?? []), ["fast", "mine", "tests"])
  })
})

describe("the section `chunking` of the template", () => {
  it("shows every key with its default", () => {
    const text = fullConfig.replace(/^agent_command.*$/m, "")
    const chunking = parseConfig(text, "proofline.yaml").config?.chunking ?? null
    const { idle_timeout_ms, timeout_ms, workers, ...rest } = chunking ?? {}
    const { config } = parseConfig("{}", "proofline.yaml")
    assert.isNull(config?.chunking)
    assert.deepStrictEqual(rest, defaultChunkingConfig)
    assert.deepStrictEqual(mergeChunking(chunking), Result.succeed(defaultChunkingConfig))
    const run = { idle_timeout_ms, timeout_ms, workers }
    for (const [key, value] of Object.entries(run)) assert.deepStrictEqual(value, Reflect.get(defaultRunConfig, key))
  })
})

describe("any text", () => {
  it.prop("edited at random is answered", [Schema.Array(Edit)], ([edits]) => assertSound(edited(tasksYaml, edits)), {
    arbitrary: { runs: often(400) }
  })

  it.prop(
    "of requirements edited at random is answered",
    [Schema.Array(Edit)],
    ([edits]) => assertSound(edited(requirementsYaml, edits)),
    { arbitrary: { runs: often(250) } }
  )

  it.prop(
    "of a configuration edited at random is answered",
    [Schema.Array(Edit)],
    ([edits]) => assertSound(edited(fullConfig, edits)),
    {
      arbitrary: { runs: often(250) }
    }
  )

  it.prop(
    "of a JSON file edited at random is answered",
    [Schema.Array(Edit)],
    ([edits]) => assertSound(edited(chunkingJson, edits)),
    { arbitrary: { runs: often(400) } }
  )

  it.prop(
    "made of pieces of YAML is answered",
    [Schema.Array(Piece)],
    ([chosen]) => assertSound(chosen.map((at) => pieces[at]).join("")),
    { arbitrary: { runs: often(1_000) } }
  )

  it.prop("made of any characters is answered", [Schema.String], ([text]) => assertSound(text), {
    arbitrary: { runs: often(250) }
  })

  it("cut off anywhere is answered", () => {
    for (const text of [tasksYaml, requirementsYaml, chunkingJson]) {
      // every tenth place, or all of them
      const step = text.length / often(text.length)
      for (let end = 0; end <= text.length; end += step) assertSound(text.slice(0, Math.floor(end)))
    }
  })

  it.each([
    "[",
    "{",
    "- ",
    "a: ",
    "? ",
    "&a ",
    "!a ",
    "a: {b} ",
    "- - ",
    "[,",
    "*a ",
    "%",
    "'",
    '"',
    "]",
    ",",
    "x: |\n",
    '{"a":',
    '"\\',
    "/*",
    "\0"
  ])("that repeats %j thousands of times is answered", (piece) => assertSound(piece.repeat(often(20_000))))
})
