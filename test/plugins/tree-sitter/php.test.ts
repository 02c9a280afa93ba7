import { assert, describe, it } from "@effect/vitest"
import { judged, outlined, verdicts } from "./support.ts"

/** Bodies that do nothing, in every way people leave them behind. */
const stubs = [
  "{}",
  "{ }",
  "{ ; }",
  "{\n// TODO: implement\n}",
  "{\n# TODO\n}",
  "{ /* later */ }",
  "{ /** Checks the password. */ }",
  "{ return; }",
  "{ return null; }",
  "{ return NULL; }",
  "{ return \\null; }",
  "{ return (null); }",
  "{ null; }",
  "{ $a; }",
  "{ throw new \\Exception('Not implemented'); }",
  '{ throw new \\RuntimeException("TODO: implement login"); }',
  "{ throw new \\BadMethodCallException('Not implemented yet'); }",
  "{ throw new LogicException(sprintf('%s is not implemented', __METHOD__)); }",
  "{ throw new LogicException(__METHOD__ . ' is not implemented'); }",
  '{ throw new LogicException("f($a) is not implemented", 500); }',
  "{ throw new NotImplementedException(); }",
  "{ throw new \\App\\Errors\\NotImplemented($a); }",
  "{ throw NotImplemented::create($a); }",
  "{ throw Oops::because('not implemented'); }",
  "{ throw new HttpException(501); }",
  "{ echo 'TODO'; }",
  '{ echo "not implemented: $a", "\\n"; }',
  '{ echo "f" . " is not implemented"; exit(1); }',
  '{ print "TODO"; return null; }',
  "{ print('not implemented'); }",
  "{ die('not implemented'); }",
  "{ exit('TODO'); }",
  "{ error_log('not implemented'); return null; }",
  "{ \\trigger_error('f is not implemented', E_USER_ERROR); }",
  "{ $this->logger->warning('not implemented'); }",
  "{ $this?->logger?->warning('not implemented'); }",
  "{ Log::warning('TODO: ' . $a); return; }",
  "{ $this->markTestIncomplete('later'); }",
  "{ abort(501); }",
  "{ assert(false); }",
  "{ assert(false, 'not implemented'); }",
  "{ return 'not implemented'; }",
  "{ return ['error' => 'not implemented']; }",
  "{ return response()->json(['message' => 'Not implemented']); }",
  "{ return response()->json([], 501); }",
  "{ return new Response('Not implemented', 200); }",
  "{ unset($a); throw new NotImplementedException(); }",
  "{ $_ = $a; }",
  "{ if ($a) { return; } elseif ($a > 1) { } else { throw new NotImplementedException(); } }",
  "{ if ($a): return; else: endif; }",
  "{ try { } catch (\\A|B $e) { return null; } finally { } }",
  "{ switch ($a) { case 1: break; default: return null; } }",
  "{ ?>\n<?php }",
  "{ return true; // TODO: implement\n}",
  "{ /* placeholder */ return []; }",
  "{\n// FIXME\nreturn array();\n}"
]

/** Bodies that do something, however little. */
const real = [
  "{ return $a; }",
  "{ return true; }",
  "{ return 0; }",
  "{ return ''; }",
  "{ return []; }",
  "{ return 'todo'; }",
  "{ return view('todo.index'); }",
  "{ return self::A; }",
  "{ return $a ?? null; }",
  "{ $this->a = $a; }",
  "{ $_ = connect($a); }",
  "{ g(); }",
  "{ exit; }",
  "{ yield; }",
  "{ unset($this->a[$a]); }",
  "{ // TODO: faster\nreturn $a + 1; }",
  "{ if ($a === null) { return null; } return $a->b(); }",
  "{ try { g(); } catch (\\Throwable) { } }",
  "{ throw new \\InvalidArgumentException('no such user'); }",
  "{ throw $a; }",
  "{ echo 'hello'; }",
  "{ echo '<p class=\"placeholder\">', $a, '</p>'; }",
  "{ ?> <p>hello</p> <?php }",
  "{ require 'a.php'; }",
  "{ usort($a, function () { return 0; }); }",
  "{ return function () { }; }",
  "{ return abort(404); }",
  "{ parent::f($a); }",
  "{ static $b = 0; return ++$b; }"
]

