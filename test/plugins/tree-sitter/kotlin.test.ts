import { assert, describe, it } from "@effect/vitest"
import { judged, outlined, verdicts } from "./support.ts"

/** Bodies that do nothing, in every way people leave them behind. */
const stubs = [
  "{}",
  "{\n  // TODO\n}",
  "{ /* later */ }",
  "{ return }",
  "{ return null }",
  "{ return null as String? }",
  "{ return Unit }",
  "{ return Result.success(Unit) }",
  "{ TODO() }",
  '{ TODO("Not yet implemented") }',
  "{ return TODO() }",
  "{ TODO() as String }",
  "{ throw NotImplementedError() }",
  '{ throw NotImplementedError("find") }',
  "{ throw UnsupportedOperationException() }",
  '{ throw UnsupportedOperationException("Not implemented: $a") }',
  '{ throw RuntimeException("TODO: find it") }',
  '{ error("not implemented") }',
  '{ println("TODO") }',
  '{ Log.w(TAG, "not implemented"); return null }',
  "{ return Result.failure(NotImplementedError()) }",
  '{ return "Not implemented" }',
  "{ if (a == null) return null else return null }",
  "{ try { } catch (e: Exception) { e.printStackTrace() } finally { } }",
  "{ when (a) { 1 -> TODO() else -> Unit } }",
  "{ // TODO\n  return 0\n}",
  "{ return emptyList() // FIXME\n}",
  "{ /* placeholder */ return false }",
  "= TODO()",
  '= TODO("later")',
  "= null",
  "= null as String?",
  "= Unit",
  "= throw NotImplementedError()",
  '= error("not implemented")',
  "= if (a) TODO() else null",
  '= "TODO: find"'
]

/** Bodies that do something, however little. */
const real = [
  "{ return a }",
  "{ return 0 }",
  "{ return false }",
  '{ return "" }',
  '{ return "todo" }',
  "{ return emptyList() }",
  "{ g(a) }",
  "{ this.a = a }",
  "{ // TODO: faster\n  return a + 1\n}",
  "{ if (a == null) return null; return a.b() }",
  "{ a?.let { } }",
  "{ for (x in a) { } }",
  '{ throw UnsupportedOperationException("read-only") }',
  '{ error("no such user") }',
  "{ on { } }",
  "{ try { g() } catch (e: Exception) { } }",
  '{ println("hello") }',
  "{ super.f(a) }",
  "= a",
  "= 0",
  "= false",
  '= "login"',
  "= emptyList()",
  "= g(a)",
  "= if (a) b else null",
  "= if (a) { b } else { c }",
  '= a ?: throw IllegalArgumentException("no such user")',
  "= run { }"
]

/** Where a body may stand. */
const places: Readonly<Record<string, (body: string) => string>> = {
  "a function": (body) => `fun f(a: String?): Any? ${body}\n`,
  "a suspending method": (body) =>
    `class C {\n  @Throws(E::class)\n  suspend fun <T> f(a: T): Any? where T : B ${body}\n}\n`,
  "an extension function": (body) => `fun List<String>.f(a: Int): Any? ${body}\n`,
  "a method of an object": (body) => `object O {\n  fun f(a: Int): Any? ${body}\n}\n`,
  "a method of a companion object": (body) =>
    `class C {\n  companion object {\n    fun f(a: Int): Any? ${body}\n  }\n}\n`,
  "a method of an entry of an enum": (body) => `enum class E {\n  A {\n    fun f(a: Int): Any? ${body}\n  }\n}\n`,
  "a local function": (body) => `fun g(): Int {\n  fun f(a: Int): Any? ${body}\n  return f(1).x\n}\n`
}

