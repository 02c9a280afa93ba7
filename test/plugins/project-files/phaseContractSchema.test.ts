import { readFileSync } from "node:fs"
import { Ajv2020 } from "ajv/dist/2020.js"
import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import { readContract, shipped, template } from "./contracts.ts"

const schema = JSON.parse(
  readFileSync(new URL("../../../packages/cli/schema/phase-contract.schema.json", import.meta.url), "utf8")
)
const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, allErrors: true })
const validate = ajv.compile(schema)
const bases = { ...shipped(), full: shipped()["default"] ?? assert.fail() }

/** Problems no schema can see: they are about how parts of a contract refer to each other, or about notations. */
const beyondSchemas = new Set([
  "phase_unknown",
  "field_unknown",
  "flag_unknown",
  "intent_unknown",
  "counter_unknown",
  "limit_missing",
  "outcome_unknown",
  "phase_unreachable",
  "end_unreachable",
  "no_way_out",
  "start_missing",
  "instruction_missing",
  "end_with_transitions",
  "plan_without_tasks",
  "also_itself",
  "notation_invalid",
  "phase_misplaced"
])

/** Both must say the same of a document's shape. Returns what they say. */
const agreed = (document: unknown): boolean => {
  const text = JSON.stringify(document)
  const refused = readContract(text, bases).problems.filter(({ code }) => !beyondSchemas.has(code))
  const accepted = validate(document)
  const differ = `${text}\nparser: ${JSON.stringify(refused)}\nschema: ${ajv.errorsText(validate.errors)}`
  assert.strictEqual(accepted, refused.length === 0, differ)
  return accepted
}

const values = [
  ...[null, true, 0, 1, -1, 1.5, 1e9, "", " ", "x", "a b", "1x", "none", "any", "auto", "plan", "passed", "open", "é"],
  ...[[], [null], [1], [""], ["x"], ["x", "y"], [["x"]], [{}], [{ to: "x" }], [{ to: "x", when: {} }]],
  ...[{}, { a: 1 }, { x: "y" }, { x: null }, { "x?": "str" }, { "x y": "str" }, { x: { y: "str" } }, { x: ["str"] }],
  ...[
    { to: "x" },
    { message: "m" },
    { x: { message: "m", more: 1 } },
    { x: { error: "e" } },
    { payload: { x: [1, true] } }
  ]
]

const at = (keys: ReadonlyArray<string>, value: unknown): unknown =>
  keys.reduceRight((inner, key) => ({ [key]: inner }), value)

const keysOf = (name: string): ReadonlyArray<string> => Object.keys(schema.$defs[name].properties)

describe("given a phase contract in YAML that every reader knows", () => {
  it("when its shape is judged, schema and parser agree", () => {
    const places = [
      ...Object.keys(schema.properties).map((key) => [key]),
      ...[...keysOf("phase"), "more"].map((key) => ["phases", "READY_PLAN", key]),
      ...[...keysOf("condition"), "more"].map((key) => ["phases", "READY_PLAN", "transitions", "when", key]),
      ...["existing", "fresh", "required", "more"].map((key) => ["write_targets", key]),
      ["phases", "READY_PLAN"],
      ["failures", "READY"],
      ["failures", "READY", "mine"]
    ]
    const answers = places.flatMap((keys) =>
      values.map((value) => {
        const isCondition = keys.includes("transitions")
        const document = at(
          isCondition ? keys.slice(0, 3) : keys,
          isCondition ? { to: "DONE", when: at(keys.slice(4), value) } : value
        )
        return agreed(document)
      })
    )
    assert.isAbove(answers.filter(Boolean).length, 200)
    assert.isAbove(answers.filter((accepted) => !accepted).length, 500)
  })

  it("when it is one that is shipped, both accept it", () => {
    for (const name of ["phase_contract", "phase_contract.full"]) assert.isTrue(agreed(parse(template(name))))
  })

  it("when it is an example of the schema, nothing at all is wrong with it", () => {
    for (const example of schema.examples) {
      const { problems, warnings } = readContract(JSON.stringify(example), bases)
      assert.deepStrictEqual([...problems, ...warnings], [])
    }
  })

  it("when a phase gives both ways to lead on, both refuse it", () => {
    assert.isFalse(agreed({ phases: { READY_PLAN: { next: "DONE", transitions: ["DONE"] } } }))
  })
})
