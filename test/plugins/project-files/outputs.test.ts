import { readdirSync, readFileSync } from "node:fs"
import { it } from "@effect/vitest"
import { composePlugins, makeSummaries, proofBy, proofFields, type Recorded, type RunSummary } from "@proofline/kernel"
import { parseRequirements, parseTasks } from "@proofline/plugins/adapters/project-files"
import { requirementsRules } from "@proofline/plugins/policies/requirements"
import { sessionsRules } from "@proofline/plugins/policies/sessions/rules"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Arbitrary, Effect } from "effect"
import { assert, describe } from "vitest"

const folder = new URL("../../../packages/cli/schema/", import.meta.url)
const names = readdirSync(folder).map((file) => file.replace(".schema.json", ""))
const schemaOf = (name: string) => JSON.parse(readFileSync(new URL(`${name}.schema.json`, folder), "utf8"))
const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, allErrors: true })
const validator = (name: string) => ajv.getSchema(schemaOf(name).$id) ?? ajv.compile(schemaOf(name))
const accepts = (name: string, document: unknown): void => {
  const validate = validator(name)
  assert.isTrue(validate(document), ajv.errorsText(validate.errors))
}
const refuses = (name: string, document: unknown): void => assert.isFalse(validator(name)(document))

const envelope = (kind: string, data: unknown) => ({ schemaVersion: 1, kind, data })

const event: Recorded = {
  event_type: "RUN_STARTED",
  timestamp: "2026-01-01T10:00:00.000Z",
  visibility: "summary",
  content: { run_id: "run_1", kind: "tasks", name: "n", parent_run_id: null },
  position: 1,
  stream: "run_1",
  version: 1,
  schema_version: 1,
  command_id: "cmd_1",
  causation_id: null,
  correlation_id: "run_1",
  prev_hash: "0".repeat(64),
  hash: "a".repeat(64)
}

describe("every schema", () => {
  it.each(names)("%s is named by its file, explains itself and accepts its examples", (name) => {
    const { $id, $schema, description, examples, title } = schemaOf(name)
    assert.strictEqual($schema, "https://json-schema.org/draft/2020-12/schema")
    assert.strictEqual($id, `https://proofline.dev/schema/${name}.json`)
    assert.isNotEmpty(title)
    assert.isNotEmpty(description)
    assert.isNotEmpty(examples)
    for (const example of examples) accepts(name, example)
  })
})

describe("the schemas of the outputs", () => {
  const outputs = names.filter((name) => name.endsWith(".output"))

  it.each(outputs)("%s refuses another version, another kind, and nothing", (name) => {
    const [example] = schemaOf(name).examples
    refuses(name, { ...example, schemaVersion: 2 })
    refuses(name, { ...example, kind: "other" })
    refuses(name, { ...example, data: {} })
    refuses(name, {})
  })

  it.each(outputs)("%s allows keys that are not known yet", (name) => {
    const [example] = schemaOf(name).examples
    accepts(name, { ...example, more: 1, data: { ...example.data, more: 1 } })
  })

  it.each(outputs)("%s needs every key that scripts rely on", (name) => {
    const [example] = schemaOf(name).examples
    for (const key of schemaOf(name).$defs.result.required) {
      const { [key]: _, ...rest } = example.data
      refuses(name, { ...example, data: rest })
    }
  })

  it.each(outputs.filter((name) => name !== "validate.output"))("%s accepts refused input", (name) => {
    const [example] = schemaOf(name).examples
    const { problems } = parseTasks("tasks: 3\nx: y\n", "tasks.yaml")
    accepts(name, envelope(example.kind, { problems }))
    refuses(name, envelope(example.kind, { problems: [] }))
    refuses(name, envelope(example.kind, { problems: [{ code: "x" }] }))
  })

  it("accept what the parser says of a file", () => {
    for (const text of ["", "tasks: 3", "tasks: [{id: a, name: A, instruction: I}]"]) {
      const { problems, tasks, warnings } = parseTasks(text, "tasks.yaml")
      accepts(
        "validate.output",
        envelope("validate", {
          file: "tasks.yaml",
          tasks: tasks?.tasks.length ?? 0,
          requirements: 0,
          problems,
          warnings
        })
      )
    }
  })

  it("accept what the parser says of a file of requirements", () => {
    for (const text of ["", "requirements: 3", "name: N\nrequirements: [{id: a, name: A, acceptance_criteria: [C]}]"]) {
      const { problems, requirements, warnings } = parseRequirements(text, "r.yaml")
      const count = requirements?.definition.requirements.length ?? 0
      accepts(
        "validate.output",
        envelope("validate", { file: "r.yaml", tasks: 0, requirements: count, problems, warnings })
      )
    }
  })

  it("accept the kernel's summary of a run", () => {
    const summary: RunSummary | null = makeSummaries([]).summarize(null, event)
    const shown = { status: "running", ...proofFields(proofBy([], false)) }
    accepts("status.output", envelope("status", { runs: [{ ...summary, ...shown, driver: null }] }))
    refuses("status.output", envelope("status", { runs: [summary] }))
  })
})

describe("the schema of an event", () => {
  it.effect("accepts every event of the kernel", () =>
    Effect.gen(function* () {
      const { events } = composePlugins([sessionsRules, requirementsRules])
      assert.isAbove(events.size, 20)
      for (const [type, { event: own }] of events) {
        for (const content of yield* Arbitrary.sampleEffect(Arbitrary.schema(own.options.schema as never), {
          count: 5,
          seed: 1
        })) {
          accepts("event", { ...event, event_type: type, content })
        }
      }
    })
  )

  it("refuses what breaks the envelope", () => {
    for (const wrong of [
      { version: 0 },
      { position: 1.5 },
      { hash: "A".repeat(64) },
      { prev_hash: "" },
      { prev_hash: "A".repeat(64) },
      { timestamp: "2026-01-01T10:00:00Z" },
      { visibility: "none" },
      { event_type: "run_started" },
      { content: [] },
      { causation_id: 3 }
    ]) {
      refuses("event", { ...event, ...wrong })
    }
    for (const key of Object.keys(event)) {
      const { [key as keyof Recorded]: _, ...rest } = event
      refuses("event", rest)
    }
  })
})
