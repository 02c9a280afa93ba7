import { assert, describe, it } from "@effect/vitest"
import { judged, outlined, verdicts } from "./support.ts"

/** Bodies that do nothing, in every way people leave them behind. */
const stubs = [
  "{}",
  "{\n\t// TODO: implement\n}",
  "{\n\t/* later */\n\treturn\n}",
  "{ return nil }",
  "{ return nil, nil }",
  '{ panic("TODO") }',
  '{ panic("not implemented") }',
  '{ panic("implement me") }',
  '{ panic(errors.New("not implemented")) }',
  '{ panic(fmt.Sprintf("TODO: %s", a)) }',
  "{ panic(ErrNotImplemented) }",
  '{ return errors.New("not implemented") }',
  '{ return nil, errors.New("not implemented") }',
  '{ return 0, fmt.Errorf("TODO: login %s", a) }',
  '{ return nil, status.Errorf(codes.Unimplemented, "method Get not implemented") }',
  "{ return nil, ErrNotImplemented }",
  "{ return &NotImplementedError{} }",
  '{ var out Result; return out, errors.New("not implemented") }',
  "{ _ = a }",
  "{ _, _ = a, b; return }",
  '{ _ = a; panic("TODO") }',
  '{ fmt.Println("TODO") }',
  '{ log.Printf("not implemented"); return nil }',
  '{ http.Error(w, "not implemented", http.StatusNotImplemented) }',
  "{ w.WriteHeader(http.StatusNotImplemented) }",
  "{ if a == nil { return nil } else { return nil } }",
  '{ return "not implemented", nil }',
  "{\n\t// TODO: count them\n\treturn 0, nil\n}",
  "{\n\treturn false // FIXME\n}",
  "{\n\t// placeholder\n\treturn Result{}, nil\n}"
]

/** Bodies that do something, however little. */
const real = [
  "{ return a }",
  "{ return 0 }",
  '{ return "" }',
  "{ return false, nil }",
  "{ return Result{} }",
  "{ return len(a), nil }",
  "{ b(a) }",
  "{ s.count++ }",
  "{\n\t// TODO: faster\n\treturn sum(a)\n}",
  "{ if a == nil { return nil }; return a.b }",
  "{ for range a { } }",
  '{ return errors.New("no such user") }',
  '{ panic("unreachable") }',
  '{ return "todo" }',
  "{ defer mu.Unlock(); mu.Lock() }",
  "{ on(a, func() {}) }",
  "{ _ = b(a) }",
  '{ fmt.Println("hello") }'
]

/** Where a body may stand. */
const places: Readonly<Record<string, (body: string) => string>> = {
  "a function": (body) => `func f(a int) (int, error) ${body}\n`,
  "a generic function": (body) => `func f[T any](a T) error ${body}\n`,
  "a method": (body) => `func (s *Server) f(a int) error ${body}\n`,
  "a method of a generic type": (body) => `func (s List[T]) f(a T) error ${body}\n`,
  "a function in a variable": (body) => `var f = func(a int) error ${body}\n`,
  "one of several variables": (body) => `var (\n\tf = func(a int) error ${body}\n)\n`,
  "a command": (body) => `var cmd = &cobra.Command{\n\tUse: "x",\n\tRunf: func(a int) ${body},\n}\n`
}

