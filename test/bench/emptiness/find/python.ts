import { run } from "../fetch.ts"
import { lineAt, lineStarts } from "../text.ts"
import type { FoundFunction } from "../types.ts"

/** Reads paths from stdin, a line each; prints what its own parser finds, a line of JSON each. */
const program = `
import ast, io, json, sys, tokenize
declared = {"Protocol", "ABC", "ABCMeta", "Interface", "TypedDict"}
def name(node):
    while isinstance(node, (ast.Subscript, ast.Call)):
        node = node.value if isinstance(node, ast.Subscript) else node.func
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
def walk(node, inside, found):
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            marks = [name(d) for d in child.decorator_list]
            role = "plain"
            if inside or any(m.startswith("abstract") or m == "overload" for m in marks): role = "declared"
            if child.name in ("__init__", "__del__"): role = "constructor"
            first, last = child.body[0], child.body[-1]
            begin = min([d.lineno for d in getattr(first, "decorator_list", [])] + [first.lineno])
            column = first.col_offset - (1 if begin < first.lineno else 0)
            found.append([child.name, child.lineno, child.col_offset, child.end_lineno, begin, column,
                          last.end_lineno, last.end_col_offset, role,
                          min([d.lineno for d in child.decorator_list] + [child.lineno])])
            walk(child, False, found)
        elif isinstance(child, ast.ClassDef):
            bases = [name(b) for b in child.bases] + [name(k.value) for k in child.keywords]
            walk(child, any(b in declared or b.startswith("Interface") for b in bases), found)
        else:
            walk(child, inside and not isinstance(child, ast.Lambda), found)
def asides(text):
    comments, strings = [], []
    before = None
    for t in tokenize.generate_tokens(io.StringIO(text).readline):
        if t.type == tokenize.COMMENT: comments.append([*t.start, *t.end])
        elif t.type == tokenize.STRING:
            alone = before in (None, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
            strings.append([*t.start, *t.end, alone])
        if t.type not in (tokenize.COMMENT, tokenize.NL): before = t.type
    return comments, strings
for path in sys.stdin.read().split("\\n"):
    try:
        with open(path, encoding="utf-8", newline="") as file: text = file.read()
        if "\\r" in text or "\\f" in text: raise ValueError
        found = []
        walk(ast.parse(text), False, found)
        comments, strings = asides(text)
        lines = text.split("\\n")
        def units(line, column): return len(lines[line - 1].encode()[:column].decode().encode("utf-16-le")) // 2
        for f in found:
            f[5] = units(f[4], f[5]); f[7] = units(f[6], f[7])
        def wide(line, column): return len(lines[line - 1][:column].encode("utf-16-le")) // 2
        for a in comments + strings:
            a[1] = wide(a[0], a[1]); a[3] = wide(a[2], a[3])
        print(json.dumps({"functions": found, "comments": comments, "strings": strings}))
    except Exception:
        print("null")
`

type Place = readonly [row: number, column: number, endRow: number, endColumn: number, alone?: boolean]

interface Parsed {
  readonly functions: ReadonlyArray<
    readonly [
      name: string,
      row: number,
      column: number,
      end: number,
      bodyRow: number,
      bodyColumn: number,
      bodyEnd: number,
      bodyEndColumn: number,
      role: FoundFunction["role"],
      decorators: number
    ]
  >
  readonly comments: ReadonlyArray<Place>
  readonly strings: ReadonlyArray<Place>
}

export interface PythonFile {
  readonly code: string
  readonly uncommented: string
  readonly functions: ReadonlyArray<FoundFunction>
}

/** One answer for every path, in their order; null where python3 cannot read the file. */
export const findInPython = (
  paths: ReadonlyArray<string>,
  texts: ReadonlyArray<string>
): ReadonlyArray<PythonFile | null> => {
  const answers = run("python3", ["-W", "ignore", "-c", program], "/", {}, paths.join("\n")).trimEnd().split("\n")
  return texts.map((text, i) => {
    const parsed = JSON.parse(answers[i] ?? "null") as Parsed | null
    return parsed === null ? null : fileOf(text, parsed)
  })
}

const fileOf = (text: string, parsed: Parsed): PythonFile => {
  const starts = lineStarts(text)
  const at = (row: number, column: number) => (starts[row - 1] ?? 0) + column
  const blank = (characters: Array<string>, places: ReadonlyArray<Place>) => {
    for (const [row, column, endRow, endColumn] of places)
      for (let i = at(row, column); i < at(endRow, endColumn); i++) if (characters[i] !== "\n") characters[i] = " "
  }
  // strings that stand alone are documentation
  const uncommented = text.split("")
  blank(uncommented, [...parsed.comments, ...parsed.strings.filter(([, , , , alone]) => alone)])
  const code = [...uncommented]
  blank(code, parsed.strings)
  const lineOf = (line: number) =>
    uncommented
      .slice(starts[line - 1] ?? 0, starts[line] ?? text.length)
      .join("")
      .trim()
  const rows = text.split("\n")
  const functions = parsed.functions.map(
    ([name, start, column, end, bodyRow, bodyColumn, bodyEnd, bodyEndColumn, role, decorators]): FoundFunction => {
      const body = { from: at(bodyRow, bodyColumn), to: at(bodyEnd, bodyEndColumn) }
      let above = decorators
      while (above > 1 && lineOf(above - 1) === "" && (rows[above - 2] ?? "").trim().startsWith("#")) above--
      const head = code.slice(at(start, column), body.from).join("")
      return { name, above, start, signature: start, end, body, outer: body, form: "block", head, role }
    }
  )
  const rowOf = (offset: number) => lineAt(starts, offset)
  return {
    code: code.join(""),
    uncommented: uncommented.join(""),
    // one that shares its last line with something else cannot be cited by lines
    functions: functions.filter(
      ({ body, end }) =>
        /^[ \t]*(?:#.*)?$/.test(text.slice(body.to, starts[rowOf(body.to - 1)] ?? text.length).replace(/\n$/, "")) &&
        end >= rowOf(body.from)
    )
  }
}
