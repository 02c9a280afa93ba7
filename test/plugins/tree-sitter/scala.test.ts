import { assert, describe, it } from "@effect/vitest"
import { judged, outlined, verdicts } from "./support.ts"

/** What stands behind a `def` and does nothing, in every way people leave it behind. */
const stubs = [
  "= {}",
  "= { }",
  "= {\n    // TODO\n  }",
  "= { /* later */ }",
  "= ()",
  "= ???",
  "= { ??? }",
  "= {\n    // TODO\n    ???\n  }",
  "= null",
  "= { return null }",
  "= { return }",
  "= None",
  "= Option.empty[String]",
  "= Future.successful(())",
  "= Future.unit",
  "= Right(())",
  "= throw new NotImplementedError",
  '= throw new NotImplementedError("find")',
  "= throw NotImplementedError()",
  "= throw new UnsupportedOperationException",
  '= throw new UnsupportedOperationException("not implemented")',
  '= throw new RuntimeException(s"TODO: find $a")',
  '= sys.error("not implemented")',
  '= println("TODO")',
  '= { logger.warn("not implemented"); None }',
  "= Future.failed(new NotImplementedError())",
  '= Left("not implemented")',
  '= "Not implemented"',
  "= if (a) () else { }",
  "= a match { case 1 => ???; case _ => () }",
  "= try { ??? } catch { case e: Exception => () } finally { }",
  "= { def g() = {}; () }",
  "= { // TODO\n    0\n  }",
  "= { /* placeholder */ Nil }"
]

/** The same for what does something, however little. */
const real = [
  "= a",
  "= 0",
  "= false",
  '= ""',
  '= "todo"',
  "= Nil",
  "= Some(a)",
  "= g(a)",
  "= { g(a) }",
  "= { this.a = a }",
  "= {\n    // TODO: faster\n    a + 1\n  }",
  "= if (a) b else None",
  "= a match { case 1 => None; case _ => Some(a) }",
  '= throw new UnsupportedOperationException("read-only")',
  '= sys.error("no such user")',
  "= on(() => {})",
  "= try { g() } catch { case _: Exception => () }",
  '= println("hello")',
  "= { val x = () => (); x }",
  "= Right(a)",
  "= for (x <- a) yield x",
  "= macro impl"
]

/** The same with indentation in place of braces. */
const indentedStubs = [
  "=\n    ()",
  "=\n    ???",
  "=\n    // TODO\n    ()",
  "=\n    // TODO: count\n    0",
  "=\n    throw new NotImplementedError",
  "= if a then () else ()",
  "= try ??? catch case e => ()",
  "=\n    a match\n      case 1 => ???\n      case _ => ()"
]
const indentedReal = [
  "=\n    a",
  "=\n    0",
  "=\n    val x = a\n    x + 1",
  "=\n    // TODO: faster\n    a + 1",
  "= if a then b else ()",
  "=\n    a match\n      case 1 => b\n      case _ => ()",
  "= while g() do h()"
]

/** Where a `def` may stand. */
const braces: Readonly<Record<string, (body: string) => string>> = {
  "a method": (body) => `class C {\n  def f(a: Int): Any ${body}\n}\n`,
  "an annotated generic method": (body) =>
    `class C extends B {\n  @throws[E]("x")\n  override def f[T](a: T)(implicit e: E): Any ${body}\n}\n`,
  "a method of an object": (body) => `object O {\n  private[this] def f(a: Int): Any ${body}\n}\n`,
  "a method of a case class": (body) => `case class P(x: Int) {\n  def f(a: Int) ${body}\n}\n`
}
const indented: Readonly<Record<string, (body: string) => string>> = {
  "a function at the top level": (body) => `  def f(a: Int): Any ${body}\n`,
  "a method of a class without braces": (body) => `class C:\n  def f(a: Int): Any ${body}\n  end f\n`,
  "a method of an enum": (body) => `enum Color:\n  case Red\n  def f(a: Int): Any ${body}\n`,
  "an extension method": (body) => `extension (s: String)\n  def f(a: Int): Any ${body}\n`,
  "a method of a given": (body) => `given ord: Ordering[Int] with\n  def f(a: Int): Any ${body}\n`
}

