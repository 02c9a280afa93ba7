import type { Declaration, LineRange, SourceOutline } from "../../../port/index.ts"
import { namedCode, plain } from "../asked/namedCode.ts"
import { saidOf } from "../asked/said.ts"
import { titled } from "../code/range.ts"
import { timesIn } from "../code/timesIn.ts"
import type { FileNow } from "./lineProof.ts"

/**
 * The function that an item asks to implement, where these lines only declare it and nothing in the file gives it a body:
 * `slugify (line 3)`. Null: it has one, or the item asks for a declaration, or something else makes the body. Pure.
 */
export const declaredOnly = (
  item: string,
  { lines, outline, path }: FileNow,
  tokens: ReadonlyArray<string>,
  { end, start }: LineRange
): string | null => {
  if (outline === null || !asksToImplement(item)) return null
  const wanted = namedCode(item).wanted.map(({ name }) => plain(name))
  if (wanted.length === 0) return null
  const declared = outline.declarations.filter(
    ({ kind, name }) => kind === "function" && wanted.includes(plain(name ?? ""))
  )
  const text = tokens.join("\n")
  const isAll = wanted.every((name) => declared.some((one) => plain(one.name ?? "") === name))
  const cited = declared.find((one) => one.start.row < end && one.end.row >= start - 1)
  if (!isAll || cited === undefined) return null
  const isBare = (one: Declaration): boolean =>
    hasNoBody(lines, outline, one) &&
    timesIn(text, one.name ?? "") === declared.filter(({ name }) => name === one.name).length
  return declared.every(isBare) && !isMadeByOthers({ lines, outline, path }, cited)
    ? titled(outline.declarations, cited)
    : null
}

const asksToImplement = (item: string): boolean => {
  const text = saidOf(item)
  return implementing.test(text) && !ofDeclarations.test(text)
}
const implementing = /^\W*(?:re-?)?(?:implement|write|code)s?\b|を?実装/i
const ofDeclarations =
  /\b(?:abstract\w*|api|bindings?|class|contracts?|declar\w*|definitions?|dtos?|enum|extern\w*|ffi|headers?|interfaces?|mixins?|native|overload\w*|ports?|protocols?|prototypes?|schemas?|signatures?|stubs?|traits?|types?|typings?|virtual)\b|\.(?:d\.[cm]?ts|pyi|h|hh|hpp|hxx)\b|型|宣言|抽象|インターフェー?ス|プロトコル|トレイト|シグネチャ/i

const textOf = (lines: ReadonlyArray<string>, from: Declaration["start"], to: Declaration["end"]): string =>
  lines
    .slice(from.row, to.row + 1)
    .map((line, i, all) => line.slice(i === 0 ? from.column : 0, i === all.length - 1 ? to.column : undefined))
    .join("")

const hasNoBody = (lines: ReadonlyArray<string>, { isIndented }: SourceOutline, one: Declaration): boolean => {
  const body = textOf(lines, one.bodyStart, one.end)
  const macro = macroAt(lines, one.start.row)
  if (macro !== null) return idleMacro.test(macro)
  return isIndented ? bareBody.test(body) : body === ""
}

/** What a macro of C stands for, without comments; null: it is none. */
const macroAt = (lines: ReadonlyArray<string>, row: number): string | null => {
  const head = /^\s*#\s*define\s+\w+(?:\([^()]*\))?([^(\w][^\n]*)?\r?\n?$/.exec(lines[row] ?? "")
  if (head === null) return null
  const said = [head[1] ?? ""]
  for (let at = row; /\\\s*$/.test(lines[at] ?? "") && at + 1 < lines.length; at++) said.push(lines[at + 1] ?? "")
  return said
    .join(" ")
    .replace(/\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n]*/g, " ")
    .replace(/[\s\\]+/g, " ")
    .trim()
}
const idleMacro = /^(?:do ?\{[ ;]*\} ?while ?\( ?0 ?\)|\(?\( ?void ?\) ?\(?\w*\)?\)?|\{[ ;]*\})?;?$/

/** Documentation, and what stands in the place of a body. */
const bareBody =
  /^(?:[rRuU]?("""|'''|["'])(?:(?!\1)[\s\S])*\1)?\s*(?:\.\.\.|pass|raise NotImplementedError(?:\(.*\))?)?\s*(?:#.*)?$/

/**
 * A body comes from elsewhere: from an annotation or what an interface extends (repositories, clients), from another language,
 * from the compiler.
 */
const isMadeByOthers = ({ lines, outline }: FileNow, one: Declaration): boolean => {
  const language = outline?.language ?? ""
  const head = textOf(lines, one.start, one.end)
  if (outline?.isIndented === true) return /^@(?!(?:\w+\.)?(?:abstract\w+|overload)\b)/m.test(head)
  const parent = one.parent === null ? undefined : outline?.declarations[one.parent]
  if (language === "go") return parent === undefined
  const around =
    parent === undefined ? "" : textOf(lines, parent.start, parent.bodyStart) || (lines[parent.start.row] ?? "")
  return (
    /^\s*[@[#]/m.test(head) ||
    /\b(?:native|external|extern|partial|expect)\b|=\s*(?:default|delete)\b/.test(head) ||
    (/^(?:csharp|java|kotlin|scala)$/.test(language) && /^\s*[@[]|\bextends\b|:/m.test(around))
  )
}