describe("given a Go file", () => {
  for (const [place, put] of Object.entries(places)) {
    const lines = (body: string) => {
      const text = `package main\n\nimport "errors"\n\n${put(body)}`
      return { text, head: text.split("\n").findIndex((line) => /(?:\b|Run)f\b/.test(line)) + 1 }
    }

    it(`when ${place} does nothing, then it is empty, by its signature and as a whole`, async () => {
      for (const body of stubs) {
        const { head, text } = lines(body)
        assert.isNotNull((await judged("a.go", text, head)).empty, text)
        assert.isNotNull((await judged("a.go", text, [5, text.trimEnd().split("\n").length])).empty, text)
      }
    })

    it(`when ${place} does something, then it is none`, async () => {
      for (const body of real) {
        const { head, text } = lines(body)
        const { empty } = await judged("a.go", text, head)
        assert.isNull(empty, `${text}: ${empty}`)
      }
    })
  }

  it("when it declares what needs no body, then nothing is empty", async () => {
    const text = `package shapes

type Shape interface {
	Area() float64
}
type (
	Empty struct{}
	Point struct{ X, Y int }
	ID    = int
)

func add(a, b int) int

func noop() {}

func (*Circle) isShape()      {}
func (n *Ident) exprNode()    {}
func (noopLogger) Log(string) {}

var table = []struct{ clean func() }{
	{clean: func() {}},
}
`
    const found = await verdicts("shapes.go", text)
    assert.deepStrictEqual(
      Object.entries(found).filter(([, empty]) => empty !== null),
      []
    )
    assert.containsAllKeys(found, ["Shape", "Shape.Area", "Empty", "Point", "ID", "add", "noop", "Circle.isShape"])
    assert.isNull((await judged("shapes.go", text, [20, 22])).empty)
  })

  it("when methods have receivers, then they are named by them", async () => {
    const text = `package a

func (s *Server) Handle() { s.x() }
func (l List[T]) Len() int { return l.n }
`
    assert.deepStrictEqual(Object.keys(await verdicts("a.go", text)), ["Server.Handle", "List.Len"])
  })

  it("when a test has only parts that are skipped, then it is empty; then again when one does something", async () => {
    const text = (body: string) => `package a

func TestCart(t *testing.T) {
	t.Parallel()
	t.Run("adds", func(t *testing.T) { t.Skip("TODO") })
	t.Run("removes", func(t *testing.T) {
		${body}
	})
}
`
    assert.isNotNull((await judged("a_test.go", text("// TODO"), 3)).empty)
    assert.isNull((await judged("a_test.go", text("check(t)"), 3)).empty)
    assert.include((await judged("a_test.go", text("check(t)"), 5)).empty, "adds")
    assert.isNull((await judged("a_test.go", text("check(t)"), [6, 8])).empty)
  })

  it("when a handler in real code is empty, then the function around it is not", async () => {
    const text = `package a

func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {})
	http.ListenAndServe(":80", nil)
}
`
    assert.isNull((await judged("main.go", text, [3, 6])).empty)
    assert.isNull((await judged("main.go", text, 4)).empty)
  })

  it("when lines hold only the package, imports or comments, then they show nothing", async () => {
    const text = `package a\n\nimport (\n\t"fmt"\n)\n\n// f prints.\nfunc f() { fmt.Println(1) }\n`
    assert.include((await judged("a.go", text, [1, 5])).empty, "imports")
    assert.include((await judged("a.go", text, 7)).empty, "comments")
    assert.isNull((await judged("a.go", text, 8)).empty)
  })

  it("when a line of real code only panics that it is not implemented, then that line shows nothing", async () => {
    const text = `package a\n\nfunc f(a int) int {\n\tif a > 0 {\n\t\tpanic("not implemented")\n\t}\n\treturn a\n}\n`
    assert.isNotNull((await judged("a.go", text, 5)).empty)
    assert.isNull((await judged("a.go", text, 3)).empty)
  })

  it("when lines are neutralised, then a panic stands before them and the rest stays", async () => {
    const text = "package a\n\nfunc f() int {\n\tx := 1\n\treturn x\n}\n"
    const { neutralised } = await outlined("a.go", text)
    assert.strictEqual(neutralised({ start: 3, end: 6 }), text.replace("\tx := 1", '\tpanic("neutralised");\n\tx := 1'))
    assert.strictEqual(
      neutralised({ start: 5, end: 5 }),
      text.replace("\treturn x", '\tpanic("neutralised");\n\treturn x')
    )
  })
})
