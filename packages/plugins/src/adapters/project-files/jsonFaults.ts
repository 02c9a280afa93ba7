import { capital, pathTo, quoted, shortened } from "../../options/words.ts"
import type { Positions } from "./positions.ts"
import { translate } from "./yamlErrors.ts"

/** What is wrong with a text of JSON, in plain words. */
export interface Fault {
  readonly code: string
  readonly start: number
  readonly message: string
  readonly hint: string | (() => string)
  /** Nothing can be read for certain from here on. */
  readonly stops: boolean
}

const fault = (start: number, message: string, hint: Fault["hint"], code = "json_syntax"): Fault => ({
  code,
  start,
  message: capital(message),
  hint,
  stops: false
})

const stop = (...of: Parameters<typeof fault>): Fault => ({ ...fault(...of), stops: true })

const hexAt = (text: string, start: number): string =>
  (text.codePointAt(start) ?? 0).toString(16).padStart(4, "0").toUpperCase()

/** Of a character where a blank may stand. */
export const strange = (text: string, start: number): Fault => {
  if (text.startsWith("#", start)) {
    return fault(start, "a line of comment begins with #, which is none of JSON.", "Begin it with //.")
  }
  const message = `the character U+${hexAt(text, start)} stands here, which is no blank of JSON.`
  return fault(start, message, "Replace it by a blank.")
}

const closing = (opening: string): string => (opening === "{" ? "}" : "]")

/** Of a bracket, a quote or a comment. */
export const notClosed = (text: string, start: number): Fault => {
  const opening = text.charAt(start)
  if (opening === "/") {
    return stop(start, "a comment is opened here but not closed: */ is missing.", "Add */ where it ends.")
  }
  if (opening === '"' || opening === "'") {
    const message = `a text that begins with ${opening} has no closing ${opening} on its line.`
    return stop(start, message, 'Close it with ", and write a line break in it as \\n.')
  }
  const message = `a bracket is opened here but not closed: ${closing(opening)} is missing.`
  return fault(start, message, `Add ${closing(opening)} where it ends.`)
}

/** Of a closing bracket; `last` was opened last. */
export const notMatched = (text: string, start: number, last: number | undefined, lineOf: Positions["lineOf"]) => {
  if (last === undefined) return stop(start, "a closing bracket stands here that was never opened.", "Remove it.")
  const [mark, opening] = [text.charAt(start), text.charAt(last)]
  if (mark === closing(opening)) return undefined
  const message = `here ${mark} closes what ${opening} opened on line ${lineOf(last)}.`
  return stop(start, message, `Write ${closing(opening)}, or close the inner bracket first.`)
}

export const tooDeep = (start: number): Fault => {
  const { message } = translate({ code: "RESOURCE_EXHAUSTION", message: "" })
  return stop(start, message, "The file is not of the expected shape; no setting is that deep.", "json_too_deep")
}

/** Of what stands before the brackets of the file or behind them. */
export const outside = (start: number): Fault =>
  stop(start, "this stands outside of the braces.", "Write the settings as JSON, in one pair of braces.")

export const twice = (path: string, start: number, firstLine: () => number): Fault => {
  const hint = () => `Keep one of the two; the first is on line ${firstLine()}.`
  return fault(start, `the key ${quoted(path)} is given twice.`, hint, "json_duplicate_key")
}

/** A key, and the colon behind it if there is one. */
const keyBefore = /(?<=("(?:[^"\\]|\\.)*")(?:\s*(:))?\s*)/dy

const complete = "the value before this is complete, but more text follows."

