/** Code as agents leave it when they only pretend, by file name. The first line begins the thing that is cited. */
export const stubs: Readonly<Record<string, ReadonlyArray<string>>> = {
  "a.py": [
    "pass",
    "...",
    "# TODO",
    "# TODO: implement",
    "def f():\n    pass",
    "def f(): pass",
    "def f(): ...",
    "def f(): pass  # TODO",
    "def f():\n    pass  # TODO: implement login",
    "def f(a, b):\n    # TODO\n    pass",
    'def f():\n    """Does a thing."""\n    pass',
    'def f():\n    """Does a thing."""',
    'def f():\n    """Does\n    a thing {\n    """\n    ...\n',
    "def f():\n    '''Doc.'''\n    return None",
    "def f() -> int:\n    raise NotImplementedError",
    'def f():\n    raise NotImplementedError("later")',
    'def f():\n    raise Exception("Not implemented yet")',
    "def f():\n    return",
    "def f(x):\n    return None  # FIXME",
    "async def f():\n    pass",
    "@app.route('/x')\ndef f():\n    pass",
    "@decorator(\n    a=1,\n)\n@other\ndef f():\n    ...",
    "def f(\n    a: int,\n    b: dict[str, int] = {},\n) -> None:\n    pass",
    "class A:\n    pass",
    "class A:\n    def f(self):\n        pass\n\n    def g(self):\n        raise NotImplementedError()",
    "class A(Base):\n    def __init__(self):\n        pass\n\n    def run(self):\n        ...",
    'def f():\n    print("not implemented")',
    'def f():\n    logger.warning("TODO: implement")\n    return None',
    "def f(x):\n    if x:\n        pass\n    else:\n        pass",
    "def f():\n    try:\n        pass\n    except Exception:\n        pass",
    "def f():\n    # TODO: implement validation\n    return True",
    "def f():\n    return NotImplemented",
    "f = lambda: None",
    "import os\nimport sys",
    "from a import (\n    b,\n    c,\n)",
    "def f(self):\n\tpass",
    "@decorator",
    "def f():"
  ],
  "a.ts": [
    "// TODO",
    "/* later */",
    "/**\n * Logs in.\n */",
    "function f() {}",
    "function f() {\n}",
    "function f(): void {\n  // TODO: implement\n}",
    "export async function login(user: string): Promise<void> {\n  throw new Error('not implemented')\n}",
    'export function f() {\n  throw new Error("Not implemented");\n}',
    "export function f() {\n  throw new Error('TODO')\n}",
    "function f() { return null }",
    "function f() {\n  return undefined;\n}",
    "function f() { return; }",
    "const f = () => {}",
    "const f = () => null",
    "const f = () => undefined;",
    "export const f = async (a: string): Promise<void> => {\n  // TODO\n}",
    "const f = function () {}",
    "export const f = <T,>(x: T): T | null => {\n  return null\n}",
    "function f<T extends { a: string } = { a: string }>(x: T): { b: string } {\n  throw new Error('unimplemented')\n}",
    "class A {}",
    "class A {\n  login() {}\n  logout() { throw new Error('not implemented') }\n}",
    "export class A {\n  private readonly db: Db;\n  constructor(db: Db) {}\n  find(id: string) {\n    return null\n  }\n}",
    "@Injectable()\nexport class A {\n  f() {\n    // TODO\n  }\n}",
    "  async find(id: string): Promise<User> {\n    throw new Error('Method not implemented.');\n  }",
    "  @Get(':id')\n  find(@Param('id') id: string) {\n    return undefined\n  }",
    "  get name(): string {\n    throw new NotImplementedError()\n  }",
    "import { a } from './a'\nimport type { B } from './b'",
    "import {\n  a,\n  b\n} from './a'",
    "import './side-effect'",
    "const x = require('x')",
    "}",
    "})",
    "{",
    "function f() {\n  console.log('not implemented')\n  return null\n}",
    "function f() {\n  return Promise.reject(new Error('not implemented'))\n}",
    "function f(a) {\n  if (!a) return null\n  throw new Error('not implemented')\n}",
    "function f(a) {\n  switch (a) {\n    case 1:\n      return null\n    default:\n      throw new Error('not implemented')\n  }\n}",
    "function f() {\n  // TODO: implement real check\n  return true\n}",
    "it('logs in', () => {})",
    "app.get('/login', async (req, res) => {\n  // TODO\n})",
    "export default function () {\n}",
    "'use strict'",
    "function f()\n{\n}",
    "class A {\n  login = async () => {\n    throw new Error('login not implemented')\n  }\n}",
    "exports.f = async (req, res) => {\n  // TODO: implement\n};",
    "router.post('/x', function (req, res) {\n  res.status(501).json({ error: 'Not implemented' });\n});",
    "it.todo('logs in')"
  ],
  "a.jsx": [
    "export default function Page() {\n  return null\n}",
    "const Page = () => null;",
    "const Page = () => {\n  {/* TODO */}\n}"
  ],
  "a.go": [
    "func f() {}",
    "func F(a int) error {\n\treturn nil\n}",
    'func F() {\n\tpanic("TODO")\n}',
    'func F() {\n\tpanic("not implemented")\n}',
    'func (s *Server) Login(ctx context.Context, r *Req) (*Res, error) {\n\treturn nil, errors.New("not implemented")\n}',
    "func (s *Server) Login(ctx context.Context) (*Res, error) {\n\t// TODO: implement\n\treturn nil, nil\n}",
    'func F() error {\n\treturn fmt.Errorf("not implemented: %s", "x")\n}',
    'func (s *S) M(context.Context) (*R, error) {\n\treturn nil, status.Errorf(codes.Unimplemented, "method M not implemented")\n}',
    "func F(x interface{}) map[string]interface{} {\n\treturn nil\n}",
    'package main\n\nimport "fmt"',
    'import (\n\t"fmt"\n\t"os"\n)',
    "// Login logs in."
  ],
  "a.rs": [
    "fn f() {}",
    "pub fn f() -> u32 {\n    todo!()\n}",
    'pub async fn f(&self) -> Result<(), Error> {\n    unimplemented!("later")\n}',
    'fn f() {\n    panic!("not implemented");\n}',
    "fn f() -> Option<u32> {\n    None\n}",
    "fn f() -> Option<u32> { return None; }",
    "#[test]\nfn works() {\n    // TODO\n}",
    "impl Foo {\n    pub fn a(&self) -> &'static str {\n        todo!()\n    }\n\n    fn b<'a>(x: &'a str) -> &'a str { unimplemented!() }\n}",
    'fn f() -> Result<(), String> {\n    Err("not implemented".into())\n}',
    "fn f() {\n    // {\n    /* } */\n}",
    "use std::io;\nuse std::{fs, path::Path};",
    "#[derive(Debug)]"
  ],
  "A.java": [
    "void f() {}",
    "public void login(String user) {\n}",
    "@Override\npublic void login(String user) {\n    // TODO Auto-generated method stub\n}",
    "@Override\npublic String name() {\n    // TODO Auto-generated method stub\n    return null;\n}",
    "public User find(long id) {\n    throw new UnsupportedOperationException();\n}",
    'public User find(long id) {\n    throw new UnsupportedOperationException("Not supported yet.");\n}',
    'public List<Map<String, Integer>> find(long id) throws IOException, FooException {\n    throw new RuntimeException("not implemented");\n}',
    "public class A {\n}",
    "public class A {\n    private final Db db;\n\n    public A(Db db) {\n    }\n\n    public User find(long id) {\n        return null;\n    }\n}",
    "package a.b;\n\nimport java.util.List;\nimport static a.B.*;",
    '@GetMapping("/x")\npublic ResponseEntity<?> get() {\n    return null;\n}',
    "/**\n * Javadoc.\n */"
  ],
  "a.c": [
    "void f(void) {}",
    "int f(int x)\n{\n    /* TODO */\n}",
    "static void\nf(int x)\n{\n    (void)x;\n}",
    '#include <stdio.h>\n#include "a.h"',
    "#ifndef A_H\n#define A_H",
    'int f(void) { assert(0 && "not implemented"); }',
    "char *f(void)\n{\n    return NULL;\n}"
  ],
  "a.cpp": [
    "void Foo::bar() {}",
    'int Foo::bar(const std::string& x) const noexcept {\n    throw std::logic_error("Not implemented");\n}',
    "std::unique_ptr<Foo> make() {\n    return nullptr;\n}",
    "template <typename T>\nvoid f(T x) {\n    // TODO\n}",
    "class Foo {\npublic:\n    void bar() {}\nprivate:\n    int x_;\n};",
    "auto f = [](int x) {};",
    "using namespace std;"
  ],
  "A.cs": [
    "public void F() { }",
    "public void F()\n{\n    throw new NotImplementedException();\n}",
    "public int F() => throw new NotImplementedException();",
    'public async Task<User> FindAsync(int id)\n{\n    throw new System.NotImplementedException("later");\n}',
    '[HttpGet("{id}")]\npublic IActionResult Get(int id)\n{\n    // TODO\n    return null;\n}',
    "public string Name\n{\n    get { throw new NotImplementedException(); }\n}",
    "public class A\n{\n    public void F()\n    {\n    }\n}",
    "public string F() => default;",
    "using System;\nusing System.Collections.Generic;"
  ],
  "a.rb": [
    "def f\nend",
    "def f; end",
    "def f\n  # TODO\nend",
    "def f(a, b)\n  nil\nend",
    "def f\n  raise NotImplementedError\nend",
    'def f\n  raise NotImplementedError, "#{self.class} must implement"\nend',
    'def f\n  raise "not implemented"\nend',
    "def self.f(x)\n  return nil if x\n  raise NotImplementedError\nend",
    "class A\n  def f\n  end\n\n  def g; end\nend",
    "require 'json'\nrequire_relative 'a'",
    "end",
    "def f\nnil\nend"
  ],
  "a.php": [
    "<?php",
    "function f() {}",
    "public function login(string $user): void\n{\n    // TODO\n}",
    "public function f() {\n    throw new \\Exception('Not implemented');\n}",
    "public function f() { return null; }",
    "#[Route('/x')]\npublic function f(): Response\n{\n    throw new \\BadMethodCallException('not implemented');\n}",
    "use App\\Models\\{User, Post};\nuse Foo;",
    "class A\n{\n    private $x;\n    public function __construct($x) {}\n    public function f() { # TODO\n    }\n}"
  ],
  "a.kt": [
    "fun f() {}",
    "fun f() { TODO() }",
    'fun f(): Int = TODO("later")',
    "fun f(): Int {\n    TODO()\n}",
    "fun f(): String? = null",
    "override suspend fun load(id: Long): User {\n    throw NotImplementedError()\n}",
    "fun f() = Unit",
    "class A {\n    fun f() {\n    }\n}",
    "import a.b.*\nimport c.D",
    '@GetMapping("/x")\nfun f() {\n}'
  ],
  "a.swift": [
    "func f() {}",
    'func f() {\n    fatalError("not implemented")\n}',
    "func f() -> Int {\n    fatalError()\n}",
    "func f() -> String? { return nil }",
    "func f() -> String? { nil }",
    "override func viewDidLoad() {\n    // TODO\n}",
    "class A {\n    func f() {}\n}",
    "import UIKit",
    "@objc\nfunc tap(_ sender: Any?) {\n}"
  ],
  "a.scala": [
    "def f: Int = ???",
    "def f(x: Int): Int = {\n  ???\n}",
    "def f(): Unit = {}",
    "def f(x: Int): Option[Int] = None",
    "override def f(x: Int): Int =\n  ???",
    "class A {\n  def f(): Int = ???\n}",
    "import a.b._"
  ],
  "a.sh": [
    "f() { :; }",
    "f() {\n  :\n}",
    "f() {\n  # TODO\n  return\n}",
    "function f {\n  true\n}",
    'login() {\n  echo "not implemented" >&2\n  exit 1\n}',
    "f() {\necho 'TODO'\n}",
    "#!/bin/bash\n# TODO",
    "source ./lib.sh",
    "fi"
  ],
  "a.lua": [
    "function f() end",
    "local function f(x)\n  -- TODO\nend",
    "function M.f()\n  return nil\nend",
    'function f()\n  error("not implemented")\nend'
  ],
  "a.jl": ["function f(x)\n    # TODO\nend"],
  "a.r": ["f <- function(x) {\n}", 'f <- function(x) {\n  stop("not implemented")\n}'],
  "a.ps1": ["function Get-X {\n    throw 'Not implemented'\n}"],
  "a.ex": ["def f(x), do: nil", "def f(x) do\n  nil\nend", 'def f(_) do\n  raise "not implemented"\nend'],
  "a.dart": [
    "void f() {}",
    "Future<void> f() async {\n  throw UnimplementedError();\n}",
    "int f() => throw UnimplementedError();"
  ],
  "a.pl": ["sub f { }", 'sub f {\n  die "not implemented";\n}'],
  "a.vue": ["<!-- TODO -->", "</script>"],
  "a.unknownlang": ["-- TODO", "; later", "function f() {\n}", "pass", "  }\n\n  ]", "func f() {\n  // TODO\n}"],
  "a.yaml": ["# TODO", "---", "# a\n\n# b"],
  "a.json": ["{", "},\n}"],
  "a.toml": ["# later"],
  "a.ini": ["; later"],
  "a.sql": ["-- TODO", "/* a\n b */"],
  "a.html": ["<!-- TODO -->", "</div>", "<!--\n  <p>later</p>\n-->"],
  "a.css": ["/* TODO */", ".a { }", ".a {\n  /* later */\n}", "}", "@media print {\n  .a {\n  }\n}"],
  "README.md": [
    "<!-- later -->",
    "TODO: write this",
    "- [ ] TODO",
    "---",
    "# Title",
    "- [x] Done",
    "```js\n```",
    "Title\n====="
  ],
  Dockerfile: ["# FROM node"],
  Makefile: ["# all:"]
}

