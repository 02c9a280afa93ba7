import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { normalized } from "../../../packages/plugins/src/policies/evidence/code/normalized.ts"
import { idleAdditions } from "../../../packages/plugins/src/policies/evidence/work/idleAdditions.ts"
import { splitLines } from "../../../packages/plugins/src/text/lines.ts"
import { syntax } from "../tree-sitter/support.ts"

const item = "Keep the scroll place when tabs close"

/** A program, and a line before which something is added to it. */
const programs = {
  "a.ts": ["export const f = (a: number) => {\n  return a + 1\n}\n", null],
  "b.ts": ["export const f = (a: number) => {\n  return a + 1\n}\n", "return"],
  "a.js": ["const f = (a) => {\n  return a + 1\n}\n", null],
  "a.py": ["def f(a):\n    return a + 1\n", null],
  "a.go": ["package a\n\nfunc F(a int) int {\n\treturn a + 1\n}\n", null],
  "a.rs": ["pub fn f(a: u32) -> u32 {\n    a + 1\n}\n", null],
  "A.java": ["class A {\n  int f(int a) {\n    return a + 1;\n  }\n}\n", "int f"],
  "B.java": ["class B implements Keeper {\n  int f(int a) {\n    return a + 1;\n  }\n}\n", "int f"],
  "a.kt": ["fun f(a: Int): Int {\n  return a + 1\n}\n", null],
  "a.swift": ["func f(_ a: Int) -> Int {\n  a + 1\n}\n", null],
  "a.c": ["int f(int a)\n{\n  return a + 1;\n}\n", null],
  "A.cs": ["class A\n{\n    int F(int a)\n    {\n        return a + 1;\n    }\n}\n", "int F"],
  "a.rb": ["def f(a)\n  a + 1\nend\n", null],
  "a.php": ["<?php\nfunction f($a)\n{\n    return $a + 1;\n}\n", null],
  "a.ex": ["defmodule A do\n  def f(a), do: a + 1\nend\n", "def f"],
  "a.erl": ["-module(a).\n\nf(A) ->\n    A + 1.\n", null],
  "a.hs": ["module A where\n\nf :: Int -> Int\nf a = a + 1\n", null],
  "a.ml": ["let f a = a + 1\n", null],
  "A.scala": ["object A {\n  def f(a: Int): Int = a + 1\n}\n", "def f"],
  "a.dart": ["int f(int a) {\n  return a + 1;\n}\n", null],
  "a.lua": ["local M = {}\nfunction M.f(a)\n  return a + 1\nend\nreturn M\n", "return M"],
  "a.pm": ["package A;\nsub f {\n  my $a = shift;\n  return $a + 1;\n}\n1;\n", "1;"],
  "a.R": ["f <- function(a) {\n  a + 1\n}\n", null],
  "a.jl": ["f(a) = a + 1\n", null],
  "a.sh": ["f() {\n  grep a\n}\n", null],
  "a.zig": ["pub fn f(a: usize) usize {\n    return a + 1;\n}\n", null],
  "settings.py": ["A = 1\n", null],
  "page.tsx": ["export const f = (a: number) => a + 1\n", null],
  "a.test.ts": ["it('adds', () => {\n  expect(f(1)).toBe(2)\n})\n", null]
} as const satisfies Record<string, readonly [text: string, before: string | null]>

/** What is found in lines that were added. */
const found = async (path: keyof typeof programs, added: string, asked = item) => {
  const [text, before] = programs[path]
  const old = splitLines(text)
  const at = before === null ? old.length : old.findIndex((line) => line.includes(before))
  const more = splitLines(`${added}\n`)
  const lines = [...old.slice(0, at), ...more, ...old.slice(at)]
  const tokens = normalized(path, lines, await Effect.runPromise(syntax.outline(path, lines.join(""))))
  const rows = more.map((_, i) => at + i)
  return idleAdditions(asked, { path, lines, tokens }, rows, { start: at + 1, end: at + more.length })
}

