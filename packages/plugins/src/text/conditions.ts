/** What conditions come to that depend on nothing but what is written in them. */

/** Whether a condition holds whatever the program does; null: it depends. `isSame`: a name that is equal to itself. */
export const truthOf = (condition: string, isSame: (name: string) => boolean): boolean | null => {
  if (condition.length > maxLength) return null
  const text = bare(condition)
  if (text === "") return null
  const either = splitAt(text, orWord)
  if (either.length > 1) return joined(either, isSame, true)
  const both = splitAt(text, andWord)
  if (both.length > 1) return joined(both, isSame, false)
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
  if (/^(?:true|True|TRUE)$/.test(text)) return true
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
  if (left !== right || !(isSame(left) || truthOfLiteral(left) !== null)) return null
  if (isEqual || operator === "<=" || operator === ">=") return true
  return isUnequal || operator === "<" || operator === ">" ? false : null
}
