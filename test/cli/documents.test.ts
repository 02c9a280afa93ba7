import { it } from "@effect/vitest"
import { composePlugins, makeSummaries, proofBy, type Recorded } from "@proofline/kernel"
import { parseRequirements, parseTasks } from "@proofline/plugins/adapters/project-files"
import { requirementsRules } from "@proofline/plugins/policies/requirements"
import { sessionsRules } from "@proofline/plugins/policies/sessions/rules"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Arbitrary, Effect } from "effect"
import { assert, describe } from "vitest"
import { documents } from "../../packages/cli/src/documents/index.ts"
import { eventSchema, outputSchema } from "../../packages/cli/src/documents/jsonSchema.ts"
import { statusData } from "../../packages/cli/src/quick/status.ts"

// biome-ignore lint/suspicious/noExplicitAny: a schema is looked into
type Any = any

const composition = composePlugins([sessionsRules, requirementsRules])
const schemas: ReadonlyMap<string, Any> = new Map<string, Any>([
  ...documents.map((document) => [`${document.name}.output`, outputSchema(document)] as const),
  ["event", eventSchema(composition)]
])
const outputs = documents.map(({ name }) => `${name}.output`)
const ajv = new Ajv2020({
  strict: true,
  strictRequired: false,
  strictTypes: false,
  allErrors: true,
  formats: { "date-time": true }
})
const validator = (name: string) => ajv.getSchema(schemas.get(name).$id) ?? ajv.compile(schemas.get(name))
const accepts = (name: string, document: unknown): void => {
  const validate = validator(name)
  assert.isTrue(validate(document), ajv.errorsText(validate.errors))
}
const refuses = (name: string, document: unknown): void => assert.isFalse(validator(name)(document), name)

const envelope = (kind: string, data: unknown) => ({ schemaVersion: 1, kind, data })

const event: Recorded = {
  event_type: "RUN_STARTED",
  timestamp: "2026-01-01T10:00:00.000Z",
  visibility: "summary",
  content: { run_id: "run_1", kind: "tasks", name: "n", parent_run_id: null },
  position: 1,
  stream: "run_1",
  version: 1,
  schema_version: 99,
  command_id: "cmd_1",
  causation_id: null,
  correlation_id: "run_1",
  prev_hash: "0".repeat(64),
  hash: "a".repeat(64)
}

describe("given any published schema of what is printed", () => {
  it("it has a name, explains itself and accepts its examples", () => {
    for (const [name, { $id, $schema, description, examples, title }] of schemas) {
      assert.strictEqual($schema, "https://json-schema.org/draft/2020-12/schema")
      assert.strictEqual($id, `https://proofline.dev/schema/${name}.json`)
      for (const said of [title, description, examples]) assert.isNotEmpty(said, name)
      for (const example of examples) accepts(name, example)
    }
  })

  it("it says the same of documents of today and of tomorrow", () => {
    for (const name of outputs) {
      const [example] = schemas.get(name).examples
      for (const wrong of [{ schemaVersion: 2 }, { kind: "other" }, { data: {} }]) {
        refuses(name, { ...example, ...wrong })
      }
      refuses(name, {})
      accepts(name, { ...example, more: 1, data: { ...example.data, more: 1 } })
      if (name === "validate.output") continue
      const { problems } = parseTasks("tasks: 3\nx: y\n", "tasks.yaml")
      accepts(name, envelope(example.kind, { problems }))
      refuses(name, envelope(example.kind, { problems: [{ code: "x" }] }))
      if (name !== "plugins.output") refuses(name, envelope(example.kind, { problems: [] }))
    }
  })

  it("what the parsers say of files fits", () => {
    const valid = (tasks: number, requirements: number, { problems, warnings }: Pick<Any, "problems" | "warnings">) =>
      accepts("validate.output", envelope("validate", { file: "f.yaml", tasks, requirements, problems, warnings }))
    for (const text of ["", "tasks: 3", "tasks: [{id: a, name: A, instruction: I}]"]) {
      const parsed = parseTasks(text, "f.yaml")
      valid(parsed.tasks?.tasks.length ?? 0, 0, parsed)
    }
    for (const text of ["", "requirements: 3", "name: N\nrequirements: [{id: a, name: A, acceptance_criteria: [C]}]"]) {
      const parsed = parseRequirements(text, "f.yaml")
      valid(0, parsed.requirements?.definition.requirements.length ?? 0, parsed)
    }
  })

  it("the kernel's summary of a run fits, with what it has shown", () => {
    const run = makeSummaries([]).summarize(null, event)
    assert.isNotNull(run)
    accepts(
      "status.output",
      envelope("status", statusData([{ run: { ...run, driver: null }, proof: proofBy([], false) }]))
    )
    refuses("status.output", envelope("status", { runs: [run] }))
  })
})

describe("given the schema of an event", () => {
  it.effect("it accepts every event that is declared, and refuses another content of it", () =>
    Effect.gen(function* () {
      assert.isAbove(composition.events.size, 20)
      for (const [type, { event: own }] of composition.events) {
        const schema_version = (own.options.upcasters?.length ?? 0) + 1
        const samples = Arbitrary.schema(own.options.schema as never)
        for (const content of yield* Arbitrary.sampleEffect(samples, { count: 5, seed: 1 })) {
          accepts("event", { ...event, event_type: type, schema_version, content })
        }
        refuses("event", { ...event, event_type: type, schema_version, content: 7 })
      }
      accepts("event", { ...event, event_type: "OF_A_PLUGIN", content: { any: "thing" } })
    })
  )

  it("it refuses what breaks the envelope", () => {
    for (const wrong of [
      { version: 0 },
      { position: 1.5 },
      { hash: "A".repeat(64) },
      { prev_hash: "" },
      { timestamp: "2026-01-01T10:00:00Z" },
      { visibility: "none" },
      { event_type: "run_started" },
      { causation_id: 3 }
    ]) {
      refuses("event", { ...event, ...wrong })
    }
    for (const key of Object.keys(event)) {
      const { [key]: _, ...rest } = event as Any
      refuses("event", rest)
    }
  })
})
