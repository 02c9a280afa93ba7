import { describe, expect, it } from "vitest"
import { documentOf, project, proofline, withSources } from "./proofline.ts"

const head = 'import { Run, configurable, definePlugin, plugin, Tasks } from "@proofline/kernel"\n'
const module = (text: string): string => withSources(`${head}${text}\n`)

const sound = (name: string): string =>
  module(`export default definePlugin(plugin("${name}", { state: null }), { version: "1" })`)

const check = async (files: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) => {
  const dir = project(files)
  const finished = await proofline(["plugins", "check", "--json", ...args], dir)
  return { ...finished, dir, problems: documentOf(finished).data.problems }
}

describe("proofline plugins check", () => {
  it("names every plugin of a run, with its version, where nothing is wrong", async () => {
    const { code, stdout } = await check({ "proofline.yaml": "plugins: [./a.mjs]\n", "a.mjs": sound("a") })
    expect(code).toBe(0)
    const { plugins } = JSON.parse(stdout).data
    expect(plugins.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(["run", "tasks", "chunking", "execution", "evidence", "sessions", "requirements", "a"])
    )
    expect(plugins.at(-1)).toEqual({ name: "a", version: "1" })
  })

  it("tells everything at once, each with its place: modules that break, fields nobody knows, plugins that do not fit", async () => {
    const { code, problems, stderr } = await check({
      "proofline.yaml": `plugins:
  - ./throws.mjs
  - ./misspelt.mjs
  - ./missing.mjs
  - ./lonely.mjs
  - ./one.mjs
  - ./other.mjs
  - ./nowhere.mjs
chunking:
  analyzer: nope
`,
      "throws.mjs": 'throw new Error("no licence")\n',
      "misspelt.mjs": module(
        'export default definePlugin(plugin("misspelt", { state: null }), { version: "1", partz: [] })'
      ),
      "lonely.mjs": module(
        'export default definePlugin(plugin("lonely", { state: null, after: [plugin("friend", { state: null })] }), { version: "1" })'
      ),
      "one.mjs": module(`const One = plugin("one", { state: null })
export default definePlugin(One, { version: "1", parts: [One.activity("analyzer-heuristic", { input: Run, run: () => null })] })`),
      "other.mjs": sound("evidence"),
      "nowhere.mjs": module(`const Far = plugin("far", { state: null })
const Nowhere = plugin("nowhere", { state: null, after: [Far, Run, Tasks] })
export default definePlugin(Nowhere, { version: "1", parts: [Nowhere.offer(Far.point()("list", { places: ["a"], fields: {} }), "a", {})] })`)
    })
    expect(code).toBe(2)
    expect(stderr).not.toMatch(/\n\s+at /)
    expect(problems.map(({ code, line }: { code: string; line: number }) => [line, code])).toEqual(
      expect.arrayContaining([
        [2, "plugin_unusable"],
        [3, "plugin_unusable"],
        [4, "plugin_unusable"],
        [5, "plugin_conflict"],
        [7, "plugin_conflict"],
        [8, "plugin_conflict"],
        [10, "analyzer_unknown"]
      ])
    )
    const said = problems.map(({ message }: { message: string }) => message).join("\n")
    expect(said).toContain("no licence")
    expect(said).toContain("did you mean `parts`?")
    expect(said).toContain("It comes after friend, which is not there.")
    expect(said).toContain("Two plugins have the name evidence.")
    for (const { file, hint } of problems) expect([file, hint]).toEqual(["proofline.yaml", expect.stringMatching(/./)])
    expect(problems.at(-1).hint).toContain("Known: auto, heuristic, agent.")
  })

  it("decodes options, and refuses those that the plugin does not know", async () => {
    const text = (given: string) => `plugins:\n  - use: ./frozen.mjs\n    with: ${given}\n`
    const effect = JSON.stringify(import.meta.resolve("effect"))
    const frozen = module(`import { Schema } from ${effect}
const Frozen = plugin("frozen", { state: null, after: [Run, Tasks] })
export default configurable(Schema.Struct({ prefix: Schema.String }), ({ prefix }) =>
  definePlugin(Frozen, { version: prefix }))`)
    const files = { "frozen.mjs": frozen }
    const fine = await check({ ...files, "proofline.yaml": text("{ prefix: release }") })
    expect(fine.code, fine.stderr).toBe(0)
    expect(JSON.parse(fine.stdout).data.plugins.at(-1)).toEqual({ name: "frozen", version: "release" })
    const wrong = await check({ ...files, "proofline.yaml": text("{ prefix: 1, other: 2 }") })
    expect(wrong.code).toBe(2)
    expect(wrong.problems).toMatchObject([{ code: "plugin_unusable", line: 2 }])
    expect(wrong.problems[0].message).toContain("prefix")
    const none = await check({
      "a.mjs": sound("a"),
      "proofline.yaml": "plugins:\n  - use: ./a.mjs\n    with: {x: 1}\n"
    })
    expect(none.problems[0].message).toContain("takes no options")
  })
})