for (const [place, put] of Object.entries(places)) {
  describe(`given ${place} in Kotlin`, () => {
    const cited = (body: string) => {
      const text = `package a\n\n${put(body)}`
      const head = text.split("\n").findIndex((line) => /\bf\(a:/.test(line)) + 1
      return { text, head, end: head + body.split("\n").length - 1 }
    }

    it("when it does nothing, then it is empty, by its signature and as a whole", async () => {
      for (const body of stubs) {
        const { end, head, text } = cited(body)
        assert.isNotNull((await judged("A.kt", text, head)).empty, text)
        assert.isNotNull((await judged("A.kt", text, [head, end])).empty, text)
      }
    })

    it("when it does something, then it is none", async () => {
      for (const body of real) {
        const { head, text } = cited(body)
        const { empty } = await judged("A.kt", text, head)
        assert.isNull(empty, `${text}: ${empty}`)
      }
    })
  })
}

describe("given properties and constructors in Kotlin", () => {
  const text = `class C(val a: Int) {
  val name: String get() = "login"
  val none: String?
    get() = null
  var value: Int = 3
    get() { return field }
    set(v) { }
  var closed: Int = 1
    private set
  val later by lazy { TODO() }
  val user: User = TODO("user")
  val idle: () -> Unit = {}
  val act: (Int) -> Unit = { x -> TODO() }
  val real = fun(x: Int): Int { return x }
  init { }
  init { println(a) }
  constructor() : this(1)
  constructor(b: String) : this(b.length) { }
  constructor(b: Long) { }
}
val String.shout: String get() = TODO()
`

  it("when it is judged, then accessors and function values are by themselves", async () => {
    const found = await verdicts("C.kt", text)
    assert.deepStrictEqual(
      Object.entries(found).flatMap(([name, empty]) => (empty === null ? [] : [name])),
      ["C.none.get", "C.value.set", "C.later", "C.user", "C.act", "C.constructor", "shout.get"]
    )
    assert.isNotNull((await judged("C.kt", text, 15)).empty)
    assert.isNull((await judged("C.kt", text, 16)).empty)
  })
})

describe("given what needs no body in Kotlin", () => {
  const text = `package shapes

interface Shape {
  fun area(): Double
  val name: String
  fun changed() {}
}
fun interface Done { fun done(a: Int) }
abstract class Base {
  abstract fun draw()
  external fun open(): Int
  open fun opened() = Unit
}
class Child : Base() {
  override fun draw() = Unit
}
data class Point(val x: Int, val y: Int)
object Nothing
object Empty {}
class Failure(message: String) : RuntimeException(message)
class Marked : Marker {}
class Holder(val x: Int) {}
class Bare
annotation class Login(val x: Int)
sealed class Answer {
  object Yes : Answer()
  class No : Answer()
}
sealed interface Event
enum class Colour { RED, GREEN }
typealias Path = List<String>
@Module class Wiring {}
class Owner {
  companion object
  fun noop() {}
}
object NoOpLogger : Logger {
  override fun log(text: String) {}
}
`

  it("when it is judged, then nothing is empty", async () => {
    const { declarations, faults } = await outlined("Shapes.kt", text)
    assert.deepStrictEqual(faults, [])
    assert.deepStrictEqual(
      declarations.flatMap(({ empty, kind, name }) => (kind === "function" && empty !== null ? [name] : [])),
      []
    )
    assert.isNull((await judged("Shapes.kt", text, [3, text.trimEnd().split("\n").length])).empty)
  })

  it("when a default method or a plain class is not done, then it is empty", async () => {
    const found = await verdicts("A.kt", `interface A { fun f() { TODO() } }\nclass B {}\nclass D() {\n  // TODO\n}\n`)
    assert.isNotNull(found["A.f"])
    assert.strictEqual(found["B"], "has no members")
    assert.isNotNull(found["D"])
  })
})

describe("given scripts and tests in Kotlin", () => {
  it("when what they call does nothing, then that is empty", async () => {
    const text = `plugins {\n}\ntasks.register("a") { doLast { println("a") } }\ntasks.register("b") {\n  // TODO\n}\n`
    assert.isNotNull((await judged("build.gradle.kts", text, 1)).empty)
    assert.isNull((await judged("build.gradle.kts", text, 3)).empty)
    assert.include((await judged("build.gradle.kts", text, [4, 6])).empty, "tasks.register.b")
  })
})

describe("given ranges in a Kotlin file", () => {
  const text = `package shop
import a.b.C
import a.b.D as E

class Cart(private val all: MutableList<Int>) {
  /** Adds. */
  @JvmStatic
  fun add(x: Int): Int {
    if (x < 0) TODO()
    all.add(x)
    return when (x) {
      0 -> TODO("zero")
      else -> x
    }
  }

  fun remove(x: Int) {
    // TODO
  }
}
`

  const cases: ReadonlyArray<readonly [number | readonly [number, number], string | null]> = [
    [[1, 4], "imports"],
    [6, "comments"],
    [7, null],
    [[6, 15], null],
    [10, null],
    [9, null],
    [15, "brackets"],
    [17, "Cart.remove (line 17) holds only comments"],
    [[8, 19], "Some functions there are empty: Cart.remove"],
    [5, "Cart.remove"]
  ]
  for (const [range, expected] of cases) {
    it(`when lines ${range} are cited, then ${expected ?? "they are an implementation"}`, async () => {
      const { empty } = await judged("Cart.kt", text, range)
      if (expected === null) assert.isNull(empty)
      else assert.include(empty, expected)
    })
  }

  it("when a function is to fail, then it does so first; an expression is put in place of one", async () => {
    const { neutralised } = await outlined("Cart.kt", text)
    assert.strictEqual(
      neutralised({ start: 7, end: 8 })?.split("\n")[8],
      '    if (true) throw RuntimeException("neutralised");'
    )
    const other = await outlined("B.kt", "fun f(a: Int) = a + 1\n")
    assert.strictEqual(
      other.neutralised({ start: 1, end: 1 }),
      'fun f(a: Int) = throw RuntimeException("neutralised")\n'
    )
  })
})
