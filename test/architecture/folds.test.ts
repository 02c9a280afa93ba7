import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { importsOfFolds, isFolding } from "./folds.ts"
import { type Source, sourcesOf } from "./sources.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const sources = sourcesOf(root, "packages/kernel/src/modules", "packages/plugins/src/policies")

/** Modules that hold shapes, and how a slice of state is read and changed: no rules. */
const shapes = new Set([
  "effect",
  "state.ts",
  "schemas.ts",
  "contents.ts",
  "changes.ts",
  "events.ts",
  "evolve.ts",
  "config.ts"
])

/** What else a fold may use, each with its reason. */
const allowed: Readonly<Record<string, string>> = {
  "modules/run/events.ts: withCall": "adds up what calls have used",
  "modules/tasks/plugin.ts: withFailure": "changes the slice as the event says who waited, and what follows for it",
  "modules/tasks/plugin.ts: withReopened": "changes the slice as the event says what is taken up again, and from where",
  "sessions/rules/events.ts: inOrder": "the keys of what was given, in the order in which the log gives them back",
  "sessions/rules/events.ts: batchKey": "a key of a map of the slice",
  "sessions/rules/events.ts: phaseOf": "looks a phase up in the contract, which is part of the slice",
  "sessions/rules/events.ts: commandsOf":
    "looks the commands of a phase up in the contract, which is part of the slice",
  "sessions/rules/events.ts: countOf": "reads a counter of the slice",
  "sessions/rules/events.ts: writableOf": "reads a set of the slice",
  "sessions/rules/events.ts: CheckRun": "a shape",
  "sessions/rules/events.ts: SessionRunSetup": "a shape"
}

const strange = (all: ReadonlyArray<Source>): ReadonlyArray<string> =>
  all
    .flatMap(importsOfFolds)
    .filter(({ from }) => !shapes.has(basename(from)))
    .map(({ name, path }) => `${path.split("/").slice(-3).join("/")}: ${name}`)

const shortly = (found: string): string => found.replace(/^policies\//, "")

describe("folds", () => {
  it("were looked at", () => {
    assert.isAbove(sources.filter(isFolding).length, 6)
    assert.isAbove(sources.flatMap(importsOfFolds).length, 40)
  })

  it("depend on the slice and the event alone: they use no rule", () => {
    const found = strange(sources.filter(({ path }) => /\/(?:changes|events|evolve|plugin)\.ts$/.test(path))).map(
      shortly
    )
    assert.deepStrictEqual(
      found.filter((one) => !(one in allowed)),
      []
    )
  })

  it("have no exception that nobody needs", () => {
    const found = new Set(strange(sources).map(shortly))
    assert.deepStrictEqual(
      Object.keys(allowed).filter((one) => !found.has(one)),
      []
    )
  })
})

describe("what a fold uses", () => {
  const folding = (text: string) =>
    importsOfFolds({ path: "x.ts", text: `import { rule } from "./rules.ts"\n${text}` }).map(({ name }) => name)

  it("is found in the fold itself, in a helper of it, and in a follower", () => {
    for (const text of [
      'const A = X.event("A", { evolve: (own, { a }) => ({ ...own, b: rule(a) }) })',
      'const A = X.event("A", { evolve: rule })',
      'const A = X.event("A", { evolve: (own) => help(own) })\nconst help = (own) => rule(own)',
      'const a = X.change("a", { apply: (own) => rule(own) })',
      "const f = X.follow(A, (own) => rule(own))"
    ])
      assert.deepStrictEqual(folding(text), ["rule"], text)
  })

  it("is not what stands beside it", () => {
    for (const text of [
      'const A = X.event("A", { evolve: (own) => own, upcasters: [(old) => rule(old)] })',
      'const A = X.event("A", { evolve: (own) => own.rule })\nconst other = () => rule()',
      'const A = X.command("A", { decide: () => rule() })'
    ])
      assert.deepStrictEqual(folding(text), [], text)
  })
})
