import { closing, lineAt, lineStarts } from "../text.ts"
import type { FoundFunction, Language } from "../types.ts"
import { aboveOf, standsAlone } from "./lines.ts"

/** What a search works on. `code` has directives of a preprocessor and their other branches blanked as well. */
interface Search {
  readonly language: Language
  readonly text: string
  readonly code: string
  readonly uncommented: string
  readonly starts: ReadonlyArray<number>
  readonly blocks: ReadonlyArray<Block>
}

interface Block {
  readonly open: number
  readonly close: number
  /** What stands before its brace, from the end of the statement before. */
  readonly header: string
  readonly parent: number
}

/** Functions of languages whose bodies are in braces, by their heads. In doubt a function is left out. */
export const findInBraces = (
  language: Language,
  text: string,
  masked: { readonly code: string; readonly uncommented: string }
): ReadonlyArray<FoundFunction> => {
  const code = preprocessed.has(language) ? withoutDirectives(masked.code) : masked.code
  const blocks = blocksOf(code)
  if (blocks === null) return []
  const search: Search = {
    language,
    text,
    code,
    uncommented: masked.uncommented,
    starts: lineStarts(text),
    blocks
  }
  const found: Array<FoundFunction> = []
  for (const head of heads(search)) {
    const one = functionOf(search, head)
    if (one !== null && standsAlone(text, search.starts, one.outer.to, one)) found.push(one)
  }
  return found
}

const preprocessed: ReadonlySet<Language> = new Set<Language>(["c", "cpp", "csharp"])

/** Of `#if … #else … #endif` the first branch stays; of `#if 0` the second. */
const withoutDirectives = (code: string): string => {
  const branches: Array<boolean> = []
  let continued = false
  return code
    .split("\n")
    .map((line) => {
      const directive = /^\s*#\s*(\w*)\s*(.*)$/.exec(line)
      const blank = " ".repeat(line.length)
      if (continued) {
        continued = /\\\r?$/.test(line)
        return blank
      }
      if (directive === null) return branches.every((kept) => kept) ? line : blank
      continued = /\\\r?$/.test(line)
      const [, word = "", rest = ""] = directive
      if (word.startsWith("if")) branches.push(!/^0\s*$/.test(rest))
      else if (word.startsWith("el")) branches.push(branches.pop() === false && word === "else")
      else if (word === "endif") branches.pop()
      return blank
    })
    .join("\n")
}

const blocksOf = (code: string): ReadonlyArray<Block> | null => {
  const blocks: Array<{ open: number; close: number; header: string; parent: number }> = []
  const stack: Array<number> = []
  let from = 0
  for (let i = 0; i < code.length; i++) {
    const char = code[i]
    if (char === "{") {
      blocks.push({ open: i, close: -1, header: code.slice(from, i), parent: stack.at(-1) ?? -1 })
      stack.push(blocks.length - 1)
    } else if (char === "}") {
      const block = blocks[stack.pop() ?? -1]
      if (block === undefined) return null
      block.close = i
    } else if (char !== ";") continue
    from = i + 1
  }
  return stack.length === 0 ? blocks : null
}

/** A head up to its parameters. Offsets into the text. */
interface Head {
  readonly name: string
  readonly nameAt: number
  /** Where the declaration begins. */
  readonly start: number
  /** Where the part behind the name begins. */
  readonly behind: number
  readonly isConstructor: boolean
}

function* heads(search: Search): Generator<Head> {
  const keyword = keywords[search.language]
  if (keyword === undefined) return yield* typedHeads(search)
  for (const match of search.code.matchAll(keyword)) {
    const name = match[1] ?? ""
    const nameAt = match.index + match[0].length - name.length
    let behind = match.index + match[0].length
    if (search.language === "kotlin") {
      const extended = kotlinName(search.code, behind)
      if (extended === null) continue
      yield* withStart(search, match.index, { name: extended.name, nameAt: extended.at, behind: extended.behind })
      continue
    }
    if (search.language === "go" && name === "") continue
    behind = skipGenerics(search.code, behind)
    if (behind === -1) continue
    yield* withStart(search, match.index, { name, nameAt, behind })
  }
}

const keywords: Readonly<Partial<Record<Language, RegExp>>> = {
  go: /^func\s+(?:\([^()\n]*\)\s*)?(\w+)/gm,
  rust: /\bfn\s+(\w+)/g,
  kotlin: /\bfun\s+/g,
  swift: /\bfunc\s+(\w+)|\b(?<![.\w])init\b[?!]?/g,
  scala: /\bdef\s+(\w+)/g,
  php: /\bfunction\s+&?\s*(\w+)/g
}

