import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { impl } from "@proofline/kernel"
import { operations } from "@proofline/plugins/operations"
import { sessionEvents } from "@proofline/plugins/policies/sessions"
import { Tool } from "effect/ai"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { connect } from "./mcpClient.ts"
import { project, proofline, withSources } from "./proofline.ts"

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const docs = readFileSync(at("docs/pull-mode.md"), "utf8")

const operationAnswers = readFileSync(at("packages/plugins/src/operations/answers.ts"), "utf8")

/** What stands between fences of a language. */
const fences = (language: string): ReadonlyArray<string> =>
  Array.from(docs.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm")), ([, text = ""]) => text)

/** The files that are shown, by the name in their first line. */
const shownFiles = fences("yaml").map((text) => ({ name: /^# (\S+)/.exec(text)?.[1] ?? "", text }))
const shownFile = (name: string, about: string): string =>
  shownFiles.find((file) => file.name === name && file.text.includes(about))?.text ?? ""

/** The rows of the table that begins with this head, as cells. */
const table = (head: string): ReadonlyArray<ReadonlyArray<string>> => {
  const lines = docs.split("\n")
  const start = lines.indexOf(head)
  expect(start, head).toBeGreaterThan(-1)
  const rows = lines.slice(start + 2)
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith("|"))
    )
    .map((row) =>
      row
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim())
    )
}

const words = (cells: ReadonlyArray<string | undefined>): ReadonlyArray<string> =>
  cells.flatMap((cell = "") => Array.from(cell.matchAll(/`([a-z_]+)`/g), ([, word = ""]) => word))

const sessions = (...files: ReadonlyArray<string>): string =>
  files.map((file) => readFileSync(at(`packages/plugins/src/policies/sessions/${file}.ts`), "utf8")).join("\n")
const found = (text: string, pattern: RegExp): ReadonlyArray<string> => [
  ...new Set(Array.from(text.matchAll(pattern), ([, code = ""]) => code))
]

describe("docs/pull-mode.md", () => {
  it("names every key of a contract, of a phase and of a condition", () => {
    const read = (name: string) => parse(readFileSync(at(`packages/cli/templates/${name}`), "utf8"))
    const full = read("phase_contract.full.yml")
    const keys = words(table("| key | |").map(([key]) => key))
    expect(keys).toEqual(expect.arrayContaining(Object.keys({ ...read("phase_contract.yml"), ...full })))
    // biome-ignore lint/suspicious/noExplicitAny: a document of any shape
    const phases: ReadonlyArray<any> = Object.values(full.phases)
    const ofPhase = words(table("| key of a phase | |").map(([key]) => key))
    expect(ofPhase).toEqual(expect.arrayContaining(phases.flatMap((phase) => Object.keys(phase))))
    const conditions = words(table("| in `when`, `unless` | holds when |").map(([key]) => key?.replace(/:.*\}/, "")))
    const source = /export const Condition = Schema.Struct\(\{([\s\S]*?)\n\}\)/.exec(
      sessions("rules/PhaseContract")
    )?.[1]
    expect([...conditions].sort()).toEqual([...found(source ?? "", /^ {2}(\w+):/gm)].sort())
  })

  it("tells of every tool of a session with its arguments", () => {
    const told = table("| tool | arguments | does |").map(([tool = "", args = ""]) => [
      words([tool])[0],
      Array.from(args.matchAll(/`(\w+\??)`/g), ([, name]) => name)
    ])
    const ofSessions = operations.filter(({ subject }) => subject === "session")
    const offered = ofSessions.map(({ args, name }) => {
      const { required = [], properties } = JSON.parse(JSON.stringify(jsonSchemaOf(args)))
      const names = Object.keys(properties).filter((argument) => argument !== "session_token")
      return [name, names.map((argument) => (required.includes(argument) ? argument : `${argument}?`))]
    })
    expect(new Map(told as never)).toEqual(new Map(offered as never))
  })

  it("tells of every code with which a request is refused", () => {
    // of two that one condition decides between the code is the same
    const code = /(?:reject\w*|refused(?:As)?)\(\s*(?:\w+,\s*)?(?:[^",;]*\?\s*)?"([a-z_]+?)(?:__\w+)?"/g
    const requests = ["access", "assignment", "batchProblem", "session", "submit", "planning"].map(
      (name) => `rules/${name}`
    )
    const answers = sessions("authentication", "calling", "opening", "submission")
    const codes = found(sessions(...requests) + answers, code).filter((one) => !ofPeople.includes(one))
    expect(codes.length).toBeGreaterThan(20)
    const told = words(table("| `error` | what to do |").map(([cell]) => cell))
    expect(told).toEqual(expect.arrayContaining([...codes]))
    const targets = words(table("| `code` | |").map(([cell]) => cell))
    const ofTargets = found(sessions("rules/targets"), code)
    expect(ofTargets.length).toBeGreaterThan(4)
    expect(targets).toEqual(expect.arrayContaining([...ofTargets]))
  })

  it("tells of every key of a failure", () => {
    const texts = sessions("rules/submit", "rules/planning", "rules/taskReport")
    const keys = [...found(texts, /fail\("([a-z_]+)"/g), ...found(texts, /failureOf\([^"()\n]*"([a-z_]+)"/g)]
    expect(keys.length).toBeGreaterThan(20)
    const told = words(table("| `key` | when |").map(([cell]) => cell))
    expect(told).toEqual(expect.arrayContaining(keys.filter((key) => !rejections.includes(key))))
  })

  it("tells of every warning", () => {
    const root = at("packages/plugins/src/policies/sessions")
    const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"))
    const texts = [...files.map((name) => readFileSync(`${root}/${name}`, "utf8")), operationAnswers].join("\n")
    const told = words(table("| warning | what it says |").map(([cell]) => cell))
    const others = [
      ...words(table("| `error` | what to do |").map(([cell]) => cell)),
      ...words(table("| `code` | |").map(([cell]) => cell)),
      ...["tasks_left", "only_blocked_left", "all_done"]
    ]
    const codes = found(texts, /\bcode: "([a-z_]+)"/g)
    expect(codes.length).toBeGreaterThan(10)
    expect(codes.filter((code) => !told.includes(code) && !others.includes(code))).toEqual([])
    expect(told.filter((code) => !codes.includes(code))).toEqual([])
  })

  it("shows configurations that clients can read", () => {
    for (const text of fences("json")) JSON.parse(text)
    expect(fences("json")[0]).toContain('"args": ["mcp"]')
  })

  it("shows a contract of its own that works as it says", async () => {
    const dir = project({
      ".proofline/phase_contract.yml": shownFile(".proofline/phase_contract.yml", "DESIGN"),
      "a.js": "export const a = 1\n"
    })
    const agent = await connect(dir)
    const submit = async (data: object) => (await agent.call("submit_phase", { data })).body
    expect(await submit({ explored_files: ["a.js"], findings: ["a.js: a"] })).toMatchObject({ phase: "DESIGN" })
    const short = await submit({ approach: "Do it", risks: [], scope: "large" })
    expect(short.failures).toMatchObject([{ message: "approach: at least 40 characters, in whole sentences." }])
    const approach = "A function beside a, so that nothing has to change that works."
    for (const phase of ["DESIGN", "DESIGN", "STOPPED"]) {
      expect(await submit({ approach, risks: [], scope: "large" })).toMatchObject({
        phase: "APPROVAL",
        needs_person: true
      })
      expect(await submit({ answer: "go" })).toMatchObject({ error: "person_required" })
      const question = await proofline(["answer"], dir)
      expect(question).toMatchObject({ code: 3, stdout: expect.stringContaining("a person looks at the design first") })
      const answered = await proofline(["answer", "again", "--comment", "Smaller"], dir)
      expect(answered.code, answered.stderr).toBe(0)
      const { body } = await agent.call("get_next_action")
      expect(body).toMatchObject({ phase, last_submission: { payload: { answer: "again", comment: "Smaller" } } })
    }
  })
})

describe("docs/plugins.md", () => {
  it("shows a phase that is entered, judged and left", async () => {
    const [text = ""] =
      readFileSync(at("docs/plugins.md"), "utf8").match(/(?<=^## A phase\n[\s\S]*?```ts\n)[\s\S]*?(?=```)/m) ?? []
    const item = "Export a in a.js"
    const dir = project({
      "changelog.mjs": withSources(text),
      "proofline.yaml": "plugins: [./changelog.mjs]\n",
      "a.js": "const a = []\n"
    })
    const agent = await connect(dir)
    const submit = async (data: object) => (await agent.call("submit_phase", { data })).body
    await submit({ explored_files: ["a.js"], findings: ["a.js: a"] })
    await submit({
      tasks: [{ id: "a", description: "a", status: "pending", checklist: [{ item, status: "pending" }] }]
    })
    writeFileSync(Path.join(dir, "a.js"), "export const a = [1, 2].map((n) => n + 1)\n")
    const checklist = [{ item, status: "done", evidence: "a.js:1" }]
    await agent.call("complete_task", { task_id: "a", data: { summary: "a", checklist } })
    expect(await submit({ summary: "a" })).toMatchObject({ phase: "CHANGELOG_ENTRY" })
    const long = await submit({ entry: "There is an a.\nAnd more." })
    expect(long.failures).toMatchObject([{ key: "entry_too_long", message: "One line, please." }])
    expect(await submit({ entry: "There is an a." })).toMatchObject({ phase: "POST_IMPL_VERIFY" })
  })
})

describe("docs/events.md", () => {
  it("tells of every event of pull mode with all that it holds", () => {
    const events = readFileSync(at("docs/events.md"), "utf8")
    // of a type that has a row in the table of what others add, both are read
    const found = Map.groupBy(events.matchAll(/^\| `([A-Z_]+)` \| (.*) \|$/gm), ([, type]) => type)
    const rows = new Map(Array.from(found, ([type, all]) => [type, all.map(([, , text]) => text).join(" ")]))
    const said = new Set(["session_id", "at"])
    for (const { [impl]: own, name: type } of sessionEvents) {
      const { fields } = own.options.schema
      expect(events).toContain(` \`${type}\``)
      const left = Object.keys(fields).filter(
        (name) => !said.has(name) && !rows.get(type)?.match(`\`${name}(\\[\\])?\``)
      )
      expect({ type, left }).toEqual({ type, left: [] })
    }
  })
})

/** Answers to people and to workers, which no agent is given. */
const ofPeople = ["no_question", "question_changed", "answer_invalid", "attempt_not_current"]
/** What is called a failure in the source and comes as the error itself. */
const rejections = ["person_required", "phase_mismatch_complete"]

// biome-ignore lint/suspicious/noExplicitAny: of any fields
const jsonSchemaOf = (schema: any): unknown => Tool.getJsonSchemaFromSchema(schema)
