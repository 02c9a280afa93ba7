import type { SourceOutline } from "../../../port/index.ts"
import { saidOf } from "../asked/said.ts"
import { isScript } from "../code/families.ts"
import { indentOf } from "../code/outline.ts"
import { rowTokens } from "../code/tokens.ts"
import type { Replaced } from "./changes.ts"

/**
 * Whether an item speaks of how code is written, and not of what it does: `Use double quotes`, `Add missing semicolons`, `Wrap
 * long lines`, `Fix the lint errors`. A doubt is in favour of that. Pure.
 */
export const asksForSpelling = (item: string): boolean => ofSpelling.test(saidOf(item)) || sorted.test(item)

const ofSpelling =
  /\b(?:\w*format\w*|\w*styl(?:e|es|ed|ing|istic|ize)\w*|\w*lint(?:s|er|ers|ing|ed)?|\w*quot(?:es?|ed|ing|ation)|(?:semi-?)?(?:colons?|commas?)|semis|paren(?:s|thes[ei]s|thesized?|thesised?)|brackets?|braces?|indent\w*|white-?spaces?|spac(?:e|es|ing)|blanks?|new-?lines?|tabs?|lines?|wrap\w*|rewrap\w*|line-?breaks?|prettier|prettif\w*|black|ruff|isort|autopep8|yapf|gofmt|gofumpt|rustfmt|fmt|clang|clippy|eslint|biome|dprint|rubocop|standardrb?|rufo|phpcs|pint|ktlint|ktfmt|detekt|scalafmt|swiftlint|spotless|checkstyle|csharpier|shfmt|shellcheck|stylua|pylint|flake8|pycodestyle|pep-?8?|psr-?\d*|tid(?:y|ied|ies|ying)|clean\w*|cosmetic\w*|readab\w*|legib\w*|consisten\w*|inconsisten\w*|conventions?|standards?|guidelines?|syntax\w*|spelling|typo\w*|warnings?|nits?|nitpicks?|redundant\w*|unnecessar\w*|unneeded|needless\w*|superfluous|extra(?:neous)?|simplif\w*|polish\w*|align\w*|layout|reflow\w*|code ?climate|sonar\w*|codacy|scrutinizer|offen[cs]es?|violations?|moderni[sz]e\w*|grouping|precedence|ambiguous|ambiguit\w*|clarity|clearer|explicit\w*|asi)\b|整形|フォーマット|スタイル|引用符|クォート|クオート|セミコロン|カンマ|コンマ|括弧|カッコ|改行|空白|スペース|インデント|リント|書式|体裁|表記|統一|揃え|警告|構文|文法|行末|行頭|[一1１]行|長い行|空行|読みやす|可読|簡潔|きれい|整理/iu

/** A sort of work that says it: `style: …`, `fix(lint): …`. */
const sorted = /^\W*(?:style|chore|refactor|lint|format|fmt|cleanup)\b[^:]{0,60}:/i

/** Lines of a text, with what its grammar says of it. */
export interface Written {
  /** With their ends. */
  readonly lines: ReadonlyArray<string>
  readonly outline: SourceOutline | null
}

/**
 * Rows of today's text of which only the spelling was changed: other quotes, semicolons, trailing commas or brackets around
 * a value that mean nothing, the same code on other lines. Nothing is said without a grammar.
 */
export const respelledRows = (
  before: Written,
  now: Written,
  replaced: ReadonlyArray<Replaced>
): ReadonlySet<number> => {
  const rows = new Set<number>()
  if (before.outline === null || now.outline === null) return rows
  const of = { before: before.outline, now: now.outline }
  const isSame = (then: ReadonlyArray<number>, today: ReadonlyArray<number>): boolean =>
    meaningOf(before.lines, of.before, then) === meaningOf(now.lines, of.now, today)
  for (const part of replaced) {
    const [then, today] = [[...part.before], [...part.now]]
    if (then.length === 0 || then.length > maxRows || today.length > maxRows) continue
    if (today.every((row) => rows.has(row))) continue
    if (isSame(then, today)) {
      for (const row of today) rows.add(row)
      continue
    }
    for (const at of [0, -1] as const) {
      for (;;) {
        const [old, young] = [then.at(at), today.at(at)]
        if (old === undefined || young === undefined || !isSame([old], [young])) break
        rows.add(young)
        then.splice(at, 1)
        today.splice(at, 1)
      }
    }
  }
  return rows
}

