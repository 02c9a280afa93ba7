import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { cyclesIn } from "./cycles.ts"
import { type Source, sourcesOf } from "./sources.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

const circlesOf = (folder: string) => cyclesIn(sourcesOf(root, folder))

describe("imports", () => {
  for (const folder of [
    "packages/kernel",
    "packages/plugins",
    "packages/cli",
    "packages/ui",
    "test",
    "examples/plugins"
  ]) {
    it(`run in no circle in ${folder}, those of types included`, () => {
      assert.isAbove(sourcesOf(root, folder).length, folder.startsWith("examples") ? 6 : 30)
      assert.deepStrictEqual(circlesOf(folder), [])
    })
  }
})

describe("a circle of imports", () => {
  const source = (path: string, text: string): Source => ({ path, text })

  it("is told by the shortest way around it", () => {
    const all = [
      source("src/a.ts", 'import { b } from "./deep/b.ts"\nimport "./d.ts"'),
      source("src/deep/b.ts", 'import { c } from "../c.ts"\nimport "../a.ts"'),
      source("src/c.ts", 'import { a } from "./a.ts"'),
      source("src/d.ts", 'import "effect"')
    ]
    assert.deepStrictEqual(cyclesIn(all), ["src/a.ts → src/deep/b.ts → src/a.ts (3 files reach each other)"])
  })

  it("is one whether a value, a type, a re-export or a dynamic import closes it", () => {
    for (const back of ['import "./a.ts"', 'import type { A } from "./a.ts"', 'export * from "./a.ts"']) {
      const all = [source("a.ts", 'import { b } from "./b.ts"'), source("b.ts", back)]
      assert.deepStrictEqual(cyclesIn(all), ["a.ts → b.ts → a.ts"], back)
    }
    assert.deepStrictEqual(cyclesIn([source("a.ts", 'const a = import("./a.ts")')]), ["a.ts → a.ts"])
  })

  it("is each told once, and nothing is told of what only leads into one", () => {
    const all = [
      source("0.ts", 'import "./a.ts"\nimport "./c.ts"'),
      source("a.ts", 'import "./b.ts"'),
      source("b.ts", 'import "./a.ts"\nimport "./c.ts"'),
      source("c.ts", 'import "./d.ts"'),
      source("d.ts", 'import "./c.ts"')
    ]
    assert.deepStrictEqual(cyclesIn(all), ["a.ts → b.ts → a.ts", "c.ts → d.ts → c.ts"])
  })

  it("is none where two ways lead to the same source", () => {
    const all = [
      source("a.ts", 'import "./b.ts"\nimport "./c.ts"'),
      source("b.ts", 'import "./d.ts"'),
      source("c.ts", 'import "./d.ts"'),
      source("d.ts", "")
    ]
    assert.deepStrictEqual(cyclesIn(all), [])
  })
})
