import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { layerOf, places, unplacedIn, upwardIn } from "./layers.ts"
import { sourcesOf } from "./sources.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

describe.each(places)("$path", (place) => {
  it("has layers, and none knows what stands above it", () => {
    const sources = sourcesOf(root, place.path)
    for (const layer of place.layers)
      assert.isTrue(
        sources.some(({ path }) => layerOf(place, path) === layer),
        layer
      )
    assert.deepStrictEqual(sources.flatMap(upwardIn(place)), [])
  })
})

it.each(places.filter(({ isWhole }) => isWhole))("no folder of $path is without a layer", (place) => {
  assert.deepStrictEqual(unplacedIn(place, sourcesOf(root, place.path)), [])
})

describe("a place with layers", () => {
  const place = { path: "src", layers: ["a.ts", "b", "c"], isWhole: true, apart: ["c"] }
  const at = (path: string, text: string) => upwardIn(place)({ path: `src/${path}`, text })

  it("is told where one knows what stands above it", () => {
    assert.deepStrictEqual(at("b/x.ts", 'import "../c/y.ts"'), ["src/b/x.ts may not import ../c/y.ts."])
    assert.deepStrictEqual(at("b/deep/x.ts", 'const y = import("../../c/y.ts")'), [
      "src/b/deep/x.ts may not import ../../c/y.ts."
    ])
    assert.deepStrictEqual(at("a.ts", 'import type { B } from "./b/x.ts"'), ["src/a.ts may not import ./b/x.ts."])
    assert.deepStrictEqual(at("c/x.ts", 'import "../judge.ts"'), ["src/c/x.ts may not import ../judge.ts."])
    assert.deepStrictEqual(at("c/x.ts", 'import "./y.ts"'), ["src/c/x.ts may not import ./y.ts."])
  })

  it("is not told of what stands below, beside or outside", () => {
    for (const text of ['import "../a.ts"', 'import "./y.ts"', 'import "../../port/index.ts"', 'import "effect"'])
      assert.deepStrictEqual(at("b/x.ts", text), [], text)
    assert.deepStrictEqual(at("judge.ts", 'import "./c/y.ts"\nimport "./other.ts"'), [])
  })

  it("is told which of its folders has no layer", () => {
    const sources = ["a.ts", "judge.ts", "b/x.ts", "d/x.ts", "d/deep/y.ts"].map((path) => ({
      path: `src/${path}`,
      text: ""
    }))
    assert.deepStrictEqual(unplacedIn(place, sources), ["d"])
  })
})
