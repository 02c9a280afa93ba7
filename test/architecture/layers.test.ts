import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { importsOf, type Source, sourcesOf } from "./sources.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const policy = "packages/plugins/src/policies/evidence"

/** Its folders, of which each knows only those before it: code, tests in it, what an item asks for, what a change comes to. */
const layers = ["code", "tests", "asked", "work"]

/** The layer of a path; null: of the policy, and in none; undefined: of something else. */
const layerOf = (path: string): string | null | undefined => {
  if (!path.startsWith(`${policy}/`)) return undefined
  const [folder = ""] = path.slice(policy.length + 1).split("/")
  return layers.includes(folder) ? folder : null
}

/** One sentence for every import from a layer of something that stands above it. */
const upward = ({ path, text }: Source): ReadonlyArray<string> => {
  const from = layerOf(path)
  if (from == null) return []
  return importsOf(text).flatMap(({ specifier }) => {
    if (!specifier?.startsWith(".")) return []
    const to = layerOf(join(dirname(path), specifier))
    const isAbove = to === null || (to !== undefined && layers.indexOf(to) > layers.indexOf(from))
    return isAbove ? [`${path} may not import ${specifier}.`] : []
  })
}

describe("the policy of evidence", () => {
  it("has layers, and none knows what stands above it", () => {
    const sources = sourcesOf(root, policy)
    for (const layer of layers) assert.isAbove(sources.filter(({ path }) => layerOf(path) === layer).length, 5, layer)
    assert.deepStrictEqual(sources.flatMap(upward), [])
  })

  it("is told where one would", () => {
    const at = (path: string, text: string) => upward({ path: `${policy}/${path}`, text })
    assert.deepStrictEqual(at("code/x.ts", 'import "../tests/y.ts"'), [
      `${policy}/code/x.ts may not import ../tests/y.ts.`
    ])
    assert.deepStrictEqual(at("work/x.ts", 'import "../judge.ts"'), [`${policy}/work/x.ts may not import ../judge.ts.`])
    for (const text of [
      'import "../code/y.ts"',
      'import "./y.ts"',
      'import "../../../port/index.ts"',
      'import "effect"'
    ])
      assert.deepStrictEqual(at("tests/x.ts", text), [], text)
    assert.deepStrictEqual(at("judge.ts", 'import "./work/y.ts"'), [])
  })
})
