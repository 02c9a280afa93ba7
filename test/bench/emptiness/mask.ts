import type { Language } from "./types.ts"

/** Where text is not code. */
interface Lexis {
  readonly line: ReadonlyArray<string>
  readonly block: readonly [open: string, close: string] | null
  readonly nested: boolean
  /** Quotes with backslash escapes that end on their line. */
  readonly quotes: string
  /** The same over several lines. */
  readonly long: string
  readonly tripled: boolean
  /** `'` begins a character, which must end after one of them: a lifetime, a label or a symbol is no character. */
  readonly chars: boolean
  /** What begins code within a string, closed by `}` or `)`. */
  readonly interpolation: "${" | "\\(" | "{" | null
}

const base: Lexis = {
  line: ["//"],
  block: ["/*", "*/"],
  nested: false,
  quotes: '"',
  long: "",
  tripled: false,
  chars: true,
  interpolation: null
}

const lexes: Readonly<Partial<Record<Language, Lexis>>> = {
  go: base,
  rust: { ...base, nested: true, quotes: "", long: '"' },
  java: { ...base, tripled: true },
  c: base,
  cpp: base,
  csharp: { ...base, tripled: true },
  php: { ...base, line: ["//", "#"], quotes: "", long: "\"'", chars: false },
  kotlin: { ...base, nested: true, tripled: true, interpolation: "${" },
  swift: { ...base, nested: true, tripled: true, chars: false, interpolation: "\\(" },
  scala: { ...base, nested: true, tripled: true, interpolation: "${" }
}

export interface Masked {
  /** Comments and what is in strings blanked; line ends stay. */
  readonly code: string
  readonly uncommented: string
}

/** The text without its comments and strings, of the same length; null when it cannot be read safely. */
export const mask = (language: Language, text: string): Masked | null => {
  const lexis = lexes[language]
  if (lexis === undefined) return null
  const reader = new Reader(language, lexis, text)
  return reader.read() ? { code: reader.code.join(""), uncommented: reader.uncommented.join("") } : null
}

class Reader {
  readonly code: Array<string>
  readonly uncommented: Array<string>
  private at = 0
  private readonly language: Language
  private readonly lexis: Lexis
  private readonly text: string

  constructor(language: Language, lexis: Lexis, text: string) {
    this.language = language
    this.lexis = lexis
    this.text = text
    this.code = text.split("")
    this.uncommented = text.split("")
  }

  read(): boolean {
    while (this.at < this.text.length) if (!this.step()) return false
    return true
  }

  private step(): boolean {
    const { lexis, text } = this
    if (this.language === "php" && text.startsWith("#[", this.at)) {
      this.at += 2
      return true
    }
    if (lexis.line.some((mark) => text.startsWith(mark, this.at))) {
      const end = text.indexOf("\n", this.at)
      return this.comment(end === -1 ? text.length : end)
    }
    if (lexis.block !== null && text.startsWith(lexis.block[0], this.at)) return this.blockComment(lexis.block)
    const raw = this.rawString()
    if (raw !== null) return raw
    const char = text[this.at] ?? ""
    if (lexis.tripled && text.startsWith('"""', this.at)) {
      const end = text.indexOf('"""', this.at + 3)
      if (end === -1) return false
      let close = end + 3
      while (text[close] === '"') close++
      return this.string(close)
    }
    if (lexis.chars && char === "'") return this.character()
    if (lexis.quotes.includes(char)) return this.quoted(char, false)
    if (lexis.long.includes(char)) return this.quoted(char, true)
    this.at++
    return true
  }

  private comment(end: number): boolean {
    for (let i = this.at; i < end; i++) if (this.text[i] !== "\n") this.code[i] = this.uncommented[i] = " "
    this.at = end
    return true
  }

  private string(end: number): boolean {
    for (let i = this.at + 1; i < end - 1; i++) if (this.text[i] !== "\n") this.code[i] = " "
    this.code[this.at] = '"'
    this.code[end - 1] = '"'
    this.at = end
    return true
  }

  private blockComment([open, close]: readonly [string, string]): boolean {
    let depth = 0
    let i = this.at
    do {
      if (this.lexis.nested && this.text.startsWith(open, i)) {
        depth++
        i += open.length
      } else if (this.text.startsWith(close, i) && i > this.at) {
        depth--
        i += close.length
      } else {
        if (i === this.at) depth++
        i++
      }
      if (i > this.text.length) return false
    } while (depth > 0)
    return this.comment(i)
  }

