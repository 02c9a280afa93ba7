import { readFileSync } from "node:fs"
import { it } from "@effect/vitest"
import { defaultChunkingConfig, defaultRunConfig } from "@proofline/kernel"
import { parseChunking, parseConfig, parseRequirements, parseTasks } from "@proofline/plugins/adapters/project-files"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Arbitrary, Effect, Schema } from "effect"
import { assert, describe } from "vitest"
import { parse } from "yaml"

const folder = new URL("../../../packages/cli/", import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, folder), "utf8")
const schemaOf = (name: string) => JSON.parse(read(`schema/${name}.schema.json`))

const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, allErrors: true })
const validators = {
  tasks: ajv.compile(schemaOf("tasks")),
  config: ajv.compile(schemaOf("proofline")),
  chunking: ajv.compile(schemaOf("task-chunking")),
  requirements: ajv.compile(schemaOf("requirements"))
}
type Kind = keyof typeof validators

/** Problems no schema can see: they are about how parts of a file refer to each other. */
const beyondSchemas = new Set([
  "id_duplicate",
  "dependency_unknown",
  "dependency_self",
  "dependency_duplicate",
  "dependency_cycle",
  "agent_unknown",
  "subtasks_bounds",
  "conflict_resolution_twice"
])

const parsers = {
  tasks: (text: string) => parseTasks(text, "f.yaml").problems,
  config: (text: string) => parseConfig(text, "f.yaml").problems,
  chunking: (text: string) => parseChunking(text, "f.json").problems,
  requirements: (text: string) => parseRequirements(text, "f.yaml").problems
}

/** Both must say the same of a document's shape. Returns what they say. */
const agreed = (kind: Kind, document: unknown, text = JSON.stringify(document)): boolean => {
  const refused = parsers[kind](text).filter(({ code }) => !beyondSchemas.has(code))
  const accepted = validators[kind](document)
  const differ = `${text}\nparser: ${JSON.stringify(refused)}\nschema: ${ajv.errorsText(validators[kind].errors)}`
  assert.strictEqual(accepted, refused.length === 0, differ)
  return accepted
}

const task = (more: object) => ({ tasks: [{ id: "a", name: "A", instruction: "I", ...more }] })
const withDefaults = (defaults: unknown) => ({ ...task({}), defaults })
const anything = [
  null,
  true,
  0,
  1,
  -1,
  1.5,
  1e10,
  "",
  " ",
  "x",
  "\u0000",
  "none",
  [],
  [null],
  [1],
  [""],
  ["x"],
  [["x"]],
  {},
  { a: 1 },
  { x: "y" }
]
const items = [
  ...anything,
  { item: "x" },
  { item: "x", check: "y" },
  { item: "x", check: "y", ablation: true },
  { item: "x", ablation: false },
  { item: "x", ablation: true },
  { item: "x", check: "y", ablation: null },
  { item: "x", check: "y", ablation: "true" },
  { item: "x", covers: "a.1" },
  { item: "x", covers: [] },
  { item: "x", covers: ["a.1", ""] },
  { item: "x", covers: 3 },
  { covers: ["a.1"] },
  { item: 3 },
  { check: "y" },
  { item: "x", more: 1 }
]
const criteria = [
  ...anything,
  { criterion: "x" },
  { criterion: "x", covers: "a" },
  { criterion: "x", covers: ["a", ""] },
  { covers: [] }
]
const settings = Object.keys(schemaOf("tasks").properties.defaults.properties)
const numbers = [0, 1, 2, 1.5, 1_000, 1_001, 10_000, 10_001, 2_147_483_647, 2_147_483_648, -0.5, "3"]
const durations = ["30m", "90s", "99h", "100h", "0s", "1.5h", " 30m", "30m\n", "5 m", "500ms", "9999999999ms", "1d"]
const retries = [["ERROR"], ["ERROR", "ERROR"], ["error"], "ERROR", ["INCOMPLETE", "ERROR", "TIMEOUT"], ["LOST"]]
const lists = (values: ReadonlyArray<unknown>) => [
  ...values,
  ...values.map((value) => [value]),
  ...values.map((value) => ["x", value])
]

