import { assert, describe, it } from "@effect/vitest"
import { layer } from "@proofline/plugins/adapters/tree-sitter"
import { Syntax } from "@proofline/plugins/ports"
import { Effect } from "effect"
import { pythonStubs } from "../../../packages/plugins/src/adapters/tree-sitter/languages/python.ts"
import { judged, outlined, verdicts } from "./support.ts"

/** Bodies that do nothing, in every way people leave them behind. */
const stubs: ReadonlyArray<ReadonlyArray<string>> = [
  ["pass"],
  ["..."],
  ["return"],
  ["return None"],
  ["return (None)"],
  ["return None, None"],
  ["return (None, None)"],
  ["return ..."],
  ["pass; pass"],
  ["pass  # TODO"],
  ["# TODO: implement", "pass"],
  ["# Checks the password.", "return None"],
  ['"""Log a user in."""'],
  ['"""Log a user in.', "", "Raises nothing.", '"""'],
  ["'''Log a user in.'''", "..."],
  ['"""Log a user in."""', "# TODO", "return None"],
  ["raise NotImplementedError"],
  ["raise NotImplementedError()"],
  ['raise NotImplementedError(f"login for {a} is missing")'],
  ['raise NotImplementedError("x") from None'],
  ["raise NotImplemented"],
  ["raise errors.NotImplementedYet(a)"],
  ['raise Exception("not implemented")'],
  ['raise RuntimeError("TODO: " + str(a))'],
  ['raise ValueError("%s is not implemented" % a)'],
  ['raise ValueError("{} is not implemented".format(a))'],
  ['raise HTTPException(status_code=400, detail="Not implemented")'],
  ["raise HTTPException(status_code=501)"],
  ["raise HTTPException(status.HTTP_501_NOT_IMPLEMENTED)"],
  ["raise NotImplementedError", "yield"],
  ["return NotImplemented"],
  ["return NotImplementedError(a)"],
  ['return "not implemented"'],
  ['return {"error": "not implemented"}, 501'],
  ['return jsonify({"message": "Not implemented"})'],
  ['return Response("Not implemented", status=500)'],
  ["return Response(status=501)"],
  ["abort(501)"],
  ["assert False"],
  ['assert False, "not implemented"'],
  ['print("TODO")'],
  ['print("TODO", file=sys.stderr)', "return None"],
  ['print(f"not implemented: {a}")'],
  ['logging.warning("not implemented")'],
  ['self.logger.info("%s: not implemented", a)', "return"],
  ['warnings.warn("login is not implemented yet", stacklevel=2)'],
  ['pytest.skip("not implemented")'],
  ["_ = a", "pass"],
  ["_ = a, a"],
  ["del a"],
  ["del a", "raise NotImplementedError"],
  ["global x", "pass"],
  ["if a:", "    pass", "elif not a:", "    raise NotImplementedError", "else:", "    return None"],
  ["try:", "    pass", "except (A, B) as e:", "    raise NotImplementedError", "finally:", "    pass"],
  ["match a:", "    case 1 if a:", "        pass", "    case _:", "        return None"],
  ["def inner():", "    pass"],
  ["import os"],
  ["return False  # TODO"],
  ['"""Doc."""', "# TODO: implement", "return []"],
  ["yield  # TODO"],
  ["await asyncio.sleep(0)  # placeholder"]
]

/** Bodies that do something, however little. */
const real: ReadonlyArray<ReadonlyArray<string>> = [
  ["return a"],
  ["return 0"],
  ['return ""'],
  ["return []"],
  ["return {}"],
  ['return "todo"'],
  ['return render("todo.html")'],
  ["return False"],
  ["return self"],
  ["return not a"],
  ["return a or None"],
  ["a()"],
  ["await a"],
  ["yield"],
  ["yield a"],
  ["self.a = a"],
  ["_ = connect(a)"],
  ["del self.a[0]"],
  ["# TODO: faster", "return a + 1"],
  ["if a is None:", "    return None", "return a.b"],
  ["for b in a:", "    pass"],
  ["with open(a):", "    pass"],
  ["try:", "    a()", "except Exception:", "    pass"],
  ['raise ValueError("no such user")'],
  ['raise HTTPException(status_code=404, detail="no such user")'],
  ['print("hello")'],
  ['print("My todo list")'],
  ['raise HTTPException(status_code=404, detail="Todo not found")'],
  ['a.append("todo")'],
  ["super().__init__()"],
  ["return super().f(a)"],
  ["return lambda: None"],
  ["def inner():", "    pass", "return inner"],
  ["assert a"],
  ["x: int = a", "return x"]
]

const indented = (lines: ReadonlyArray<string>, by: string): string => lines.map((line) => `${by}${line}\n`).join("")

