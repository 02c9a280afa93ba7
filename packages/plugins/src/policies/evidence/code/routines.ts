import type { Language } from "../../../text/languages.ts"
import { lineStarts, rowAt } from "../../../text/lines.ts"
import { type Scanned, scan } from "../../../text/scan.ts"
import { saysUnwritten } from "./statements.ts"

/** Functions, procedures and triggers that a database is given, and those of languages whose bodies stand between `begin` and `end`. */

/** Rows, from 0, of those in whose body nothing is done, and of what only separates them. Pure. */
export const emptyRoutineRows = (scanned: Scanned, language: Language): ReadonlySet<number> => {
  const head = heads[language.name]
  if (head === undefined || !head.test(scanned.text)) return new Set()
  const { text } = scanned
  const starts = lineStarts(text)
  const rows = new Set<number>()
  const begins = [...text.matchAll(new RegExp(head, "gim"))].map(({ index }) => index)
  for (const [i, from] of begins.entries()) {
    const found = bodyOf(text, from, begins[i + 1] ?? text.length)
    if (found === null) continue
    const [first, last] = [rowAt(starts, from), rowAt(starts, found.end)]
    const said = Array.from({ length: last - first + 1 }, (_, at) => scanned.comments.get(first + at) ?? "")
    const isGiven = language.name === "sql" && given.test(text.slice(from, from + maxHead))
    if (!isNothing(found.body, language, said, isGiven)) continue
    for (let row = first; row <= last; row++) rows.add(row)
  }
  if (rows.size > 0) for (const [row, line] of text.split("\n").entries()) if (separator.test(line)) rows.add(row)
  return rows
}

/** It has parameters that it is given. */
const given = /^[^()]*?\b(?:function|procedure)\s+[\w."]+\s*\(\s*(?!out\b)[\w"@]/i
const maxHead = 400

const heads: Readonly<Record<string, RegExp>> = {
  sql: /\b(?:create|alter)\s+(?:or\s+(?:replace|alter)\s+)?(?:(?:definer\s*=\s*\S+|(?:non)?editionable|aggregate)\s+)*(?:function|proc(?:edure)?|trigger)\s/i,
  // Pascal, Ada, VHDL, Verilog
  unknown:
    /^[ \t]*(?:(?:class|not|overriding|pure|impure|\w{1,60}[ \t]*:)[ \t]+){0,3}(?:procedure|function|constructor|destructor|process|initial|always(?:_ff|_comb)?|task)\b/im
}

/** What tells a client where one ends. */
const separator = /^\s*(?:delimiter\s+\S+|go|\/|\/\/|\$\$|;)\s*;?\s*$/i

interface Body {
  readonly body: string
  /** Where the statement ends. */
  readonly end: number
}

/** Null: it has none of its own, or nobody knows where it is. */
const bodyOf = (text: string, from: number, limit: number): Body | null => {
  const whole = text.slice(from, limit)
  const quoted = /\bas\s+(?:\$(\w*)\$|')/i.exec(whole)
  const begun = /\bbegin\b/i.exec(whole)
  if (quoted !== null && quoted.index < (begun?.index ?? whole.length)) {
    const open = quoted.index + quoted[0].length
    const sign = quoted[1] === undefined ? "'" : `$${quoted[1]}$`
    const close = whole.indexOf(sign, open)
    if (close === -1) return null
    const semicolon = whole.indexOf(";", close)
    return { body: whole.slice(open, close), end: from + (semicolon === -1 ? whole.trimEnd().length - 1 : semicolon) }
  }
  if (begun === null) return null
  let depth = 0
  for (const { 0: word, index } of whole.slice(begun.index).matchAll(words)) {
    const is = word.toLowerCase().split(/\s+/)
    if (is[0] !== "end") depth++
    else if (is.length === 1 || is[1] === "case") depth--
    if (depth > 0) continue
    const end = begun.index + index + word.length
    // its name, and the sign that ends it
    const behind = /^\s*\w*\s*(?:;|\/\/|\$\$)?/.exec(whole.slice(end))?.[0].trimEnd().length ?? 0
    return { body: whole.slice(begun.index, end), end: from + end + Math.max(0, behind - 1) }
  }
  return null
}

const words = /\b(?:begin|case|end(?:\s+(?:if|loop|case|while|repeat|for)\b)?)\b/gi

/** Longer ones do something. */
const maxBody = 10_000

/** `said`: the comments of the function. `isGiven`: what is fixed looks at nothing of what it is given. */
const isNothing = (body: string, language: Language, said: ReadonlyArray<string>, isGiven: boolean): boolean => {
  if (body.length > maxBody) return false
  const { comments, text } = scan(body, language)
  const isMarked = [...said, ...comments.values()].some((comment) =>
    /\b(?:TODO|FIXME|TBD|XXX)\b|not (?:yet )?implemented/i.test(comment)
  )
  // what is declared before it is done nothing with by itself
  const done = text
    .replace(/^[\s\S]*?\bdeclare\b[\s\S]*?(?=\bbegin\b)/i, "")
    .replace(/\b(?:begin(?:\s+(?:atomic|try|tran(?:saction)?))?|end(?:\s+(?:try|catch))?)\b/gi, ";")
  return done
    .split(";")
    .map((statement) => statement.trim())
    .every(
      (statement) =>
        idle.test(statement) || ((isMarked || isGiven) && fixed.test(statement)) || failsUnwritten(statement)
    )
}

const idle =
  /^(?:null|pass|\{\s*todo[^{}]*\}|return(?:\s*\(?\s*(?:null|new|old)\s*\)?)?|select\s+null(?:::\w+)?|set\s+nocount\s+on|declare\s[^=]*)?$/i
const fixed = /^(?:return|select|\w+\s*:=)\s*\(?\s*(?:-?\d+(?:\.\d+)?|'[^']*'|true|false|nil)\s*\)?(?:::\w+)?$/i
const failsUnwritten = (statement: string): boolean =>
  /^(?:raise|raiserror|throw|signal|print|perform|select|call)\b/i.test(statement) && saysUnwritten(statement)