const tasksTable: ReadonlyArray<unknown> = [
  ...anything,
  ...anything.map((tasks) => ({ tasks })),
  ...anything.map((first) => ({ tasks: [first] })),
  ...["id", "name", "instruction"].flatMap((key) => [
    ...anything.map((value) => task({ [key]: value })),
    { tasks: [{ ...task({}).tasks[0], [key]: undefined }] }
  ]),
  ...["a/b", "a b", "ä", "日本", ".", "..", "...", "-", "_", "a\n", "é", "x".repeat(100), "x".repeat(101), "👩"].map(
    (id) => task({ id })
  ),
  ...["validation"].flatMap((key) => lists(criteria).map((value) => task({ [key]: value }))),
  ...lists(criteria).map((value) => ({ ...task({}), common_validation: value })),
  ...["checks", "depends_on", "covers"].flatMap((key) => lists(anything).map((value) => task({ [key]: value }))),
  ...lists(anything).map((value) => ({ ...task({}), common_checks: value })),
  ...lists(items).map((checklist) => task({ checklist })),
  ...["more", "chunk"].flatMap((key) => [...anything, false].map((value) => task({ [key]: value }))),
  ...["name", "$schema", "schema_version", "defaults", "more"].flatMap((key) =>
    [...anything, 2, 1.0].map((value) => ({ ...task({}), [key]: value }))
  ),
  ...[...settings, "max_lost_attempts"].flatMap((key) =>
    [...anything, ...numbers, ...durations, ...retries].map((value) => withDefaults({ [key]: value }))
  )
]

const requirement = (more: object) => ({
  name: "N",
  requirements: [{ id: "a", description: "A", acceptance_criteria: ["C"], ...more }]
})
const accepted = [
  ...anything,
  { criterion: "x" },
  { criterion: "x", check: "y" },
  { criterion: "x", check: "" },
  { criterion: "x", verify: "z" },
  { criterion: "x", verify: ["z"] },
  { criterion: "x", check: "y", verify: "z", id: "a.1" },
  { check: "y" }
]
const pluginNames = ["agent", "files", "none", "a-1", "A", "a_b", "x".repeat(100), "x".repeat(101)]
const requirementsTable: ReadonlyArray<unknown> = [
  ...anything,
  { tasks: [] },
  ...anything.map((requirements) => ({ requirements })),
  ...anything.map((requirements) => ({ name: "N", requirements })),
  ...anything.map((first) => ({ name: "N", requirements: [first] })),
  ...["id", "name", "description", "priority", "notes", "design_decisions"].flatMap((key) => [
    ...anything.map((value) => requirement({ [key]: value })),
    requirement({ [key]: undefined })
  ]),
  requirement({ name: "A", description: undefined }),
  requirement({ acceptance_criteria: undefined }),
  ...["a/b", "ä", "日本", ".", "..", "x".repeat(100), "x".repeat(101)].map((id) => requirement({ id })),
  ...["required", "optional", "must", "Required", " required"].map((priority) => requirement({ priority })),
  ...lists(accepted).map((acceptance_criteria) => requirement({ acceptance_criteria })),
  ...lists(anything).map((constraints) => ({ ...requirement({}), constraints })),
  ...[
    "name",
    "context",
    "$schema",
    "schema_version",
    "defaults",
    "generation",
    "verification",
    "more",
    "tasks"
  ].flatMap((key) => [...anything, 2].map((value) => ({ ...requirement({}), [key]: value }))),
  ...lists(anything).flatMap((tasks) => [
    { ...requirement({}), generation: { tasks } },
    { ...requirement({}), generation: { tasks, generator: "mine" } }
  ]),
  ...[...anything, ...pluginNames].flatMap((name) => [
    { ...requirement({}), generation: { generator: name } },
    { ...requirement({}), generation: { generator: name, tasks: "plan.yaml" } },
    { ...requirement({}), verification: { verifier: name } },
    { ...requirement({}), verification: { verifier: name, trust_agent: true } },
    { ...requirement({}), verification: { verifier: name, trust_agent: false } }
  ]),
  ...anything.flatMap((value) => [
    { ...requirement({}), verification: { trust_agent: value } },
    { ...requirement({}), verification: { more: value } },
    { ...requirement({}), generation: { more: value } }
  ]),
  ...[...settings, "max_iterations"].flatMap((key) =>
    [...anything, ...numbers, ...retries].map((value) => ({ ...requirement({}), defaults: { [key]: value } }))
  )
]

