import { describe, expect, it } from "vitest"
import { outlined } from "./support.ts"

/** `name row <- row` of what is hidden in a text, rows from 1. */
const hiddenIn = async (path: string, text: string): Promise<ReadonlyArray<string>> => {
  const { declarations } = await outlined(path, text)
  return declarations.flatMap(({ hidden, name, start }) =>
    hidden === null ? [] : [`${name} ${start.row + 1} <- ${hidden.row + 1}`]
  )
}

const area = "def area(x):\n    return x * 2\n"

/** What takes the place of what stands before it. */
const hides: ReadonlyArray<readonly [path: string, text: string, hidden: string]> = [
  ["a.py", `${area}def area(x):\n    return 0\n`, "area 1 <- 3"],
  ["a.py", `${area}area = other\n`, "area 1 <- 3"],
  ["a.py", `${area}area: Callable = other\n`, "area 1 <- 3"],
  ["a.py", `${area}from shapes import area\n`, "area 1 <- 3"],
  ["a.py", `${area}class area:\n    size = 3\n`, "area 1 <- 3"],
  ["a.py", `class A:\n    def m(self):\n        return self.z + 1\n    def m(self):\n        pass\n`, "m 2 <- 4"],
  [
    "a.py",
    `def test():\n    ${area.replace("\n    ", "\n        ")}    def area(x):\n        return 0\n`,
    "area 2 <- 4"
  ],
  ["a.py", `${area}def use():\n    return area(3)\ndef area(x):\n    return 0\n`, "area 1 <- 5"],
  ["a.js", "function area(x) { return x * 2 }\nfunction area(x) { return 0 }\n", "area 1 <- 2"],
  ["a.js", "function area(x) { return x * 2 }\nlog(area(2))\nfunction area(x) { return 0 }\n", "area 1 <- 3"],
  ["a.js", "function area(x) { return x * 2 }\narea = other\n", "area 1 <- 2"],
  ["a.js", "exports.area = (x) => { return x * 2 }\nexports.area = other\n", "exports.area 1 <- 2"],
  ["a.js", "function area(x) { return x * 2 }\nexports.area = other\n", "area 1 <- 2"],
  ["a.js", "function area(x) { return x * 2 }\nexports.area = area\nexports.area = other\n", "area 1 <- 3"],
  [
    "a.js",
    "function area(x) { return x * 2 }\nmodule.exports = { area }\nmodule.exports = { area: other }\n",
    "area 1 <- 3"
  ],
  ["a.js", "function area(x) { return x * 2 }\nmodule.exports = { area }\nmodule.exports = other\n", "area 1 <- 3"],
  ["a.js", "exports.area = function (x) { return x * 2 }\nmodule.exports = { other }\n", "exports.area 1 <- 2"],
  ["a.js", "class A {\n  m() { return this.z + 1 }\n  m() { return 0 }\n}\n", "m 2 <- 3"],
  ["a.js", "const o = {\n  m() { return go(1) },\n  m: other\n}\n", "m 2 <- 3"],
  ["a.mjs", "function area(x) { return x * 2 }\nexport { other as area }\n", "area 1 <- 2"],
  ["a.ts", "function area(x: number): number { return x * 2 }\nexport { other as area }\n", "area 1 <- 2"],
  ["a.ts", "class A {\n  m(): number { return this.z + 1 }\n  m(): number { return 0 }\n}\n", "m 2 <- 3"],
  ["a.rb", "class A\n  def area(x)\n    x * 2\n  end\n  def area(x)\n    0\n  end\nend\n", "area 2 <- 5"],
  ["a.rb", "class A\n  def area(x)\n    x * 2\n  end\nend\nclass A\n  def area(x)\n    0\n  end\nend\n", "area 2 <- 7"],
  [
    "a.js",
    "Box.prototype.area = function (x) { return x * 2 }\nBox.prototype.size = function (x) { return x }\nBox.prototype.area = other\n",
    "Box.prototype.area 1 <- 3"
  ],
  ["a.sh", "area() { echo $(($1 * 2)); }\narea() { echo 0; }\n", "area 1 <- 2"]
]

