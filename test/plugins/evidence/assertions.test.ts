import { assert, describe, it } from "@effect/vitest"
import { literalsOf } from "../../../packages/plugins/src/policies/evidence/code/locals.ts"
import {
  asserts,
  blanked,
  isConstant,
  withoutTautologies
} from "../../../packages/plugins/src/policies/evidence/tests/assertions.ts"

describe("given an expression", () => {
  const constant = [
    ["1", " -1.5e3 ", "0xff", "true", "nil", "''", '"a b"', "[ ]", "{ }", ":a", "(1)", "((  true ) )", "Is.True"],
    ["not  true", "!1", "! ! true", "not not 1", "!  0", "x or True", "x ||true", "f(x) or  1", "true or x", "1  || x"],
    [
      "True ||x",
      "1 + 1 == 2",
      "1.5 < 2.25",
      "12 * 345",
      "true && false",
      "1 == 1",
      "[1, 2]",
      "(1) + (2)",
      "1 -eq 1 ]]"
    ],
    [
      "r.length >= 0",
      "len(f(x)) >= 0",
      "parse(a).size() > -1",
      "x || !x",
      "not x or x",
      "r or not r",
      "isinstance(r, object)"
    ],
    ["r.length === 1 || r.length !== 1", "f(x) < 2 or f(x) >= 2"],
    ["'abc' == 'ab'", '"abc" != "ab"', "1 < 2]", "1 < 2  ]]", "0 <= 1.", "not 1 in [2]", "1 ? 2 : 3"]
  ].flat()
  const other = [
    [
      "r.length > 0",
      "len(x) >= 1",
      "x || y",
      "not x or y",
      "x === 1 || x === 2",
      "x < 2 or x > 2",
      "isinstance(r, dict)"
    ],
    ["", "  ", "x", "f()", "(x)", "(1) + x", "x + (1)", "notable", "!= 1 x", `\`a\${b}\``, '"a{b}"', "x or True && y"],
    [
      "for 1",
      "x || 1a",
      "a1 or x",
      "x1 || y",
      "1 = x",
      "'a' == b",
      "x == 1 ]",
      "true_ish",
      "'a\\n' == x",
      "1 x",
      "()x"
    ],
    [`${"1".repeat(999)} x`, `1${" + 1".repeat(251)}`, "vector", "x || True)", "a.1", "trueor x", "x || orTrue"]
  ].flat()

  it("when it is the same whatever the program does, then it is known", () => {
    assert.deepStrictEqual([...constant, ...other].filter(isConstant), constant)
  })
})

