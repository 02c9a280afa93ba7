import { readFileSync } from "node:fs"
import { defaultChunkingConfig } from "@proofline/kernel"
import {
  type Problem,
  parseChecks,
  parseChunking,
  parseConfig,
  parseRequirements,
  parseTasks
} from "@proofline/plugins/adapters/project-files"
import { Ajv2020 } from "ajv/dist/2020.js"
import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import { inTurn, often } from "../../often.ts"
import { readContract, shipped } from "./contracts.ts"

const folder = new URL("../../../packages/cli/", import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, folder), "utf8")
const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, allErrors: true })
const bases = { ...shipped(), full: shipped()["default"] ?? assert.fail() }
const task = { id: "a", name: "A", instruction: "I" }
const requirement = { id: "a", description: "A", acceptance_criteria: ["C"] }

interface Kind {
  readonly problemsOf: (text: string) => ReadonlyArray<Problem>
  /** A file that is sound. */
  readonly sound: object
  readonly template?: string
}

const kinds: Readonly<Record<string, Kind>> = {
  tasks: {
    problemsOf: (text) => parseTasks(text, "f").problems,
    sound: { tasks: [task] },
    template: "tasks.yaml"
  },
  requirements: {
    problemsOf: (text) => parseRequirements(text, "f").problems,
    sound: { name: "N", requirements: [requirement] },
    template: "requirements.yaml"
  },
  checks: { problemsOf: (text) => parseChecks(text, "f").problems, sound: { checks: [{ criterion: "C", run: "r" }] } },
  proofline: { problemsOf: (text) => parseConfig(text, "f").problems, sound: {}, template: "proofline.yaml" },
  "task-chunking": { problemsOf: (text) => parseChunking(text, "f").problems, sound: {} },
  "phase-contract": {
    problemsOf: (text) => readContract(text, bases).problems,
    sound: {},
    template: "phase_contract.yml"
  }
}

/** Problems no schema can see: they are about how parts of a file refer to each other, or about notations. */
const beyondSchemas = new RegExp(
  [
    "^(?:id_duplicate|criterion_duplicate|dependency_\\w+|agent_unknown|subtasks_bounds|conflict_resolution_twice|\\w+_(?:missing|unknown)",
    "\\w+_unreachable|no_way_out|end_with_transitions|plan_without_tasks|also_\\w+|notation_invalid|phase_misplaced)$"
  ].join("|")
)
const seenBySchemas = new Set(["agent_missing", "description_missing", "plans_missing", "schema_version_unknown"])

interface JsonSchema {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly enum?: ReadonlyArray<unknown>
  readonly default?: unknown
  readonly examples?: ReadonlyArray<unknown>
}

type Root = JsonSchema & { readonly $defs?: Readonly<Record<string, JsonSchema>> }

const schemaOf = (name: string): Root => JSON.parse(read(`schema/${name}.schema.json`))

const anything = [
  ...[
    null,
    true,
    false,
    0,
    1,
    2,
    -1,
    1.5,
    1e10,
    "",
    " ",
    "x",
    "X y",
    "\u0000",
    "none",
    "3",
    "30m",
    "1.5h",
    "a/b",
    "..",
    "é"
  ],
  ...["command", "files", "agent", "./x", "@a/b", "ERROR", "x".repeat(101)],
  ...[
    [],
    [null],
    [1],
    [""],
    ["x"],
    ["x", "x"],
    [["x"]],
    {},
    { a: 1 },
    { x: "y" },
    { to: "x" },
    { item: "x" },
    { use: "x" }
  ],
  ...[
    { criterion: "x", check: "" },
    { item: "x", check: "y", ablation: true },
    { item: "x", ablation: true }
  ],
  ...[{ command: "x" }, { command: "x", judge: "y" }, { preset: "codex", model: "m" }, { command: "x", model: "m" }],
  ...[{ "x?": "str" }, { "x y": "str" }, { x: null }, { x: { y: "str" } }, { payload: { x: [1, true] } }],
  ...[
    { message: "m" },
    { x: { message: "m", more: 1 } },
    { x: { error: "e" } },
    { next: "DONE", transitions: ["DONE"] }
  ]
]

/** At each key all of them, or those whose turn it is. */
const shares = [0, 1, 2, 3].map((share) => anything.filter((_, i) => i % 4 === share).map((is) => ({ is })))

type Step = string | number