/** Nobody writes more lines anew by hand. */
const maxRows = 5_000

/** The code of rows, without what only its spelling says; with the tokens right before and behind them. */
const meaningOf = (lines: ReadonlyArray<string>, outline: SourceOutline, rows: ReadonlyArray<number>): string => {
  const written = new Meaning(outline)
  const tokensAt = (row: number) => rowTokens(lines[row] ?? "", row, outline).tokens
  const nearest = (from: number, step: number): ReadonlyArray<string> => {
    for (let row = from; row >= 0 && row < lines.length; row += step) {
      const tokens = tokensAt(row)
      if (tokens.length > 0) return tokens
    }
    return []
  }
  const first = rows[0] ?? 0
  written.line(nearest(first - 1, -1).slice(-1), 0)
  for (const row of rows) written.line(tokensAt(row), indentOf(lines[row] ?? ""))
  const [next] = nearest((rows.at(-1) ?? first) + 1, 1)
  // which word it is means nothing to what stands before
  written.line(next === undefined ? [] : [word.test(next) && !goingOn.test(next) ? "_" : next], 0)
  return withoutBrackets(written.tokens, outline.language).join("\n")
}

const closing = new Set([")", "]", "}"])
const opening = new Set(["(", "[", "{"])
const free = /^(?:c|cpp|csharp|java|php|rust)$/
const endless = /^(?:return|break|continue|throw|yield)$/
const goingOn = /^(?:else|catch|finally|while)$/
const word = /^[\p{L}\p{N}_$]/u

interface Bracket {
  readonly char: string
  /** It is called, or an index. */
  readonly isCall: boolean
  /** Behind `if`, `for` or `while`. */
  readonly isHead: boolean
  commas: number
}

class Meaning {
  readonly tokens: Array<string> = []
  private readonly open: Array<Bracket> = []
  private readonly language: string
  private readonly isFree: boolean
  private isBehindHead = false

  constructor({ isFreeForm, language }: SourceOutline) {
    this.language = language
    this.isFree = isFreeForm || free.test(language)
  }

  line(tokens: ReadonlyArray<string>, depth: number): void {
    const [first] = tokens
    if (first === undefined) return
    if (this.last === "\\") this.tokens.pop()
    else if (this.tokens.length > 0) this.newLine(first, depth)
    for (const token of tokens) this.add(token)
    // what is said to the preprocessor ends with its line
    if (this.isFree && first === "#" && /^(?:c|cpp|csharp)$/.test(this.language)) this.tokens.push("\n#")
  }

  private get last(): string | undefined {
    return this.tokens.at(-1)
  }

