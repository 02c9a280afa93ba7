import { assert, describe, it } from "@effect/vitest"
import { judged, outlined, verdicts } from "./support.ts"

/** Bodies that do nothing, in every way people leave them behind. */
const stubs = [
  "{ }",
  "{ ; }",
  "{\n  // TODO\n}",
  "{ /* later */ return; }",
  "{ return null; }",
  "{ return null!; }",
  "{ return default; }",
  "{ return default(string); }",
  "{ return (null, default); }",
  "{ return Task.CompletedTask; }",
  "{ return Task.FromResult<string>(null); }",
  "{ await Task.CompletedTask; }",
  "{ yield break; }",
  "{ throw new NotImplementedException(); }",
  '{ throw new System.NotImplementedException("read-only"); }',
  '{ throw new NotSupportedException("Not implemented"); }',
  '{ throw new Exception($"TODO: find {a}"); }',
  '{ throw new("not implemented"); }',
  "{ throw null; }",
  '{ Console.WriteLine("TODO"); }',
  '{ Console.Error.WriteLine("not implemented"); return null; }',
  '{ _logger.LogWarning("Find is not implemented yet"); return null; }',
  '{ Debug.Fail("TODO"); }',
  '{ Debug.Assert(false, "not implemented"); return null; }',
  "{ _ = a; }",
  "{ _ = (a, b); throw new NotImplementedException(); }",
  "{ return Task.FromException<string>(new NotImplementedException()); }",
  "{ return StatusCode(501); }",
  '{ return "Not implemented"; }',
  "{ if (a == null) return null; else { return null; } }",
  "{ try { } catch (Exception e) when (e.X) { } finally { } return null; }",
  "{ lock (gate) { } }",
  "{\n#if DEBUG\n  return null;\n#else\n  return null;\n#endif\n}",
  "{ // TODO\n  return 0;\n}",
  "{ return string.Empty; // FIXME\n}",
  "{ /* placeholder */ return new List<string>(); }",
  "=> throw new NotImplementedException();",
  "=> null;",
  "=> default;",
  "=> Task.CompletedTask;",
  '=> throw new InvalidOperationException("TODO");',
  '=> Console.WriteLine("not implemented");'
]

/** Bodies that do something, however little. */
const real = [
  "{ return a; }",
  "{ return (a); }",
  "{ return 0; }",
  "{ return false; }",
  '{ return ""; }',
  '{ return "todo"; }',
  "{ return new List<string>(); }",
  "{ return Task.FromResult(a); }",
  "{ G(a); }",
  "{ this.a = a; }",
  "{ // TODO: faster\n  return a + 1; }",
  "{ if (a == null) return null; return a.B(); }",
  "{ foreach (var x in a) { } }",
  '{ throw new NotSupportedException("read-only"); }',
  "{ throw new NotSupportedException(); }",
  '{ throw new ArgumentException("no such user"); }',
  "{ On(() => { }); }",
  "{ try { G(); } catch { } }",
  "{ lock (this) { return a; } }",
  "{ lock (this) { G(); } }",
  '{ Console.WriteLine("hello"); }',
  "{ _ = G(a); }",
  "{ await a; }",
  "{ yield return a; }",
  "=> a;",
  "=> 0;",
  '=> "login";',
  "=> G(a);",
  "=> _a = a;",
  "=> a ?? throw new ArgumentNullException();"
]

/** Where a body may stand. */
const places: Readonly<Record<string, (body: string) => string>> = {
  "a method": (body) => `class C\n{\n  public object F(string a) ${body}\n}\n`,
  "an annotated generic method": (body) =>
    `class C : B\n{\n  [HttpGet("x")]\n  public override async Task<T> F<T>(T a) where T : class ${body}\n}\n`,
  "an explicit implementation": (body) => `class C : I\n{\n  object I.F(string a) ${body}\n}\n`,
  "a local function": (body) =>
    `class C\n{\n  int G()\n  {\n    object F(string a) ${body}\n    return F("").X;\n  }\n}\n`,
  "a function among top-level statements": (body) => `F("");\n\nobject F(string a) ${body}\n`,
  "a method of a struct in a namespace": (body) =>
    `namespace N\n{\n  struct S\n  {\n    object F(string a) ${body}\n  }\n}\n`
}

for (const [place, put] of Object.entries(places)) {
  describe(`given ${place} in C#`, () => {
    const cited = (body: string) => {
      const text = `using System;\n\n${put(body)}`
      const head = text.split("\n").findIndex((line) => /\bF(?:<T>)?\(\w+ a\)/.test(line)) + 1
      return { text, head, end: head + body.split("\n").length - 1 }
    }

    it("when it does nothing, then it is empty, by its signature and as a whole", async () => {
      for (const body of stubs) {
        const { end, head, text } = cited(body)
        assert.isNotNull((await judged("A.cs", text, head)).empty, text)
        assert.isNotNull((await judged("A.cs", text, [head, end])).empty, text)
      }
    })

    it("when it does something, then it is none", async () => {
      for (const body of real) {
        const { head, text } = cited(body)
        const { empty } = await judged("A.cs", text, head)
        assert.isNull(empty, `${text}: ${empty}`)
      }
    })
  })
}