/** What keeps the earlier one, or is no other one. */
const keeps: ReadonlyArray<readonly [path: string, text: string]> = [
  ["a.py", `if fast:\n    ${area.replace("\n", "\n    ")}else:\n    ${area.replace("\n", "\n    ")}`],
  ["a.py", `try:\n    ${area.replace("\n", "\n    ")}except E:\n    ${area.replace("\n", "\n    ")}`],
  ["a.py", `${area}if slow:\n    ${area.replace("\n", "\n    ")}`],
  ["a.py", `@overload\ndef area(x: int) -> int: ...\n${area}`],
  [
    "a.py",
    "class A:\n    @property\n    def x(self):\n        return self._x + 1\n    @x.setter\n    def x(self, v):\n        self._x = v\n"
  ],
  [
    "a.py",
    "@singledispatch\ndef show(x):\n    return str(x)\n@show.register\ndef _(x: int):\n    return x + 1\n@show.register\ndef _(x: str):\n    return x + x\n"
  ],
  [
    "a.py",
    `@app.route("/")\ndef index():\n    return render(1)\n@app.route("/b")\ndef index():\n    return render(2)\n`
  ],
  ["a.py", `${area}area = cache(area)\n`],
  ["a.py", `${area}_area = area\ndef area(x):\n    return _area(x) + 1\n`],
  ["a.py", `${area}print(area(2))\ndef area(x):\n    return 0\n`],
  ["a.py", `${area}area.size = 3\n__all__ = ["area"]\n`],
  ["a.py", `def f():\n    area = 3\n    return area\n${area}`],
  ["a.py", `class A:\n    ${area.replace("\n", "\n    ")}class B:\n    ${area.replace("\n", "\n    ")}`],
  [
    "a.js",
    "class A {\n  get v() { return this.w + 1 }\n  set v(x) { this.w = x }\n  m() { return this.q + 1 }\n  static m() { return 2 + go() }\n}\n"
  ],
  ["a.js", "function area(x) { return x * 2 }\narea = memo(area)\n"],
  ["a.js", "function area(x) { return x * 2 }\nconst fast = memo(area)\nmodule.exports = { area: fast }\n"],
  ["a.js", "function area(x) { return x * 2 }\nexports.area = area\nexports.volume = other\n"],
  ["a.js", "function area(x) { return x * 2 }\nmodule.exports = { area }\nmodule.exports.other = other\n"],
  ["a.mjs", "function area(x) { return x * 2 }\nconst fast = memo(area)\nexport { fast as area }\n"],
  ["a.mjs", "function area(x) { return x * 2 }\nexport { area as size, other }\n"],
  ["a.ts", "function f(a: string): string\nfunction f(a: number): number\nfunction f(a: any): any { return a + 1 }\n"],
  ["a.ts", "class A {\n  m(a: string): void\n  m(a: any) { this.x = a }\n}\n"],
  ["A.java", "class A {\n  int m(int a) { return a + 1; }\n  int m(String a) { return a.length(); }\n}\n"],
  ["a.cpp", "int m(int a) { return a + 1; }\nint m(double a) { return a * 2; }\n"],
  ["a.kt", "fun m(a: Int) = a + 1\nfun m(a: String) = a.length\n"],
  ["a.go", "package a\n\nfunc (a A) M() int { return a.z + 1 }\nfunc (b B) M() int { return b.z + 2 }\n"],
  [
    "a.rb",
    "class A\n  def area(x)\n    x * 2\n  end\n  alias_method :old, :area\n  def area(x)\n    old(x) + 1\n  end\nend\n"
  ],
  ["a.rb", "class A\n  def area(x)\n    x * 2\n  end\n  def self.area(x)\n    x * 3\n  end\nend\n"],
  ["a.py", `${"\n".repeat(40)}${area}print(area(2))\ndef area(x):\n    return 0\n`],
  ["a.js", 'exports.area = function (x) { return x * 2 }\nrouter.get("/", exports.area)\nmodule.exports = router\n'],
  [
    "a.js",
    "server.handler = function (x) { return x * 2 }\nawait run(server)\nserver.handler = function (x) { return x * 3 }\n"
  ],
  ["a.js", 'emitter.on("area", area)\nfunction area(x) { return x * 2 }\narea = other\n'],
  ["a.sh", "area() { echo $(($1 * 2)); }\narea 3\narea() { echo 0; }\n"]
]

/** So much is in some files that people write or generate. */
const many = 1_500

const wide = (text: (i: number) => string): string => Array.from({ length: many }, (_, i) => text(i)).join("")

describe("given a declaration and what stands behind it, when the text is read", () => {
  it.each(hides)("then what takes its place is named: %s %j", async (path, text, hidden) => {
    expect(await hiddenIn(path, text)).toEqual([hidden])
  })

  it.each(keeps)("then what keeps it is no reason: %s %j", async (path, text) => {
    expect(await hiddenIn(path, text)).toEqual([])
  })

  it("then a file with very many of them is read all the same", async () => {
    const functions = wide((i) => `function f${i}(x) {\n  return x + ${i}\n}\n`)
    expect(await hiddenIn("a.js", functions + wide((i) => `exports.f${i} = f${i}\n`))).toEqual([])
    expect(await hiddenIn("a.mjs", `${functions}export {\n${wide((i) => `  f${i} as g${i},\n`)}}\n`)).toEqual([])
    expect(
      await hiddenIn(
        "a.py",
        wide(() => `def f(x):\n    return x + 1\nprint(f(1))\n`)
      )
    ).toEqual([])
    expect(
      await hiddenIn(
        "a.py",
        wide(() => `def f(x):\n    return x + 1\n`)
      )
    ).toHaveLength(many - 1)
  })
})