/** Code that does something, however short. */
export const implementations: Readonly<Record<string, ReadonlyArray<string>>> = {
  "a.py": [
    "def f(x):\n    # TODO: cache this\n    y = x * 2\n    return y",
    "# TODO: cache this\ndef f(x):\n    return x + 1",
    "def f(x): return x + 1",
    "def f(x):\n    return x + 1",
    "def f(path):\n    try:\n        os.remove(path)\n    except FileNotFoundError:\n        pass",
    "class NotFound(Exception):\n    pass",
    "class NotFound(Exception): pass",
    'class NotFound(Exception):\n    """No such thing."""',
    "class Shape(ABC):\n    @abstractmethod\n    def area(self) -> float:\n        ...",
    "class Reader(Protocol):\n    def read(self) -> bytes: ...",
    "@overload\ndef f(x: int) -> int: ...",
    "@dataclass\nclass Point:\n    x: int\n    y: int = 0",
    "TIMEOUT = 30",
    "DEFAULTS = {\n    'a': 1,\n}",
    "def f(x):\n    if x is None:\n        return None\n    return x.name",
    "def f(items):\n    for item in items:\n        yield item",
    "x = 1  # TODO",
    "def enabled():\n    return True",
    "def f(self):\n    return NotImplementedError in self.kinds",
    "def f(x):\n    if x not in known:\n        raise NotImplementedError(x)\n    return known[x]()",
    "@property\ndef name(self):\n    return self._name",
    "def parse(s):\n    return {'{': 1, '#': 2}[s]",
    'SQL = """\nSELECT 1\n"""',
    "if __name__ == '__main__':\n    main()",
    "def __init__(self):\n    pass",
    "def add_todo(todo):\n    raise ValueError('todo not found')",
    "def log_it():\n    print('done')",
    "def test_get():\n    assert get().status == 200",
    "print('x')",
    "def f(a, b):\n    match a:\n        case 1:\n            return b\n        case _:\n            pass"
  ],
  "a.ts": [
    "function f()\n{\n  g()\n}",
    "if (ok) {\n  // nothing to do\n} else {\n  repair()\n}",
    "declare module 'x' {}",
    "export const key = (a: string) => `$" + "{a}:x`",
    "export const name = (): string => 'fixed'",
    "export const add = (a: number, b: number) => a + b",
    "function f(x: number) { return x + 1 }",
    "function f() {\n  // TODO: cache\n  return compute()\n}",
    "export const LIMIT = 10",
    "export const config = {\n  a: 1,\n  b: () => {}\n}",
    "interface User {\n  name: string\n}",
    "export type Id = string",
    "type F = () => void",
    "export enum Color { Red, Green }",
    "export interface Empty {}",
    "declare function f(x: number): string",
    "abstract class Shape {\n  abstract area(): number\n}",
    "class NotFound extends Error {}",
    "  constructor(private readonly db: Db) {}",
    "class A {\n  constructor(private readonly db: Db) {}\n  find(id: string) {\n    return this.db.find(id)\n  }\n}",
    "try {\n  await close()\n} catch {}",
    "function f() {\n  try { return JSON.parse(x) } catch { return null }\n}",
    "promise.catch(() => {})",
    "app.get('/x', (req, res) => {\n  res.send('ok')\n})",
    "it('works', () => {\n  expect(f()).toBe(1)\n})",
    "export { a } from './a'",
    "export * from './a'",
    "const { a, b } = props",
    "const re = /[{(]\\/\\*/g\nfunction f(x) { return re.test(x) }",
    "const s = `a $" + "{`{`} b`\nexport const g = () => s",
    "export function isEmpty(xs) {\n  if (!xs) return true\n  return false\n}",
    "return x ? null : y",
    "  login(user: string): Promise<void>",
    "throw new NotFoundError('Todo not found')",
    "export const handler = async (event) => {\n  const { id } = event\n  return { statusCode: 200 }\n}",
    "const useX = create((set) => ({\n  n: 0,\n  inc: () => set((s) => ({ n: s.n + 1 }))\n}))",
    "for (const x of xs) sum += x",
    "while (queue.next()) {}",
    "if (a) b()",
    "export class TodoList {\n  add(todo: Todo) { this.todos.push(todo) }\n}",
    "function f(): { a: string } {\n  return { a: 'x' }\n}",
    "x ??= 1",
    "const a = b < c ? '//' : \"/*\""
  ],
  "a.tsx": [
    'export default function Page() {\n  return (\n    <div className="a">\n      Don\'t {name} {/* x */}\n    </div>\n  )\n}',
    "const A = () => <p>hi</p>",
    "      <Button onClick={() => {}}>Save</Button>"
  ],
  "a.go": [
    "func Add(a, b int) int { return a + b }",
    "func F() error {\n\tif err := g(); err != nil {\n\t\treturn err\n\t}\n\treturn nil\n}",
    "type User struct {\n\tName string\n}",
    "type Reader interface {\n\tRead(p []byte) (int, error)\n}",
    "type Empty struct{}",
    "const Limit = 10",
    'var routes = map[string]interface{}{\n\t"a": 1,\n}',
    "func F() (int, error) {\n\treturn 1, nil\n}",
    "func f(c rune) bool { return c == '{' || c == '\"' }",
    "x := Foo{}"
  ],
  "a.rs": [
    "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}",
    "struct Marker;",
    "pub struct P { pub x: i32 }",
    "impl Marker for P {}",
    "trait Shape {\n    fn area(&self) -> f64;\n}",
    "fn first<'a>(x: &'a [char]) -> Option<&'a char> { x.iter().find(|c| **c == '{') }",
    "match x {\n    Some(v) => v + 1,\n    None => todo!(),\n}",
    "fn close(self) -> io::Result<()> {\n    Ok(())\n}",
    "pub const N: usize = 3;",
    "#[derive(Debug)]\npub enum E { A, B }",
    'fn long() -> &\'static str {\n    r#"\n/* that isn\'t "it" {\n"#\n}',
    "fn aliases(&self) -> &'static [&'static str] {\n    &[]\n}"
  ],
  "A.java": [
    "public int add(int a, int b) { return a + b; }",
    "public interface Repo {\n    User find(long id);\n}",
    "public record Point(int x, int y) {}",
    "abstract void run();",
    "private A() {}",
    "public class MyException extends RuntimeException {\n}",
    "private static final int N = 3;",
    "public enum E { A, B }",
    "@Override\npublic void close() throws IOException {\n    in.close();\n}",
    'public List<Integer> f() {\n    throw new UnsupportedOperationException("immutable");\n}',
    "xs.forEach(x -> {\n    sum += x;\n});"
  ],
  "a.c": [
    "int add(int a, int b)\n{\n    return a + b;\n}",
    "int add(int a, int b);",
    "#define MAX(a, b) ((a) > (b) ? (a) : (b))",
    "struct point { int x; int y; };",
    "typedef int (*fn)(int);",
    "static const int table[] = { 1, 2, 3 };",
    "while (*p++) ;"
  ],
  "a.cpp": [
    "Foo::Foo(int x) : x_(x) {}",
    "Foo() = default;",
    "virtual void f() = 0;",
    "Foo() {}",
    "public:\n  Foo() {}",
    "Status() noexcept : state_(nullptr) {}",
    'auto s = R"({"a": 1})";',
    "template <typename T>\nT max(T a, T b) {\n    return a > b ? a : b;\n}",
    "bool operator==(const P& a, const P& b) { return a.x == b.x; }"
  ],
  "A.cs": [
    "public string Name { get; set; }",
    "public int F() => 5 + x;",
    "public class NotFound : Exception { }",
    "public A(int x) : base(x) { }",
    "public interface IRepo\n{\n    User Find(int id);\n}",
    "public record P(int X, int Y);"
  ],
  "a.rb": [
    "def add(a, b)\n  a + b\nend",
    "def name = @name",
    "class NotFound < StandardError; end",
    "class NotFound < StandardError\nend",
    "class A\n  attr_accessor :x\nend",
    "def f(x)\n  return nil unless x\n  x.name\nend",
    "LIMIT = 3",
    "def get(path, opts = {}, &block) route 'GET', path, opts, &block end",
    "def setup_blocks() @setup_blocks ||= [] end",
    "def initialize(x)\n  @x = x\nend",
    "has_many :posts",
    "def f\nx = 1\nx + 1\nend",
    "items.each do |i|\n  puts i\nend"
  ],
  "a.php": [
    "function add($a, $b) { return $a + $b; }",
    "abstract public function f();",
    "class NotFound extends Exception {}",
    "$x = ['a' => 1];",
    "public function __construct(private Db $db) {}",
    "return [\n    'a' => null,\n];"
  ],
  "a.kt": [
    "fun add(a: Int, b: Int) = a + b",
    "data class P(val x: Int, val y: Int)",
    "interface Repo {\n    fun find(id: Long): User?\n}",
    "fun f(x: Int?) = when (x) {\n    null -> 0\n    else -> x\n}",
    "class NotFound : Exception()",
    "const val N = 3",
    "val xs = listOf(1).map { it + 1 }"
  ],
  "a.swift": [
    "func add(_ a: Int, _ b: Int) -> Int { a + b }",
    "protocol Repo {\n    func find(id: Int) -> User?\n}",
    "struct P {\n    let x: Int\n}",
    "extension Foo: Bar {}",
    "init() {}",
    "guard let x = y else { return nil }\nuse(x)",
    'var body: some View {\n    Text("hi")\n}'
  ],
  "a.scala": [
    "def add(a: Int, b: Int): Int = a + b",
    "case class P(x: Int)",
    "trait Repo {\n  def find(id: Int): Option[User]\n}",
    "object A extends App",
    "def f(x: Int): Int = {\n  x + 1\n}"
  ],
  "a.sh": [
    'greet() {\n  echo "hi $1"\n}',
    "set -euo pipefail",
    "PATH=$PATH:/opt",
    "if [ -f a ]; then\n  rm a\nfi",
    'case "$1" in\n  start) run ;;\n  *) exit 1 ;;\nesac',
    "n=$#",
    'f() { rm -rf "$1"; }',
    "is_on() { return 0; }"
  ],
  "a.lua": ["function add(a, b)\n  return a + b\nend", "local x = 1"],
  "a.ex": ["def add(a, b), do: a + b", "def f(x) do\n  x + 1\nend"],
  "a.dart": ["int add(int a, int b) => a + b;"],
  "a.vue": ["<template>\n  <p>Don't {{ x }}</p>\n</template>", "<script setup>\nconst x = ref(1)"],
  "a.unknownlang": ["let x = 1", "function f() {\n  x()\n}", "proc add {a b} {\n  expr $a + $b\n}", "(defn f [x] x)"],
  "a.yaml": ["auth:\n  enabled: true", "- a", "key: 'it''s' # TODO", "cron: '*/5 * * * *'"],
  "a.json": ['"a": 1', '{\n  "include": ["src/**/*.ts"]\n}', "[1, 2]"],
  "a.toml": ["[tool.x]", "a = 1"],
  ".env": ["A=1"],
  ".gitignore": ["dist/", "!keep"],
  "a.sql": ["SELECT 1;", "CREATE TABLE a (id INT); -- TODO", "ALTER TABLE a ADD b TEXT DEFAULT '--';"],
  "a.html": ["<div></div>", "<p>TODO list</p>", '<input type="text">'],
  "a.css": [".a { color: red; }", ".a:hover {\n  color: red;\n}", "@import 'x.css';", "--x: 1px;"],
  "a.scss": ["@use 'a';", ".a {\n  .b { color: red }\n}", "a { background: url(http://x/y.png) }"],
  "README.md": [
    "# Title\n\nSome text.",
    "Some text.",
    "```js\n# x\n```",
    "* a *b*",
    "- [ ] Ship it",
    "---\ntitle: x\n---"
  ],
  Dockerfile: ["FROM node:24", "RUN npm ci # fast"],
  Makefile: ["all:\n\tcc a.c", "import = 1"],
  "a.tf": ['resource "a" "b" {\n  x = "*/*"\n}'],
  "a.proto": ["message A {\n  int32 x = 1;\n}"],
  "a.graphql": ["type A {\n  x: Int\n}"]
}