/** Where a body may stand. */
const places: Readonly<Record<string, (body: ReadonlyArray<string>) => string>> = {
  "a function": (body) => `async def f(a):\n${indented(body, "    ")}`,
  "a function with tabs": (body) => `async def f(a):\n${indented(body, "\t")}`,
  "a function with Windows line ends": (body) =>
    `async def f(a):\n${indented(body, "    ")}\nx = 1\n`.replaceAll("\n", "\r\n"),
  "a method": (body) => `class C(Base):\n    async def f(self, a):\n${indented(body, "        ")}`,
  "a decorated function": (body) =>
    `@app.route("/f", methods=["GET"])\n@cached\nasync def f(a):\n${indented(body, "  ")}`,
  "a function that is generic": (body) => `async def f[T](\n    a: T,\n) -> T | None:\n${indented(body, "    ")}`,
  "a property": (body) => `class C(Base):\n    @f.setter\n    async def f(self, a):\n${indented(body, "        ")}`,
  "a conditional definition": (body) =>
    `if sys.version_info >= (3, 12):\n    async def f(a):\n${indented(body, "        ")}else:\n    f = None\n`,
  "a nested function": (body) => `def outer():\n    async def f(a):\n${indented(body, "        ")}    return f\n`
}

const lineOf = (text: string, what: RegExp): number => text.split("\n").findIndex((line) => what.test(line)) + 1

describe("given Python", () => {
  for (const [place, put] of Object.entries(places)) {
    it(`when ${place} does nothing, then it is empty, by its signature`, async () => {
      const passed: Array<string> = []
      for (const body of stubs) {
        const text = put(body)
        const { declaration, empty } = await judged("a.py", text, lineOf(text, /def f\b/))
        if (empty === null || !/(?:^|\.)f$/.test(declaration?.name ?? "")) passed.push(text)
      }
      assert.deepStrictEqual(passed, [])
    })

    it(`when ${place} does something, then it is none`, async () => {
      const refused: Array<string> = []
      for (const body of real) {
        const text = put(body)
        const { empty } = await judged("a.py", text, lineOf(text, /def f\b/))
        if (empty !== null) refused.push(`${text}: ${empty}`)
      }
      assert.deepStrictEqual(refused, [])
    })
  }

  it("when a body is on the line of its signature, then it is judged all the same", async () => {
    for (const body of ["...", "pass", "return", "raise NotImplementedError", "print('TODO'); return None"])
      assert.isNotNull((await judged("a.py", `def f(a) -> int: ${body}\n`, 1)).empty, body)
    for (const body of ["return 1", "yield", "a(); pass"])
      assert.isNull((await judged("a.py", `def f(a) -> int: ${body}\n`, 1)).empty, body)
  })

  it("when a lambda has a name, then it is a function", async () => {
    const found = await verdicts(
      "a.py",
      "nil = lambda: None\ndots = lambda a: ...\nnoop = lambda *a: None\none = lambda: 1\n"
    )
    assert.isNotNull(found["nil"])
    assert.isNotNull(found["dots"])
    assert.isNull(found["noop"])
    assert.isNull(found["one"])
  })

  it("when a statement that does nothing is cited by itself, then it is refused", async () => {
    const text = "def f(a):\n    if a:\n        return a()\n    raise NotImplementedError\n"
    assert.isNull((await judged("a.py", text, [1, 4])).empty)
    assert.isNotNull((await judged("a.py", text, 4)).empty)
    assert.isNull((await judged("a.py", text, 3)).empty)
  })

  it("when only imports for types are cited, then they are imports", async () => {
    const text = `from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import (
        Iterable,
        Mapping,  # for f
    )
    import os

if TYPE_CHECKING:
    Row = dict[str, int]
`
    assert.include((await judged("a.py", text, [1, 8])).empty, "imports")
    assert.include((await judged("a.py", text, [3, 3])).empty, "imports")
    assert.isNull((await judged("a.py", text, [10, 11])).empty)
  })

  it("when only comments, documentation or blank lines are cited, then it says so", async () => {
    const text = '# a\n\ndef f(a):\n    """Doc.\n\n    More."""\n    return a  # b\n'
    assert.include((await judged("a.py", text, 1)).empty, "comments")
    assert.include((await judged("a.py", text, [4, 6])).empty, "comments")
    assert.include((await judged("a.py", text, 2)).empty, "blank")
    assert.isNull((await judged("a.py", text, 7)).empty)
  })

  it("when a decorator is cited, then it stands for its function", async () => {
    const text = "@app.get('/')\n@cached\ndef f():\n    pass\n\n@app.get('/g')\ndef g():\n    return 1\n"
    assert.include((await judged("a.py", text, 1)).empty, "f (line 1)")
    assert.isNull((await judged("a.py", text, 6)).empty)
  })

  it("when a class is cited by its head, then its empty methods are named", async () => {
    const text = "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        pass\n"
    assert.include((await judged("a.py", text, 1)).empty, "A.g")
    assert.isNull((await judged("a.py", text, [2, 3])).empty)
  })
})