/** Where a body may stand. */
const places: Readonly<Record<string, (body: string) => string>> = {
  "a function": (body) => `<?php\nfunction f(?int $a = null): ?int\n${body}\n`,
  "a function in a namespace": (body) => `<?php\nnamespace A\\B {\nfunction f($a) ${body}\n}\n`,
  "a function that is defined in a condition": (body) =>
    `<?php\nif (!function_exists('g')) {\nfunction f($a) ${body}\n}\n`,
  "a function among markup": (body) => `<html>\n<?php\nfunction f($a) ${body}\n?>\n<p><?= f(1) ?></p>\n`,
  "a function with Windows line ends": (body) => `<?php\nfunction f($a)\n${body}\n`.replaceAll("\n", "\r\n"),
  "a method": (body) => `<?php\nfinal class C extends B\n{\nuse T;\n#[Pure]\npublic static function f($a) ${body}\n}\n`,
  "a method of a trait": (body) => `<?php\ntrait T {\nprotected function f($a) ${body}\n}\n`,
  "a method of an enumeration": (body) => `<?php\nenum E: string {\ncase A = 'a';\npublic function f($a) ${body}\n}\n`,
  "a method of a class without a name": (body) =>
    `<?php\n$o = new class ($x) extends B {\nfunction f($a) ${body}\n};\n`,
  "a closure": (body) => `<?php\n$f = static function ($a) use ($b) ${body};\n`,
  "a closure in an array": (body) => `<?php\nreturn [\n'f' => function ($a) ${body},\n];\n`,
  "a route": (body) => `<?php\nRoute::get('/f', function ($a) ${body})->name('x');\n`,
  "a handler": (body) => `<?php\n$app->post('/f', function ($a) ${body});\n`,
  "a test": (body) => `<?php\ndescribe('c', function () {\nit('f', function ($a) ${body});\n});\n`
}

const lineOf = (text: string): number => text.split("\n").findIndex((line) => /\bf\b/.test(line)) + 1