describe("given properties and other members in C#", () => {
  const text = `class C
{
  public int Auto { get; set; } = 3;
  public int Real { get { return x; } set { x = value; } }
  public int Half { get => x; set => throw new NotImplementedException(); }
  public string None => null;
  public string Name => "login";
  public int this[int i] { get { return a[i]; } set { } }
  public int this[string s] => throw new NotImplementedException();
  public event EventHandler Changed { add { } remove { } }
  public event EventHandler Plain;
  public static C operator +(C a, C b) { throw new NotImplementedException(); }
  public static implicit operator int(C c) => c.x;
  Action idle = () => { };
  Func<int> later = () => throw new NotImplementedException();
  ~C() { }
}
`

  it("when it is judged, then every accessor is by itself", async () => {
    const found = await verdicts("C.cs", text)
    assert.deepStrictEqual(
      Object.entries(found).flatMap(([name, empty]) => (empty === null ? [] : [name])),
      ["C.Half.set", "C.None", "C.this", "C.this.set", "C.Changed.add", "C.Changed.remove", "C.+", "C.later"]
    )
  })

  it("when a property is cited, then its accessors are meant", async () => {
    assert.isNull((await judged("C.cs", text, 3)).empty)
    assert.isNull((await judged("C.cs", text, 4)).empty)
    assert.include((await judged("C.cs", text, 5)).empty, "C.Half.set")
    assert.include((await judged("C.cs", text, 10)).empty, "All functions there are empty")
  })
})

describe("given what needs no body in C#", () => {
  const text = `namespace Shapes;

public interface IShape
{
  double Area();
  string Name { get; }
  void Changed() { }
}
abstract class Base
{
  protected abstract void Draw();
  public extern static int Open();
  protected Base() { }
}
class Failure : Exception
{
  public Failure(string m) : base(m) { }
}
class Marked : IMarker { }
[CollectionDefinition("db")]
public class Fixture { }
partial class Part
{
  partial void OnChanged();
}
partial class Other { }
class Service(Db db) { }
record Point(int X, int Y);
record struct Pair(int X) { }
struct Unit { }
enum Colour { Red, Green }
delegate void Done(int a);
sealed class Registry
{
  private Registry() { }
  static Registry() { }
  ~Registry() { }
  void NoOp() { }
}
class NoOpListener
{
  public void Opened() { }
}
`

  it("when it is judged, then nothing is empty", async () => {
    const { declarations } = await outlined("Shapes.cs", text)
    assert.deepStrictEqual(
      declarations.flatMap(({ empty, kind, name }) => (kind === "function" && empty !== null ? [name] : [])),
      []
    )
    assert.isNull((await judged("Shapes.cs", text, [3, text.trimEnd().split("\n").length])).empty)
  })

  it("when a constructor or a default method says that it is not done, then it is empty", async () => {
    const unfinished = `interface I { void F() { throw new NotImplementedException(); } }
class B { B() { /* TODO */ } }
class C { C(int a) { } }
class D {}
`
    const found = await verdicts("A.cs", unfinished)
    assert.isNotNull(found["I.F"])
    assert.isNotNull(found["B.B"])
    assert.isNotNull(found["C.C"])
    assert.strictEqual(found["D"], "has no members")
  })
})

describe("given top-level routes in C#", () => {
  it("when a handler is empty, then the route is", async () => {
    const text = `app.MapGet("/users", () => { });
app.MapPost("/users", (User u) => Save(u));
app.MapPut("/users", () => throw new NotImplementedException());
`
    assert.include((await judged("Program.cs", text, 1)).empty, "/users")
    assert.isNull((await judged("Program.cs", text, 2)).empty)
    assert.isNotNull((await judged("Program.cs", text, 3)).empty)
  })
})

describe("given what the grammar does not know of C#", () => {
  it("when branches of the compiler and pointers stand in it, then it is read without faults", async () => {
    const text = `class C
{
  unsafe int F(int* p, double x)
  {
#if NET
    if (x > 1) return *p;
#else
    if (x > 2) return *(p + 1);
#endif
    else { *p = 3; }
    int i = *(int*)&x;
    return i;
  }
}
`
    assert.deepStrictEqual((await outlined("A.cs", text)).faults, [])
    assert.isNull((await judged("A.cs", text, 3)).empty)
  })
})

describe("given ranges in a C# file", () => {
  const text = `using System;
using System.Linq;
namespace Shop;

#region Cart
class Cart
{
  /// <summary>Adds.</summary>
  [Obsolete]
  public int Add(int x)
  {
    if (x < 0)
      throw new NotImplementedException();
    return x;
  }

  public void Remove(int x)
  {
    // TODO
  }
}
#endregion
`

  const cases: ReadonlyArray<readonly [number | readonly [number, number], string | null]> = [
    [[1, 2], "imports"],
    [3, "imports"],
    [5, "imports"],
    [8, "comments"],
    [9, null],
    [[8, 15], null],
    [13, "statements that do nothing"],
    [14, null],
    [15, "brackets"],
    [17, "Cart.Remove (line 17) holds only comments"],
    [19, "comments"],
    [[10, 20], "Some functions there are empty: Cart.Remove"],
    [6, "Cart.Remove"]
  ]
  for (const [range, expected] of cases) {
    it(`when lines ${range} are cited, then ${expected ?? "they are an implementation"}`, async () => {
      const { empty } = await judged("Cart.cs", text, range)
      if (expected === null) assert.isNull(empty)
      else assert.include(empty, expected)
    })
  }

  it("when a method is to fail, then it does so first; an expression is put in place of one", async () => {
    const { neutralised } = await outlined("Cart.cs", text)
    assert.strictEqual(
      neutralised({ start: 9, end: 10 })?.split("\n")[11],
      '    if (true) throw new System.Exception("neutralised");'
    )
    const other = await outlined("B.cs", "class B { int F(int a) => a; int P { get => 1; set { x = value; } } }")
    assert.strictEqual(
      other.neutralised({ start: 1, end: 1 }),
      'class B { int F(int a) => throw new System.Exception("neutralised"); int P { get => throw new System.Exception("neutralised"); set { if (true) throw new System.Exception("neutralised"); x = value; } } }'
    )
  })
})