/** Ways to every key that a schema names, and to one that it does not; into each definition once. */
const placesIn = (
  root: Root,
  schema: JsonSchema = root,
  path: ReadonlyArray<Step> = [],
  seen = new Set<string>()
): ReadonlyArray<ReadonlyArray<Step>> => {
  const into = (below: JsonSchema, ...steps: ReadonlyArray<Step>) => placesIn(root, below, [...path, ...steps], seen)
  if (schema.$ref !== undefined) {
    if (seen.has(schema.$ref)) return []
    seen.add(schema.$ref)
    return into(root.$defs?.[schema.$ref.slice("#/$defs/".length)] ?? {})
  }
  const keys = Object.entries(schema.properties ?? {})
  return [
    ...(keys.length === 0 ? [] : [...keys.map(([key]) => [...path, key]), [...path, "more"]]),
    ...keys.flatMap(([key, below]) => into(below, key)),
    ...Object.values(schema.patternProperties ?? {}).flatMap((below) => [[...path, "mine"], ...into(below, "mine")]),
    ...(schema.items === undefined ? [] : [[...path, 0], ...into(schema.items, 0)]),
    ...(schema.anyOf ?? []).flatMap((below) => into(below))
  ]
}

/** Keys of mappings of which nothing is said. */
const unexplainedIn = (schema: unknown, path = ""): ReadonlyArray<string> =>
  typeof schema !== "object" || schema === null
    ? []
    : Object.entries(schema).flatMap(([key, child]) => {
        if (["examples", "default", "dependentSchemas"].includes(key)) return []
        const named = key === "properties" && "type" in schema ? Object.entries<object>(child) : []
        const silent = named.filter(([, inner]) => !["title", "description", "$ref"].some((word) => word in inner))
        return [...silent.map(([name]) => `${path}.${name}`), ...unexplainedIn(child, `${path}.${key}`)]
      })

/** A value at a place of a document. */
const placed = (document: unknown, [step, ...rest]: ReadonlyArray<Step>, value: unknown): unknown => {
  if (step === undefined) return value
  if (typeof step === "number") {
    const [first, ...others] = Array.isArray(document) ? document : []
    return [placed(first, rest, value), ...others]
  }
  const before = typeof document === "object" && document !== null && !Array.isArray(document) ? document : {}
  return { ...before, [step]: placed(Reflect.get(before, step), rest, value) }
}

describe.each(Object.entries(kinds))("given the Schema of %s", (name, { problemsOf, sound, template }) => {
  const schema = schemaOf(name)
  const validate = ajv.compile(schema)
  /** Both must say the same of a document's shape. Returns what they say. */
  const agreed = (document: unknown, text = JSON.stringify(document)): boolean => {
    const refused = problemsOf(text).filter(({ code }) => seenBySchemas.has(code) || !beyondSchemas.test(code))
    const accepted = validate(document)
    const differ = `${text}\nparser: ${JSON.stringify(refused)}\nschema: ${ajv.errorsText(validate.errors)}`
    assert.strictEqual(accepted, refused.length === 0, differ)
    return accepted
  }

  it("when any value stands at any key, then decoding and the JSON Schema judge alike", () => {
    const places = new Set([[], ...placesIn(schema)].map((path) => JSON.stringify(path)))
    const answers = Array.from(places).flatMap((path, turn) =>
      inTurn(shares, turn)
        .flat()
        .map((value) => agreed(placed(sound, JSON.parse(path), value.is)))
    )
    assert.isAbove(answers.filter(Boolean).length, often(40))
    assert.isAbove(answers.filter((accepted) => !accepted).length, often(200))
  })

  it("when it gives examples, then both accept them, and the template", () => {
    for (const example of schema.examples ?? []) assert.isTrue(agreed(example))
    if (template === undefined) return
    const text = read(`templates/${template}`)
    assert.isTrue(agreed(parse(text) ?? {}, text))
  })

  it("when a key is named, then it is explained", () => assert.deepStrictEqual(unexplainedIn(schema), []))
})

describe("given the JSON Schema of chunking", () => {
  it("when defaults are named, then they are the kernel's", () => {
    const defaultsOf = (schema: JsonSchema): unknown =>
      schema.properties === undefined
        ? schema.default
        : Object.fromEntries(
            Object.entries(schema.properties).flatMap(([key, inner]) => {
              const value = key.startsWith("$") || key === "schema_version" ? undefined : defaultsOf(inner)
              return value === undefined ? [] : [[key, value]]
            })
          )
    assert.deepStrictEqual(defaultsOf(schemaOf("task-chunking")), defaultChunkingConfig)
  })
})
