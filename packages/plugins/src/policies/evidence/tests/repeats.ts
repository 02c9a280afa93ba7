import { closersOf } from "../code/plain.ts"

/**
 * Calls that a test compares with themselves: `assert f(1) == f(1)`, `expected = f(1); assert f(1) == expected`. They show
 * nothing, unless it is tested that a call answers the same again.
 */
export interface Repeats {
  /** A call that answers what it answered a line before. */
  readonly isRepeat: (expression: string) => boolean
  /** Variables that hold what such a call answered, where nothing happens between. */
  readonly held: ReadonlyMap<string, string>
}

/** `name`: what leads to the test; `text`: its body with strings, `code`: with strings hidden. Pure. */
export const repeatsIn = (name: string, code: string, text: string, language: string): Repeats => {
  const isMeant = inName.test(name) || inBody.test(text)
  const isRepeat = (one: string): boolean => !isMeant && isPlainCall(one.trim(), language)
  return { isRepeat, held: isMeant ? new Map() : heldIn(code, text, isRepeat) }
}

const inBody =
  /again|after|before|cach|clone|cop(?:y|ies)\b|counter|determin|first|global|idempot|instance|iter|memo|next|once|random|reset|second|seed|singleton|stable|twice|uuid/i
const inName = new RegExp(
  `${inBody.source}|commut|consisten|cycl|distinct|eq|hash|ident|immutab|intern|lazy|law|nan|order|pure|reflex|repeat|reproduc|reus|roundtrip|round_trip|same|share|symmetr|uniq`,
  "i"
)

/** Of values that are made their equality may be tested: `Version("1") == Version("1")`, `parse("1") == parse("1")`. */
const making = /^(?:build|clone|compile|copy|create|default|from|get\w*instance|id|init|make|new|of|parse|to)(?![a-z])/i

const isPlainCall = (text: string, language: string): boolean => {
  const [head, name = ""] = /^(?:await\s+)?(?:[A-Za-z_$][\w$]*(?:\.|::|->))*([A-Za-z_$][\w$]*)\s*\(/.exec(text) ?? []
  if (head === undefined || making.test(name) || /\bnew\b|\blambda\b|=>|\bfunction\b/.test(text)) return false
  if (!/^(?:go|csharp)$/.test(language) && !/^[a-z_$]/.test(name)) return false
  return closersOf(text)[head.length - 1] === text.length - 1
}

const assigned =
  /^[ \t]*(?:(?:const|let|var|final|auto|val)[ \t]+)?(?:[\w<>]+[ \t]+)?([A-Za-z_$][\w$]*)[ \t]*(?::[ \t]*[\w<>]+[ \t]*)?:?=[ \t]*(?![=>])([^\n]*?);?[ \t]*$/gm

const heldIn = (code: string, text: string, isRepeat: (one: string) => boolean): ReadonlyMap<string, string> => {
  const found = [...code.matchAll(assigned)].map(({ 0: all, 1: name = "", 2: value = "", index }) => {
    const from = index + all.lastIndexOf(value)
    return { name, from: index, to: index + all.length, value: text.slice(from, from + value.length).trim() }
  })
  const names = new Set(found.map(({ name }) => name))
  if (found.length === 0 || names.size < found.length) return new Map()
  const rest = found.reduceRight((left, { from, to }) => left.slice(0, from) + left.slice(to), code)
  // whatever else the test does may change what a call answers
  const acts = rest
    .split("\n")
    .filter((line) => /[\w)]\s*\(|=(?!=)/.test(line) && !/assert|expect|should|equal/i.test(line))
  if (acts.some((line) => !/^\s*[{(]?\s*(?:async\s*)?(?:\(\s*\)|function\s*\(\s*\))/.test(line))) return new Map()
  const held = new Map<string, string>()
  for (const { name, value } of found) {
    const said = held.get(value) ?? value
    if (isRepeat(said)) held.set(name, said)
  }
  return held
}
