import type { Answer } from "./Answer.ts"
import { refusal } from "./answers.ts"

/** Levels of lists and objects that the arguments of a request may have: whoever reads them goes down them one by one. */
export const maxDepth = 200

/** Whether a value has more levels than may be; texts of JSON, as some clients send them, count as what they stand for. */
export const isTooDeep = (value: unknown, most: number = maxDepth): boolean => {
  let level: ReadonlyArray<unknown> = [value]
  for (let depth = 0; ; depth++) {
    if (level.some((one) => typeof one === "string" && levelsIn(one) > most - depth)) return true
    const inner = level.filter((one) => typeof one === "object" && one !== null)
    if (inner.length === 0) return false
    if (depth === most) return true
    level = inner.flatMap((one) => Object.values(one as object))
  }
}

/** Levels of a text that may be JSON; 0: it begins as none. */
const levelsIn = (text: string): number => {
  if (!/^\s*[[{]/.test(text)) return 0
  let [open, most] = [0, 0]
  let isText = false
  for (let i = 0; i < text.length; i++) {
    const unit = text[i]
    if (isText && unit === "\\") i++
    else if (unit === '"') isText = !isText
    else if (isText) continue
    else if (unit === "[" || unit === "{") most = Math.max(most, ++open)
    else if (unit === "]" || unit === "}") open--
  }
  return most
}

/** Of a request that nobody looked into. */
export const tooDeep: Answer = {
  ...refusal({
    error: "request_too_deep",
    message: `The request is nested more than ${maxDepth} levels deep.`,
    next_step: "Send less deep values."
  }),
  isMalformed: true
}