const py = `import os

class Auth:
    def login(self, user):
        # TODO: rate limit
        if user is None:
            return None
        try:
            return self.db.find(user)
        except KeyError:
            pass

    @retry(3)
    def logout(self):
        """Ends it."""
        pass

    def name(self):
        return None
`
const ts = `import { a } from './a'

export class Auth {
  constructor(private readonly db: Db) {}

  async login(
    user: string
  ): Promise<User | null> {
    if (!user) {
      return null
    }
    return this.db.find(user)
  }

  logout(): void {
    // TODO
  }
}

app.post('/login', async (req, res) => {
  const { user } = req.body
  res.json(await auth.login(user))
})
`

export const ranges: ReadonlyArray<
  readonly [name: string, path: string, source: string, range: string, expected: "implemented" | "empty"]
> = [
  ["a signature stands for its body", "a.py", py, "4", "implemented"],
  ["the signature of a stub stands for the stub", "a.py", py, "14", "empty"],
  ["a decorator stands for what it decorates", "a.py", py, "13", "empty"],
  ["a class stands for its members", "a.py", py, "3", "implemented"],
  ["a comment inside real code", "a.py", py, "5", "empty"],
  ["a blank line between functions", "a.py", py, "12", "empty"],
  ["the import", "a.py", py, "1", "empty"],
  ["a pass that is all that is cited", "a.py", py, "11", "empty"],
  ["an early return in a function that does something", "a.py", py, "7", "implemented"],
  ["a return of nothing in a function that does nothing", "a.py", py, "19", "empty"],
  ["the body without its signature", "a.py", py, "15-16", "empty"],
  ["the body of a real function", "a.py", py, "6-9", "implemented"],
  ["two stubs", "a.py", py, "13-19", "empty"],
  ["a stub and a real function", "a.py", py, "4-16", "implemented"],
  ["the whole file", "a.py", py, "1-19", "implemented"],
  ["the middle of a signature", "a.ts", ts, "7", "implemented"],
  ["the first line of a signature", "a.ts", ts, "6", "implemented"],
  ["a closing brace", "a.ts", ts, "13", "empty"],
  ["a stub with its neighbours' braces", "a.ts", ts, "13-18", "empty"],
  ["the stub", "a.ts", ts, "15-17", "empty"],
  ["its signature", "a.ts", ts, "15", "empty"],
  ["an early return", "a.ts", ts, "10", "implemented"],
  ["a statement", "a.ts", ts, "12", "implemented"],
  ["a constructor that keeps what it is given", "a.ts", ts, "4", "implemented"],
  ["inside a callback", "a.ts", ts, "21-22", "implemented"],
  ["the end of a callback", "a.ts", ts, "23", "empty"],
  ["the head of a callback", "a.ts", ts, "20", "implemented"]
]
