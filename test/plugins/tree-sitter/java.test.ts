import { assert, describe, it } from "@effect/vitest"
import { judged, outlined, verdicts } from "./support.ts"

/** Bodies that do nothing, in every way people leave them behind. */
const stubs = [
  "{}",
  "{ ; }",
  "{\n  // TODO Auto-generated method stub\n}",
  "{ /* later */ return; }",
  "{ return null; }",
  "{ return (null); }",
  "{ return (String) null; }",
  "{ return Optional.empty(); }",
  "{ return java.util.Optional.<String>empty(); }",
  "{ return CompletableFuture.completedFuture(null); }",
  "{ throw new UnsupportedOperationException(); }",
  '{ throw new UnsupportedOperationException("Not implemented yet"); }',
  "{ throw new NotImplementedException(); }",
  '{ throw new org.apache.commons.lang3.NotImplementedException("find"); }',
  '{ throw new RuntimeException("not implemented"); }',
  '{ throw new IllegalStateException("TODO: find " + a); }',
  "{ throw new ResponseStatusException(HttpStatus.NOT_IMPLEMENTED); }",
  "{ throw notImplemented(); }",
  '{ assert false : "not implemented"; return null; }',
  '{ System.out.println("TODO"); }',
  '{ System.err.println("not implemented"); return null; }',
  '{ log.warn("find is not implemented yet"); return null; }',
  '{ Log.d(TAG, "TODO"); return null; }',
  '{ Toast.makeText(this, "Not implemented", 1).show(); }',
  '{ return Mono.error(new UnsupportedOperationException("Not implemented")); }',
  "{ return CompletableFuture.failedFuture(new NotImplementedException()); }",
  "{ return ResponseEntity.status(HttpStatus.NOT_IMPLEMENTED).build(); }",
  '{ return "Not implemented"; }',
  "{ if (a == null) { return null; } else { return null; } }",
  "{ try { } catch (Exception e) { e.printStackTrace(); } return null; }",
  "{ synchronized (this) { } }",
  "{ // TODO\n  return 0;\n}",
  "{ return new ArrayList<>(); // FIXME\n}",
  "{ /* placeholder */ return List.of(); }"
]

/** Bodies that do something, however little. */
const real = [
  "{ return a; }",
  "{ return (a); }",
  "{ return (a instanceof String); }",
  "{ return 0; }",
  "{ return false; }",
  '{ return ""; }',
  '{ return "todo"; }',
  "{ return List.of(); }",
  "{ return new ArrayList<>(); }",
  "{ return Optional.of(a); }",
  "{ g(a); }",
  "{ this.a = a; }",
  "{ count++; }",
  "{ // TODO: faster\n  return a + 1; }",
  "{ if (a == null) return null; return a.b(); }",
  "{ if (check(a)) { } }",
  "{ for (String x : a) { } }",
  '{ throw new UnsupportedOperationException("read-only"); }',
  '{ throw new IllegalArgumentException("no such user"); }',
  "{ on(() -> {}); }",
  "{ try { g(); } catch (Exception e) { } }",
  "{ synchronized (this) { return a; } }",
  '{ System.out.println("hello"); }',
  "{ Runnable r = () -> {}; return r; }",
  "{ super.f(a); }"
]

/** Where a body may stand. */
const places: Readonly<Record<string, (body: string) => string>> = {
  "a method": (body) => `class C {\n  public Object f(String a) ${body}\n}\n`,
  "an annotated generic method": (body) =>
    `class C {\n  @Override\n  public <T> T f(T a) throws IOException ${body}\n}\n`,
  "a static method of an enum": (body) => `enum E {\n  A, B;\n  static Object f(String a) ${body}\n}\n`,
  "a method of a record": (body) => `record R(String a) {\n  Object f(int a) ${body}\n}\n`,
  "a method of an anonymous class": (body) =>
    `class C {\n  Finder finder = new Finder() {\n    public Object f(String a) ${body}\n  };\n}\n`
}