const tasks = "tasks:\n  - id: a\n    name: A\n    instruction: Do it.\n"

/** Everything that looks at a project before a run. */
const before = [
  ["plugins", "check"],
  ["validate", "proofline.yaml"],
  ["run", "tasks.yaml", "--dry-run"]
]

/** A module of a project that knows the points of policies too. */
const imported = (text: string): string =>
  withSources(`import { definePlugin, gates, passed, plugin, Run, Tasks } from "@proofline/kernel"
import { Evidence, evidenceKind, evidenceKinds } from "@proofline/plugins/policies/evidence"
import { phases, SessionRun } from "@proofline/plugins/policies/sessions"
import { Effect, Schema } from ${JSON.stringify(import.meta.resolve("effect"))}
${text}
`)

describe("plugins that cannot be told apart, or whose offers nobody would look at", () => {
  const url = (name: string, more = ""): string =>
    imported(`const Header = plugin("${name}", { state: null, after: [Evidence] })
const kind = evidenceKind({ scheme: "url", schema: Schema.Null, look: () => Effect.succeed(null), judge: () => ({ holds: true })${more} })
export default definePlugin(Header, { version: "1", parts: [Header.offer(evidenceKinds, "kind", kind)] })`)
  const offering = (name: string, point: string, offered: string): string =>
    imported(`const Header = plugin("${name}", { state: null, after: [Run, Tasks, SessionRun, Evidence] })
export default definePlugin(Header, { version: "1", parts: [Header.offer(${point}, ${point}.places.at(-1), ${offered})] })`)
  const files = {
    "proofline.yaml": `plugins:
  - ./one.mjs
  - ./other.mjs
  - ./gate.mjs
  - ./phase.mjs
  - ./bare.mjs
  - ./misspelt.mjs
agent: claude
`,
    "tasks.yaml": tasks,
    "one.mjs": url("one"),
    "other.mjs": url("other"),
    "gate.mjs": offering("gate", "gates", '{ name: "never", verdict: () => passed, wnats: () => null }'),
    "phase.mjs": offering(
      "phase",
      "phases",
      '{ name: "LATE", phase: { instruction: "" }, enter: [], enters: [], failures: {}, validate: () => [] }'
    ),
    "bare.mjs": offering("bare", "evidenceKinds", '{ scheme: "ticket", schema: Schema.Null, judge: () => null }'),
    "misspelt.mjs": url("misspelt", ", juge: null")
  }

  it.each(before)("when asked by %s %s, then each is refused with a code, its place and its names", async (...args) => {
    const finished = await proofline([...args, "--json"], project(files))
    expect(finished.code, finished.stderr).toBe(2)
    const { problems } = documentOf(finished).data
    expect(problems.map(({ code, line }: { code: string; line: number }) => [line, code])).toEqual(
      expect.arrayContaining([
        [3, "plugin_conflict"],
        [4, "offer_invalid"],
        [5, "offer_invalid"],
        [6, "offer_invalid"],
        [7, "plugin_unusable"]
      ])
    )
    expect(problems).toHaveLength(5)
    const said = problems.map(({ message }: { message: string }) => message).join("\n")
    expect(said).toContain("evidence.evidenceKinds: scheme url is claimed by two plugins: one and other.")
    expect(said).toContain('"./gate.mjs"')
    expect(said).toContain('offer "never" to tasks.gates has no field `wnats`: did you mean `wants`?')
    expect(said).toContain('offer "LATE" to sessions.phases has no field `enter`: did you mean `enters`?')
    expect(said).toContain('offer "ticket" to evidence.evidenceKinds needs `look` to be function, not undefined.')
    expect(said).toContain("evidenceKind() has no field `juge`: did you mean `judge`?")
  })
})