function* withStart(
  search: Search,
  at: number,
  head: { readonly name: string; readonly nameAt: number; readonly behind: number }
): Generator<Head> {
  const line = search.code.lastIndexOf("\n", at - 1) + 1
  const before = search.code.slice(line, at)
  if (!/^\s*(?:[\w]+(?:\([^()]*\)|\[\w*\])?\s+|@[\w.]+(?:\([^()]*\))?\s+|"\s*"\s+)*$/.test(before)) return
  if (/\b(?:return|new|abstract)\s/.test(before)) return
  const name = head.name === "" ? "init" : head.name
  yield {
    ...head,
    name,
    start: line + before.length - before.trimStart().length,
    isConstructor: /^(?:init|__construct|__destruct|this)$/.test(name)
  }
}

const kotlinName = (code: string, from: number) => {
  const at = skipGenerics(code, from)
  if (at === -1) return null
  const found = /^\s*(?:[\w.]+(?:<[\w<>,.*?\s]*>)?\??\.)?(\w+)(?=\s*\()/.exec(code.slice(at, at + 300))
  if (found === null) return null
  const name = found[1] ?? ""
  return { name, at: at + found[0].length - name.length, behind: at + found[0].length }
}

/** Behind `<…>` or `[…]`; the same place where there is none, -1 where it does not end. */
const skipGenerics = (code: string, from: number): number => {
  let i = from
  while (/\s/.test(code[i] ?? "")) i++
  if (code[i] !== "<" && code[i] !== "[") return from
  let depth = 0
  for (; i < code.length; i++) {
    const char = code[i] ?? ""
    if ("<[(".includes(char)) depth++
    else if (">])".includes(char) && !(char === ">" && /[-=]/.test(code[i - 1] ?? ""))) {
      if (--depth === 0) return i + 1
    } else if ("{};".includes(char)) return -1
  }
  return -1
}

const noFunctions =
  /^(?:if|constexpr|consteval|for|while|switch|catch|return|sizeof|synchronized|using|lock|fixed|foreach|when|new|throw|else|do|defined|typeof|nameof|assert|alignas|decltype|requires|static_assert|operator|try|super|this|base|not)$/

/** Heads of `Type name(…)`, known by what stands around them. */
function* typedHeads(search: Search): Generator<Head> {
  const { blocks, code, language } = search
  let block = 0
  const open: Array<Block> = []
  for (const match of code.matchAll(/(~?[A-Za-z_]\w*)(?:<[\w\s,.?&:[\]]*>)?\s*\(/g)) {
    const name = match[1] ?? ""
    if (noFunctions.test(name)) continue
    for (; (blocks[block]?.open ?? Number.POSITIVE_INFINITY) < match.index; block++) {
      const next = blocks[block]
      if (next !== undefined) open.push(next)
    }
    while ((open.at(-1)?.close ?? Number.POSITIVE_INFINITY) < match.index) open.pop()
    if (!mayHoldFunctions(language, open)) continue
    const from =
      Math.max(
        code.lastIndexOf(";", match.index),
        code.lastIndexOf("{", match.index),
        code.lastIndexOf("}", match.index)
      ) + 1
    let before = code.slice(from, match.index)
    let qualified = ""
    if (language === "cpp") {
      const scope = /(?:\b[A-Za-z_]\w*(?:<[\w\s,:*&]*>)?\s*::\s*)+$/.exec(before)
      if (scope !== null) {
        qualified = scope[0]
        before = before.slice(0, scope.index)
      }
    }
    if (language === "csharp") {
      const scope = /(?:\b[\w<>,]+\.)+$/.exec(before)
      if (scope !== null) before = before.slice(0, scope.index)
    }
    const bare = bareOf(language, before)
    if (bare === null) continue
    const returns = bare.replaceAll(modifiers, "").trim()
    const isConstructor = returns === ""
    if (isConstructor && !isNameOf(open.at(-1), name, qualified)) continue
    const skipped = before.length - bare.trimStart().length
    const start = from + Math.max(skipped, before.length - before.trimStart().length)
    yield { name, nameAt: match.index, start, behind: match.index + match[0].length - 1, isConstructor }
  }
}

const modifiers =
  /\b(?:public|private|protected|internal|static|final|abstract|virtual|override|sealed|async|extern|unsafe|partial|synchronized|native|default|inline|explicit|constexpr|friend|strictfp|new|readonly|template\s*<[^<>]*>)(?!\w)|(?:public|private|protected)\s*:/g

/** Modifiers and result of a head, without annotations; null when it is none. */
const bareOf = (language: Language, before: string): string | null => {
  let bare = before
  if (language === "java") bare = bare.replace(/^(?:\s*@[\w.]+(?:\s*\([^()]*(?:\([^()]*\)[^()]*)*\))?)*/, "")
  if (language === "csharp") bare = bare.replace(/^(?:\s*\[[^[\]]*(?:\[[^[\]]*\][^[\]]*)*\])*/, "")
  if (language === "cpp") bare = bare.replace(/^(?:\s*(?:public|private|protected)\s*:)*/, "")
  if (!/^[\w\s*&:<>,.?[\]]*$/.test(bare) || bare.length > 300) return null
  if (/\b(?:return|new\s+\w|else|throw|case|goto|delete|typedef|using|struct\s*$|do|await|in|is|as)\b/.test(bare))
    return null
  if (/[,:.]\s*$/.test(bare)) return null
  if (language === "c" && !/\w[\s*]+$/.test(bare)) return null
  return bare
}

const mayHoldFunctions = (language: Language, open: ReadonlyArray<Block>): boolean => {
  const header = open.at(-1)?.header ?? null
  if (language === "c") return header === null || (open.length === 1 && /\bextern\b/.test(header))
  if (language === "cpp") return open.every(({ header }) => isScope(header))
  if (header === null) return false
  return (
    /\b(?:class|interface|enum|record|struct)\s+\w/.test(header) ||
    (language === "java" && /\bnew\s+[\w.]+(?:<[^()]*>)?\s*\([^;]*\)\s*$/.test(header))
  )
}

/** A namespace or class; not a function whose template or parameters only name one. */
const isScope = (header: string): boolean =>
  /\b(?:namespace|class|struct|union|extern)\b/.test(header.replace(/\btemplate\s*<[^{}]*?>(?=\s*\w)/g, "")) &&
  !/\(/.test(header.replace(/\b(?:alignas|__attribute__|__declspec)\s*\([^()]*(?:\([^()]*\))*[^()]*\)/g, ""))

const isNameOf = (block: Block | undefined, name: string, qualified: string): boolean => {
  const bare = name.replace("~", "")
  return (
    new RegExp(`\\b(?:class|struct|enum|record)\\b[^{;]*\\b${bare}\\b`).test(block?.header ?? "") ||
    new RegExp(`\\b${bare}\\b\\s*(?:<[^<>]*>)?\\s*::\\s*$`).test(qualified)
  )
}

// --- bodies -----------------------------------------------------------------------------------------------------

const functionOf = (search: Search, head: Head): FoundFunction | null => {
  const { code, starts, text, uncommented } = search
  const body = bodyOf(search, head)
  if (body === null) return null
  const { form, inner, outer } = body
  if (code.slice(outer.from, outer.to).length > 40_000 || !hasWholeDirectives(text.slice(inner.from, inner.to)))
    return null
  const role = roleOf(search, head, outer)
  if (role === null) return null
  const start = lineAt(starts, head.start)
  return {
    name: head.name,
    above: aboveOf(text, uncommented, starts, start),
    start,
    signature: lineAt(starts, head.nameAt),
    end: lineAt(starts, outer.to - 1),
    body: inner,
    outer,
    form,
    head: code.slice(head.start, outer.from),
    role
  }
}

const hasWholeDirectives = (body: string): boolean => {
  let depth = 0
  for (const [, word = ""] of body.matchAll(/^[ \t]*#[ \t]*(if|else|elif|endif)/gm)) {
    if (word === "if") depth++
    else if (depth === 0) return false
    else if (word === "endif") depth--
  }
  return depth === 0
}

const roleOf = ({ blocks, language }: Search, head: Head, outer: { from: number }) => {
  const around = blocks.filter(({ close, open }) => open < head.start && outer.from < close)
  if (language === "rust") {
    if (around.some(({ header }) => /!\s*\(?\s*$|\bmacro_rules\s*!/.test(header))) return null
  }
  const header = around.at(-1)?.header ?? ""
  if (language !== "php" && /\b(?:trait|interface|protocol|@interface)\s+\w/.test(header)) return "declared" as const
  return head.isConstructor || head.name.startsWith("~") ? ("constructor" as const) : ("plain" as const)
}

interface Body {
  readonly form: "block" | "expression"
  readonly inner: { readonly from: number; readonly to: number }
  readonly outer: { readonly from: number; readonly to: number }
}

const bodyOf = (search: Search, head: Head): Body | null => {
  const { code, language } = search
  let at = head.behind
  while (/\s/.test(code[at] ?? "")) at++
  if (code[at] === "(") {
    const end = closing(code, at)
    if (end === null) return null
    at = end + 1
    while (language === "scala" && code[at] === "(") {
      const next = closing(code, at)
      if (next === null) return null
      at = next + 1
    }
  } else if (language !== "scala") return null
  else at = head.behind
  const rest = code.slice(at, at + 2_000)
  if (language === "go" || language === "rust") return blockAt(code, braceAt(language, code, at))
  const tail = tails[language]?.exec(rest)
  if (tail == null) return null
  const mark = at + tail[0].length
  if (tail[0].endsWith("{")) {
    const before = tail[0].slice(0, -1).trimEnd()
    if (before.endsWith("=") && language === "kotlin") return null
    return blockAt(code, mark - 1)
  }
  return tail[0].endsWith("=>") && language === "csharp"
    ? expressionUntil(code, mark, ";")
    : expressionOfLine(code, mark)
}

const tails: Readonly<Partial<Record<Language, RegExp>>> = {
  java: /^\s*(?:throws\s+[\w.,\s<>@]+)?\{/,
  csharp: /^\s*(?:where\s+[\w\s:,<>().[\]?]+)?(?:\{|=>)/,
  c: /^\s*\{/,
  cpp: /^\s*(?:(?:const|noexcept|override|final|volatile|&&?)\s*)*(?:->\s*[\w:<>,\s*&]+)?\{/,
  kotlin: /^[ \t]*(?::[^\n={}]*)?(?:\{|=(?![=>]))/,
  swift: /^\s*(?:async\s*)?(?:(?:re)?throws\s*)?(?:->\s*[^{};\n]+)?(?:\s*where[^{};]*)?\{/,
  scala: /^[ \t]*(?::[^\n={}]*)?(?:=(?![=>])[ \t]*)?\{|^[ \t]*(?::[^\n={}]*)?=(?![=>])/,
  php: /^\s*(?::\s*[?\w\\|&\s]+)?\{/
}

/** The brace of a body whose result may hold braces and brackets itself; -1 where there is none. */
const braceAt = (language: Language, code: string, from: number): number => {
  let i = from
  while (i < code.length) {
    const char = code[i] ?? ""
    if (char === "(" || char === "[") {
      const end = closing(code, i)
      if (end === null) return -1
      i = end + 1
    } else if (char === "{") {
      if (language === "go" && /\b(?:interface|struct)\s*$/.test(code.slice(from, i))) {
        const end = closing(code, i)
        if (end === null) return -1
        i = end + 1
      } else return i
    } else if (char === ";" || char === "}" || (char === "\n" && language === "go")) return -1
    else i++
  }
  return -1
}

const blockAt = (code: string, open: number): Body | null => {
  if (open < 0) return null
  const close = closing(code, open)
  if (close === null) return null
  return { form: "block", inner: { from: open + 1, to: close }, outer: { from: open, to: close + 1 } }
}

const expressionUntil = (code: string, from: number, end: string): Body | null => {
  let at = from
  while (/\s/.test(code[at] ?? "")) at++
  for (let i = at; i < code.length; i++) {
    const char = code[i] ?? ""
    if ("([{".includes(char)) {
      const close = closing(code, i)
      if (close === null) return null
      i = close
    } else if (char === end) return expression(code, at, i)
    else if (")]}".includes(char)) return null
  }
  return null
}

const expression = (code: string, from: number, to: number): Body | null => {
  const part = { from, to: from + code.slice(from, to).trimEnd().length }
  return part.to > part.from ? { form: "expression", inner: part, outer: part } : null
}

const goesOn = /(?:[-+*/%&|<>=.,?:([{]|\b(?:else|if|in|is|as|match|and|or))\s*$/
const begins =
  /^(?:\}|@|fun\b|override\b|private\b|public\b|internal\b|protected\b|val\b|var\b|class\b|object\b|companion\b|def\b|implicit\b|lazy\b|final\b|abstract\b|sealed\b|case\s+class\b|trait\b|type\b|open\b|suspend\b|inline\b|operator\b|data\b|init\b|$)/

/** An expression that ends with its line, where what follows surely begins something else. */
const expressionOfLine = (code: string, from: number): Body | null => {
  let at = from
  while (/[ \t]/.test(code[at] ?? "")) at++
  if (code[at] === "\n" || code[at] === "\r") return null
  for (let i = at; i <= code.length; i++) {
    const char = code[i] ?? "\n"
    if ("([{".includes(char)) {
      const close = closing(code, i)
      if (close === null) return null
      i = close
    } else if (")]};".includes(char)) return null
    else if (char === "\n") {
      if (goesOn.test(code.slice(at, i)) || !begins.test(code.slice(i).trimStart().slice(0, 20))) return null
      return expression(code, at, i)
    }
  }
  return null
}
