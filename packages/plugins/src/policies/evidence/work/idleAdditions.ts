import type { LineRange } from "../../../port/index.ts"
import { type Language, languageOf } from "../../../text/languages.ts"
import { hidden } from "../../../text/parts.ts"
import { isShownToPeople } from "../asked/commentItems.ts"
import { saidOf } from "../asked/said.ts"
import type { Outline } from "../code/outline.ts"
import { rowsIn, setOf } from "../code/rowsIn.ts"
import { arrowBody, kindOfStatement, roleOf } from "../code/statements.ts"
import { isTestFile } from "../tests/testCases.ts"
import { bindingIn } from "./bindings.ts"
import { functionName, isOwn, isSpokenOf, layoutOf, type Scope, scopeOf } from "./reach.ts"

/** What new lines come to that do nothing by themselves. */
export interface IdleAdditions {
  /** What they declare, each with its row, from 0. */
  readonly declared: ReadonlyArray<Declared>
  /** A text among them repeats the words of the item. */
  readonly isEcho: boolean
  /** What nobody does with it, up to its name; left out: it only gives back what is fixed or given. */
  readonly why?: string
}

interface Declared {
  readonly name: string
  readonly row: number
  readonly last: number
  /** Of a function: other files that have a name like it do not speak of it. */
  readonly isLocal?: boolean
}

/** A file as it is, with what stands for each row. */
interface Added {
  readonly path: string
  /** With their ends. */
  readonly lines: ReadonlyArray<string>
  readonly tokens: ReadonlyArray<string>
}

/**
 * What is declared in these lines where all that is new in them is functions that only give back a fixed value or what they are
 * given, constants, and messages: it does something only where others use it. Null: they hold something else, or others find what
 * is declared there without its name. `fresh`: rows of the file that are new. Pure.
 */
export const idleAdditions = (
  item: string,
  { lines, path, tokens }: Added,
  fresh: ReadonlyArray<number>,
  { end, start }: LineRange
): IdleAdditions | null => {
  const language = languageOf(path, lines)
  const rows = rowsIn(fresh, { start, end }).filter((row) => tokens[row] !== "")
  if (rows.length === 0 || rows.length > maxRows || isTestFile(path)) return null
  if (rows.some((row) => doing.test((lines[row] ?? "").slice(0, maxLine).replace(quoted, "")))) return null
  const whole = layoutOf(lines)(language)
  if (whole === null) return null
  const found = new Reader(item, path, language, setOf(fresh), tokens)
  if (!found.read(whole.nodes, { first: start - 1, last: end - 1 }, [])) return null
  const { declared, isEcho } = found
  const isElse = (row: number): boolean => !declared.some((one) => row >= one.row && row <= one.last)
  // what it is in Haskell and Erlang
  const isOfType = (text: string, name: string): boolean =>
    new RegExp(`^(?:\\d+ )?(?:-spec )?${name} ?(?:::|\\()`).test(text) && /::|->/.test(text)
  const isUsed = ({ name }: { readonly name: string }): boolean =>
    tokens.some((text, row) => isElse(row) && isSpokenOf(text, name) && !isOfType(text, name.replaceAll("$", "")))
  if (!isEcho && (declared.length === 0 || declared.some(isUsed) || isFoundByName(path))) return null
  return { declared, isEcho }
}

/** What is known to do something, before the file is read as a whole. */
const doing =
  /\b(?:await|case|catch|for|foreach|if|match|switch|try|unless|until|while|yield)\b|&&|\|\||[-+*/%]=|\+\+|--(?=\w)/
