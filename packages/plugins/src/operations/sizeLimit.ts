/** Limits responses to 8 KB of JSON: clients truncate longer ones anywhere, and agents pay for every token. */
import type { Body } from "./Answer.ts"

/** Bytes of JSON that an answer may hold. */
export const maxResponseBytes = 8 * 1024

/** Of a text in UTF-8. */
export const bytesOf = (text: string): number => {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    // both halves of a pair together have four
    if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 1 : 2
  }
  return bytes
}

/** Of a value as JSON in UTF-8. */
export const jsonBytes = (value: unknown): number => bytesOf(JSON.stringify(value) ?? "")

/** The first of the items that fit into so many bytes of JSON, commas included. */
export const fitting = <A>(items: ReadonlyArray<A>, bytes: number): ReadonlyArray<A> => {
  let used = 0
  for (const [i, item] of items.entries()) {
    used += jsonBytes(item) + 1
    if (used > bytes) return items.slice(0, i)
  }
  return items
}

/**
 * A body with a list as its field `key`, the most important first: what exceeds the limit is counted in
 * `<key>_left_out`, and `more` says how to get it. `known` is how many there are, where the list is not all of them.
 */
export const withList = (
  rest: Body,
  key: string,
  items: ReadonlyArray<unknown>,
  more: Body = {},
  known: number = items.length
): Body => {
  const short = { ...rest, [key]: [] as ReadonlyArray<unknown>, [`${key}_left_out`]: known, ...more }
  const shown =
    known === items.length && jsonBytes({ ...rest, [key]: items }) <= maxResponseBytes
      ? items
      : fitting(items, maxResponseBytes - jsonBytes(short))
  return shown.length === known
    ? { ...rest, [key]: shown }
    : { ...short, [key]: shown, [`${key}_left_out`]: known - shown.length }
}

/** One line of at most so many characters, without control characters: what others wrote must not steer a reader. */
export const lineOf = (text: string, length: number): string => {
  // of a long text no more is looked at than is shown
  const line = [
    ...text
      .slice(0, length * 4)
      .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
      .trim()
  ]
  return line.length > length || text.length > length * 4 ? `${line.slice(0, length - 1).join("")}…` : line.join("")
}

type Mutable = Record<string, unknown>

/** What can be made shorter: a text, a list or a mapping with many keys, as a field of something. */
interface Shortenable {
  readonly holder: Mutable | Array<unknown>
  readonly key: string | number
  readonly rank: number
  readonly bytes: number
}

/** Made shorter first, and last: what it is about and what to do stays whole as long as it can. */
const expendable: ReadonlyArray<string> = [
  "planning_guide",
  "last_submission",
  "created",
  "handoff",
  "context",
  "verification",
  "waiting_subtasks",
  "warnings"
]
const kept: ReadonlySet<string> = new Set(["instruction", "message", "next_step", "expected_payload"])

/** Shorter parts are left alone, bytes of JSON. */
const smallest = 160

/**
 * Truncates a body to `most` bytes of JSON: least important fields first, lists from their end with `<key>_left_out`,
 * texts with an ellipsis.
 */
export const truncate = (body: Body, most: number = maxResponseBytes): Body => {
  if (jsonBytes(body) <= most) return body
  const copy = JSON.parse(JSON.stringify(body)) as Mutable
  for (let over = jsonBytes(copy) - most; over > 0; over = jsonBytes(copy) - most) {
    const parts = partsOf(copy, middle)
    const rank = Math.min(...parts.map((part) => part.rank))
    const [largest] = parts.filter((part) => part.rank === rank).toSorted((a, b) => b.bytes - a.bytes)
    if (largest === undefined) return copy
    // the count of what is left out needs bytes too
    shorten(largest, over + 32)
  }
  return copy
}

const middle = expendable.length
const rankOf = (key: string, outer: number): number => {
  const expendableAt = expendable.indexOf(key)
  return outer !== middle ? outer : expendableAt >= 0 ? expendableAt : kept.has(key) ? middle + 1 : middle
}

const partsOf = (value: Mutable | Array<unknown>, outer: number): ReadonlyArray<Shortenable> =>
  Object.entries(value).flatMap(([key, one]): ReadonlyArray<Shortenable> => {
    const rank = Array.isArray(value) ? outer : rankOf(key, outer)
    const bytes = jsonBytes(one)
    if (bytes <= smallest) return []
    const candidate = { holder: value, key: Array.isArray(value) ? Number(key) : key, rank, bytes }
    if (typeof one === "string") return [candidate]
    if (typeof one !== "object" || one === null) return []
    const inner = partsOf(one as Mutable, rank)
    const isLong = Array.isArray(one) && !Array.isArray(value) ? one.length > 1 : Object.keys(one).length > manyKeys
    return isLong ? [candidate, ...inner] : inner
  })

/** A mapping with so many keys is one of data, not of fields. */
const manyKeys = 20

const shorten = ({ bytes, holder, key }: Shortenable, over: number): void => {
  const at = holder as Mutable
  const one = at[key]
  // by half at most: of several long ones none is given up for the others
  const target = Math.max(smallest / 2, bytes - over, Math.floor(bytes / 2))
  if (typeof one === "string") {
    at[key] = truncateText(one, target, key === "output")
    return
  }
  const isList = Array.isArray(one)
  const items: ReadonlyArray<unknown> = isList ? one : Object.entries(one as Mutable)
  const fit = fitting(items, target)
  const shown = items.slice(0, Math.max(1, Math.min(fit.length, items.length - 1)))
  at[key] = isList ? shown : Object.fromEntries(shown as ReadonlyArray<readonly [string, unknown]>)
  const left = `${key}_left_out`
  const before = at[left]
  if (!Array.isArray(holder)) at[left] = (typeof before === "number" ? before : 0) + items.length - shown.length
}

/** The beginning of a text, or its end, in at most so many bytes of JSON, with an ellipsis. */
export const truncateText = (text: string, bytes: number, isEnd = false): string => {
  if (jsonBytes(text) <= bytes) return text
  const characters = isEnd ? [...text].toReversed() : [...text]
  // both quotes and the ellipsis
  let used = 5
  let count = 0
  for (const character of characters) {
    used += jsonBytes(character) - 2
    if (used > bytes) break
    count++
  }
  const shown = characters.slice(0, count)
  return isEnd ? `…${shown.toReversed().join("")}` : `${shown.join("")}…`
}
