/** What conditions come to that depend on nothing but what is written in them. */

/** Whether a condition holds whatever the program does; null: it depends. `isSame`: a name that is equal to itself. */
export const truthOf = (condition: string, isSame: (name: string) => boolean): boolean | null => {
  if (condition.length > maxLength) return null
  const text = bare(condition)
  if (text === "") return null
  const either = splitAt(text, orWord)
  if (either.length > 1) return joined(either, isSame, true) ?? (areOpposites(either) ? true : null)
  const both = splitAt(text, andWord)
  if (both.length > 1) return joined(both, isSame, false) ?? (excludeEachOther(both) ? false : null)
  const negated = /^(?:!(?!=)|not\b)\s*(.*)$/s.exec(text)?.[1]
  const compared = splitAt(text, comparison)
  if (negated !== undefined && compared.length === 1) {
    const truth = truthOf(negated, isSame)
    return truth === null ? null : !truth
  }
  if (compared.length === 1) return truthOfLiteral(text)
  const [left = "", right = ""] = compared
  return compared.length === 2
    ? compare(bare(left), text.slice(left.length, text.length - right.length).trim(), bare(right), isSame)
    : null
}

/** Longer conditions depend on something. */
const maxLength = 400

const orWord = /\|\||\bor\b/y
const andWord = /&&|\band\b/y
const comparison = /[=!]==?|[<>]=?(?![<>])|\bis\s+not\b|\bis\b/y

const joined = (parts: ReadonlyArray<string>, isSame: (name: string) => boolean, decisive: boolean): boolean | null => {
  const truths = parts.map((part) => truthOf(part, isSame))
  if (truths.includes(decisive)) return decisive
  return truths.includes(null) ? null : !decisive
}

const bare = (condition: string): string => {
  let text = condition.trim()
  while (text.startsWith("(") && closes(text)) text = text.slice(1, -1).trim()
  return text
}

const closes = (text: string): boolean => {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    if (text.charAt(at) === "(") depth++
    else if (text.charAt(at) === ")" && --depth === 0) return at === text.length - 1
  }
  return false
}

/** Splits at words outside of brackets and quotes. */
const splitAt = (text: string, word: RegExp): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let depth = 0
  let quote = ""
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (quote !== "") {
      if (char === "\\") at++
      else if (char === quote) quote = ""
    } else if (char === '"' || char === "'" || char === "`") quote = char
    else if (/[([{]/.test(char)) depth++
    else if (/[)\]}]/.test(char)) depth--
    else if (depth === 0) {
      word.lastIndex = at
      const found = word.exec(text)
      if (found === null) continue
      parts.push(text.slice(from, at))
      from = at + found[0].length
      at = from - 1
    }
  }
  return [...parts, text.slice(from)]
}

const number = /^-?\d+(?:\.\d+)?$/
const string = /^(?:"[^"\n\\]*"|'[^'\n\\]*'|`[^`$\\]*`)$/

const truthOfLiteral = (text: string): boolean | null => {
  if (/^(?:true|True|TRUE|isinstance\([\w.]+,\s*object\))$/.test(text)) return true
  if (/^(?:false|False|FALSE|nil|null|None|undefined)$/.test(text)) return false
  return number.test(text) ? Number(text) !== 0 : null
}

const compare = (left: string, operator: string, right: string, isSame: (name: string) => boolean): boolean | null => {
  const isEqual = /^(?:===?|is)$/.test(operator)
  const isUnequal = /^(?:!==?|is\s+not)$/.test(operator)
  if (number.test(left) && number.test(right)) {
    const [a, b] = [Number(left), Number(right)]
    if (isEqual) return a === b
    if (isUnequal) return a !== b
    if (operator === "<") return a < b
    if (operator === "<=") return a <= b
    if (operator === ">") return a > b
    return operator === ">=" ? a >= b : null
  }
  if (string.test(left) && string.test(right)) {
    if (isEqual) return left.slice(1, -1) === right.slice(1, -1)
    return isUnequal ? left.slice(1, -1) !== right.slice(1, -1) : null
  }
  if (beyondAll(left, operator, right)) return false
  if (length.test(left) && ((operator === ">=" && right === "0") || (operator === ">" && right === "-1"))) return true
  if (left !== right || !(isSame(left) || truthOfLiteral(left) !== null)) return null
  if (isEqual || operator === "<=" || operator === ">=") return true
  return isUnequal || operator === "<" || operator === ">" ? false : null
}

// --- what values can be ------------------------------------------------------------------------------------------

/** A name, or a question about one that changes nothing. */
const stable =
  /^(?:(?:len|strlen|count|sizeof)\(\$?[\w.]+\)|(?:&?\$?[A-Za-z_][\w$]*(?:\.|->|::|\?\.))*[$@]?[A-Za-z_][\w$]*(?:\[\w+\])?)(?:(?:\.|->)(?:length|size|count|len|is_(?:ok|err|some|none)|isEmpty|is_empty)\(\))?$/