  private newLine(next: string, depth: number): void {
    const bracket = this.open.at(-1)?.char
    if (this.isFree || bracket === "(" || bracket === "[") return
    if (this.isBehindHead && isScript(this.language)) return
    const last = this.last ?? ""
    if (this.language === "python") {
      if (/^[,([{]$/.test(last) || closing.has(next)) return
      if (last === ";") this.tokens.pop()
      this.tokens.push(`;>${depth}`)
      return
    }
    if (this.language === "bash" ? /^[|&]$/.test(last) : this.goesOn(last, next)) return
    this.separate()
  }

  private goesOn(last: string, next: string): boolean {
    if (closing.has(next) || /^[.,]/.test(next)) return true
    if (last === "}") return goingOn.test(next)
    const isStep = /^[+-]$/.test(last) && this.tokens.at(-2) === last
    if (/^[,([{=*/%&|^<?:.+-]$/.test(last) && !isStep) return true
    if (last === ">" && this.tokens.at(-2) === "=") return true
    return isScript(this.language) && /^[[({?:&|*/%<>=+-]/.test(next) && !endless.test(last)
  }

  private separate(): void {
    const last = this.last ?? ""
    if (!/^[;{]/.test(last) && last !== "") this.tokens.push(";")
  }

  private add(token: string): void {
    const isBehindHead = this.isBehindHead
    this.isBehindHead = false
    const bracket = this.open.at(-1)
    if (token === ";") {
      if (bracket?.char === "(" || isBehindHead) this.tokens.push(isBehindHead ? ";;" : ";")
      else if (!this.isFree) this.separate()
      else if (this.last !== ";") this.tokens.push(";")
      return
    }
    if (token === "," && bracket !== undefined) bracket.commas++
    if (opening.has(token)) {
      const last = this.last ?? ""
      this.open.push({
        char: token,
        isCall: (word.test(last) && !valueFollows.test(last)) || closing.has(last),
        isHead: token === "(" && /^(?:if|for|while|switch|with|foreach|catch)$/.test(last),
        commas: 0
      })
    }
    if (closing.has(token)) this.close()
    this.tokens.push(token.length > 1 && token.startsWith('"') ? quoted(token, this.language) : token)
  }

  private close(): void {
    const closed = this.open.pop()
    this.isBehindHead = closed?.isHead === true
    // Rust gives back what no semicolon follows
    if (!this.isFree && /^;(?:>|$)/.test(this.last ?? "")) this.tokens.pop()
    const before = this.tokens.at(-2) ?? ""
    if (this.last !== "," || before === "," || opening.has(before)) return
    // `(a,)` is a tuple
    const isMeant = closed !== undefined && closed.char !== "{" && closed.commas < 2
    if (!isMeant || (closed.char === "(" ? closed.isCall : !closed.isCall)) this.tokens.pop()
  }
}

/** Words behind which a value stands, and no list of what is given to them. */
const valueFollows =
  /^(?:return|yield|throw|raise|await|in|not|and|or|is|else|elif|elsif|if|unless|while|until|assert|case|when|of|typeof|delete|new|match|let|const|var|val)$/

const anyQuotes: Readonly<Record<string, RegExp>> = {
  python: /^(['"])((?:[^\\'"\n]|\\.)*)\1$/s,
  ruby: /^(['"])([^\\'"#\n]*)\1$/,
  php: /^(['"])([^\\'"$\n]*)\1$/,
  bash: /^(['"])([^\\'"$`!\n]*)\1$/,
  go: /^(["`])([^\\"`\n]*)\1$/
}
const ofScripts = /^(['"`])((?:[^\\\n](?!\1.)|\\.)*)\1$/s

/** A string that means the same in other quotes, in one of them. */
const quoted = (token: string, language: string): string => {
  const said: unknown = JSON.parse(token)
  const text = typeof said === "string" ? said : ""
  const prefix = language === "python" ? (/^[a-zA-Z]*/.exec(text)?.[0] ?? "") : ""
  const form = isScript(language) ? ofScripts : anyQuotes[language]
  const [, quote, inner] = form?.exec(text.slice(prefix.length)) ?? []
  if (inner === undefined || (quote === "`" && /\$\{|\n/.test(inner))) return token
  return JSON.stringify(`${prefix}"${inner.replace(/\\(['"`])/g, "$1")}"`)
}

/** Without brackets around a whole value: `return (x)`, `x = (a + b)`, `if (x):`. */
const withoutBrackets = (tokens: ReadonlyArray<string>, language: string): ReadonlyArray<string> => {
  if (language === "bash") return tokens
  const left: Array<string | null> = [...tokens]
  const open: Array<{ readonly at: number; commas: number }> = []
  for (const [at, token] of tokens.entries()) {
    if (opening.has(token)) open.push({ at, commas: 0 })
    else if (token === "," && open.length > 0) (open.at(-1) ?? { commas: 0 }).commas++
    else if (closing.has(token)) {
      const opened = open.pop()
      if (opened === undefined || opened.commas > 0 || tokens[opened.at] !== "(" || token !== ")") continue
      if (at === opened.at + 1 || /^(?:[{*]|function|class|async|let)$/.test(tokens[opened.at + 1] ?? "")) continue
      if (!isWhole(tokens, opened.at, at, language)) continue
      left[opened.at] = null
      left[at] = null
    }
  }
  return left.filter((token) => token !== null)
}

/** Nothing but a whole value may stand there, so that brackets around it change nothing. */
const isWhole = (tokens: ReadonlyArray<string>, from: number, to: number, language: string): boolean => {
  const [earlier = "", before = ""] = [tokens[from - 2], tokens[from - 1]]
  const next = tokens[to + 1] ?? ";"
  const isCondition = /^(?:if|elif|elsif|unless|while|until)$/.test(before)
  if (isCondition) return /^(?:python|ruby|go|rust|swift)$/.test(language) && /^(?:[:{]|;(?:>\d+)?)$/.test(next)
  const begins =
    /^(?:[,([{:]|;(?:>\d+)?|return|yield|throw|raise|await)$/.test(before) ||
    (before === "=" && !/^[=!<>~]$/.test(earlier)) ||
    (before === ">" && earlier === "=")
  return begins && /^(?:[,)\]}]|;(?:>\d+)?)$/.test(next)
}
