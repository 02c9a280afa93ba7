import { truthOf } from "../../../text/conditions.ts"
import type { Language } from "../../../text/languages.ts"
import { hidden } from "../../../text/parts.ts"
import { dialectOf } from "./dialects.ts"
import { closing } from "./outline.ts"

/**
 * What a statement contributes to an implementation.
 *
 * - `nothing`: imports, brackets, annotations, documentation
 * - `stub`: says that something is still to be written
 * - `failure`: fails with no more than words of its own
 * - `null`: returns nothing, which is no work when it is all there is
 * - `constant`: returns an empty or fixed value; work, unless a remark says otherwise
 * - `declared`: a type, or what a file gives away: something, unless functions beside it are still to be written
 * - `real`: anything else
 */
export type Kind = "nothing" | "stub" | "failure" | "null" | "constant" | "declared" | "real"

/** Longer statements are not looked into: they hold something. */
const maxLength = 4_000

export const kindOfStatement = (rawCode: string, rawText: string, language: Language): Kind => {
  if (rawCode.length > maxLength) return "real"
  const ends = language.name === "erlang" ? /[\s;,.]+$/ : /[\s;,]+$/
  const code = rawCode.trim().replace(ends, "")
  const text = rawText.trim().replace(ends, "")
  if (/^(?:\.\.\.|…|\?\?\?|pass|discard|undefined)$/.test(code)) return "stub"
  if (/^(?:todo|panic)(?:\s+as\b[\s\S]*)?$/.test(code) && language.name === "unknown") return "stub"
  if (!/[\p{L}\p{N}_$'@]/u.test(code.replaceAll(hidden, "x")) && !plain.test(code)) return "nothing"
  if (isCloser(code) || isImport(code, text, language) || isQuiet(rawCode.trim(), language)) return "nothing"
  if (isDocumentation(code, text, language)) return "nothing"
  // by which a module of Perl ends
  if (language.name === "perl" && rawCode.trim() === "1;") return "nothing"
  if (idle.test(code) || dialectOf(language).idle?.test(code)) return "nothing"
  const dialect = dialectOf(language)
  if (dialect.parameters !== undefined) {
    const rest = behindParameters(code, dialect.parameters)
    // with nothing but them nothing is done, and they are a part of what is
    if (rest === "") return /param\s*\(/i.test(code) ? "declared" : "nothing"
    if (rest !== null) return kindOfStatement(rest, rest, language)
  }
  if (roleOf(code, language) === "type" || dialectOf(language).declared?.test(code)) return "declared"
  if (dialect.stub?.test(code) && (dialect.isStubSaid !== true || saysUnwritten(text))) return "stub"
  if (/^(?:TODO|FIXME|TBD|XXX)\b/.test(code) || saysSo(code, text) || idleTable.test(code)) return "stub"
  // of OCaml; in a choice it says that something cannot be
  if (/^assert\s*\(?\s*false\s*\)?$/.test(code) && /^(?:ml|unknown)$/.test(language.name)) return "failure"
  if (failure.test(code) && !/[#$]\{|\\\(|\$\w/.test(text)) return "failure"
  if (isNeverRun(text, language)) return "nothing"
  const condition = /^(?:else\s+)?(?:if|unless|when)\b\s*(?=\()/.exec(code)
  const guarded =
    condition === null
      ? (/^([\s\S]*?)\s+(?:if|unless)\s+(?![\s\S]*\belse\b)[\s\S]+$/.exec(code)?.[1] ?? null)
      : code.slice(closing(code, condition[0].length))
  if (guarded !== null && guarded.trim() !== "") return guardedKind(kindOfStatement(guarded, guarded, language))
  return kindOfValue(code.replace(/^return\b\s*/, ""))
}

/** What stands behind attributes and parameters on their line; null: there are none. */
const behindParameters = (code: string, parameters: RegExp): string | null => {
  let from = 0
  while (code.charAt(from) === "[") {
    const end = closing(code, from)
    // a cast, or something of a type
    if (!/^\s*(?:$|\[|param\b)/i.test(code.slice(end))) return null
    from = end + (/^\s*/.exec(code.slice(end))?.[0].length ?? 0)
  }
  const open = parameters.exec(code.slice(from))
  if (open === null) return from > 0 && from >= code.length ? "" : null
  return code.slice(closing(code, from + open[0].length)).trim()
}

/** An annotation; a parameter that is not used. */
const idle = /^(?:@[\w.]+(?:\s*\([\s\S]*\))?|_\s*=\s*\w+)$/

/** A table of functions that do nothing, as a module of Lua gives away. */
const idleTable = /^(?:return|(?:local\s+)?\w+\s*=)\s*\{(?:\s*[\w.]+\s*=\s*function\s*\([^()]*\)\s*end\s*,?)+\s*\}$/

/**
 * Whether the condition of a block, or of a statement, never holds: `if false then`, `if (0)`, `unless true`, `save() if 0`.
 * `text`: with its strings.
 */
export const isNeverRun = (text: string, { name }: Pick<Language, "name">): boolean => {
  if (text.length > maxCondition) return false
  const [, word = "", said = ""] = guardOf(text) ?? []
  const written = said.replace(/\s*(?:\bthen\b[\s\S]*|\bdo\b[\s\S]*|:)$/, "").trim()
  const condition = name === "powershell" ? written.replace(/\$(?=(?:true|false|null)\b)/gi, "") : written
  // only in some languages a number is no
  const truth = /^(?:elixir|julia|lua)$/.test(name) && /^-?\d/.test(condition) ? null : truthOf(condition, () => false)
  return word === "" ? false : truth === (word === "unless")
}

/** Longer ones depend on something. */
const maxCondition = 500

const guardOf = (text: string): ReadonlyArray<string> | null => {
  const head = /^(?:\}?\s*else\s*)?(if|elsif|elseif|elif|unless|while)\b\s*/.exec(text)
  if (head === null) return /^[^"'\n]*?[\w)\]]\s+(if|unless)\s+([^"'\n]*?);?$/.exec(text)
  const rest = text.slice(head[0].length)
  return [text, head[1] ?? "", rest.startsWith("(") ? rest.slice(0, closing(rest, 0)) : rest]
}

/** A choice between values is work, and so is a refusal of some. */
export const guardedKind = (kind: Kind): Kind => (kind === "constant" || kind === "failure" ? "real" : kind)

const isCloser = (code: string): boolean =>
  /^end\s+(?:function|sub|module|class|namespace|property|get|set|structure|interface|enum)$/i.test(code) ||
  /^(?:end|fi|done|esac|od|endif|endforeach|endwhile|then|do|else|begin|rescue|ensure|finally|try|loop|default|where|in)[\s:;)\]}]*$/i.test(
    code
  ) ||
  /^<\/[\w.:-]*>$/.test(code)

const imports = [
  /^import\b(?!\s*\()/,
  /^import\s*\(\s*\n/,
  /^from\s+[\w.]+\s+import\b/,
  /^#\s*(?:include|import|pragma|ifndef|ifdef|if|else|elif|endif|undef|region|endregion|nullable|line)\b/,
  /^#\s*define\s+\w+$/,
  /^package\s+[\w.]+$/,
  /^(?:global\s+)?using\s+(?:static\s+|namespace\s+)?[\w.:=\s<>]+$/,
  /^use\s+[\w:\\{(]/,
  /^extern\s+crate\b/,
  /^(?:using\s+)?namespace\s+[\w\\.]+$/,
  /^(?:require|include)(?:_once|_relative)?\s*\(?\s*["'`]/,
  /^(?:include|require)\s+[A-Z][\w:.]*$/,
  /^(?:source|\.)\s+\S+$/,
  /^alias\s+[A-Z][\w.]*/,
  /^module\s+[\w.]+(?:\s*\([\s\S]*\))?\s+(?:where|exposing\b[\s\S]*)$/,
  /^module\s+[\w.]+$/,
  /^open\s+[A-Z][\w.]*$/,
  /^(?:part|library)\b(?:\s+of)?\s*[\w.'"(]/,
  /^declare\s*\(\s*strict_types/,
  /^<\?(?:php|xml)?\b|^\?>$|^<\?$/,
  /^"?use strict"?$/,
  /^@(?:doc|moduledoc|typedoc|spec|impl)\b/
]

export const isImport = (code: string, text: string, { name }: Pick<Language, "name">): boolean =>
  // of Gradle: what is built
  !(name === "groovy" && /^include\b/.test(code)) &&
  (imports.some((pattern) => pattern.test(code)) ||
    /^(?:const|let|var|local|import)\s+[\w$\s,{}:@]+=\s*@?(?:require|import)\s*\(?\s*["'][^"']*["']\s*\)?$/.test(text))

const isDocumentation = (code: string, text: string, language: Language): boolean =>
  language.docStrings &&
  // what is filled in is a value
  !(language.name === "julia" && /\$[\w(]/.test(text)) &&
  new RegExp(`^[rRbBuUfF]{0,2}("""|'''|["'\`])[${hidden}\\s]*\\1$`).test(code)

const literal = new RegExp(`^(?:\\d[\\w.]*|(["'\`])[${hidden}]*\\1)\\s*;$`)

/** A statement that ends with `;` and does nothing: a name without a value, a literal. */
export const isQuiet = (statement: string, language: Language): boolean =>
  (language.layout === "braces" &&
    (language.regexLiterals
      ? /^(?:let|var)\s+[\w$]+(?:\s*,\s*[\w$]+)*\s*;?$/.test(statement) || /^void\s+[\w$.]+\s*;?$/.test(statement)
      : /^(?:let|var)\s+\w+(?:\s*:\s*[\w<>[\]]+)?\s*;$/.test(statement))) ||
  (language.name !== "ml" && literal.test(statement)) ||
  /^(?:if|while)\s*\(\s*(?:false|0)\s*\)\s*(?:\{\s*\})?\s*;?$/.test(statement)

// --- statements that only say that the work is missing ----------------------------------------------------------

const saying =
  /not[\s_]*(?:yet[\s_]*)?(?:been\s+)?implemented|un-?implemented|not\s+supported\s+yet|(?:please\s+)?implement\s+(?:me|this|it|the)\b|to\s+be\s+implemented|to-?do:?\s+implement|implementation\s+(?:is\s+)?(?:pending|missing)|未実装|["'`]\s*(?:TODO|FIXME|TBD|XXX)\b|["'`]\s*to-?do\W*["'`]/i

/** Whether words say that something is still to be written. */
export const saysUnwritten = (text: string): boolean => saying.test(text)

/** Fails, prints or answers with such words, or calls what is named so. */
const saysSo = (code: string, text: string): boolean =>
  (code.includes(hidden) && saying.test(text) && telling.test(code)) ||
  /^(?:\w+:)?(?:error|throw|exit)\(\s*:?(?:not_?(?:yet_?)?implemented|todo|undef)\s*\)$/.test(code) ||
  /^(?:return\s+|throw\s+|raise\s+)?(?:new\s+)?\[?(?:self\s+)?(?:\w+[.:]+)*(?:todo!|todo\s*\(|(?:not_?(?:yet_?)?implemented|unimplemented)\w*!?\s*(?:[([{\]]|$))/i.test(
    code
  )

const failing =
  "raise|[Tt]hrow|fail|failwith|invalid_arg|panic!?|@panic|@compileError|fatalError|die|croak|confess|abort|error|errorWithoutStackTrace|stop|exit|assert|assert!|Debug\\.todo|revert|unreachable|(?:g_)?assert_not_reached"
const telling = new RegExp(
  `^(?:${failing}|return|Err|Left|log|console|logger|IO|io|print\\w*|puts|p|echo|say|warn|cat|message|Write-\\w+|std|fmt|push_\\w+|printerr|t\\.)(?![\\w])`,
  "i"
)

/** Words of its own, and nothing of what it was given. */
const failure = new RegExp(
  `^(?:${failing})(?![\\w])[\\s(]*(?:new\\s+|const\\s+)?(?:[A-Z][\\w.:]*)?[\\s(,]*(?:(["'])[${hidden}]*\\1)?[\\s)]*$`
)

// --- values -----------------------------------------------------------------------------------------------------

const nulls =
  /^(?:None|Nil|\$?null|nil|undefined|undef|NULL|nullptr|nothing|Nothing|\(\)|Unit|unit|Option\.empty|default|:ok|:nil)$/
const plain = /^&?(?:\[\s*\]|\{\s*\}|""|''|\(\))$/
const constants = /^(?:true|false|-?\d+(?:\.\d+)?|(["'`])\1|\[\s*\]|&?\[\s*\]|\{\s*\})$/i

const kindOfValue = (value: string): Kind => {
  if (value === "") return "null"
  const parts = value.split(",").map((part) => part.trim().replace(/^\((.+)\)$/, "$1"))
  if (parts.every((part) => nulls.test(part))) return "null"
  return parts.every((part) => nulls.test(part) || constants.test(part)) ? "constant" : "real"
}

// --- heads ------------------------------------------------------------------------------------------------------

const modifier =
  /^(?:export|default|declare|public|private|protected|friend|shared|overrides|overridable|readonly|internal|static|final|abstract|override|virtual|async|inline|extern|external|opaque|pure|pub(?:\s*\([^)]*\))?|local|const(?=\s+fn\b)|synchronized)(?!\w)\s*/i

const withoutModifiers = (code: string): string => {
  let rest = code.trimStart()
  for (let found = modifier.exec(rest); found !== null && found[0].length < rest.length; found = modifier.exec(rest))
    rest = rest.slice(found[0].length)
  return rest
}

const functionWord =
  /^(?:function\b|func\b|fn\b|fun\b|def\b|defp\b|defmacro\b|sub\b|proc\b|method\b|let\s+(?:rec\s+)?\w+\s+\S|[\w.]+\s*(?:=|<-)\s*function\b|[a-z][\w']*(?:\s+[\w'()[\]:,_]+)*\s*=$|[\w.!]+\([^()]*\)\s*=$)/i
const controlWord =
  /^(?:\}\s*)?(?:if|else|elif|elsif|elseif|for|foreach|while|until|unless|do|try|catch|finally|except|ensure|rescue|begin|switch|case|default|match|when|with|using|loop|guard|defer|repeat|cond|receive|after)\b/

export const roleOf = (head: string, language: Language): "function" | "class" | "type" | "control" | "other" => {
  const bare = withoutModifiers(head)
  const dialect = dialectOf(language)
  if (dialect.type?.test(bare)) return "type"
  if (/^(?:class|object|module|defmodule|mixin|extension|actor|role)\b(?!\s*[=:.(,])/i.test(bare)) return "class"
  if (dialect.class?.test(bare)) return "class"
  if (
    /^(?:interface|enum|type|typedef|union|record|trait|protocol|struct|message|service|newtype|data)\b(?!\s*[=:.(,])/.test(
      bare
    )
  )
    return "type"
  if (controlWord.test(bare) || bare === "" || dialect.block?.test(bare)) return "control"
  if (functionWord.test(bare) || /\bfunction\s*\([^()]*\)$/.test(bare)) return "function"
  if (dialect.function?.test(bare)) return "function"
  // `int add(int a, int b)`, with no keyword
  return language.bareMethods && /^[\w$<>[\],.?\s*&]*[\w$~]\s*\([^()]*\)[\s\w]*(?:[:=]>?[\s\w]*)?$/.test(bare)
    ? "function"
    : "other"
}

/** What follows the arrow or `=` of a function on its line; null when the statement is none. */
export const arrowBody = (
  code: string,
  text: string
): { readonly head: string; readonly code: string; readonly text: string } | null => {
  const head = /^(?:[^=]*\([^()]*\)[^=()]*=>|(?:[\w@]+\s+)*?(?:fun|def|func)\b[^=]*=(?![=>]))\s*/.exec(code)?.[0]
  return head === undefined ? null : { head, code: code.slice(head.length), text: text.slice(head.length) }
}