const agents = [
  ...anything,
  { command: "x" },
  { command: "" },
  { preset: "claude" },
  { preset: "claude", model: "m" },
  { preset: "claude", model: "" },
  { preset: "other" },
  { command: "x", preset: "claude" },
  { command: "x", model: "m" },
  { model: "m" },
  { preset: "claude", more: 1 },
  { judge: "x" },
  { judge: "" },
  { judge: 3 },
  { judge: "x", command: "y" },
  { judge: "x", preset: "claude" },
  { judge: "x", model: "m" }
]
const retryKeys = ["max_retries", "retry_delay_ms", "backoff_multiplier", "retry_on"]
const words = [
  "auto",
  "parallel",
  "hybrid",
  "shared",
  "worktree",
  "merge_all",
  "fail",
  "manual",
  "a-1",
  "A",
  "-",
  "a_b"
]
const chunkingValues = [
  ...anything,
  ...numbers,
  ...retries,
  ...words,
  false,
  100,
  101,
  "x".repeat(100),
  "x".repeat(101)
]
const chunkingKeys = Object.keys(schemaOf("proofline").properties.chunking.properties)
const chunkingTable: ReadonlyArray<unknown> = [
  ...anything,
  ...[...chunkingKeys, "more", "max_retries", "type"].flatMap((key) =>
    chunkingValues.map((value) => ({ [key]: value }))
  ),
  ...[...retryKeys, "more"].flatMap((key) => chunkingValues.map((value) => ({ retry: { [key]: value } }))),
  ...["type", "conflict_resolution", "more"].flatMap((key) =>
    chunkingValues.map((value) => ({ aggregation_strategy: { [key]: value } }))
  )
]
const configTable: ReadonlyArray<unknown> = [
  ...anything,
  ...[...settings, "max_lost_attempts", "name"].flatMap((key) =>
    [...anything, ...numbers, ...durations, ...retries].map((value) => ({ [key]: value }))
  ),
  ...["agents", "evidence", "plugins", "agent_command", "schema_version", "$schema"].flatMap((key) =>
    anything.map((value) => ({ [key]: value }))
  ),
  ...agents.map((agent) => ({ agents: { mine: agent } })),
  ...chunkingTable.map((chunking) => ({ chunking })),
  ...["none", "a b", "", "ä", "x".repeat(101), "."].map((name) => ({ agents: { [name]: { preset: "codex" } } })),
  ...anything.flatMap((value) => [
    { evidence: { strict: value } },
    { evidence: { ablation: value } },
    { evidence: { more: value } }
  ]),
  ...lists(anything).map((plugins) => ({ plugins })),
  ...[
    "./x",
    "./",
    "./ ",
    "./a b",
    "../x",
    "/x",
    "@a/b",
    "@a",
    "a/b",
    "A",
    "a.b-c_d~e",
    "-a",
    "@A/b",
    "./x\n",
    "x y"
  ].map((name) => ({ plugins: [name] })),
  { plugins: ["a", "a"] },
  { plugins: ["a", "b"] },
  { agent: "claude", agent_command: "x" },
  { agent: "command", agent_command: "x" },
  { agent_command: "x" },
  { agent_command: "x", agents: { command: { command: "y" } } },
  { agent_command: "x", agents: { other: { command: "y" } } }
]

interface SchemaOfSettings {
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, SchemaOfSettings>>
}

