import { assert, describe, it } from "@effect/vitest"
import { judged, outlined, verdicts } from "./support.ts"

/** Bodies that do nothing, in every way people leave them behind. */
const stubs = [
  "{}",
  "{\n  // TODO\n}",
  "{ /* later */ }",
  "{ return }",
  "{ return nil }",
  "{ nil }",
  "{ return (nil, nil) }",
  "{ return () }",
  "{ fatalError() }",
  '{ fatalError("not implemented") }',
  '{ return fatalError("TODO") }',
  '{ preconditionFailure("not implemented") }',
  '{ assertionFailure("TODO: find it"); return nil }',
  '{ assert(false, "not implemented"); return nil }',
  "{ throw FindError.notImplemented }",
  '{ throw FindError.notImplemented("find") }',
  '{ throw NSError(domain: "not implemented", code: 1) }',
  '{ print("TODO") }',
  '{ NSLog("not implemented"); return nil }',
  '{ logger.warning("find is not implemented yet") }',
  '{ XCTFail("not implemented") }',
  "{ _ = a }",
  '{ _ = (a, b)\n  fatalError("not implemented")\n}',
  "{ let _ = a }",
  "{ return .failure(.notImplemented) }",
  '{ return "Not implemented" }',
  "{ if a { return nil } else { return nil } }",
  "{ guard let a = a else { return nil }\n  return nil\n}",
  "{ do { } catch { }\n  return nil\n}",
  "{ // TODO\n  return 0\n}",
  "{ return [] // FIXME\n}",
  "{ /* placeholder */ false }",
  "{\n#if DEBUG\n  return nil\n#else\n  return nil\n#endif\n}"
]

/** Bodies that do something, however little. */
const real = [
  "{ return a }",
  "{ a }",
  "{ return 0 }",
  "{ false }",
  '{ "" }',
  '{ return "todo" }',
  "{ return [] }",
  "{ g(a) }",
  "{ self.a = a }",
  "{ // TODO: faster\n  return a + 1\n}",
  "{ if a { return nil }\n  return b\n}",
  "{ guard let a = a else { return nil }\n  return a.b\n}",
  '{ fatalError("index out of range") }',
  "{ throw FindError.missing }",
  "{ on { } }",
  "{ do { try g() } catch { } }",
  '{ print("hello") }',
  "{ super.f(a) }",
  "{ EmptyView() }",
  "{ if #available(iOS 16, *) { return a }\n  return nil\n}",
  "{ VStack { } }",
  "{ return a ?? fatalError() }"
]

/** Where a body may stand. */
const places: Readonly<Record<string, (body: string) => string>> = {
  "a function": (body) => `func f(a: Int?) -> Any? ${body}\n`,
  "an attributed generic method": (body) =>
    `final class C: B {\n  @objc @MainActor\n  override func f<T>(a: T) async throws -> Any? where T: X ${body}\n}\n`,
  "a mutating method": (body) => `struct S {\n  mutating func f(a: Int) -> Any? ${body}\n}\n`,
  "a method of an extension": (body) => `extension S {\n  static func f(a: Int) -> Any? ${body}\n}\n`,
  "a method of an actor": (body) => `actor A {\n  func f(a: Int) -> Any? ${body}\n}\n`,
  "a method of an enum": (body) => `enum E {\n  case x\n  func f(a: Int) -> Any? ${body}\n}\n`,
  "a local function": (body) => `func g() -> Int {\n  func f(a: Int) -> Any? ${body}\n  return f(a: 1).x\n}\n`,
  "a function under a condition of the compiler": (body) => `#if os(iOS)\nfunc f(a: Int) -> Any? ${body}\n#endif\n`
}