describe("new lines that do nothing by themselves", () => {
  it.each([
    ["a.ts", "export function keepScroll(value: unknown) {\n  return value\n}"],
    ["a.ts", "export const keepScroll = (): boolean => true"],
    ["a.js", "function keepScroll(value) {\n  return value\n}"],
    ["b.ts", "  const kept = 'yes'"],
    ["a.py", 'def keep_scroll(*args, **kwargs):\n    """Keeps it."""\n    return True'],
    ["a.py", "def keep_scroll(value):\n    logger.info('kept')\n    return value"],
    ["a.go", "func KeepScroll(value string) string {\n\treturn value\n}"],
    ["a.rs", "pub fn keep_scroll() -> Result<(), String> {\n    Ok(())\n}"],
    ["A.java", "  public boolean keepScroll() {\n    return true;\n  }"],
    ["A.java", "  private static final int KEPT = 3;"],
    ["a.kt", "fun keepScroll(value: String) = value"],
    ["a.swift", 'func keepScroll() {\n  print("kept")\n}'],
    ["a.c", 'static void keep_scroll(void)\n{\n  printf("kept\\n");\n}'],
    ["A.cs", "    public bool KeepScroll() => true;"],
    ["a.rb", "def keep_scroll(value)\n  value\nend"],
    ["a.php", "function keepScroll($value)\n{\n    return $value;\n}"],
    ["a.ex", "  def keep_scroll(value), do: value"],
    ["a.erl", "keep_scroll(Value) ->\n    Value."],
    ["a.hs", "keepScroll :: a -> a\nkeepScroll value = value"],
    ["a.ml", "let keep_scroll value = value"],
    ["A.scala", "  def keepScroll(value: String): String = value"],
    ["a.dart", "bool keepScroll() => true;"],
    ["a.lua", "local function keep_scroll(value)\n  return value\nend"],
    ["a.pm", "sub keep_scroll {\n  my ($self, $value) = @_;\n  return $value;\n}"],
    ["a.R", "keep_scroll <- function(...) invisible(NULL)"],
    ["a.jl", "keep_scroll(x) = x"],
    ["a.sh", "keep_scroll() {\n    return 0\n}"],
    ["a.zig", "pub fn keepScroll(value: usize) usize {\n    return value;\n}"]
  ] as const)("when nothing in the file uses them, then they are named: %s, case %#", async (path, added) => {
    assert.lengthOf((await found(path, added))?.declared ?? [], 1)
  })

  it.each([
    ["a.ts", `const KEPT = "${item}"`],
    ["b.ts", `  console.log("${item}")`],
    ["a.py", `KEPT = "${item}."`],
    ["a.go", `const Kept = "${item}"`],
    ["a.rs", `pub const KEPT: &str = "${item}";`],
    ["a.rb", `KEPT = '${item}'`],
    ["a.ex", `  def keep(value) do\n    IO.puts("Now: ${item}")\n    value\n  end`]
  ] as const)(
    "when they only repeat the words of the item, then they are an echo: %s, case %#",
    async (path, added) => {
      assert.isTrue((await found(path, added))?.isEcho)
    }
  )

  it.each([
    // they do something
    ["a.ts", "export const keepScroll = (w: Window) => {\n  w.scrollTo(0, place)\n}"],
    ["a.ts", "export const keepScroll = (w: Window) => w.scrollTo(0, place)"],
    ["a.py", "def keep_scroll(value):\n    return value + 1"],
    ["a.py", "def keep_scroll(value):\n    logger.info(value)"],
    ["a.go", 'func KeepScroll(value string) string {\n\tif value == "" {\n\t\treturn "top"\n\t}\n\treturn value\n}'],
    ["a.rb", "def keep_scroll(value)\n  value\nend\nkeep_scroll(1)"],
    // they are used beside
    ["A.java", "  private static final int KEPT = 3;\n  private int kept = KEPT;"],
    // others call them, or find them by their name
    ["A.java", "  @Override\n  public boolean keepScroll() {\n    return true;\n  }"],
    ["B.java", "  public boolean keepScroll() {\n    return true;\n  }"],
    ["a.go", "func (t *T) IsBoolFlag() bool {\n\treturn true\n}"],
    ["a.rs", "impl Keep for T {\n    fn keeps(&self) -> bool {\n        true\n    }\n}"],
    ["settings.py", "KEEP_SCROLL = True"],
    ["page.tsx", "export const dynamic = 'force-dynamic'"],
    ["a.py", "KEEP_SCROLL = True"],
    ["a.test.ts", "const kept = () => true"]
  ] as const)("when they do something, or may be used, then nothing is found: %s, case %#", async (path, added) => {
    assert.isNull(await found(path, added))
  })

  it("when a text is made of something else, or is no sentence, then that is no echo", async () => {
    const asked = "Add /usr/etc/keeper.d to the paths of hooks"
    assert.isNull(await found("a.sh", 'HOOKS_PATH="$HOOKS_PATH:/usr/etc/keeper.d"', asked))
    assert.isNull(await found("a.sh", 'HOOKS_PATH="/usr/etc/keeper.d/hooks/path"', asked))
    assert.isTrue((await found("a.sh", 'HOOKS="Add /usr/etc/keeper.d to paths of hooks"', asked))?.isEcho)
  })

  it("when an item asks for a text, then that is no echo", async () => {
    const asked = "Log the message 'Keep the scroll place when tabs close'"
    assert.isNull(await found("b.ts", `  console.log("${item}")`, asked))
    assert.isNull(await found("b.ts", '  console.log("Kept the scroll place")'))
  })
})