describe("a phase of a plugin that does not fit the contract of the project", () => {
  const phase = (from: string, more = "") =>
    imported(`const Late = plugin("late", { state: null, after: [Run, Tasks, SessionRun] })
export default definePlugin(Late, { version: "1", parts: [Late.offer(phases, "phase", {
  name: "LATE",
  phase: { instruction: "Say more.", transitions: [{ to: "DONE" }]${more} },
  enters: [{ from: "${from}" }],
  failures: {},
  validate: () => []
})] })`)
  const files = (late: string) => ({ "proofline.yaml": "plugins:\n  - ./late.mjs\n", "late.mjs": late })
  const contract = `extends: none
start: QUALITY
phases:
  QUALITY: { kind: submit, instruction: Look., next: DONE }
  DONE: { kind: end }
`
  const asked = before.slice(0, 1)

  it.each(asked)(
    "when asked by %s %s, then what leads nowhere is refused at the line of its plugin",
    async (...args) => {
      const finished = await proofline([...args, "--json"], project(files(phase("QUALITY"))))
      expect(finished.code, finished.stderr).toBe(2)
      const [problem, ...more] = documentOf(finished).data.problems
      expect(more).toEqual([])
      expect(problem).toMatchObject({ code: "plugin_phase_unreachable", file: "proofline.yaml", line: 2, column: 5 })
      expect(problem.message).toContain('No way leads into the phase "LATE" of a plugin')
      expect(problem.message).toContain('has no phase "QUALITY"')
    }
  )

  it.each(asked)("when asked by %s %s, then a field of the phase that nobody knows is refused", async (...args) => {
    const wrong = phase("READY_COMPLETE", ', not_emty: ["a"]')
    const finished = await proofline([...args, "--json"], project(files(wrong)))
    expect(finished.code, finished.stderr).toBe(2)
    expect(documentOf(finished).data.problems).toMatchObject([
      { code: "offer_invalid", line: 2, message: expect.stringMatching(/plugin late \(LATE\).*not_emty/) }
    ])
  })

  it.each(asked)("given a contract with the phase, when asked by %s %s, then it fits", async (...args) => {
    const dir = project({ ...files(phase("QUALITY")), ".proofline/phase_contract.yml": contract })
    const finished = await proofline(args, dir)
    expect(finished.code, finished.stderr).toBe(0)
  })

  it.each(asked)("given a contract that cannot be read, when asked by %s %s, then that is said", async (...args) => {
    const broken = contract.replace("kind: end", "kind: ende")
    const dir = project({ ...files(phase("QUALITY")), ".proofline/phase_contract.yml": broken })
    const finished = await proofline([...args, "--json"], dir)
    expect(finished.code, finished.stderr).toBe(2)
    const [problem] = documentOf(finished).data.problems
    expect(problem).toMatchObject({ file: ".proofline/phase_contract.yml", line: 5 })
  })
})

describe("an analyzer that nobody offers", () => {
  const files = {
    "proofline.yaml": "chunking:\n  analyzer: nope\nagent: claude\n",
    "tasks.yaml": tasks
  }

  it.each(before.slice(2))("is refused by %s %s", async (...args) => {
    const finished = await proofline([...args, "--json"], project(files))
    expect(finished.code).toBe(2)
    expect(documentOf(finished).data.problems).toMatchObject([
      { code: "analyzer_unknown", file: "proofline.yaml", line: 2, hint: expect.stringContaining("heuristic, agent") }
    ])
  })
})
