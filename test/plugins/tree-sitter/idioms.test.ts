import { assert, describe, it } from "@effect/vitest"
import { judged, outlined } from "./support.ts"

/** What is left behind in many ways, in whatever language. Each is a file with one function, cited by its first line. */
const stubs: ReadonlyArray<readonly [what: string, path: string, text: string]> = [
  ["a remark behind the head", "a.py", "def f(a):\n    # TODO: compute\n    return 0\n"],
  ["a remark behind the head", "a.rb", "def f(a)\n  # TODO\n  {}\nend\n"],
  ["something done before it is not", "a.py", "def f(a):\n    log(a)\n    raise NotImplementedError\n"],
  ["a message in a variable", "a.py", 'def f(a):\n    m = "not implemented yet"\n    raise NotImplementedError(m)\n'],
  ["something done before it is not", "a.ts", 'function f(a) { console.log(a); throw new Error("Not implemented") }\n'],
  ["something done before it is not", "a.go", 'package a\nfunc f() { log.Print(1); panic("not implemented") }\n'],
  ["something done before it is not", "a.rs", 'fn f(a: u8) { println!("{a}"); todo!() }\n'],
  ["a failure by other means", "a.py", 'def f(a):\n    assert False, "not ready"\n'],
  ["a failure by other means", "a.rs", "fn f(a: u8) -> u8 {\n    std::process::exit(1)\n}\n"],
  ["an import before nothing", "a.py", "def ready(self):\n    import os\n    pass\n"],
  ["an object of members to be written", "a.ts", "const logger: Logger = { info() {}, warn: () => {} }\n"],
  ["an object of members to be written", "a.ts", "const noopLogger: Logger = { info() { /* TODO */ } }\n"],
  ["an answer 501", "a.ts", 'function f(q, res) { res.status(501).json({ error: "Not implemented" }) }\n'],
  ["an answer 501", "a.go", "package a\nfunc f(w http.ResponseWriter) {\n\tw.WriteHeader(501)\n}\n"],
  ["an answer 501", "A.cs", "class A { R F() => StatusCode(501); }\n"],
  ["an answer 501", "A.java", 'class A { R f() { return ResponseEntity.status(501).body("Not implemented"); } }\n'],
  ["an answer 501", "a.rs", "fn f() -> R { StatusCode::NOT_IMPLEMENTED }\n"],
  ["an error passed on", "a.js", 'function f(cb) { cb(new Error("not implemented")) }\n'],
  ["a rejection", "a.js", 'const f = () => Promise.reject("Not implemented")\n'],
  ["a remark and a cast", "a.ts", "function f(): U { // TODO: implement\n  return {} as U\n}\n"],
  ["a stand-in", "a.ts", "function f(): boolean {\n  // for now\n  return true\n}\n"],
  ["a test of nothing", "a.py", "def f():\n    assert True\n"],
  ["a test of nothing", "A.java", "class A { @Test void f() { assertTrue(true); } }\n"],
  ["a test of nothing", "a.go", "package a\nfunc f(t *testing.T) {\n\tassert.True(t, true)\n}\n"],
  ["an empty element", "a.tsx", "function f() { return <></> }\n"],
  ["an element that is announced", "a.tsx", "const f = () => <p>Coming soon...</p>\n"],
  ["a class that is announced", "a.py", "class F(Base):\n    # TODO: implement\n    pass\n"]
]

/** What reads like it and is not. */
const real: ReadonlyArray<readonly [what: string, path: string, text: string]> = [
  ["a last resort", "a.py", "def f(a):\n    if a:\n        return 1\n    raise NotImplementedError(a)\n"],
  ["an import for what it does", "a.py", "def ready(self):\n    import shop.signals\n"],
  ["a null object", "a.ts", "const noopLogger: Logger = { info() {}, warn: () => {} }\n"],
  ["a null object", "a.js", "const nullStore = {\n  get: () => null,\n  set: function () {}\n}\n"],
  ["a program for to-do lists", "a.py", 'def f():\n    print("TODO App")\n'],
  [
    "a program for to-do lists",
    "a.py",
    'def f(t):\n    if not t:\n        raise ValueError("TODO title must not be empty")\n'
  ],
  ["a program for to-do lists", "a.ts", "function f(id) { throw new TodoNotFoundError(id) }\n"],
  ["a program for to-do lists", "a.ts", "function f(t) { store.todo(t) }\n"],
  [
    "a program for to-do lists",
    "a.go",
    'package a\nfunc f(id int) error {\n\treturn fmt.Errorf("todo %d not found", id)\n}\n'
  ],
  ["a word of another meaning", "a.ts", 'function f(n) { throw new Error("Unknown placeholder " + n) }\n'],
  ["a word in a text", "a.rb", 'def f(a)\n  puts "<i class=not_implemented>#{a}</i>"\nend\n'],
  ["a callback that is used up", "a.ts", "const f = store.subscribe(() => {})\n"],
  ["a callback that is used up", "a.ts", 'const f = vi.spyOn(a, "b").mockImplementation(() => {})\n'],
  ["values made by a callback", "a.ts", "const f = Array.from({ length: 9 }, () => null)\n"],
  ["an element with something in it", "a.tsx", 'function f() { return <div className="x" /> }\n'],
  ["what is passed on", "a.ts", 'export * from "./f"\n']
]

const head = (path: string): number => (path.endsWith(".go") ? 2 : 1)

describe("given what agents leave behind", () => {
  it.each(stubs)("when it is %s (%s), then it is empty", async (_, path, text) => {
    assert.isNotNull((await judged(path, text, head(path))).empty)
  })
})

describe("given what merely reads like it", () => {
  it.each(real)("when it is %s (%s), then it is none", async (_, path, text) => {
    assert.isNull((await judged(path, text, head(path))).empty)
  })
})

describe("given lines to be neutralised, in any language", () => {
  it("when they are in a later function of one statement, then that one fails and no other", async () => {
    const text = "const columns = [\n  { cell: (row) => row.a },\n  { cell: (row) => row.b }\n]\n"
    const made = (await outlined("a.js", text)).neutralised({ start: 3, end: 3 }) ?? ""
    assert.include(made, "row.a")
    assert.notInclude(made, "row.b")
  })

  it("when the failing statement would break the program, then there is none", async () => {
    const text = "class A {\n  let b = { (url: URL, _: Int) in\n    return url }\n}\n"
    const made = (await outlined("a.swift", text)).neutralised({ start: 2, end: 2 })
    assert.isTrue(made === null || (await outlined("a.swift", made)).faults.length === 0)
  })
})