for (const [place, put] of Object.entries(places)) {
  describe(`given ${place} in Java`, () => {
    const cited = (body: string) => {
      const text = `package a;\n\n${put(body)}`
      const head = text.split("\n").findIndex((line) => /\bf\(/.test(line)) + 1
      return { text, head, end: head + body.split("\n").length - 1 }
    }

    it("when it does nothing, then it is empty, by its signature and as a whole", async () => {
      for (const body of stubs) {
        const { end, head, text } = cited(body)
        assert.isNotNull((await judged("A.java", text, head)).empty, text)
        assert.isNotNull((await judged("A.java", text, [head, end])).empty, text)
      }
    })

    it("when it does something, then it is none", async () => {
      for (const body of real) {
        const { head, text } = cited(body)
        const { empty } = await judged("A.java", text, head)
        assert.isNull(empty, `${text}: ${empty}`)
      }
    })
  })
}

describe("given what needs no body in Java", () => {
  const text = `package shapes;

import java.util.List;

public interface Shape {
  double area();
  default void changed() {}
  default boolean remove() { throw new UnsupportedOperationException(); }
}
abstract class Base {
  abstract void draw();
  protected native int open();
  protected Base() {}
}
class Failure extends RuntimeException {}
class Marked implements Marker {}
@Configuration class Config {}
abstract class Node {}
enum Colour { RED, GREEN }
record Point(int x, int y) {
  Point {}
}
@interface Login { String value() default ""; }
final class Texts {
  private Texts() { throw new UnsupportedOperationException(); }
  private static final Runnable IDLE = () -> {};
  static void noop() {}
}
class NoOpListener {
  public void opened() {}
}
class Aspect {
  @Pointcut("execution(* *(..))")
  public void everything() {}
}
class Child extends Base {
  Child(int a) { super(a); }
  Child() { super(); }
}
`

  it("when it is judged, then nothing is empty", async () => {
    const { declarations } = await outlined("Shape.java", text)
    assert.deepStrictEqual(
      declarations.flatMap(({ empty, kind, name }) => (kind === "function" && empty !== null ? [name] : [])),
      []
    )
    assert.isNull((await judged("Shape.java", text, [5, text.trimEnd().split("\n").length])).empty)
  })

  it("when a default method or a constructor says that it is not done, then it is empty", async () => {
    const unfinished = `interface A {
  default void f() { throw new UnsupportedOperationException("Not implemented"); }
}
class B {
  B() {
    // TODO
  }
}
class C {
  C(int a) {}
}
`
    assert.deepStrictEqual(await verdicts("A.java", unfinished), {
      A: null,
      "A.f": "only says that it is not implemented",
      B: "has no members",
      "B.B": "holds only comments",
      C: "has no members",
      "C.C": "has an empty body"
    })
  })
})

describe("given ranges in a Java file", () => {
  const text = `package a;

import java.util.List;

class Cart {
  /** Adds. */
  @Override
  int add(int x) {
    if (x > 0) {
      return x;
    }
    throw new IllegalStateException("not implemented: " + x);
  }

  void remove(int x) {
    // TODO
  }
}
`

  const cases: ReadonlyArray<readonly [number | readonly [number, number], string | null]> = [
    [1, "imports"],
    [[3, 4], "imports"],
    [6, "comments"],
    [7, null],
    [[6, 8], null],
    [10, null],
    [12, "statements that do nothing"],
    [13, "brackets"],
    [[15, 17], "Cart.remove (line 15) holds only comments"],
    [[8, 17], "Some functions there are empty: Cart.remove (line 15)"],
    [5, "Cart.remove"]
  ]
  for (const [range, expected] of cases) {
    it(`when lines ${range} are cited, then ${expected ?? "they are an implementation"}`, async () => {
      const { empty } = await judged("Cart.java", text, range)
      if (expected === null) assert.isNull(empty)
      else assert.include(empty, expected)
    })
  }

  it("when a method is to fail, then it does so before its first statement", async () => {
    const { neutralised } = await outlined("Cart.java", text)
    const lines = neutralised({ start: 7, end: 8 })?.split("\n")
    assert.strictEqual(lines?.[8], '    if (true) throw new RuntimeException("neutralised");')
    assert.strictEqual(lines?.[9], "    if (x > 0) {")
  })
})