const quoted = /(["'`])(?:(?!\1)[^\\\n]|\\.)*\1|(?:#|\/\/|--).*/g

/** Whoever writes more than that does something. */
const maxRows = 40
/** Of a longer line its begin says what it does. */
const maxLine = 1_000

/** Files whose functions and constants a framework or a tool finds by what they are called. */
export const isFoundByName = (path: string): boolean =>
  /\.(?:[cm]?[jt]sx?|php|py|rb|svelte|vue)$/.test(path) &&
  /(?:^|\/)(?:\+|_)[^/]*$|(?:^|[/._-])(?:app|client|config|conftest|entry|hooks?|layout|loader|manifest|middleware|page|plugin|root|route|server|settings?|setup)s?\.\w+$|\.d\.[cm]?ts$/i.test(
    path
  )

interface Rows {
  readonly first: number
  readonly last: number
}

class Reader {
  readonly declared: Array<Declared> = []
  isEcho = false
  private readonly words: ReadonlySet<string>
  /** A program may tell what the item says, but not as the item says it. */
  private readonly isOfTexts: boolean
  private readonly path: string
  private readonly language: Language
  private readonly fresh: ReadonlySet<number>
  private readonly tokens: ReadonlyArray<string>

  constructor(
    item: string,
    path: string,
    language: Language,
    fresh: ReadonlySet<number>,
    tokens: ReadonlyArray<string>
  ) {
    const said = saidOf(item)
    this.words = new Set(wordsOf(said))
    this.isOfTexts = isShownToPeople(said) || ofTexts.test(said)
    this.path = path
    this.language = language
    this.fresh = fresh
    this.tokens = tokens
  }

  /** False: something else is new there. */
  read(nodes: ReadonlyArray<Outline>, range: Rows, around: ReadonlyArray<Outline>): boolean {
    return nodes.every((node, at) => {
      if (node.last < range.first || node.first > range.last || !this.hasNew(node, range)) return true
      if (!this.isNew(node)) return node.body !== null && this.read(node.body, range, [...around, node])
      const before = nodes[at - 1]
      // an annotation hands on what stands below it
      if (before !== undefined && /^(?:@|#?\[)\w/.test(before.code) && before.body === null && this.isNew(before))
        return false
      return this.add(node, around)
    })
  }

  private hasNew({ first, last }: Outline, range: Rows): boolean {
    for (let row = Math.max(first, range.first); row <= Math.min(last, range.last); row++)
      if (this.fresh.has(row) && this.tokens[row] !== "") return true
    return false
  }

  private isNew({ first, last }: Outline): boolean {
    for (let row = first; row <= last; row++)
      if (!this.fresh.has(row) && !quiet.test(this.tokens[row] ?? "")) return false
    return true
  }

  private add(node: Outline, around: ReadonlyArray<Outline>): boolean {
    const { language } = this
    const { body, code, text } = node
    if (
      (body !== null && roleOf(code, language) === "function") ||
      arrowBody(code, text) !== null ||
      inlineIn(code, language) !== null
    ) {
      const name = functionName(code, language)
      if (name === null || isHandedOn(code, name) || around.some(isForOthers)) return false
      if (isCalledByShape.test(language.name) && around.some(({ code: head }) => /^class\b/.test(head))) return false
      if (!this.isIdleBody(node)) return false
      this.declared.push({ name, row: node.first, last: node.last })
      return true
    }
    if (body !== null) return false
    if (kindOfStatement(code, text, language) === "nothing") return true
    const constant = filledIn.test(text) ? null : bindingIn(code)
    if (constant !== null && literal.test(constant.value)) {
      const isEcho = this.repeats(text)
      this.isEcho ||= isEcho
      const { name, words } = constant
      const scope = scopeOf(around, language)
      if (!isEcho && !this.isOwn(node, name, around, scope)) return false
      const isLocal = declaresLocal.test(words) && scope?.kind === "function"
      this.declared.push({ name, row: node.first, last: node.last, isLocal })
      return true
    }
    const isEcho = tells(code) && this.repeats(text)
    this.isEcho ||= isEcho
    return isEcho
  }

  /** What stands at the outermost level must say so. */
  private isOwn({ code, first, last }: Outline, name: string, around: ReadonlyArray<Outline>, scope: Scope | null) {
    const isInBlock = around.length > 0
    if (!isInBlock && !/^(?:private|static|local|my)\b/.test(code)) return false
    const file = { path: this.path, language: this.language.name, rows: this.tokens }
    return isOwn(file, { name, row: first, last, head: code, around: scope, isFunction: false, isInBlock })
  }

  /** It only gives back a fixed value or a word of its head, or says something. */
  private isIdleBody({ body, code, text }: Outline): boolean {
    const value = body === null ? arrowBody(code, text) : null
    const inner = body === null && value === null ? inlineIn(code, this.language) : null
    const given = new Set((value?.head ?? inner ?? code).match(/[\p{L}_$@][\w$']*/gu))
    const parts = (part: string): ReadonlyArray<string> =>
      this.language.name === "shell" ? part.replace(/\}$/, "").split(/[;\n]/) : [part]
    const texts = inner === null ? [] : parts(text.slice(inner.length))
    const statements =
      value !== null
        ? [{ ...value, body: null }]
        : inner === null
          ? (body ?? [])
          : parts(code.slice(inner.length)).map((part, at) => ({ code: part, text: texts[at] ?? part, body: null }))
    return (
      statements.length > 0 &&
      statements.every((one) => {
        if (one.body !== null) return false
        const said = one.code.trim().replace(/[;,.\s]+$/, "")
        for (const [, names = ""] of said.matchAll(/^my\s*(\([^()]*\)|\$\w+)/g))
          for (const name of names.match(/\w+/g) ?? []) given.add(name)
        if (parameters.test(said)) return true
        if (/^(?:return\s+)?\(?\$?[\p{L}_@][\w$']*\)?$/u.test(said)) {
          const word = /[\p{L}_@][\w$']*\)?$/u.exec(said)?.[0].replace(/\)$/, "") ?? ""
          if (given.has(word) || given.has(`$${word}`)) return true
        }
        if (tells(said)) {
          this.isEcho ||= this.repeats(one.text)
          return true
        }
        return idle.has(kindOfStatement(one.code, one.text, this.language)) || fixed.test(said)
      })
    )
  }

  /** A text holds nearly all words of the item, and few others. */
  private repeats(text: string): boolean {
    if (this.words.size < minWords) return false
    if (filledIn.test(text)) return false
    const sentences = (text.match(/(["'`])(?:(?!\1)[^\\]|\\.)*\1/gs) ?? []).filter((one) => /\S\s+\S+\s+\S/.test(one))
    const said = wordsOf(sentences.join(" "))
    const same = new Set(said.filter((word) => this.words.has(word)))
    return same.size >= (this.isOfTexts ? 1 : 0.8) * this.words.size && same.size >= 0.7 * new Set(said).size
  }
}

const minWords = 3
/** Something is put into a text, so that it is no fixed one. */
const filledIn = /\$\w|[$#]\{|\\\(|(?<=\bf["'][^"'\n]*)\{/
const idle: ReadonlySet<string> = new Set(["nothing", "null", "constant", "stub"])
/** What a text of a program is about. */
const ofTexts =
  /\b(?:alias\w*|captions?|console|constants?|cop(?:y|ies)|descriptions?|errors?|greet\w*|hints?|names?|notices?|placeholders?|print\w*|quotes?|say|says|show\w*|slogans?|tells?|announc\w*|inform\w*|mention\w*|notif\w*|remind\w*|report\w*|trac(?:e|es|ing)|warn\w*|words?|wording)\b|文言|表示|定数|名前/i

const wordsOf = (text: string): ReadonlyArray<string> =>
  (
    text
      .replace(/(?<=[a-z\d])(?=[A-Z])|_/g, " ")
      .toLowerCase()
      .match(/\p{L}{3,}/gu) ?? []
  ).flatMap((word) => (small.has(word) ? [] : [stem(word)]))

/** As it is said of one and of many, as an order and as what is being done: `skip` of `skipping`. */
const stem = (word: string): string =>
  word.replace(/(?<=\p{L}{3})(?:([b-df-hj-np-rtv-z])\1)?(?:ing|ed|es|e|(?<!s)s)$/u, "$1")
const small: ReadonlySet<string> = new Set(
  "and are but for from has have into its not now that the their them then they this was were when which with".split(
    " "
  )
)

/** Rows that say nothing of whether what they are a part of is new. */
export const quiet = /^[\s\d{}()[\];,]*(?:end\b[\s;]*)?$/

const parameters =
  /^(?:my\s*(?:\([\s$@%\w,]+\)\s*=\s*@_|\$\w+\s*=\s*shift)|\(void\)\s*\w+|_\s*=\s*\w+|let\s+_\s*=\s*\w+|discard\s+\w+)$/
const fixed = new RegExp(
  String.raw`^(?:return\s+)?(?:Ok\s*\(\s*\(\s*\)\s*\)|:ok|ok|TRUE|FALSE|invisible\s*\(\s*NULL\s*\)|(["'\x60])[${hidden}]*\1|\d+|\(\s*\)|[Tt]rue|[Ff]alse)$`
)

/** Says something fixed to whoever reads a terminal or a log. */
const tells = (code: string): boolean => telling.test(code.trim().replace(/[;,.\s]+$/, ""))
const telling = new RegExp(
  String.raw`^(?:\w+(?:\.|::|->)){0,3}(?:log(?!in\b)\w*|console|f?print\w*!?|puts|put[sS]tr\w*|echo|say|warn\w*|debug|info|error_log|message|cat|write(?:line|ln)?|NSLog|io:format|trace)\b[\w.!]*\s*\(?\s*(?:(?:std::|os\.)?stderr\s*,\s*)?(?:\w?(["'\x60])[${hidden}]*\1)(?:\s*,\s*(?:\.?[({[]\s*[)}\]]))?\s*\)?$`,
  "i"
)

/** The head of a function whose body stands behind it in the same statement. */
const inlineIn = (code: string, { name }: Language): string | null =>
  (inline[name] ?? inline["script"])?.exec(code)?.[0] ?? null
const inline: Readonly<Record<string, RegExp>> = {
  erlang: /^[a-z]\w*\s*\([^()]*\)\s*->\s*/,
  haskell: /^[a-z][\w']*(?:\s+[a-z_][\w']*)*\s*=(?![=>])\s*/,
  julia: /^[a-z_][\w.!]*\([^()]*\)\s*=(?!=)\s*/,
  ml: /^let\s+(?:rec\s+)?[a-z_][\w']*(?:\s+[\w'()]+)+\s*=(?!=)\s*/,
  r: /^[\w.]+\s*(?:<-|=)\s*function\s*\([^()]*\)\s*/,
  script:
    /^(?:export\s+)?(?:const|let|var)\s+[\w$]+(?:\s*:[^=]+)?\s*=\s*(?:async\s*)?(?:\([^()]*\)|[\w$]+)\s*(?::[^=]+)?=>\s*/,
  shell: /^(?:function\s+)?[\w-]+\s*\(\s*\)\s*\{\s*/
}

/** It takes the place of another, is there for a language or a framework, or is a method of any type. */
export const isHandedOn = (head: string, name: string): boolean =>
  /\b(?:override|abstract|default|virtual|extern|external|native|operator|implicit)\b|^func\s*\(|^@/.test(head) ||
  /^__|^(?:main|init|new|constructor|initialize|setup|teardown|run|handler|load|call|perform|execute|toString|dealloc)$/i.test(
    name
  )

/** Where no type says what it has, whoever is given an object calls what it knows: `isatty()`, `persisted?`. */
const isCalledByShape = /^(?:python|ruby)$/

/** A type that has something of others, so that these may call what is in it. */
const isForOthers = ({ code }: Outline): boolean =>
  /^(?:@|#\[)|\b(?:extends|implements|impl|instance|interface|trait|protocol|extension|with|inherits|mixin)\b|\b(?:class|struct|object|enum|record|actor)\b[^={]*[:<(]/i.test(
    code
  )

/** What may stand before a name that a function has for itself, unlike a mere assignment. */
export const declaresLocal = /^(?!.*\b(?:our|static)\b)./
const literal = new RegExp(
  String.raw`^(?:\w?(["'\x60])[${hidden}]*\1|-?\d[\d_.]*|true|false|nil|null|None|True|False)$`
)