  /** Null: none begins here. */
  private rawString(): boolean | null {
    const rest = this.text.slice(this.at, this.at + 40)
    const before = this.text[this.at - 1] ?? ""
    if (this.language === "go" && rest.startsWith("`")) return this.until("`", 1)
    if (/\w/.test(before)) return null
    if (this.language === "rust") {
      const found = /^b?r(#*)"/.exec(rest)
      return found === null ? null : this.until(`"${found[1]}`, found[0].length)
    }
    if (this.language === "cpp") {
      const found = /^(?:u8|[uUL])?R"([^()\s\\]*)\(/.exec(rest)
      return found === null ? null : this.until(`)${found[1]}"`, found[0].length)
    }
    if (this.language === "csharp") {
      const verbatim = /^(?:@\$?|\$@)"/.exec(rest)
      if (verbatim !== null) return this.verbatim(verbatim[0].length)
      // code in strings may hold strings again: left out
      if (/^\$"[^"\n]*\{[^}"\n]*"/.test(this.text.slice(this.at, this.at + 300))) return false
    }
    if (this.language === "swift") {
      const found = /^(#+)"/.exec(rest)
      return found === null ? null : this.until(`"${found[1]}`, found[0].length)
    }
    if (this.language === "php") {
      const found = /^<<<[ \t]*["']?(\w+)["']?[ \t]*\r?\n/.exec(rest)
      if (found === null) return null
      const end = new RegExp(`^[ \\t]*${found[1]}\\b`, "m")
      const from = this.at + found[0].length
      const close = end.exec(this.text.slice(from))
      return close === null ? false : this.string(from + close.index + close[0].length)
    }
    return null
  }

  private until(close: string, skip: number): boolean {
    const end = this.text.indexOf(close, this.at + skip)
    return end === -1 ? false : this.string(end + close.length)
  }

  private verbatim(skip: number): boolean {
    let i = this.at + skip
    for (; i < this.text.length; i++) {
      if (this.text[i] !== '"') continue
      if (this.text[i + 1] !== '"') return this.string(i + 1)
      i++
    }
    return false
  }

  private character(): boolean {
    const rest = this.text.slice(this.at, this.at + 14)
    const found =
      /^'(?:\\(?:u\{[0-9a-fA-F_]+\}|u+[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]+|[0-7]{1,3}|[\s\S])|[^'\\\n]{1,2})'/u.exec(
        rest
      )
    if (found !== null) return this.string(this.at + found[0].length)
    if (this.language === "rust" || this.language === "scala") {
      this.at++
      return true
    }
    // digits in groups: 1'000
    if (this.language === "cpp" && /\w/.test(this.text[this.at - 1] ?? "")) {
      this.at++
      return true
    }
    const several = /^'(?:[^'\\\n]|\\.){1,8}'/.exec(rest)
    return several === null ? false : this.string(this.at + several[0].length)
  }

  private quoted(quote: string, isLong: boolean): boolean {
    const open = this.lexis.interpolation
    let i = this.at + 1
    while (i < this.text.length) {
      const char = this.text[i]
      if (char === quote) return this.string(i + 1)
      if (open !== null && this.text.startsWith(open, i)) {
        const end = this.interpolated(i + open.length, open === "\\(" ? ")" : "}")
        if (end === null) return false
        i = end
      } else if (char === "\\") i += 2
      else if (char === "\n" && !isLong) return false
      else i++
    }
    return false
  }

  /** Behind the code within a string; null when that is not simple. */
  private interpolated(from: number, close: string): number | null {
    let depth = 1
    let i = from
    while (i < this.text.length && this.text[i] !== "\n") {
      const char = this.text[i] ?? ""
      if (char === '"') {
        const inner = /^"(?:[^"\\\n]|\\[^(])*"/.exec(this.text.slice(i, i + 400))
        if (inner === null || /\$\{|\\\(/.test(inner[0])) return null
        i += inner[0].length
        continue
      }
      if ("({[".includes(char)) depth++
      if (")}]".includes(char) && --depth === 0) return char === close ? i + 1 : null
      i++
    }
    return null
  }
}
