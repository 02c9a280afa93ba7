import { readFileSync } from "node:fs"
import type { Files } from "../../plugins/proof/sessions.ts"
import type { Call, Declared, Exercise, TestRows, TrackName } from "./types.ts"

/** What a language needs so that claims can be made of its exercises. Texts are read by their rows and indents: both tracks lay them out by a formatter. */
export interface Track {
  readonly name: TrackName
  /** Runs the tests of a file, each named in what is printed. */
  readonly command: (testPath: string) => string
  /** What stands in a project beside the work, and in no commit. */
  readonly installed: Files
  readonly committed: Files
  /** Tests as they can be run here: what they import is found. */
  readonly runnable: (test: string, exercise: Exercise) => string
  readonly unskipped: (test: string) => string
  readonly testsIn: (rows: ReadonlyArray<string>) => ReadonlyArray<TestRows>
  readonly skipped: (row: string) => ReadonlyArray<string>
  /** A test whose name is its number. */
  readonly numbered: (row: string, i: number) => string
  readonly failedIn: (printed: string) => ReadonlyArray<number>
  /** Rows of assertions, each a statement. */
  readonly assertionsIn: (rows: ReadonlyArray<string>, test: TestRows) => ReadonlyArray<TestRows>
  /** An expectation turned round. */
  readonly turned: (row: string) => string
  readonly declared: (rows: ReadonlyArray<string>) => ReadonlyArray<Declared>
  /** What tests take from the work. */
  readonly imported: (test: string) => ReadonlyArray<string>
  readonly comment: (words: string) => string
  readonly given: (indent: string, answer: string) => string
  /** Rows of a body that is never reached, and what answers instead. */
  readonly behindReturn: (body: ReadonlyArray<string>, indent: string) => ReadonlyArray<string>
  readonly behindFalse: (body: ReadonlyArray<string>, indent: string) => ReadonlyArray<string>
  /** A program that knows the answers of calls. */
  readonly lookup: (names: ReadonlyArray<string>, calls: ReadonlyArray<Call>) => string
  /** A function that has nothing to do with the exercise. */
  readonly neighbour: string
  readonly wrongs: ReadonlyArray<readonly [RegExp, string | ((found: string) => string)]>
  /** In place of the work: calls the real one, and writes down each call. */
  readonly recorder: (names: ReadonlyArray<string>, real: string) => string
}

const indentOf = (row: string): number => /^ */.exec(row)?.[0].length ?? 0

/** The last row that belongs to what begins at a row: deeper rows and what closes it. */
const endOf = (rows: ReadonlyArray<string>, start: number, closes: RegExp): number => {
  const indent = indentOf(rows[start] ?? "")
  let end = start
  for (let i = start + 1; i < rows.length; i++) {
    const row = rows[i] ?? ""
    if (row.trim() === "") continue
    if (indentOf(row) > indent) end = i
    else if (indentOf(row) === indent && closes.test(row.trim())) end = i
    else break
  }
  return end
}