const cited = (text: string, body: string) => {
  const head = text.split("\n").findIndex((line) => /\bf(?:\[T\])?\(a:/.test(line)) + 1
  return { text, head, end: head + body.split("\n").length - 1 }
}

const groups = [
  { places: { ...braces, ...indented }, empty: stubs, full: real },
  { places: indented, empty: indentedStubs, full: indentedReal }
]

for (const { empty: stubsHere, full, places } of groups)
  for (const [place, put] of Object.entries(places)) {
    describe(`given ${place} in Scala${stubsHere === stubs ? "" : ", indented"}`, () => {
      it("when it does nothing, then it is empty, by its signature and as a whole", async () => {
        for (const body of stubsHere) {
          const { end, head, text } = cited(put(body), body)
          assert.isNotNull((await judged("A.scala", text, head)).empty, text)
          assert.isNotNull((await judged("A.scala", text, [head, end])).empty, text)
        }
      })

      it("when it does something, then it is none", async () => {
        for (const body of full) {
          const { head, text } = cited(put(body), body)
          const { empty } = await judged("A.scala", text, head)
          assert.isNull(empty, `${text}: ${empty}`)
        }
      })
    })
  }

describe("given procedures, values and givens in Scala", () => {
  const text = `class C {
  def procedure { }
  def active { println("x") }
  def this(x: Int) = { this() }
  def receive = { case _ => ??? }
  val later = ???
  lazy val slow: Int = ???
  val act: Int => Unit = x => ???
  val idle: Int => Unit = x => ()
  val name = "login"
  type T = Int
}
given foo: Foo = ???
given Conversion[A, B] = x => convert(x)
`

  it("when it is judged, then each is by itself", async () => {
    const found = await verdicts("C.scala", text)
    assert.deepStrictEqual(
      Object.entries(found).flatMap(([name, empty]) => (empty === null ? [] : [name])),
      ["C.procedure", "C.receive", "C.later", "C.slow", "C.act", "foo"]
    )
  })
})

describe("given what needs no body in Scala", () => {
  const text = `package shapes

trait Shape {
  def area: Double
  def changed(): Unit = {}
  def name: Option[String] = None
}
sealed trait Answer
abstract class Base {
  def draw(): Unit
}
sealed abstract class Node
class Bare
case class Point(x: Int, y: Int)
case class Pair(x: Int) {}
case object Red extends Color
object Empty {}
class Failure(message: String) extends RuntimeException(message)
class Marked extends Marker {}
object Types {
  type Path = List[String]
  def noop(): Unit = ()
}
object NoOpLogger extends Logger {
  def log(text: String): Unit = ()
}
`

  it("when it is judged, then nothing is empty", async () => {
    const { declarations, faults } = await outlined("Shapes.scala", text)
    assert.deepStrictEqual(faults, [])
    assert.deepStrictEqual(
      declarations.flatMap(({ empty, kind, name }) => (kind === "function" && empty !== null ? [name] : [])),
      []
    )
    assert.isNull((await judged("Shapes.scala", text, [3, text.trimEnd().split("\n").length])).empty)
  })

  it("when a default method or a plain class is not done, then it is empty", async () => {
    const found = await verdicts("A.scala", "trait A { def f: Int = ??? }\nclass B {}\n")
    assert.isNotNull(found["A.f"])
    assert.strictEqual(found["B"], "has no members")
  })
})

describe("given tests in Scala", () => {
  it("when one does nothing, then it is empty", async () => {
    const text = `class CartSpec extends Spec {
  test("adds") { assert(add(1) == 1) }
  test("removes") { }
  "a cart" should "add" in { add(1) }
  "a cart" should "remove" in {
    // TODO
  }
}
`
    assert.isNull((await judged("CartSpec.scala", text, 2)).empty)
    assert.include((await judged("CartSpec.scala", text, 3)).empty, "removes")
    assert.isNull((await judged("CartSpec.scala", text, 4)).empty)
    assert.isNotNull((await judged("CartSpec.scala", text, 5)).empty)
  })
})

describe("given ranges in a Scala file", () => {
  const text = `package shop
import scala.util.Try
import a.{B, C => D}

class Cart(all: List[Int]) {
  /** Adds. */
  @deprecated("later", "1")
  def add(x: Int): Int = {
    if (x < 0) ???
    else x
  }

  def remove(x: Int): Unit = {
    // TODO
  }
  val known = all.map { n: Int => n }
}
`

  const cases: ReadonlyArray<readonly [number | readonly [number, number], string | null]> = [
    [[1, 4], "imports"],
    [6, "comments"],
    [7, null],
    [[6, 11], null],
    [10, null],
    [11, "brackets"],
    [13, "Cart.remove (line 13) holds only comments"],
    [14, "comments"],
    [[8, 15], "Some functions there are empty: Cart.remove"],
    [16, null],
    [5, "Cart.remove"]
  ]
  for (const [range, expected] of cases) {
    it(`when lines ${range} are cited, then ${expected ?? "they are an implementation"}`, async () => {
      const { empty } = await judged("Cart.scala", text, range)
      if (expected === null) assert.isNull(empty)
      else assert.include(empty, expected)
    })
  }

  it("when a function is to fail, then it does so first; an expression is put in place of one", async () => {
    const { neutralised } = await outlined("Cart.scala", text)
    assert.strictEqual(
      neutralised({ start: 7, end: 8 })?.split("\n")[8],
      '    throw new RuntimeException("neutralised");'
    )
    const other = await outlined("B.scala", "object B:\n  def f(a: Int) = a + 1\n  def g =\n    val x = 1\n    x\n")
    assert.strictEqual(
      other.neutralised({ start: 2, end: 3 }),
      'object B:\n  def f(a: Int) = throw new RuntimeException("neutralised")\n  def g =\n    throw new RuntimeException("neutralised");\n    val x = 1\n    x\n'
    )
  })
})
