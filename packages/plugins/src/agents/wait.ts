import { DateTime, Option } from "effect"

/** Ms of a unit, by how it begins. The longer ones come first: "ms" and "month" are no minutes. */
const units: ReadonlyArray<readonly [RegExp, number]> = [
  [/^(?:ms|milli)/i, 1],
  [/^s/i, 1_000],
  [/^m/i, 60_000],
  [/^h/i, 3_600_000],
  [/^d/i, 86_400_000]
]

const AMOUNT =
  "(\\d+(?:\\.\\d+)?)\\s*(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)(?![a-z])"
/** "try again in 3 days 2 hours", "reset after 22h5m", "Please retry in 34.07s", `"retryDelay": "34s"`. */
const AFTER = new RegExp(
  `(?:(?:try again|retry|resets?|available|wait)(?: again)?(?: in| after| for)?|retry[-_]?(?:delay|after))["']?\\s*[:=]?\\s*["']?((?:${AMOUNT}[\\s,]*(?:and )?)+)`,
  "i"
)
/** `retry-after: 30` is in seconds. */
const HEADER = /retry[-_ ]?after(?:_seconds)?["']?\s*[:=]?\s*["']?(\d+(?:\.\d+)?)(?![\d.]*\s*[a-z])/i
/** "usage limit reached|1749924000", `"resetsAt":1749924000`. */
const EPOCH = /(?:limit reached\||resets?_?at["']?\s*[:=]\s*)(\d{10})(?:\d{3})?(?!\d)/i
/** "try again at 2026-11-26T15:00:00Z". */
const INSTANT =
  /(?:try again|resets?|retry|available)(?: again)? (?:at|after|on) (\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d))/i
/** "resets 3pm", "resets Nov 26, 3:45pm (Europe/Berlin)", "try again at Nov 26th, 2026 3:04 PM". */
const CLOCK =
  /(?:try again|resets?|available)(?: again)?(?: at| on)? (?:(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?,?(?: (\d{4}),?)?(?: at)? )?(\d{1,2})(?::(\d\d))?\s*([ap]m)?(?![\w:])(?:\s*\(([\w/+-]+)\))?/i

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

const DAY = 86_400_000

/** What is longer was not meant: a year, in ms. */
const LONGEST = 366 * DAY

/** A time from now, in ms; null: it is over, or further away than anybody waits. */
export const waitUntil = (at: number, now: number): number | null => {
  const wait = Math.round(at - now)
  return wait > 0 && wait <= LONGEST ? wait : null
}

/** How long the text says to wait, in ms from `now`; null: it does not say, or the time it names is over. */
export const waitNamed = (text: string, now: number): number | null => {
  const at = timeNamed(text, now)
  return at === null ? null : waitUntil(at, now)
}

/** When it can be used again, in ms since 1970; null: the text does not say. */
const timeNamed = (text: string, now: number): number | null => {
  const amount = AFTER.exec(text)?.[1]
  if (amount !== undefined) return now + durationOf(amount)
  const seconds = HEADER.exec(text)?.[1]
  if (seconds !== undefined) return now + Number(seconds) * 1_000
  const epoch = EPOCH.exec(text)?.[1]
  if (epoch !== undefined) return Number(epoch) * 1_000
  const instant = INSTANT.exec(text)?.[1]
  return instant === undefined ? clockOf(text, now) : Date.parse(instant)
}

/** Names of headers are in lower case. */
export type Headers = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** How long the headers of an answer say to wait, in ms from `now`; null: they do not say, or the time they name is over. */
export const waitOfHeaders = (headers: Headers, now: number): number | null => {
  const ms = amountOf(headers["retry-after-ms"])
  if (ms !== null) return waitUntil(now + ms, now)
  const after = headers["retry-after"]
  const seconds = amountOf(after)
  if (seconds !== null) return waitUntil(now + seconds * 1_000, now)
  return typeof after === "string" ? waitUntil(Date.parse(after), now) : null
}

const amountOf = (header: Headers[string]): number | null =>
  typeof header === "string" && /^\s*\d+(?:\.\d+)?\s*$/.test(header) ? Number(header) : null

const durationOf = (text: string): number =>
  Math.round(
    [...text.matchAll(new RegExp(AMOUNT, "gi"))].reduce(
      (sum, [, amount, unit = ""]) => sum + Number(amount) * (units.find(([name]) => name.test(unit))?.[1] ?? 0),
      0
    )
  )

/** The next time a clock shows that; null: none is named. */
const clockOf = (text: string, now: number): number | null => {
  const found = CLOCK.exec(text)
  if (found === null) return null
  const [, month, day, year, hours, minutes = "0", half, zone] = found
  // "resets 3" is no time
  if (half === undefined && found[5] === undefined) return null
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase() === "pm" ? 12 : 0)
  const timeZone = zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  const today = DateTime.makeZoned(now, { timeZone })
  if (Option.isNone(today)) return null
  const { day: thisDay, month: thisMonth, year: thisYear } = DateTime.toParts(today.value)
  const named = DateTime.makeZoned(
    {
      year: year === undefined ? thisYear : Number(year),
      month: month === undefined ? thisMonth : months.indexOf(month.toLowerCase()) + 1,
      day: day === undefined ? thisDay : Number(day),
      hour,
      minute: Number(minutes)
    },
    { timeZone, adjustForTimeZone: true }
  )
  if (Option.isNone(named)) return null
  const at = DateTime.toEpochMillis(named.value)
  return month === undefined && at <= now ? at + DAY : at
}
