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
export default definePlugin(Nowhere, { version: "1", parts: [Nowhere.offer(Far.point()("list", ["a"]), "a", {})] })`)
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
    expect(problems.at(-1).hint).toContain("Known: heuristic, agent.")
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

describe("an analyzer that nobody offers", () => {
  const files = {
    "proofline.yaml": "chunking:\n  analyzer: nope\nagent: claude\n",
    "tasks.yaml": "tasks:\n  - id: a\n    name: A\n    instruction: Do it.\n"
  }

  it.each([
    ["validate", "proofline.yaml"],
    ["run", "tasks.yaml", "--dry-run"]
  ])("is refused by %s %s", async (...args) => {
    const finished = await proofline([...args, "--json"], project(files))
    expect(finished.code).toBe(2)
    expect(documentOf(finished).data.problems).toMatchObject([
      { code: "analyzer_unknown", file: "proofline.yaml", line: 2, hint: expect.stringContaining("heuristic, agent") }
    ])
  })
})