/** What is left of code when the assertions that hold whatever it does are taken out. */
const leftOf = (language: string, text: string, isOfEquality = false): string => {
  const code = text.replaceAll(
    /(["'])([^"'\n]*)\1/g,
    (_, quote: string, said: string) => quote + "\u0001".repeat(said.length) + quote
  )
  return withoutTautologies(code, text, language, isOfEquality, literalsOf(code, text, language))
    .replaceAll(/[ \t]+/g, " ")
    .trim()
}

describe("given an assertion", () => {
  const tautologies: ReadonlyArray<readonly [language: string, ...assertions: ReadonlyArray<string>]> = [
    [
      "javascript",
      "assert(true)",
      "assert(1, 'a')",
      "t.is(1, 1)",
      "assert.equal(x, x)",
      "expect(1).toBe(1)",
      "t.pass()"
    ],
    [
      "javascript",
      "expect(x).toBe(x)",
      "expect(x).not.toEqual(x)",
      "expect( x )",
      "expect(x).toBe",
      "expect(x).resolves.not"
    ],
    [
      "javascript",
      "expect(r.length >= 0).toBe(true)",
      "expect(parse(a).length).toBeGreaterThanOrEqual(0)",
      "expect(r.length).toBeGreaterThan(-1)"
    ],
    ["python", "assert len(r) >= 0", "assert r or not r", "self.assertGreaterEqual(len(r), 0)"],
    ["javascript", "assert.deepEqual([], [])", "assert.ok(x == x)", "ok(a.b === a.b)", "assert(f(1) || true)"],
    [
      "javascript",
      "assert.equal('a', 'a')",
      "expect(x).to.equal(x)",
      "expect(true)\n .toBe(true)",
      "assert.equal($a.b, $a.b)"
    ],
    [
      "javascript",
      "expect('a').toBe('a')",
      "expect(x) . to . be(x)",
      "assert([])",
      "strictEqual({}, {})",
      "equal(1, 1, 'a')"
    ],
    ["go", "assert.Equal(t, 1, 1)", "assert.True(t, true)", "assert.True(b, true)", "assert.True(tb, true)"],
    ["php", "$this->assertEquals($a->b, $a->b)", "static::assertTrue(true)", "self::assertSame($a::$b, $a::$b)"],
    [
      "python",
      "assert True",
      "assert x == x",
      "assert x is x;",
      "assert (f(x), 'no')",
      "assert f() or True",
      "assert 1, 'a'"
    ],
    ["python", "self.assertTrue(True)", "self.assertEqual(x, x)", "assert x == x, 'a'", "assert   1", "assert not 0"],
    [
      "ruby",
      "expect(1).to be_truthy",
      "expect(x).to eq(x)",
      "expect(true).to  be true",
      "expect(1).to eq 1",
      "refute false"
    ],
    [
      "ruby",
      "assert_equal 1, 1",
      "assert_equal x, x, 'no'",
      "assert nil",
      "assert 'a, b', x",
      "expect(true).to eql( true)  ",
      "expect(12).to equal 12"
    ],
    ["bash", "[[ 1 -eq 1 ]]", "[ 1 == 1 ]"],
    ["kotlin", "1 shouldBe 1", "  ab   shouldBe   ab  ", "a should  be a", "12 mustEqual  34"],
    ["scala", "true mustBe true", "ab shouldEqual ab"],
    ["cpp", "EXPECT_EQ(1, 1)", "EXPECT_TRUE(true)", "SUCCEED()"],
    ["rust", "assert!(true)", "assert_eq!(a, a)", "assert_ne!(1, 1)"]
  ]
  const others: ReadonlyArray<readonly [language: string, ...assertions: ReadonlyArray<string>]> = [
    [
      "javascript",
      "assert(x)",
      "assert.equal(x, 1)",
      "assert.equal(f(), f())",
      "expect(x).toBe(1)",
      "expect(1).toBe(x)"
    ],
    ["javascript", "ok()", "assert.ok(x == y)", "expect(f()).toBe(f())", "expect(x).toBe()", "expect(x).toContain(x)"],
    [
      "javascript",
      "expect(x, y).toBe(x)",
      "expect(x.y()).toBe(1)",
      "a shouldBe a",
      "expect(x).toBe(y)",
      "assert.equal(x)"
    ],
    [
      "javascript",
      "expect(x).not.toBe(f(x))",
      "expect(f(x).toBe",
      `assert(\`\${a}\`)`,
      "assert.deepEqual([x], [y, z])"
    ],
    [
      "javascript",
      "assert.equal(a[0], a[1])",
      "assert.equal(f(a, 1), f(b, 1))",
      "assert(x, 1)",
      "assert(1, x)",
      "expect(a.b-c)==1"
    ],
    ["javascript", "assert.equal({ a: x }, { a: y })", "assert.equal(a-b, a-b)", "(true", "expect(true", "myexpect(x)"],
    [
      "python",
      "assert x",
      "assert (x)",
      "assert f(x, y)",
      "assert x == y",
      "assert f() == f()",
      "assert (x) == (1, 2)"
    ],
    [
      "python",
      "assert x.y() is x.y()",
      "assert 'a, b' in x",
      "self.assertEqual(x, y)",
      "assert x == x.y",
      "assert (x, y)[0]"
    ],
    ["ruby", "expect(x).to be_truthy", "expect(x).to eq(y)", "expect(1).to eq(x)", "assert_equal 1, x"],
    ["ruby", "assert_equal x, y, x", "assert (x, y)", "expect(x).to eq y"],
    ["bash", "[[ $a -eq 1 ]]", "[ -f a ]"],
    [
      "kotlin",
      "a shouldBe b",
      "1 shouldBe a",
      "f(a) shouldBe f(a)",
      "a.b shouldBe a.c",
      "a shouldBe a + 1",
      "a shouldBelike a"
    ],
    ["java", "a shouldBe a"],
    ["rust", "assert!(x)", "assert_eq!(a, b)", "assert_eq!(a(), a())"]
  ]

  it.each(tautologies.flatMap(([language, ...all]) => all.map((one) => [language, one] as const)))(
    "when it holds whatever is done, in %s: %s, then nothing of it is left",
    (language, text) => {
      assert.strictEqual(leftOf(language, text).replaceAll(/[\s;]/g, ""), "")
      assert.strictEqual(leftOf(language, `${text}\nsave(x)`).replaceAll(/[\s;]/g, ""), "save(x)")
    }
  )

  it.each(others.flatMap(([language, ...all]) => all.map((one) => [language, one] as const)))(
    "when it may fail, in %s: %s, then it is left",
    (language, text) => {
      assert.isAbove(leftOf(language, text).replaceAll(/[\s;]/g, "").length, text.replaceAll(/[\s;]/g, "").length - 1)
    }
  )

  it("when it is equality that is tested, then what equals itself is left, but for what is fixed", () => {
    for (const text of ["assert.equal(x, x)", "expect(x).toBe(x)", "assert(x == x)"])
      assert.strictEqual(leftOf("javascript", text, true), text)
    assert.strictEqual(leftOf("javascript", "assert.equal(1, 1)", true), "")
  })

  it("when several stand in a row, then only those that hold are taken out, and nothing moves", () => {
    const text = "assert(true); save(a)\nassert(a)\n"
    assert.strictEqual(
      withoutTautologies(text, text, "javascript", false, new Map()),
      `${" ".repeat(12)}; save(a)\nassert(a)\n`
    )
    assert.strictEqual(blanked("ab\ncd", [[1, 4]]), "a \n d")
  })
})

describe("given a piece of a test", () => {
  const none: ReadonlySet<string> = new Set()
  const helpers = new Set(["proves"])
  const able: ReadonlyArray<readonly [language: string, ...pieces: ReadonlyArray<string>]> = [
    ["javascript", "expect(a)", "t.deepEqual(a, b)", "check(a)", "this.compareAll(a)", "throw a", "verifiesUser()"],
    ["go", "t.Fatal(a)", "run(t)", "run(a, t)", "run(tt, a)", "helper( tb )", "x(t.Name)", "x( t.a)"],
    ["java", "holds(a)", "  equalTo <A, B> (a)", "if (a) isThere (b)"],
    ["csharp", "Holds(a)", "Holds<A>(b)"]
  ]
  const unable: ReadonlyArray<readonly [language: string, ...pieces: ReadonlyArray<string>]> = [
    ["javascript", "save(a)", "run(t)", "holds(a)", "unexpected", "a.check(b)"],
    ["go", "run(a)", "run(tx)", "x(at.Name)", "Holds(a)"],
    [
      "java",
      "a.holds(b)",
      "new Thing(a)",
      "new  thing(a)",
      "if (a)",
      "this(a)",
      "super(a)",
      "Thing(a)",
      "@thing(a)",
      "thisOne(a)"
    ],
    ["csharp", "holds(a)", "new Holds(a)", "a.Holds(b)", "nameof(a)"],
    ["bash", "check (a)"]
  ]

  it.each(able.flatMap(([language, ...all]) => all.map((one) => [language, one] as const)))(
    "when it can make it fail, in %s: %s, then it is known",
    (language, code) => {
      assert.isTrue(asserts(code, { language, helpers: none }))
    }
  )

  it.each(unable.flatMap(([language, ...all]) => all.map((one) => [language, one] as const)))(
    "when it cannot, in %s: %s, then it is known",
    (language, code) => {
      assert.isFalse(asserts(code, { language, helpers: none }))
    }
  )

  it("when it calls a function that asserts, then it can, and when it only names one, then not", () => {
    const calls = [
      "proves(a)",
      "proves  !  (a)",
      "a.proves?{ b }",
      "proves<A>()",
      'proves "a"',
      "proves  a",
      "proves : a",
      "a |> proves",
      "proves\nb",
      "proves.pipe(a)"
    ]
    const names = ["proves.a", "proves + a", "proves, a", "improves(a)", "proves)", "proves.piped"]
    assert.deepStrictEqual(
      [...calls, ...names].filter((code) => asserts(code, { language: "swift", helpers })),
      calls
    )
    assert.isFalse(asserts("proves(a)", { language: "swift", helpers: none }))
  })
})
