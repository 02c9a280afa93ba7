import { assert, describe, it } from "@effect/vitest"
import { judged, outlined, verdicts } from "./support.ts"

/** Bodies that do nothing, in every way people leave them behind. */
const stubs = [
  "{}",
  "{ }",
  "{ ; }",
  "{ /* later */ }",
  "{\n  // TODO: implement\n}",
  "{ return }",
  "{ return; }",
  "{ return null }",
  "{ return undefined; }",
  "{ return (null); }",
  "{ return void 0 }",
  "{ return Promise.resolve() }",
  "{ return Promise.resolve(null); }",
  "{ throw new Error('not implemented') }",
  '{ throw new Error("Not implemented yet: login"); }',
  "{ throw new Error('TODO') }",
  "{ throw new NotImplementedError() }",
  "{ throw new TypeError('Method not implemented.') }",
  "{ throw Error(`not implemented`) }",
  "{ throw 'unimplemented' }",
  "{ console.log('TODO') }",
  "{ console.warn('not implemented'); return null }",
  "{ return Promise.reject(new Error('not implemented')) }",
  "{ if (!a) return; throw new Error('not implemented') }",
  "{ try { } catch (e) { } }",
  "{ const inner = () => {} }",
  "{ return 'TODO' }",
  "{ return false // TODO: implement\n}",
  "{ /* placeholder */ return 0 }",
  "{ 'use strict'; return null }",
  "{ expect(true).toBe(true) }",
  "{ assert.ok(true); }"
]

/** Bodies that do something, however little. */
const real = [
  "{ return a }",
  "{ return false }",
  "{ return 0 }",
  "{ return '' }",
  "{ return [] }",
  "{ return { a } }",
  "{ a() }",
  "{ this.a = a }",
  "{ // TODO: faster\n  return a + 1 }",
  "{ if (a) return null; return a.b }",
  "{ for (const x of a) x() }",
  "{ throw new Error('no such user') }",
  '{ throw new RangeError("bad " + a) }',
  "{ a.catch(() => {}) }",
  "{ return a ? null : a }",
  "{ try { a() } catch {} }",
  "{ await a }",
  "{ return <any>a }".replace("<any>", ""),
  "{ const inner = () => {}; return inner }",
  "{ expect(a).toBe(true) }",
  "{ assert.ok(a) }"
]

/** Where a body may stand. */
const places: Readonly<Record<string, (body: string) => string>> = {
  "a function": (body) => `async function f(a) ${body}\n`,
  "an exported arrow": (body) => `export const f = async (a) => ${body}\n`,
  "a function expression": (body) => `const f = async function (a) ${body}\n`,
  "a default export": (body) => `export default async function f(a) ${body}\n`,
  "a CommonJS export": (body) => `exports.f = async function (a) ${body}\n`,
  "a method": (body) => `class C {\n  async f(a) ${body}\n}\n`,
  "a property of a class": (body) => `class C {\n  f = async (a) => ${body}\n}\n`,
  "a property of an object": (body) => `const o = {\n  f: async (a) => ${body}\n}\n`,
  "a wrapped function": (body) => `const f = wrap(async (a) => ${body})\n`,
  "a hook": (body) => `const f = useCallback(async (a) => ${body}, [a])\n`,
  "a test": (body) => `describe("c", () => {\n  it("f", async (a) => ${body})\n})\n`
}

for (const path of ["a.js", "a.mjs", "a.jsx", "a.ts", "a.tsx", "a.mts"]) {
  describe(`given ${path}`, () => {
    for (const [place, put] of Object.entries(places)) {
      it(`when ${place} does nothing, then it is empty, by its signature and as a whole`, async () => {
        for (const body of stubs) {
          const text = put(body)
          const head = text.split("\n").findIndex((line) => /\bf\b/.test(line)) + 1
          assert.isNotNull((await judged(path, text, head)).empty, text)
          assert.isNotNull((await judged(path, text, [1, text.trimEnd().split("\n").length])).empty, text)
        }
      })

      it(`when ${place} does something, then it is none`, async () => {
        for (const body of real) {
          const text = put(body)
          const head = text.split("\n").findIndex((line) => /\bf\b/.test(line)) + 1
          const { empty } = await judged(path, text, head)
          assert.isNull(empty, `${text}: ${empty}`)
        }
      })
    }
  })
}

describe("given what needs no body in TypeScript", () => {
  const text = `
interface Shape { area(): number }
type Id = string
enum Colour { Red }
declare function ambient(x: number): void
declare module "m" { function inModule(): void }
abstract class Base {
  abstract area(): number
  protected constructor() {}
}
class Child extends Base {}
class Service {
  constructor(private readonly db: Db) {}
  find(id: string): User
  find(id: number): User
  find(id: unknown): User { return this.db.find(id) }
}
class Plain { constructor() {} }
const noop = () => {}
`
  it("when it is judged, then nothing is empty", async () => {
    const found = await verdicts("a.ts", text)
    assert.deepStrictEqual(
      Object.entries(found).filter(([name, empty]) => empty !== null && name !== "Plain" && name !== "Base"),
      []
    )
    assert.containsAllKeys(found, ["Shape", "Id", "Colour", "Base.area", "Child", "Service.find", "Plain.constructor"])
  })

  it("when a constructor takes something and does nothing with it, then it is empty", async () => {
    assert.isNotNull((await verdicts("a.ts", "class A {\n  constructor(a: number) {}\n}\n"))["A.constructor"])
    assert.isNotNull((await verdicts("a.ts", "class A {\n  constructor() { /* TODO */ }\n}\n"))["A.constructor"])
  })
})

describe("given code the grammar lags behind", () => {
  it("when types have variance, and call signatures stand one below the other, then it is read without a fault", async () => {
    const text = `export interface Box<in out A, out E = never> { readonly a: A }
export const map: {
  /** Data last. */
  <A, B>(f: (a: A) => B): (box: Box<A>) => Box<B>
  <const A, B>(box: Box<A>, f: (a: A) => B): Box<B>
} = dual(2, (box, f) => make(f(box.a)))
type Name = \`a \\\`quoted\\\` name\`
export const last = (box: Box<number>) => box.a
`
    const outline = await outlined("a.ts", text)
    assert.deepStrictEqual(outline.faults, [])
    assert.deepStrictEqual(
      outline.declarations.map(({ name }) => name),
      ["Box", "map", "Name", "last"]
    )
  })
})

describe("given top-level calls", () => {
  it("when a route's handler is empty, then the call is", async () => {
    const text = `app.get("/users", (req, res) => {})\napp.post("/users", (req, res) => res.end())\n`
    assert.include((await judged("a.js", text, 1)).empty, "has an empty body")
    assert.isNull((await judged("a.js", text, 2)).empty)
  })

  it("when a test is merely announced, then that shows nothing", async () => {
    assert.isNotNull((await judged("a.ts", 'it.todo("adds")\n', 1)).empty)
  })

  it("when only some tests of a suite are empty, then those are named", async () => {
    const text = `describe("cart", () => {
  it("adds", () => { expect(add(1)).toBe(1) })
  it("removes", () => {})
})
`
    assert.include((await judged("a.js", text, [2, 3])).empty, "removes")
    assert.isNull((await judged("a.js", text, 2)).empty)
    assert.isNotNull((await judged("a.js", text, 3)).empty)
  })
})