const opened = (row: string): number => {
  const code = row.replace(/(["'`])(?:\\.|(?!\1).)*\1/g, "")
  return (code.match(/[([{]/g) ?? []).length - (code.match(/[)\]}]/g) ?? []).length
}

/** The row with which brackets that a row opens are closed. */
const closedAt = (rows: ReadonlyArray<string>, start: number): number => {
  let depth = 0
  for (let i = start; i < rows.length; i++) {
    depth += opened(rows[i] ?? "")
    if (depth <= 0) return i
  }
  return rows.length - 1
}

/** Operators of both, and what is wrong in their place. */
const operators: Track["wrongs"] = [
  [/(?<= )\+(?= )/, "-"],
  [/(?<= )-(?= )/, "+"],
  [/(?<= )>=(?= )/, ">"],
  [/(?<= )<=(?= )/, "<"],
  [/(?<= )<(?= )/, "<="],
  [/(?<= )>(?= )/, ">="]
]

const plusOne = (found: string): string => String(Number(found) + 1)

// --- JavaScript -------------------------------------------------------------------------------------------------

const closesScript = /^[})\]`]/
const jsTest = /^\s*(?:x?(?:test|it))(?:\.skip)?(?=\()/

const jsDeclared = (rows: ReadonlyArray<string>): ReadonlyArray<Declared> =>
  rows.flatMap((row, start): ReadonlyArray<Declared> => {
    const [, word = "", name = ""] =
      /^(?:export )?(?:default )?(?:async )?(const|let|class|function)\*? ?(\w+)/.exec(row) ?? []
    if (name === "") return []
    const end = endOf(rows, start, closesScript)
    const head = rows.findIndex((one, i) => i >= start && i <= end && /(?:=>|\)|class .*|class) \{$/.test(one))
    const isFunction =
      word === "function" ||
      rows.slice(start, end + 1).some((one) => /^(?:export )?const \w+ = (?:async )?(?:function|\(|\w+ =>)/.test(one))
    const body =
      head === -1 || end <= head + 1 || indentOf(rows[head] ?? "") > 0 ? null : { start: head + 1, end: end - 1 }
    const kind = word === "class" ? "type" : isFunction ? "function" : "value"
    const one = { name, kind, start, end, body, of: null } as const
    if (kind !== "type") return [one]
    return [
      one,
      ...rows.slice(start + 1, end).flatMap((member, i): ReadonlyArray<Declared> => {
        const [, called = ""] = /^ {2}(?:static |async |get |set )*\*?([A-Za-z_]\w*)\(/.exec(member) ?? []
        if (called === "") return []
        const from = start + 1 + i
        const to = endOf(rows, from, closesScript)
        const opens = rows.findIndex((text, j) => j >= from && j <= to && / \{$/.test(text))
        const inner = opens === -1 || to <= opens + 1 ? null : { start: opens + 1, end: to - 1 }
        return [{ name: called, kind: "function", start: from, end: to, body: inner, of: name }]
      })
    ]
  })

const javascript: Track = {
  name: "javascript",
  command: (testPath) => `node --test ${testPath}`,
  installed: {
    "node_modules/@jest/globals/package.json":
      '{ "name": "@jest/globals", "version": "0.0.0", "type": "module", "exports": "./index.mjs" }\n',
    "node_modules/@jest/globals/index.mjs": readFileSync(new URL("project/jestGlobals.mjs", import.meta.url), "utf8")
  },
  committed: {
    "package.json": '{ "name": "exercise", "private": true, "type": "module" }\n',
    ".gitignore": "node_modules/\n"
  },
  runnable: (test) => test.replace(/from '(\.\/[^']*?)(?:\.js)?'/g, "from '$1.js'"),
  unskipped: (test) =>
    test.replace(/\bx(test|it|describe)(?=\()/g, "$1").replace(/\b(test|it|describe)\.skip(?=\()/g, "$1"),
  testsIn: (rows) =>
    rows.flatMap((row, start) => (jsTest.test(row) ? [{ start, end: endOf(rows, start, closesScript) }] : [])),
  skipped: (row) => [row.replace(/\b(test|it)\(/, "$1.skip(")],
  numbered: (row, i) => row.replace(/(\()(?:(["'`])(?:\\.|(?!\2).)*\2)?/, `$1"#${i}"`),
  failedIn: (printed) => [...printed.matchAll(/^\s*✖ #(\d+)\b/gm)].map(([, i]) => Number(i)),
  assertionsIn: (rows, { end, start }) =>
    rows.flatMap((row, i) =>
      i > start && i < end && /^\s*(?:await |return )?expect\(/.test(row)
        ? [{ start: i, end: Math.max(closedAt(rows, i), endOf(rows, i, /^[})\].]/)) }]
        : []
    ),
  turned: (row) => row.replace(/\.(toBe|toEqual|toThrow|toBeNull|toBeUndefined|toStrictEqual)\(/, ".not.$1("),
  declared: jsDeclared,
  imported: (test) =>
    [...test.matchAll(/import \{([^}]*)\} from '\.\//g)].flatMap(([, names = ""]) =>
      names
        .split(",")
        .map((name) => name.trim())
        .filter((name) => name !== "")
    ),
  comment: (words) => `// ${words}`,
  given: (indent, answer) => `${indent}return ${answer};`,
  behindReturn: (body, indent) => [`${indent}return undefined;`, ...body],
  behindFalse: (body, indent) => [
    `${indent}if (false) {`,
    ...body.map((row) => (row === "" ? row : `  ${row}`)),
    `${indent}}`,
    `${indent}throw new Error('Remove this line and implement the function');`
  ],
  lookup: (names, calls) =>
    names
      .map((name) => {
        const of = [...new Map(calls.filter((call) => call.name === name).map((call) => [call.given, call])).values()]
        return [
          `const answersOf${name} = new Map([`,
          ...of.map(({ answer, given, threw }) => `  [${JSON.stringify(given)}, ${threw ?? answer}],`),
          "]);",
          "",
          `export const ${name} = (...given) => {`,
          `  const answer = answersOf${name}.get(JSON.stringify(given));`,
          ...(of.some(({ threw }) => threw !== null) ? ["  if (answer instanceof Error) throw answer;"] : []),
          "  return answer;",
          "};",
          ""
        ].join("\n")
      })
      .join("\n"),
  neighbour: "export const labelOf = (name) => {\n  return [name, name.length].join(': ');\n};\n",
  wrongs: [
    [/(?<= )===(?= )/, "!=="],
    [/(?<= )!==(?= )/, "==="],
    ...operators,
    [/&&/, "||"],
    [/\|\|/, "&&"],
    [/(?<![\w.'"])\d+(?![\w.'"])/, plusOne]
  ],
  recorder: (names, real) => `import { appendFileSync } from "node:fs"
import * as real from "./${real}"
const recorded = (name) => (...given) => {
  const was = JSON.stringify(given)
  const write = (answer, threw = null) =>
    appendFileSync(process.env.CALLS, JSON.stringify({ name, given: was, answer, threw }) + "\\n")
  let answer
  try {
    answer = real[name](...given)
  } catch (error) {
    write(null, \`new Error(\${JSON.stringify(error.message)})\`)
    throw error
  }
  write(JSON.stringify(answer) ?? null)
  return answer
}
${names.map((name) => `export const ${name} = recorded("${name}")`).join("\n")}
`
}

// --- Python -----------------------------------------------------------------------------------------------------

const closesPython = /^[)\]}]/
const pyTest = /^\s+def test_/