for (const [place, put] of Object.entries(places)) {
  describe(`given ${place} in Swift`, () => {
    const cited = (body: string) => {
      const text = `import Foundation\n\n${put(body)}`
      const head = text.split("\n").findIndex((line) => /func f(?:<T>)?\(a:/.test(line)) + 1
      return { text, head, end: head + body.split("\n").length - 1 }
    }

    it("when it does nothing, then it is empty, by its signature and as a whole", async () => {
      for (const body of stubs) {
        const { end, head, text } = cited(body)
        assert.isNotNull((await judged("a.swift", text, head)).empty, text)
        assert.isNotNull((await judged("a.swift", text, [head, end])).empty, text)
      }
    })

    it("when it does something, then it is none", async () => {
      for (const body of real) {
        const { head, text } = cited(body)
        const { empty } = await judged("a.swift", text, head)
        assert.isNull(empty, `${text}: ${empty}`)
      }
    })
  })
}

describe("given properties, subscripts and initialisers in Swift", () => {
  const text = `class C: B {
  let x = 1
  var name: String { "login" }
  var none: Int? { nil }
  var todo: Int { /* TODO */ }
  var both: Int { get { return 1 } set { } }
  var watched: Int = 3 { didSet { update() } }
  lazy var later: Int = { fatalError("not implemented") }()
  var idle: () -> Void = {}
  var act: (Int) -> Void = { _ in fatalError() }
  subscript(i: Int) -> Int { get { fatalError() } set { x = newValue } }
  subscript(s: String) -> Int { return 0 }
  init() {}
  init?(y: Int) { return nil }
  init(z: Int) { super.init() }
  required init?(coder: NSCoder) { fatalError("init(coder:) has not been implemented") }
  required init(name: String) { fatalError("init(name:) has not been implemented") }
  deinit {}
  static func == (a: C, b: C) -> Bool { fatalError("TODO") }
}
`

  it("when it is judged, then accessors are by themselves", async () => {
    const { declarations, faults } = await outlined("C.swift", text)
    assert.deepStrictEqual(faults, [])
    assert.deepStrictEqual(
      declarations.flatMap(({ empty, kind, name, start }) =>
        kind === "function" && empty !== null ? [`${name} ${start.row + 1}`] : []
      ),
      ["none 4", "todo 5", "set 6", "later 8", "act 10", "get 11", "init 14", "== 19"]
    )
    assert.isNull((await judged("C.swift", text, 16)).empty)
    assert.isNull((await judged("C.swift", text, 2)).empty)
  })
})

describe("given what needs no body in Swift", () => {
  const text = `protocol Shape {
  associatedtype Unit
  func area() -> Double
  var name: String { get }
  init()
  subscript(i: Int) -> Int { get set }
}
extension Failure: Error {}
struct LoginFailed: Error {}
struct Marker {}
enum Namespace {}
final class Child: Base {}
@objc class Bridge {}
enum Colour: Int {
  case red = 1
  case green
}
typealias Path = [String]
class User {
  var name = ""
  init() {}
  deinit {}
  func noop() {}
}
@resultBuilder struct Rows {
  static func buildBlock(_ rows: Int...) -> [Int] { rows }
}
class NoOpLogger: Logger {
  func log(_ text: String) {}
}
func notImplemented() -> Never { fatalError("not implemented") }
`

  it("when it is judged, then nothing is empty", async () => {
    const { declarations, faults } = await outlined("Shapes.swift", text)
    assert.deepStrictEqual(faults, [])
    assert.deepStrictEqual(
      declarations.flatMap(({ empty, kind, name }) => (kind === "function" && empty !== null ? [name] : [])),
      []
    )
    assert.isNull((await judged("Shapes.swift", text, [1, text.trimEnd().split("\n").length])).empty)
  })

  it("when a plain class or an extension has no members, then it is empty", async () => {
    assert.deepStrictEqual(await verdicts("A.swift", "class A {}\nextension B {\n  // TODO\n}\n"), {
      A: "has no members",
      B: "has no members"
    })
  })
})

describe("given tests in Swift", () => {
  it("when one does nothing, then it is empty", async () => {
    const text = `describe("cart") {
  it("adds") { expect(add(1)) == 1 }
  it("removes") { }
}
`
    assert.isNull((await judged("CartSpec.swift", text, 2)).empty)
    assert.include((await judged("CartSpec.swift", text, 3)).empty, "removes")
  })
})

describe("given what the grammar does not know of Swift", () => {
  it("when it is read over and over, then it is read without faults", async () => {
    const text = `nonisolated(unsafe) let shared = Cart()
func f(_ a: sending Cart, file: String = #fileID, line: UInt = #line) throws(CartError) -> Cart { a }
func \`adds one to another\`() { x() }
func g() {
  if #available(iOS 16.0, *) { x() }
  on(#selector(clicked(_:)), pattern: #"^\\d+"(a|b)$"#)
  h([~x])
}
#Preview { CartView() }
`
    for (let i = 0; i < 3; i++) {
      const { declarations, faults } = await outlined("a.swift", `${text}${"\n".repeat(i)}`)
      assert.deepStrictEqual(faults, [])
      assert.deepStrictEqual(
        declarations.map(({ name }) => name),
        ["f", "adds_one_to_another", "g"]
      )
    }
  })
})

describe("given ranges in a Swift file", () => {
  const text = `import Foundation
@testable import App

class Cart {
  /// Adds.
  @discardableResult
  func add(_ x: Int) -> Int {
    guard x > 0 else {
      fatalError()
    }
    return x
  }

  func remove(_ x: Int) {
    // TODO
  }
}
`

  const cases: ReadonlyArray<readonly [number | readonly [number, number], string | null]> = [
    [[1, 3], "imports"],
    [5, "comments"],
    [6, null],
    [[5, 12], null],
    [9, "statements that do nothing"],
    [11, null],
    [12, "brackets"],
    [14, "Cart.remove (line 14) holds only comments"],
    [[7, 16], "Some functions there are empty: Cart.remove"],
    [4, "Cart.remove"]
  ]
  for (const [range, expected] of cases) {
    it(`when lines ${range} are cited, then ${expected ?? "they are an implementation"}`, async () => {
      const { empty } = await judged("Cart.swift", text, range)
      if (expected === null) assert.isNull(empty)
      else assert.include(empty, expected)
    })
  }

  it("when a function or a property is to fail, then it does so first", async () => {
    const { neutralised } = await outlined("Cart.swift", text)
    assert.strictEqual(neutralised({ start: 6, end: 7 })?.split("\n")[7], '    fatalError("neutralised");')
    const other = await outlined("B.swift", "struct B {\n  var x: Int {\n    return 1\n  }\n}\n")
    assert.strictEqual(
      other.neutralised({ start: 2, end: 2 }),
      'struct B {\n  var x: Int {\n    fatalError("neutralised");\n    return 1\n  }\n}\n'
    )
  })
})