/** What is never negative. A number that a type calls its size or count may be. */
const length =
  /^(?:(?:len|strlen|count|sizeof)\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|[\w$.()[\]]+(?:(?:\.|->)(?:[lL]ength|[sS]ize|[cC]ount|len)\(\)|\.(?:[lL]ength|Count)))$/
const endless = /^\+?(?:Infinity|Number\.POSITIVE_INFINITY|math\.inf|float\(["']inf["']\)|Double\.POSITIVE_INFINITY)$/

/** Nothing is shorter than empty, or more than everything. */
const beyondAll = (left: string, operator: string, right: string): boolean =>
  (operator === "<" && /^0$/.test(right) && length.test(left)) ||
  (operator === ">" && endless.test(right) && !endless.test(left)) ||
  (operator === ">" && /^0$/.test(left) && length.test(right)) ||
  (operator === "<" && endless.test(left) && !endless.test(right))

/** What a condition says of one value. */
interface Said {
  readonly of: string
  readonly operator: string
  /** A literal. */
  readonly than: string
}

const turned: Readonly<Record<string, string>> = { "<": ">", "<=": ">=", ">": "<", ">=": "<=" }
/** The comparison that holds where this one does not. */
export const opposites: Readonly<Record<string, string>> = {
  "===": "!==",
  "!==": "===",
  "==": "!=",
  "!=": "==",
  "<": ">=",
  ">=": "<",
  ">": "<=",
  "<=": ">"
}

const saidIn = (condition: string): Said | null => {
  const text = bare(condition)
  const not = /^(?:!(?!=)|not\b)\s*(.*)$/s.exec(text)?.[1]
  const compared = splitAt(text, comparison)
  if (compared.length === 1) {
    const of = bare(not ?? text)
    const asked = /^(.*(?:\.|->))is_(err|none)\(\)$/.exec(of)
    const name = asked === null ? of : `${asked[1]}is_${asked[2] === "err" ? "ok" : "some"}()`
    const isNot = (not !== undefined) !== (asked !== null)
    return stable.test(name) ? { of: name, operator: isNot ? "!=" : "==", than: "true" } : null
  }
  const [left = "", right = ""] = compared.map(bare)
  if (compared.length !== 2 || not !== undefined) return null
  const sign = text.slice(compared[0]?.length ?? 0, text.length - (compared[1]?.length ?? 0)).trim()
  const operator = /^(?:===?|is)$/.test(sign) ? "==" : /^(?:!==?|is\s+not)$/.test(sign) ? "!=" : sign
  const isLiteral = (one: string): boolean => number.test(one) || string.test(one) || truthOfLiteral(one) !== null
  if (isLiteral(right) && stable.test(left)) return { of: left, operator, than: unquoted(right) }
  return isLiteral(left) && stable.test(right)
    ? { of: right, operator: turned[operator] ?? operator, than: unquoted(left) }
    : null
}

const unquoted = (literal: string): string => (string.test(literal) ? JSON.stringify(literal.slice(1, -1)) : literal)

/** `x < 0 && x > 10`, `x === "a" && x === "b"`, `x && !x`: no value is both. */
const excludeEachOther = (parts: ReadonlyArray<string>): boolean => {
  const said = parts.map(saidIn).filter((one) => one !== null)
  return said.some((one, i) => said.slice(i + 1).some((other) => one.of === other.of && areApart(one, other)))
}

/** `x < 0 || x >= 0`, `r.is_ok() || r.is_err()`: every value is one of both. */
const areOpposites = (parts: ReadonlyArray<string>): boolean => {
  const said = parts.map(saidIn).filter((one) => one !== null)
  const not = (one: Said): Said => ({ ...one, operator: opposites[one.operator] ?? "" })
  return said.some((one, i) => said.slice(i + 1).some((other) => one.of === other.of && areApart(not(one), not(other))))
}

const areApart = (one: Said, other: Said): boolean => {
  if (one.operator === "==" && other.operator === "==")
    return one.than !== other.than && isOneKind(one.than, other.than)
  const equal = [one, other].find(({ operator }) => operator === "==")
  if (equal !== undefined && (equal === one ? other : one).operator === "!=") return one.than === other.than
  if (!number.test(one.than) || !number.test(other.than)) return false
  const [a, b] = [one, other].map(({ operator, than }) => {
    const value = Number(than)
    if (operator === "==") return { from: value, to: value, isOpen: false }
    if (operator.startsWith("<")) return { from: Number.NEGATIVE_INFINITY, to: value, isOpen: operator === "<" }
    if (operator.startsWith(">")) return { from: value, to: Number.POSITIVE_INFINITY, isOpen: operator === ">" }
    return null
  })
  if (a == null || b == null) return false
  const [from, to] = [Math.max(a.from, b.from), Math.min(a.to, b.to)]
  return from > to || (from === to && (a.isOpen || b.isOpen))
}

/** What is `0` in one language is `""` or `false` in another. */
const isOneKind = (one: string, other: string): boolean =>
  (number.test(one) && number.test(other) && Number(one) !== Number(other)) ||
  (one.startsWith('"') && other.startsWith('"'))