const pyDeclared = (rows: ReadonlyArray<string>): ReadonlyArray<Declared> => {
  const all: Array<Declared> = []
  for (const [start, row] of rows.entries()) {
    const [, blanks = "", word = "", name = ""] = /^( *)(def|class) (\w+)/.exec(row) ?? []
    if (name === "" || (blanks !== "" && blanks.length !== 4)) continue
    const around = all.findLast(({ end, of }) => of === null && end >= start)
    if (blanks !== "" && around?.kind !== "type") continue
    const head = closedAt(rows, start)
    const end = endOf(rows, start, closesPython)
    const body = end <= head ? null : { start: head + 1, end }
    all.push({ name, kind: word === "class" ? "type" : "function", start, end, body, of: around?.name ?? null })
  }
  return all
}

const python: Track = {
  name: "python",
  command: (testPath) => `python3 -B -m unittest -v ${testPath}`,
  installed: {},
  committed: { ".gitignore": "__pycache__/\n" },
  runnable: (test) => test,
  unskipped: (test) => test.replace(/^ *@unittest\.skip.*\n/gm, ""),
  testsIn: (rows) =>
    rows.flatMap((row, start) => (pyTest.test(row) ? [{ start, end: endOf(rows, start, closesPython) }] : [])),
  skipped: (row) => [`${" ".repeat(indentOf(row))}@unittest.skip("later")`, row],
  numbered: (row, i) => row.replace(/def test_\w+/, `def test_${String(i).padStart(4, "0")}_`),
  failedIn: (printed) => [...printed.matchAll(/^(?:FAIL|ERROR): test_(\d+)_/gm)].map(([, i]) => Number(i)),
  assertionsIn: (rows, { end, start }) =>
    rows.flatMap((row, i) =>
      i > start && i <= end && /^\s*(?:self\.assert\w+\(|with self\.assert)/.test(row)
        ? [{ start: i, end: /^\s*with/.test(row) ? endOf(rows, i, closesPython) : closedAt(rows, i) }]
        : []
    ),
  turned: (row) =>
    row
      .replace("assertEqual(", "assertNotEqual(")
      .replace("assertIs(", "assertIsNot(")
      .replace("assertTrue(", "assertFalse(")
      .replace("assertIsNone(", "assertIsNotNone("),
  declared: pyDeclared,
  imported: (test) =>
    [
      ...test.matchAll(
        /^from (?!unittest|random|collections|datetime|itertools|math|string)\w+ import (?:\(([^)]*)\)|(.*))/gm
      )
    ].flatMap(([, many, one]) =>
      (many ?? one ?? "")
        .split(",")
        .map((name) => name.trim())
        .filter((name) => /^\w+$/.test(name))
    ),
  comment: (words) => `# ${words}`,
  given: (indent, answer) => `${indent}return ${answer}`,
  behindReturn: (body, indent) => [`${indent}return None`, ...body],
  behindFalse: (body, indent) => [
    `${indent}if False:`,
    ...body.map((row) => (row === "" ? row : `    ${row}`)),
    `${indent}pass`
  ],
  lookup: (names, calls) =>
    names
      .map((name) => {
        const of = [...new Map(calls.filter((call) => call.name === name).map((call) => [call.given, call])).values()]
        return [
          `ANSWERS_OF_${name.toUpperCase()} = {`,
          ...of.map(({ answer, given, threw }) => `    ${JSON.stringify(given)}: ${threw ?? answer},`),
          "}",
          "",
          "",
          `def ${name}(*given, **named):`,
          `    answer = ANSWERS_OF_${name.toUpperCase()}[repr((given, named))]`,
          ...(of.some(({ threw }) => threw !== null)
            ? ["    if isinstance(answer, Exception):", "        raise answer"]
            : []),
          "    return answer",
          ""
        ].join("\n")
      })
      .join("\n\n"),
  neighbour: 'def label_of(name):\n    return f"{name}: {len(name)}"\n',
  wrongs: [
    [/(?<= )==(?= )/, "!="],
    [/(?<= )!=(?= )/, "=="],
    ...operators,
    [/(?<= )and(?= )/, "or"],
    [/(?<= )or(?= )/, "and"],
    [/(?<= )not in(?= )/, "in"],
    [/(?<![\w.'"])\d+(?![\w.'"])/, plusOne]
  ],
  recorder: (names, real) => `import ast, json, os
import ${real.replace(/\.py$/, "")} as real

def _recorded(name):
    def call(*given, **named):
        was = repr((given, named))
        def write(answer, threw=None):
            with open(os.environ["CALLS"], "a") as file:
                file.write(json.dumps({"name": name, "given": was, "answer": answer, "threw": threw}) + "\\n")
        try:
            answer = getattr(real, name)(*given, **named)
        except Exception as error:
            write(None, repr(error))
            raise
        text = repr(answer)
        try:
            write(text if ast.literal_eval(text) == answer else None)
        except (ValueError, SyntaxError):
            write(None)
        return answer
    return call

${names.map((name) => `${name} = _recorded("${name}")`).join("\n")}
`
}

export const tracks: Readonly<Record<TrackName, Track>> = { javascript, python }
