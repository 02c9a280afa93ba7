import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fetchOrigin } from "../fetch.ts"
import { lineAt, lineStarts } from "../text.ts"
import type { FoundFunction, Language } from "../types.ts"
import { aboveOf, standsAlone } from "./lines.ts"

/** As much of the compiler's interface as is used here; it is fetched into the cache, not a dependency. */
interface Node {
  readonly kind: number
  readonly parent?: Node
  readonly pos: number
  readonly end: number
  readonly name?: Node
  readonly body?: Node
  readonly initializer?: Node
  readonly text?: string
  readonly declarations?: ReadonlyArray<Node>
  getStart(file: Node): number
}

interface Compiler {
  readonly SyntaxKind: Readonly<Record<string, number>>
  readonly ScriptTarget: { readonly Latest: number }
  readonly ScriptKind: Readonly<Record<"TS" | "TSX" | "JSX", number>>
  readonly LanguageVariant: { readonly JSX: number }
  createSourceFile(name: string, text: string, target: number, parents: boolean, kind: number): Node
  forEachChild(node: Node, visit: (child: Node) => void): void
}

/** The parser that finds functions in scripts, from the cache; a sentence where it cannot be had. */
export const loadCompiler = (cache: string): Compiler | string => {
  const fetched = fetchOrigin({ kind: "npm", name: "typescript@5", half: "dev" }, cache)
  if (fetched._tag === "Unavailable") return fetched.why
  const main = join(fetched.directory, "lib", "typescript.js")
  return existsSync(main)
    ? (createRequire(main)(main) as Compiler)
    : "the package typescript@5 holds no lib/typescript.js"
}

export interface ScriptFile {
  readonly code: string
  readonly uncommented: string
  readonly functions: ReadonlyArray<FoundFunction>
}

/** Null where the compiler finds fault with the text. */
export const findInScript = (compiler: Compiler, language: Language, text: string): ScriptFile | null => {
  const kinds = { typescript: compiler.ScriptKind.TS, tsx: compiler.ScriptKind.TSX }
  const kind = language === "typescript" || language === "tsx" ? kinds[language] : compiler.ScriptKind.JSX
  const file = compiler.createSourceFile("file", text, compiler.ScriptTarget.Latest, true, kind)
  if (((file as unknown as { parseDiagnostics?: ReadonlyArray<unknown> }).parseDiagnostics ?? []).length > 0)
    return null
  const { SyntaxKind: is } = compiler
  const starts = lineStarts(text)
  const code = text.split("")
  const uncommented = text.split("")
  const blank = (characters: Array<string>, from: number, to: number) => {
    for (let i = from; i < to; i++) if (characters[i] !== "\n") characters[i] = " "
  }
  const literals = new Set([
    is["StringLiteral"],
    is["NoSubstitutionTemplateLiteral"],
    is["TemplateHead"],
    is["TemplateMiddle"],
    is["TemplateTail"],
    is["RegularExpressionLiteral"]
  ])
  const bodies: Array<Node> = []
  // where `//` is no comment
  const opaque = new Map<number, number>()
  const visit = (node: Node): void => {
    if (literals.has(node.kind)) {
      const from = node.getStart(file)
      opaque.set(from, node.end)
      blank(code, from + 1, node.end - 1)
    } else if (node.kind === is["JsxText"]) opaque.set(node.pos, node.end)
    if (node.body !== undefined) bodies.push(node)
    compiler.forEachChild(node, visit)
  }
  visit(file)
  for (let i = 0; i < text.length; ) {
    const literal = opaque.get(i)
    const end =
      literal ??
      (text.startsWith("//", i) ? text.indexOf("\n", i) : text.startsWith("/*", i) ? text.indexOf("*/", i) + 2 : i)
    if (literal === undefined && end !== i) {
      blank(code, i, end === -1 ? text.length : end)
      blank(uncommented, i, end === -1 ? text.length : end)
    }
    i = end === -1 ? text.length : Math.max(end, i + 1)
  }
  const masked = { code: code.join(""), uncommented: uncommented.join("") }
  const functions: Array<FoundFunction> = []
  for (const node of bodies) {
    const one = functionOf(compiler, file, node, { text, starts, ...masked })
    if (one !== null) functions.push(one)
  }
  return { ...masked, functions }
}

interface Text {
  readonly text: string
  readonly code: string
  readonly uncommented: string
  readonly starts: ReadonlyArray<number>
}

const functionOf = (compiler: Compiler, file: Node, node: Node, text: Text): FoundFunction | null => {
  const { SyntaxKind: is } = compiler
  const { body } = node
  if (body === undefined) return null
  const isArrow = node.kind === is["ArrowFunction"]
  const isExpression = node.kind === is["FunctionExpression"]
  const isKnown = [
    is["FunctionDeclaration"],
    is["MethodDeclaration"],
    is["GetAccessor"],
    is["SetAccessor"],
    is["Constructor"]
  ].includes(node.kind)
  if (!isArrow && !isExpression && !isKnown) return null
  const declaration: Named | null = isKnown ? { whole: node, name: node.name } : declarationOf(is, node)
  if (declaration === null) return null
  const from = declaration.whole.getStart(file)
  const { starts } = text
  const name = declaration.name
  const begin = withoutDecorators(text, from)
  const start = lineAt(starts, begin)
  if (text.text.slice(starts[start - 1] ?? 0, begin).trim() !== "") return null
  const isBlock = body.kind === is["Block"]
  const at = body.getStart(file)
  const outer = { from: at, to: body.end }
  const found: FoundFunction = {
    name: name?.text ?? "default",
    above: aboveOf(text.text, text.uncommented, starts, lineAt(starts, from)),
    start,
    signature: name === undefined ? start : lineAt(starts, name.getStart(file)),
    end: lineAt(starts, body.end - 1),
    body: isBlock ? { from: at + 1, to: body.end - 1 } : outer,
    outer,
    form: isBlock ? "block" : "expression",
    head: text.code.slice(begin, at),
    role: node.kind === is["Constructor"] ? "constructor" : "plain"
  }
  return standsAlone(text.text, starts, Math.max(body.end, closedAt(is, node)), found) ? found : null
}

/** Behind parentheses around the function. */
const closedAt = (is: Compiler["SyntaxKind"], { end, parent }: Node): number =>
  parent !== undefined && parent.kind === is["ParenthesizedExpression"] ? parent.end : end

interface Named {
  readonly whole: Node
  readonly name?: Node | undefined
}

/** What a function without a name of its own is the value of; null for callbacks. */
const declarationOf = (is: Compiler["SyntaxKind"], node: Node): Named | null => {
  const { parent } = node
  if (parent === undefined) return null
  const named = parent.name === undefined ? {} : { name: parent.name }
  if (parent.kind === is["VariableDeclaration"]) {
    const statement = parent.parent?.parent
    if (parent.parent?.declarations?.length !== 1) return null
    if (statement === undefined || statement.kind !== is["VariableStatement"]) return null
    return { whole: statement, ...named }
  }
  if (parent.kind === is["PropertyAssignment"] || parent.kind === is["PropertyDeclaration"])
    return { whole: parent, ...named }
  return null
}

const withoutDecorators = ({ code }: Text, from: number): number => {
  let at = from
  for (;;) {
    const mark = /^@[\w.]+/.exec(code.slice(at, at + 100))
    if (mark === null) return at
    at += mark[0].length
    if (code[at] === "(") {
      let depth = 0
      do {
        if (code[at] === "(") depth++
        if (code[at] === ")") depth--
        at++
      } while (depth > 0 && at < code.length)
    }
    while (/\s/.test(code[at] ?? "")) at++
  }
}
