import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { done, scriptedAgent, withAgent } from "./agent.ts"
import { eventsOf, project, proofline, withSources } from "./proofline.ts"

const example = readFileSync(new URL("../../packages/cli/examples/dart-language/dart.mjs", import.meta.url), "utf8")
const grammar = new URL("../../packages/plugins/package.json", import.meta.url)

/** The example as a project would have it, with the grammar found where this repository has it. */
const dart = withSources(
  example.replace("createRequire(import.meta.url)", `createRequire(${JSON.stringify(grammar.href)})`)
)

const cart = `class Cart extends Base {
  int total() {
    return items.length;
  }

  void clear() {
    // TODO
  }

  void pay() => throw UnimplementedError();
}
`

const check = (dir: string, ...evidence: ReadonlyArray<string>) =>
  proofline(["evidence", "check", ...evidence, "--json", "--cwd", dir], dir)

describe("given a project that names the example language in proofline.yaml", () => {
  const files = { "dart.mjs": dart, "proofline.yaml": "plugins: [./dart.mjs]\n", "lib/cart.dart": cart }

  it("when evidence in it is checked, then it is judged by its syntax tree", async () => {
    const finished = await check(
      project(files),
      "lib/cart.dart:2",
      "lib/cart.dart:6",
      "lib/cart.dart:10",
      "lib/cart.dart:1-4"
    )
    expect(finished.code, finished.stderr).toBe(1)
    const answers = finished.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(answers.map(({ declaration, ok }) => [declaration, ok])).toEqual([
      ["Cart.total", true],
      ["Cart.clear", false],
      ["Cart.pay", false],
      ["Cart", false]
    ])
    expect(answers[1].reason).toBe("Cart.clear (line 6) holds only comments.")
  })
})

describe("given languages that would let everything pass", () => {
  const faults = [
    ["(block) (class_body)", "(block) (no_such_node)", "no_such_node"],
    ["@comment", "@coment", "@coment"],
    ["#unfinished?", "#unfinishedd?", "#unfinishedd?"],
    [/@function/g, "@_f", "@function"],
    ['extensions: [".dart"]', 'extensions: ".dart"', "`extensions`"],
    ['extensions: [".dart"]', 'extensions: ["dart"]', "`extensions`"]
  ] as const

  it.each(faults)("when %j is %j, then it is refused and told why", async (before, after, said) => {
    const dir = project({ "dart.mjs": dart.replaceAll(before, after), "proofline.yaml": "plugins: [./dart.mjs]\n" })
    const finished = await check(dir, "lib/cart.dart:2")
    expect(finished.code).toBe(2)
    expect(finished.stderr).toContain("language_unusable")
    expect(finished.stderr).toContain(said)
  })
})

describe("given a project that names evidence-regex", () => {
  const stub = "def add(a, b):\n    pass\n"
  const tasks = `tasks:
  - id: add
    name: Add
    instruction: Write add().
    checks: ["true"]
    checklist: [Add]
`
  const script = { add: [{ files: { "add.py": stub }, report: done({ Add: "add.py:1-2" }) }] }
  const run = (files: Readonly<Record<string, string>>) => {
    const dir = project({ "tasks.yaml": tasks, ...files, ...scriptedAgent(script) })
    return { dir, finished: proofline(["run", "tasks.yaml", ...withAgent, "--max-retries", "0", "--json"], dir) }
  }

  it("when a head hides its stub, then the rules of the beginning accept it, and a replay by them agrees", async () => {
    const { dir, finished } = run({ "proofline.yaml": "plugins: [evidence-regex]\n" })
    const { code, stderr, stdout } = await finished
    expect(code, stderr).toBe(0)
    const { run_id } = JSON.parse(stdout).data
    const [started] = await eventsOf(run_id, dir)
    const plugins = started.content.plugins.map(({ name }: { readonly name: string }) => name)
    expect(plugins).toContain("evidence-regex")
    expect(plugins).not.toContain("evidence")
    expect((await proofline(["replay", run_id], dir)).code).toBe(0)
  })
})
