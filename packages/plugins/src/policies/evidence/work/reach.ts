import type { SourceOutline } from "../../../port/index.ts"
import { type Language, languageOf } from "../../../text/languages.ts"
import { lineStarts } from "../../../text/lines.ts"
import { type Scanned, scan } from "../../../text/scan.ts"
import { familyOf } from "../code/families.ts"
import { onceFor } from "../code/once.ts"
import { type Outline, outline } from "../code/outline.ts"
import { closersOf, type Plain, plainOf } from "../code/plain.ts"
import { arrowBody, roleOf } from "../code/statements.ts"
import { timesIn } from "../code/timesIn.ts"

/** A function, a type, or what holds such, by the tree of its file or by its layout. Rows count from 0. */
export interface Scope {
  readonly kind: "function" | "type" | "group"
  readonly name: string | null
  readonly row: number
  readonly last: number
  /** From its annotations to its body. */
  readonly head: string
  readonly around: Scope | null
}

/** A file with what it declares. */
export interface Read {
  /** By the name of its family. */
  readonly language: string
  /** Without comments. */
  readonly rows: ReadonlyArray<string>
  readonly plain: Plain
  readonly scopes: ReadonlyArray<Scope>
}

/** By its layout where there is no tree. Null: that tells nothing. */
export const readOf = (path: string, lines: ReadonlyArray<string>, outline: SourceOutline | null): Read | null =>
  outline === null ? byLayout(lines)(path) : byTree(outline)(lines)

const byTree = onceFor((outline: SourceOutline) => {
  let found: Read | undefined
  return (lines: ReadonlyArray<string>): Read => {
    if (found !== undefined) return found
    const plain = plainOf(lines, outline)
    const rows = plain.text.split("\n")
    const scopes: Array<Scope> = []
    for (const { bodyStart, end, kind, name, parent, start } of outline.declarations) {
      const head = rows.slice(start.row, (kind === "function" ? bodyStart.row : start.row) + 1).join(" ")
      const around = parent === null ? null : (scopes[parent] ?? null)
      scopes.push({ kind, name, row: start.row, last: end.row, head: head.trim(), around })
    }
    found = { language: familyOf(outline.language), rows, plain, scopes }
    return found
  }
})

const byLayout = onceFor((lines: ReadonlyArray<string>) => {
  let found: Read | null | undefined
  return (path: string): Read | null => {
    if (found !== undefined) return found
    const language = languageOf(path, lines)
    const layout = layoutOf(lines)(language)
    found = null
    if (layout === null) return found
    const { code, nodes, text } = layout
    const plain = { code, text, starts: lineStarts(code), closers: closersOf(code) }
    found = { language: language.name, rows: text.split("\n"), plain, scopes: scopesIn(nodes, null, language) }
    return found
  }
})

const scopesIn = (nodes: ReadonlyArray<Outline>, around: Scope | null, language: Language): ReadonlyArray<Scope> =>
  nodes.flatMap((node) => {
    const { body, code: head, first: row, last } = node
    const kind = kindOf(node, language)
    if (kind === null) return scopesIn(body ?? [], around, language)
    const name = kind === "function" ? functionName(head, language) : null
    const scope = { kind, name, row, last, head, around }
    return [scope, ...scopesIn(body ?? [], scope, language)]
  })

