import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import { maxLength, parse, print } from "../../../packages/plugins/src/policies/evidence/reference.ts"

const valid: ReadonlyArray<readonly [text: string, path: string, start: number, end: number]> = [
  ["auth.py:42", "auth.py", 42, 42],
  ["auth.py:42-58", "auth.py", 42, 58],
  ["src/services/auth.py:42", "src/services/auth.py", 42, 42],
  ["src/services/auth.py:42-58", "src/services/auth.py", 42, 58],
  ["src/auth.py:42-58", "src/auth.py", 42, 58],
  ["Dockerfile:3", "Dockerfile", 3, 3],
  ["Makefile:10", "Makefile", 10, 10],
  ["app/[id]/page.tsx:4", "app/[id]/page.tsx", 4, 4],
  ["app/(auth)/x.ts:1", "app/(auth)/x.ts", 1, 1],
  ["src/routes/+page.svelte:3", "src/routes/+page.svelte", 3, 3],
  ["packages/@scope/x.ts:1", "packages/@scope/x.ts", 1, 1],
  ["app/routes/$id.tsx:7", "app/routes/$id.tsx", 7, 7],
  [".env.example:2", ".env.example", 2, 2],
  [".gitignore:2", ".gitignore", 2, 2],
  ["認証/ログイン.py:5", "認証/ログイン.py", 5, 5],
  ["docs/übersicht.md:1-2", "docs/übersicht.md", 1, 2],
  ['"my dir/a b.ts":3-4', "my dir/a b.ts", 3, 4],
  ['"auth.py":42', "auth.py", 42, 42],
  ["./src/auth.py:42", "src/auth.py", 42, 42],
  ["src/./auth.py:42", "src/auth.py", 42, 42],
  ["a..b/..c/d...py:1", "a..b/..c/d...py", 1, 1],
  ["auth.py:9007199254740991", "auth.py", Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]
]

const invalid: ReadonlyArray<string> = [
  "auth.py line 42",
  "line 42 in auth.py",
  "auth.py at line 42",
  "around auth.py:42",
  "auth.py の 42行目",
  "auth.py:42〜58",
  "42-58 in auth.py",
  "",
  " ",
  "auth.py",
  "auth.py:",
  ":42",
  "auth.py:42-",
  "auth.py:-42",
  "auth.py:42-58-60",
  "auth.py:42,58",
  "auth.py:42:5",
  "auth.py:42–58",
  "auth.py#L42",
  "auth.py:L42",
  "auth.py:42 ",
  " auth.py:42",
  "auth.py: 42",
  "auth.py :42",
  "auth.py:42 - 58",
  "auth.py:42\n",
  "auth.py:42\r\n",
  "auth.py\n:42",
  "auth.py:42\nother.py:3",
  "auth.py:42, other.py:3",
  "auth.py:0",
  "auth.py:0-5",
  "auth.py:58-42",
  "auth.py:042",
  "auth.py:42-058",
  "auth.py:４２",
  "auth.py:٤٢",
  "auth.py：42",
  "auth.py:+42",
  "auth.py:4e1",
  "auth.py:42.5",
  "auth.py:9007199254740992",
  "auth.py:99999999999999999999",
  "/etc/hosts.txt:1",
  "//etc/hosts.txt:1",
  "../../etc/passwd.txt:1",
  "..:1",
  "src/../../x.py:1",
  "src/..:1",
  "C:/x.py:1",
  '"C:/x.py":1',
  "src\\auth.py:42",
  '"src\\auth.py":42',
  "src//auth.py:42",
  "src/:42",
  "./:42",
  ".:42",
  '"":42',
  '" ":42',
  '"a/ /b":42',
  '"/etc/hosts":1',
  '"../x y":1',
  '"a"b":1',
  '"a:1',
  "my dir/a b.ts:3",
  "`auth.py:42`",
  "<file_path>:42",
  "http://example.com/a.py:1",
  "au\u0000th.py:42",
  '"au\u0000th.py":42',
  '"au\nth.py":42',
  "au\u200bth.py:42",
  '"au\u202eth.py":42',
  `${"a".repeat(maxLength)}.py:1`
]

describe("evidence as text", () => {
  it.each(valid)("reads %j", (text, path, start, end) => {
    assert.deepStrictEqual(parse(text), Result.succeed({ path, start, end }))
  })

  it.each(invalid.map((text) => [text]))("refuses %j", (text) => {
    const parsed = parse(text)
    assert.isTrue(Result.isFailure(parsed))
    // in words, for whoever has to repair it
    assert.match(Result.isFailure(parsed) ? parsed.failure : "", /^\p{Lu}.*\.$/u)
  })

  it("says what is wrong", () => {
    assert.deepStrictEqual(parse("/a.py:1"), Result.fail("The path must be relative to the project root."))
    assert.deepStrictEqual(parse("a.py:58-42"), Result.fail("The range ends (42) before it starts (58)."))
  })
})

const segment = Arbitrary.map(
  Arbitrary.array(Arbitrary.schema(Schema.Literals([..."abzÄ漢9._-+@()[] :~$#"])), { minLength: 1, maxLength: 8 }),
  (chars) => chars.join("")
)
const path = Arbitrary.array(segment, { minLength: 1, maxLength: 4 }).pipe(
  Arbitrary.filter((segments) => segments.every((name) => name.trim() !== "" && name !== "." && name !== "..")),
  Arbitrary.map((segments) => segments.join("/")),
  Arbitrary.filter((text) => !/^[A-Za-z]:/.test(text))
)
const line = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })))

describe("properties", () => {
  it.effect.prop("what is printed is read back as the same", [path, line, line], ([path, a, b]) =>
    Effect.sync(() => {
      const reference = { path, start: Math.min(a, b), end: Math.max(a, b) }
      assert.deepStrictEqual(parse(print(reference)), Result.succeed(reference))
    })
  )

  it.effect.prop("whatever is read lies inside the project and has a first line", [Schema.String], ([text]) =>
    Effect.sync(() => {
      const parsed = parse(`${text}:3`)
      if (Result.isFailure(parsed)) return
      const { end, path, start } = parsed.success
      assert.isTrue(start >= 1 && end >= start)
      assert.isFalse(path.startsWith("/") || path.split("/").includes("..") || path.includes("\\"))
      assert.deepStrictEqual(parse(print(parsed.success)), parsed)
    })
  )
})