describe("given Python that needs no body", () => {
  it("when it is judged, then nothing is empty", async () => {
    const text = `
import abc
from typing import Protocol, overload

class Reader(Protocol):
    name: str
    def read(self, size: int) -> bytes: ...
    @property
    def closed(self) -> bool:
        """Whether it is closed."""

class Box(typing.Protocol[T]):
    def get(self) -> T:
        ...

class IStore(IBase):
    def put(key):
        """Puts a key."""

class Base(abc.ABC):
    @abc.abstractmethod
    def area(self) -> float:
        """The area."""
    @property
    @abstractmethod
    def name(self) -> str:
        raise NotImplementedError
    @classmethod
    @abc.abstractmethod
    def make(cls): ...

@overload
def parse(a: int) -> int: ...
@typing.overload
def parse(a: str) -> str: ...
def parse(a):
    return a

@functools.singledispatch
def show(a):
    raise NotImplementedError(type(a))

@click.group()
def cli():
    """Does things."""

class StoreError(Exception):
    """Raised when storing fails."""

class Timeout(StoreError): pass

@dataclass(frozen=True)
class Unit:
    pass

@dataclasses.dataclass
class Point:
    x: int
    y: int = 0

class Colour(enum.Enum):
    RED = 1

class Plain:
    def __init__(self):
        pass
    def __del__(self): ...
    def __repr__(self):
        return "Plain()"
    def __len__(self): return 0
    def __enter__(self): return self
    def noop(self): pass

class Named(NamedTuple):
    x: int
`
    const found = await verdicts("a.py", text)
    assert.deepStrictEqual(
      Object.entries(found).filter(([, empty]) => empty !== null),
      []
    )
    assert.containsAllKeys(found, ["Reader.closed", "Base.area", "parse", "Plain.__init__", "Unit"])
  })

  it("when a constructor is left undone, or ignores what it is given, then it is empty", async () => {
    for (const text of [
      "class A:\n    def __init__(self, a):\n        pass\n",
      "class A:\n    def __init__(self):\n        pass  # TODO\n",
      "class A:\n    def __init__(self):\n        # TODO: open the file\n        pass\n",
      "class A:\n    def __init__(self):\n        raise NotImplementedError\n"
    ])
      assert.isNotNull((await verdicts("a.py", text))["A.__init__"], text)
  })

  it("when a class has neither a base nor members, then it is empty", async () => {
    assert.isNotNull((await verdicts("a.py", "class A:\n    pass\n"))["A"])
    assert.isNotNull((await verdicts("a.py", 'class A:\n    """Doc."""\n'))["A"])
    assert.isNull((await verdicts("a.py", "class A:\n    x: int\n"))["A"])
  })

  it("when it is a file of type stubs, then nothing in it is missing", async () => {
    const text = "class A:\n    def f(self, a: int) -> int: ...\ndef g() -> None: ...\nclass B: ...\n"
    const outline = await Effect.runPromise(
      Effect.flatMap(Syntax, (syntax) => syntax.outline("a.pyi", text)).pipe(
        Effect.provide(layer({ languages: [pythonStubs] }))
      )
    )
    assert.deepStrictEqual(
      outline?.declarations.map(({ empty, name }) => [name, empty]),
      [
        ["A", null],
        ["f", null],
        ["g", null],
        ["B", null]
      ]
    )
  })
})

describe("given Python of any version", () => {
  it("when it is read, then the grammar finds no fault", async () => {
    const text = `type Alias[T] = list[T]
async def f[T: int, *Ts](a, /, b, *, c=1, **d) -> T:
    async with a as x, b() as y:
        async for i in x: yield i
    try: pass
    except* (A, B) as e: raise
    match a:
        case {"x": [1, *rest], **kw} | Point(x=0): return
        case str() as s if s: ...
    if (n := len(a)) > 1: print(f"{n!r:>{10}} {'x'} {a['b']}")
    x = [y async for y in z if y] ; g = lambda *a, k=1: (yield)
    return 0x_ff, 1_000j, b'\\x00' rb'a'
`
    assert.deepStrictEqual((await outlined("a.py", text)).faults, [])
  })

  it("when lines are made to fail, then the failing statement comes first in the function", async () => {
    const outline = await outlined("a.py", 'def f(a):\n    """Doc."""\n    b = a\n    return b\n')
    assert.strictEqual(
      outline.neutralised({ start: 1, end: 1 }),
      'def f(a):\n    """Doc."""\n    raise RuntimeError("neutralised");\n    b = a\n    return b\n'
    )
  })
})