/** An error of the parser of JSON in plain words; undefined: it is told elsewhere. `json`: the text as it was parsed. */
export const translated = (error: string, start: number, length: number, json: string, text: string) => {
  const found = text.slice(start, start + length)
  keyBefore.lastIndex = start
  const before = keyBefore.exec(json)
  const [keyStart, keyEnd] = before?.indices?.[1] ?? [start, start]
  const key = unquoted(text.slice(keyStart, keyEnd))
  switch (error) {
    case "ColonExpected":
      return stop(
        keyStart,
        `behind the key ${quoted(key)} a colon is missing.`,
        "Write a colon and the value behind it."
      )
    case "ValueExpected":
      if (before?.[2] === ":")
        return fault(start, `the key ${quoted(key)} has no value.`, "Write one behind the colon.")
      if (found === ":") return stop(start, "a colon stands in a list.", "Write keys and their values in braces.")
      return fault(
        start,
        "inside the brackets a comma stands without a value before it.",
        "Remove the comma or add the value."
      )
    case "CommaExpected":
      return /^["{[]/.test(found) || isValue(found)
        ? fault(start, "between two values in brackets a comma is missing.", "Separate them with a comma.")
        : stop(start, complete, "Separate two values with a comma, and put a text in double quotes.")
    case "PropertyNameExpected": {
      const hint = 'Write `"key": value` in braces; a list stands in square brackets.'
      return stop(start, `here a key is expected, not ${shortened(found)}.`, hint)
    }
    case "EndOfFileExpected":
      return stop(start, complete, "Write everything in one pair of braces.")
    default:
      return undefined
  }
}

/** Escapes, and characters that must be written as one. */
const special = /\\(?:u[0-9a-fA-F]{4}|.)|[^\u0020-\uffff]/gs
const isEscape = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})$/

/** What makes it uncertain what a text in double quotes says. */
function* inText(source: string, start: number, name: string): Iterable<Fault> {
  for (const { 0: found, index } of source.slice(0, -1).matchAll(special)) {
    if (isEscape.test(found)) continue
    if (found.startsWith("\\")) {
      const message = `${name} holds ${quoted(found).slice(1, -1).replaceAll("\\\\", "\\")}, which is no escape of JSON.`
      yield fault(start + index, message, "Write two backslashes for one backslash, and \\u00e9 for a character.")
    } else {
      const message = `${name} holds the control character U+${hexAt(found, 0)}, which JSON does not allow.`
      const hint = found === "\t" ? "Write it as \\t, or remove it." : "Remove it."
      yield fault(start + index, message, hint, "control_character")
    }
  }
}

const wordHint = (word: string): string => {
  const lower = word.toLowerCase()
  if (["true", "false", "null"].includes(lower)) return `Write it in small letters: ${lower}.`
  if (/^[+-]?(?:nan|\.?inf|infinity)$/.test(lower)) return "Write a number, or leave the key out."
  if (/^[+\-.\d]/.test(word)) {
    const value = Number(word.replace(/^\+/, ""))
    return Number.isFinite(value) ? `Write it as ${value}.` : "Write a number in decimal digits, or a text in quotes."
  }
  return `Put it in double quotes if it is meant as text: "${shortened(word)}".`
}

const jsonWord = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/

/** Whether something without quotes and brackets is a value. */
export const isValue = (word: string): boolean => jsonWord.test(word)

/** Of a value that is no list and no mapping. */
export const inValue = (source: string, start: number, name: string): Iterable<Fault> => {
  if (source.startsWith('"')) return inText(source, start, name)
  if (isValue(source)) return []
  return source.startsWith("'")
    ? [fault(start, `${name} is in single quotes, which JSON does not know.`, "Write double quotes.")]
    : [fault(start, `${name} is ${shortened(source)}, which is no value of JSON.`, wordHint(source))]
}

export const unquoted = (source: string): string => (/^["']/.test(source) ? source.slice(1, -1) : source)

/** Of a key; `path`: of the keys above it. */
export const inKey = (source: string, start: number, path: string): Iterable<Fault> => {
  if (source.startsWith('"')) return inText(source, start, path === "" ? "a key of the file" : `a key of \`${path}\``)
  const key = unquoted(source)
  const how = source === key ? "without quotes" : "in single quotes"
  const message = `the key ${quoted(pathTo(path, key))} stands ${how}.`
  return [fault(start, message, `Put it in double quotes: ${quoted(key)}.`)]
}