const kindOf = (
  { body, code, text }: Pick<Outline, "body" | "code" | "text">,
  language: Language
): Scope["kind"] | null => {
  const role = roleOf(code, language)
  if (role === "class" || role === "type") return "type"
  if (body === null) return arrowBody(code, text) === null ? null : "function"
  const isCase = language.name === "haskell" && /^[a-z_][\w']*\s+(?!where\b)[^:]/.test(code)
  return role === "function" || isCase ? "function" : null
}

/** The nearest of the statements around one that is a function or a type. */
export const scopeOf = (around: ReadonlyArray<Outline>, language: Language): Scope | null =>
  around.reduce<Scope | null>((outer, node) => scopesIn([{ ...node, body: [] }], outer, language)[0] ?? outer, null)

interface Layout extends Scanned {
  readonly nodes: ReadonlyArray<Outline>
}

/** Null: it is too long to be read, or nothing is known of its language but its lines. */
export const layoutOf = onceFor((lines: ReadonlyArray<string>) => {
  let found: Layout | null | undefined
  return (language: Language): Layout | null => {
    if (found !== undefined) return found
    const source = lines.join("").replaceAll("\r", " ")
    const isKnown = /^(?:braces|indent)$/.test(language.layout) && language.name !== "unknown"
    found = null
    if (!isKnown || source.length > maxLength) return found
    const scanned = scan(source, language)
    found = { ...scanned, nodes: outline(scanned, language) }
    return found
  }
})
const maxLength = 256 * 1_024

export const functionName = (head: string, { name }: Pick<Language, "name">): string | null => {
  const named =
    (name === "haskell"
      ? /^([a-z_][\w']*)/
      : /^(?:local\s+|inline\s+)?(?:defp?|fn|func|function|proc|sub)\s+(\w+[!?]?)(?![\w.:])/
    ).exec(head) ??
    /^(?:let\s+(?:(?:rec|inline|private)\s+)*|(?:export\s+)?(?:const|let|var)\s+)([\p{L}_][\w$']*)/u.exec(head) ??
    /^(?:local\s+)?([\w.]+)\s*(?:<-|=)\s*function\b/.exec(head) ??
    /([\p{L}_$][\w$'!?]*)\s*(?:<[^<>()]*>\s*)?(?:\(|$)/u.exec(head) ??
    /\b(?:def|defp|sub|function|fun|func)\s+([\w!?]+)/.exec(head) ??
    /^([a-z][\w']*)\s/.exec(head)
  return named?.[1]?.split(".").at(-1) ?? null
}

/** What is given a name, with what says who can speak of it. */
export interface Named extends Omit<Scope, "kind" | "name"> {
  readonly name: string
  readonly isFunction: boolean
  /** In a block that is no declaration. */
  readonly isInBlock?: boolean
}

/** Nothing outside of the file, its type or its package can speak of it. */
export const isOwn = (
  { language, path, rows }: Pick<Read, "language" | "rows"> & { readonly path: string },
  { around, head, isFunction, isInBlock = false, last, name, row }: Named
): boolean => {
  const above = (rows.slice(0, row).findLast((text) => text.trim() !== "") ?? "").trim()
  if (/^(?:@(?!spec\b)|#\[|\[)/.test(above) || /^(?:@|#\[|\[)/.test(head)) return false
  if (language === "lua") return /^local\b/.test(head)
  // in Ruby the last one is what is given back
  const below = language === "ruby" ? (rows.slice(last + 1).find((text) => text.trim() !== "") ?? "") : ""
  if (around?.kind === "function")
    return !isFunction && isRead(rows, around) && !/^\s*(?:end|else|elsif|when|rescue)\b/.test(below)
  if (isInBlock && around === null && /^(?:const|let|val|var|auto|final)\b/.test(head)) return true
  switch (language) {
    case "script":
      return around !== null
        ? /^private\b/.test(head)
        : !/^export/.test(head) && (isFunction || /^(?:const|let)\b/.test(head))
    case "python":
      return name.startsWith("_") && (around === null || /^class \w+\s*:/.test(around.head))
    case "go":
      return /^[a-z]/.test(name)
    case "rust":
      return (
        !/^(?:pub\b|extern\b)/.test(head) &&
        !/^(?:unsafe )?(?:impl\b.* for |trait\b)|^(?:pub )?trait\b/.test(around?.head ?? "")
      )
    case "c":
      return /^(?:static|constexpr|const)\b/.test(head)
        ? around?.kind !== "type" && !/\.h\w*$/.test(path)
        : /^#\s*define\s+[A-Z]/.test(head) && /\.(?:c|cc|cpp|cxx)$/.test(path)
    case "ruby":
      return /^private def\b/.test(head)
    case "csharp":
      return isPrivate.test(head) && !/\bclass \w+(?:<[^>]*>)?\s*:/.test(around?.head ?? "")
    case "elixir":
      return /^defp\b/.test(head)
    case "dart":
      return name.startsWith("_")
    case "nim":
      return /^(?:proc|func)\s+\w+\s*[([:=]/.test(head) && !head.includes("{.")
    case "zig":
      return isFunction && /^(?:inline\s+)?fn\b/.test(head)
    case "perl":
      return isFunction
        ? /^_(?!build|clear|coerce|default|has|init|set|trigger)/.test(name) && !derived(rows)
        : /^my\b/.test(head)
    case "ml":
      return /^let\s+(?:(?:rec|inline)\s+)*private\b/.test(head)
    case "erlang":
    case "haskell":
      return isFunction && around === null && listing(rows)
    default:
      return isPrivate.test(head) && (isFunction || /\b(?:static|final|const|val|let)\b/.test(head))
  }
}
const isPrivate = /^(?:(?:static|final|override|lazy|inline|suspend) )*(?:private|fileprivate)\b(?!\[)/

/** A package of Perl with a base calls, and is called, by names that the base knows. */
const derived = onceFor((rows: ReadonlyArray<string>): boolean =>
  rows.some((text) =>
    /^\s*(?:(?:extends|with|use\s+(?:base|parent))\b|(?:our\s+)?@ISA\b|use\s+Mo\w*::[\w:]+\s+(?:['"]|-role))/.test(text)
  )
)

/** A module that says which of its names are for others. */
const listing = onceFor((rows: ReadonlyArray<string>): boolean => {
  const [, list = "module"] = listed.exec(rows.join("\n")) ?? []
  return !/^\s*\.\.|\bmodule\b/.test(list) && !rows.some((text) => /\bexport_all\b/.test(text))
})
const listed = /^(?:(?:port\s+)?module\s+[\w.]+\s*(?:exposing\s*)?\(|-export\s*\(\s*\[)((?:[^()]|\([^()]*\))*)/m

/** Of a function nobody asks for its names by their texts, nor gives all of them away. */
const isRead = (rows: ReadonlyArray<string>, { last, row }: Scope): boolean =>
  !rows
    .slice(row, last + 1)
    .some((text) =>
      /\b(?:arguments|binding|compact|eval|extract|func_get_args|include|locals|require|vars)\b/.test(text)
    )

/** Its name, also as a part of one that is put together: `"_on_" + kind`. */
export const isSpokenOf = (text: string, name: string): boolean => {
  if (text.includes(name) && timesIn(text, name) + timesIn(text, `$${name}`) > 0) return true
  const parts = [...name.matchAll(/(?<=[a-z\d])(?=[A-Z])|(?<=[a-z\d]_)/g)]
    .flatMap(({ index }) => (index > 2 ? [name.slice(0, index)] : []))
    .filter((part) => text.includes(part))
  return (
    parts.length > 0 &&
    new RegExp(`["'\`:](?:${parts.join("|").replace(/[$.?]/g, "\\$&")})(?:["'\`{%$]|#\\{)`).test(text)
  )
}