describe("the schemas of the input files", () => {
  it("agree with the parsers on a table of tasks files", () => {
    const answers = tasksTable.map((document) => agreed("tasks", JSON.parse(JSON.stringify(document))))
    assert.isAbove(answers.filter(Boolean).length, 100)
    assert.isAbove(answers.filter((accepted) => !accepted).length, 500)
  })

  it("agree with the parsers on a table of requirements files", () => {
    const answers = requirementsTable.map((document) => agreed("requirements", JSON.parse(JSON.stringify(document))))
    assert.isAbove(answers.filter(Boolean).length, 100)
    assert.isAbove(answers.filter((accepted) => !accepted).length, 400)
  })

  it("agree with the parsers on a table of configurations", () => {
    const answers = configTable.map((document) => agreed("config", JSON.parse(JSON.stringify(document))))
    assert.isAbove(answers.filter(Boolean).length, 50)
    assert.isAbove(answers.filter((accepted) => !accepted).length, 200)
  })

  it("agree with the parsers on a table of chunking files", () => {
    const headers = ["$schema", "schema_version"].flatMap((key) => anything.map((value) => ({ [key]: value })))
    const answers = [...chunkingTable, ...headers].map((document) => agreed("chunking", document))
    assert.isAbove(answers.filter(Boolean).length, 80)
    assert.isAbove(answers.filter((accepted) => !accepted).length, 500)
  })

  it("say the same of the section and of the file", () => {
    const { $schema: _, schema_version: __, ...inFile } = schemaOf("task-chunking").properties
    assert.deepStrictEqual(inFile, schemaOf("proofline").properties.chunking.properties)
  })

  it("agree with the parsers on the templates and on their own examples", () => {
    assert.isTrue(agreed("tasks", parse(read("templates/tasks.yaml")), read("templates/tasks.yaml")))
    assert.isTrue(agreed("config", parse(read("templates/proofline.yaml")) ?? {}, read("templates/proofline.yaml")))
    const requirements = read("templates/requirements.yaml")
    assert.isTrue(agreed("requirements", parse(requirements), requirements))
    for (const document of schemaOf("requirements").examples) assert.isTrue(agreed("requirements", document))
    for (const document of schemaOf("tasks").examples) assert.isTrue(agreed("tasks", document))
    for (const document of schemaOf("proofline").examples) assert.isTrue(agreed("config", document))
    for (const document of schemaOf("task-chunking").examples) assert.isTrue(agreed("chunking", document))
    for (const chunking of schemaOf("proofline").properties.chunking.examples) {
      assert.isTrue(agreed("config", { chunking }))
    }
  })

  it("name the defaults the kernel has", () => {
    const config: Readonly<Record<string, unknown>> = defaultRunConfig
    const inFiles = ["tasks", "requirements"].map((name) => schemaOf(name).properties.defaults.properties)
    for (const settings of [...inFiles, schemaOf("proofline").properties]) {
      for (const [key, { default: value }] of Object.entries<{ readonly default?: unknown }>(settings)) {
        if (key in config && value !== undefined) assert.deepStrictEqual(value, config[key], key)
      }
    }
  })

  it("name all the defaults the kernel has for chunking", () => {
    const defaultsOf = (schema: SchemaOfSettings): unknown =>
      schema.properties === undefined
        ? schema.default
        : Object.fromEntries(
            Object.entries(schema.properties).flatMap(([key, inner]) => {
              const value = defaultsOf(inner)
              return value === undefined ? [] : [[key, value]]
            })
          )
    assert.deepStrictEqual(defaultsOf(schemaOf("proofline").properties.chunking), defaultChunkingConfig)
  })

  it("explain every key", () => {
    const undescribed: Array<string> = []
    const visit = (schema: unknown, path: string): void => {
      if (typeof schema !== "object" || schema === null) return
      for (const [key, child] of Object.entries(schema)) {
        if (key === "properties" && !/\.(?:dependentSchemas|then)/.test(path)) {
          for (const [name, property] of Object.entries<object>(child)) {
            const explained = ["description", "title", "$ref", "const", "not"].some((word) => word in property)
            if (!explained) undescribed.push(`${path}.${name}`)
          }
        }
        if (key !== "examples") visit(child, `${path}.${key}`)
      }
    }
    visit(schemaOf("tasks"), "tasks")
    visit(schemaOf("requirements"), "requirements")
    visit(schemaOf("proofline"), "proofline")
    visit(schemaOf("task-chunking"), "task-chunking")
    visit(schemaOf("phase-contract"), "phase-contract")
    assert.deepStrictEqual(undescribed, [])
  })
})

