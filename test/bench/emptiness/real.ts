import type { FoundFunction, Language, Source } from "./types.ts"

/**
 * Which functions count as real, by their text alone. Left out is what the specification itself calls empty and what
 * nobody can tell from a stub:
 *
 * 1. nothing but comments, documentation, brackets or a semicolon;
 * 2. nothing but statements of this list, in any number: `pass`, `...`, `:`, `true` (shell), a bare `return`, a return
 *    of null or of nothing (None, nil, undefined, nullptr, NULL, `()`), a throw, panic or abort whose words say "not
 *    implemented", "unsupported", "abstract", "override", "subclass", "TODO" or "stub", or of a class that is named
 *    so, a return of an error that is named so (`errNotImplemented`), `todo!()`, `unimplemented!()`, `TODO()`, `???`,
 *    a print of such words, an assignment that only silences an unused parameter;
 * 3. a lone constant (number, string, boolean, empty literal) under a comment that says TODO, FIXME, XXX, stub,
 *    placeholder, dummy or not implemented.
 *
 * Everything else must pass, one-line delegations and functions that return a constant included.
 */
export const isReal = (source: Source, { body, outer }: FoundFunction): boolean => {
  const { language } = source
  const code = source.code.slice(body.from, body.to)
  if (!/[\w$]/.test(code)) return false
  const text = source.uncommented.slice(body.from, body.to)
  if (isTrivial(language, text, code)) return false
  if (isConstant(text.trim()) && remark.test(source.text.slice(outer.from, outer.to))) return false
  return true
}

const words = String.raw`not[\s_-]*(?:yet[\s_-]*)?(?:been[\s_-]*)?(?:implement|support|available|allowed)|un-?(?:implement|support)|abstract|overrid|subclass|implement|\bTODO\b|\bFIXME\b|\bstub\b|placeholder`
const remark = /\b(?:TODO|FIXME|XXX|HACK|TBD)\b|\b(?:stub|placeholder|dummy|mock|fake)\b|not (?:yet )?implemented/i

const says = new RegExp(words, "i")
const nothings =
  /^(?:pass|\.\.\.|:|true|return;?|(?:return\s+)?(?:None|null|nil|undefined|nullptr|NULL|void 0|\(\w[\w\s]*\*+\s*\)\s*(?:0|NULL))(?:\s*(?:as|!)[\s\w]*)?|\?\?\?|(?:return\s+)?\(\)|begin|end|;|return nil, nil|todo!\(\)|unimplemented!\(\)|TODO\(\)|fatalError\(\)|abort\(\)|raise NotImplementedError|NotImplemented|return NotImplemented|return\b[^()]*\w*[nN]ot_?[iI]mplemented\w*)$/
const fails =
  /^(?:return\s+)?(?:await\s+)?(?:raise|throw|fail|panic!?|todo!|unimplemented!|unreachable!|TODO|fatalError|preconditionFailure|assertionFailure|abort|assert|die|exit|Promise\.reject|reject|error|errors\.New|fmt\.Errorf|Err|nil,\s*(?:errors\.New|fmt\.Errorf)|croak|NotImplemented\w*)\b[\s\S]*$/
const prints =
  /^(?:print|println!?|eprintln!?|echo|puts|warn|printf|fprintf|console\.\w+|log(?:ger)?\.\w+|logging\.\w+|fmt\.Print\w*|System\.(?:out|err)\.print\w*|Console\.Write\w*|NSLog)\b[\s\S]*$/
const silences = /^(?:_ = \w+|let _ = \w+|\(void\)\s*\w+|void \w+|del \w+(?:, \w+)*|_ = \w+(?:, \w+)*)$/

/** `code` is the same text with its strings blanked. */
export const isTrivial = (language: Language, text: string, code: string): boolean =>
  statementsOf(language, text, code).every(
    (statement) =>
      nothings.test(statement) ||
      silences.test(statement) ||
      (fails.test(statement) && says.test(statement)) ||
      (prints.test(statement) && says.test(statement))
  )

const endsWithLine: ReadonlySet<Language> = new Set<Language>([
  "python",
  "ruby",
  "bash",
  "go",
  "kotlin",
  "swift",
  "scala"
])

/** Split at semicolons and, where they end statements, at line ends, outside of brackets. */
const statementsOf = (language: Language, text: string, code: string): ReadonlyArray<string> => {
  const statements: Array<string> = []
  let depth = 0
  let from = 0
  for (let i = 0; i <= code.length; i++) {
    const char = code[i] ?? ";"
    if ("([{".includes(char)) depth++
    else if (")]}".includes(char)) depth--
    else if (char === ";" || (char === "\n" && (endsWithLine.has(language) || isScriptEnd(language, code.slice(i))))) {
      if (depth > 0 && i < code.length) continue
      statements.push(text.slice(from, i).replace(/\s+/g, " ").trim())
      from = i + 1
    }
  }
  return statements.filter((statement) => statement !== "")
}

/** Where a line of a script surely begins another statement. */
const isScriptEnd = (language: Language, rest: string): boolean =>
  (language === "typescript" || language === "tsx" || language === "javascript") &&
  /^\n\s*(?:return|throw|console|void)\b/.test(rest)

const isConstant = (text: string): boolean =>
  /^(?:return\s+)?(?:[-\d][\w.]*|true|false|True|False|"[^"]*"|'[^']*'|\[\s*\]|\{\s*\}|\(\s*\)|Ok\(\(\)\)|0|None|null|nil)?\s*;?$/.test(
    text
  )
