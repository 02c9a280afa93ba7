/** How long something takes, as people write it: a number and its unit. */
import { type Fault, textLike } from "./values.ts"
import { quoted } from "./words.ts"

/** The longest time a timer of Node can wait: 24.8 days. */
export const longestMs = 2_147_483_647

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const

const form = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/

/** `500ms`, `90s`, `1.5m` and `2h` in ms; undefined: none of these, too long, or shorter than `leastMs`. */
export const durationMs = (text: string, leastMs = 1): number | undefined => {
  const [, amount, unit] = form.exec(text) ?? []
  const ms = Math.round(Number(amount) * units[unit as keyof typeof units])
  return ms >= leastMs && ms <= longestMs ? ms : undefined
}

/** The text for so many ms, in the largest unit that needs no fraction. */
export const durationText = (ms: number): string => {
  const [unit, size] = Object.entries(units).findLast(([, size]) => ms % size === 0 && ms >= size) ?? ["ms", 1]
  return `${ms / size}${unit}`
}

/** How a time that is written as one is outside of what can be waited for, as part of a sentence. */
const bounds = (text: string): string => {
  if (text.startsWith("-") && form.test(text.slice(1))) return ", which is negative"
  if (!form.test(text)) return ""
  return durationMs(text, 0) === undefined ? ", which is too long" : ", which is no time at all"
}

/** What is wrong with a text that is no duration. A number alone could be meant in two ways. */
export const durationFault = (text: string, name: string): Fault => ({
  code: "duration_invalid",
  ...(/^\d+(?:\.\d+)?$/.test(text)
    ? { message: `${name} cannot be ${text}, which has no unit.`, hint: `Write ${text}s or ${text}ms.` }
    : {
        message: `${name} cannot be ${quoted(text)}${bounds(text)}.`,
        hint: "Write a number and its unit, at most 596h: 500ms, 90s, 30m or 2h."
      })
})

export const duration = textLike(
  "a duration such as 90s, 30m or 2h",
  { source: `^(?=.*[1-9])${form.source.slice(1)}`, test: (text) => durationMs(text) !== undefined },
  durationFault
)