const Text = Schema.Literals(["x", "y z", "Add a: b", "1", "true", "- a", "#"])
const Junk = Schema.Union([
  Schema.Null,
  Schema.Boolean,
  Schema.Int,
  Schema.Literals(["", " "]),
  Schema.Array(Schema.Null),
  Schema.Struct({ z: Text })
])
/** Mostly what it should be. */
const often = <S extends Schema.Constraint>(good: S) => Schema.Union([...Array.from({ length: 40 }, () => good), Junk])
const listOf = <S extends Schema.Constraint>(item: S) => Schema.Union([item, Schema.Array(often(item))])
const maybe = Schema.optionalKey
const Covers = listOf(Text)
const Criterion = Schema.Union([Text, Schema.Struct({ criterion: Text, covers: maybe(Covers) })])
const Item = Schema.Union([Text, Schema.Struct({ item: often(Text), check: maybe(Text), covers: maybe(Covers) })])
const Task = Schema.Struct({
  id: often(Schema.Literals(["a", "b", "c", "d.1", "ü-2"])),
  name: often(Text),
  instruction: Text,
  validation: maybe(listOf(Criterion)),
  checks: maybe(listOf(Text)),
  depends_on: maybe(listOf(Schema.Literals(["a", "b", "c"]))),
  checklist: maybe(Schema.Array(Item)),
  covers: maybe(Covers)
})
const Count = Schema.Int.check(Schema.isBetween({ minimum: -1, maximum: 100 }))
const Settings = Schema.Struct({
  workers: maybe(Count),
  max_retries: maybe(often(Count)),
  backoff_multiplier: maybe(Schema.Finite),
  idle_timeout_ms: maybe(Schema.NullOr(Count)),
  retry_on: maybe(Schema.Array(Schema.Literals(["ERROR", "TIMEOUT", "ERROR", "OTHER"]))),
  fail_fast: maybe(often(Schema.Boolean)),
  reviewer: maybe(often(Text))
})
const Tasks = Schema.Struct({
  name: maybe(Text),
  tasks: Schema.Array(Task),
  defaults: maybe(Settings),
  common_checks: maybe(listOf(Text))
})
const Accepted = Schema.Union([
  Text,
  Schema.Struct({ criterion: often(Text), check: maybe(Text), verify: maybe(Text) })
])
const Requirements = Schema.Struct({
  name: Text,
  context: maybe(Text),
  requirements: Schema.NonEmptyArray(
    Schema.Struct({
      id: Schema.Literals(["a", "b", "c", "d.1", "ü-2"]),
      name: maybe(Text),
      description: often(Text),
      acceptance_criteria: often(Schema.Union([Accepted, Schema.NonEmptyArray(Accepted)])),
      priority: maybe(often(Schema.Literals(["required", "optional"])))
    })
  ),
  constraints: maybe(listOf(Text)),
  generation: maybe(
    Schema.Struct({ generator: maybe(Schema.Literals(["agent", "files", "mine"])), tasks: maybe(listOf(Text)) })
  ),
  verification: maybe(
    Schema.Struct({ verifier: maybe(Schema.Literals(["agent", "none"])), trust_agent: maybe(often(Schema.Boolean)) })
  ),
  defaults: maybe(Settings)
})
const Agent = Schema.Union([
  Schema.Struct({ command: often(Text) }),
  Schema.Struct({ preset: Schema.Literals(["claude", "gemini", "none"]), model: maybe(Text) })
])
const Config = Schema.Struct({
  ...Settings.fields,
  agent: maybe(Schema.Literals(["claude", "mine", "command"])),
  agent_command: maybe(Text),
  agents: maybe(Schema.Record(Schema.Literals(["mine", "command"]), Agent)),
  plugins: maybe(Schema.Array(Schema.Literals(["./x", "a", "b", "@c/d"]))),
  evidence: maybe(Schema.Struct({ strict: maybe(often(Schema.Boolean)) }))
})

/** Runs both over generated documents and counts what they say, so that a generator of one kind only is noticed. */
const compareOn = <A>(kind: Kind, schema: Schema.Schema<A>) =>
  Effect.gen(function* () {
    const documents = yield* Arbitrary.sampleEffect(Arbitrary.schema(schema), { count: 2_000, seed: 7 })
    const answers = documents.map((document) => agreed(kind, document))
    assert.isAbove(answers.filter(Boolean).length, 200)
    assert.isAbove(answers.filter((accepted) => !accepted).length, 200)
  })

describe("generated documents", () => {
  it.effect("are judged alike by schema and parser: tasks", () => compareOn("tasks", Tasks))
  it.effect("are judged alike by schema and parser: requirements", () => compareOn("requirements", Requirements))
  it.effect("are judged alike by schema and parser: configuration", () => compareOn("config", Config))
})