describe("given PHP", () => {
  for (const [place, put] of Object.entries(places)) {
    it(`when ${place} does nothing, then it is empty, by its signature`, async () => {
      const passed: Array<string> = []
      for (const body of stubs) {
        const text = put(body)
        const { declaration, empty } = await judged("a.php", text, lineOf(text))
        if (empty === null || !/\bf\b/.test(declaration?.name ?? "")) passed.push(text)
      }
      assert.deepStrictEqual(passed, [])
    })

    it(`when ${place} does something, then it is none`, async () => {
      const refused: Array<string> = []
      for (const body of real) {
        const text = put(body)
        const { empty } = await judged("a.php", text, lineOf(text))
        if (empty !== null) refused.push(`${text}: ${empty}`)
      }
      assert.deepStrictEqual(refused, [])
    })
  }

  it("when an arrow function has a name, then its expression is judged", async () => {
    for (const text of [
      "$f = fn($a) => null;",
      "$f = static fn() => throw new \\Exception('not implemented');",
      "$this->f = fn() => 'not implemented';",
      "Route::get('/', fn() => null);",
      "class A { public string $f { get => null; } }"
    ])
      assert.isNotNull((await judged("a.php", `<?php\n${text}\n`, 2)).empty, text)
    for (const text of [
      "$f = fn($a) => $a;",
      "$f = fn() => 0;",
      "$noop = fn() => null;",
      "Route::get('/', fn() => view('a'));",
      "class A { public string $f { get => $this->g; set(string $v) { $this->g = $v; } } }"
    ])
      assert.isNull((await judged("a.php", `<?php\n${text}\n`, 2)).empty, text)
  })

  it("when it needs no body, then nothing is empty", async () => {
    const text = `<?php
interface Shape extends Other { const A = 1; public function area(): float; }
interface Marker {}
abstract class Base {
    abstract protected function name(): string;
    private function __construct() {}
    private function __clone() { }
}
abstract class Tag {}
class StoreError extends \\RuntimeException {}
final class Timeout extends StoreError implements Marker {}
class Mark implements Marker {}
#[\\Attribute]
final class Column {}
enum Suit { case Hearts; case Spades; }
class Point {
    const ORIGIN = 0;
    public function __construct(public readonly int $x = 0, protected int $y = 0) {}
    public function __destruct() {}
    public function noop(): void {}
}
class Plain { const A = 1; public function __construct() {} }
class Fields { public int $x = 1; }
trait Named { abstract public function name(): string; }
`
    const found = await verdicts("a.php", text)
    assert.deepStrictEqual(
      Object.entries(found).filter(([, empty]) => empty !== null),
      []
    )
    assert.containsAllKeys(found, ["Shape.area", "Base.name", "Point.__construct", "Plain.__construct", "Suit"])
  })

  it("when a constructor is left undone, or ignores what it is given, then it is empty", async () => {
    for (const text of [
      "function __construct($a) {}",
      "function __construct() { /* TODO */ }",
      "function __construct(private int $a) { // TODO: check\n }",
      "function __construct() { throw new \\Exception('not implemented'); }"
    ])
      assert.isNotNull((await verdicts("a.php", `<?php\nclass A {\n${text}\n}\n`))["A.__construct"], text)
  })

  it("when a class or a trait has no members, then it is empty", async () => {
    const found = await verdicts("a.php", "<?php\nclass A {}\ntrait B { }\nclass C { use B; }\n")
    assert.isNotNull(found["A"])
    assert.isNotNull(found["B"])
    assert.isNull(found["C"])
  })

  it("when only what surrounds code is cited, then it says so", async () => {
    const text = `<?php
declare(strict_types=1);
namespace App;
use App\\{A, B};
require_once __DIR__ . '/a.php';
/** Doc. */
function f() {
    return g();
}
?>
<p>hello</p>
`
    assert.include((await judged("a.php", text, 1)).empty, "brackets")
    assert.include((await judged("a.php", text, [2, 5])).empty, "imports")
    assert.include((await judged("a.php", text, 6)).empty, "comments")
    assert.include((await judged("a.php", text, [9, 10])).empty, "brackets")
    assert.isNull((await judged("a.php", text, 8)).empty)
    assert.isNull((await judged("a.php", text, 11)).empty)
  })

  it("when an attribute is cited, then it stands for its method", async () => {
    const text =
      "<?php\nclass A {\n    #[Route('/f')]\n    public function f() {\n    }\n    public function g() { return 1; }\n}\n"
    assert.include((await judged("a.php", text, 3)).empty, "A.f")
    assert.include((await judged("a.php", text, 2)).empty, "A.f")
    assert.isNull((await judged("a.php", text, 6)).empty)
  })

  it("when it is of a new version, then the grammar finds no fault", async () => {
    const text = `<?php
readonly class A {
    public private(set) string $x;
    final const int B = 1;
    public function f(A&B $a, (A&B)|null $b, int ...$c): static|false { return match (true) { default => g(...) }; }
}
$a = $b?->c ?? throw new E; [$a, 'b' => $b] = $c; f(x: 1, ...$d); $s = <<<"X"
  a {$b['c']}
  X;
goto end; end: echo 1_000 <=> 0o17;
`
    assert.deepStrictEqual((await outlined("a.php", text)).faults, [])
  })

  it("when lines are made to fail, then the failing statement comes first in the function", async () => {
    const outline = await outlined(
      "a.php",
      "<?php\nfunction f() {\n    // Does it.\n    return g();\n}\n$h = fn() => g();\n"
    )
    assert.strictEqual(
      outline.neutralised({ start: 2, end: 2 }),
      "<?php\nfunction f() {\n    // Does it.\n    throw new \\RuntimeException('neutralised');\n    return g();\n}\n$h = fn() => g();\n"
    )
    assert.include(
      outline.neutralised({ start: 6, end: 6 }),
      "$h = fn() => throw new \\RuntimeException('neutralised');"
    )
  })
})
