/**
 * Evidence as text: `<path>:<line>` or `<path>:<start>-<end>`, nothing before it and nothing after it.
 *
 * - The path is relative to the project root and `/` separated. `.` segments are dropped; `..`, empty segments,
 *   absolute paths, backslashes and control characters are refused.
 * - Unquoted, a path holds letters and digits of any script and `. _ - + @ ( ) [ ] { } $ ~ # ! & ' = , ^ %`.
 *   Anything else a file name may hold, blanks first of all, needs double quotes: `"my dir/a b.ts":3-4`.
 * - Line numbers are ASCII digits from 1 without leading zeros, and the end is not before the start.
 */
import { Result } from "effect"

/** Lines `start` to `end`, both counted from 1 and included. */
export interface Reference {
  readonly path: string
  readonly start: number
  readonly end: number
}

/** Characters of the whole text; a longer one is no file name anybody cites. */
export const maxLength = 1_024

const plain = "[\\p{L}\\p{M}\\p{N}._\\-+@()[\\]{}$~#!&'=,^%/]+"
const plainPath = new RegExp(`^${plain}$`, "u")
const shape = new RegExp(
  `^(?:"(?<quoted>[^"]*)"|(?<plain>${plain})):(?<start>[1-9][0-9]{0,15})(?:-(?<end>[1-9][0-9]{0,15}))?$`,
  "u"
)
const pathShape = new RegExp(`^(?:"(?<quoted>[^"]*)"|(?<plain>${plain}))$`, "u")
const invisible = /[\p{C}\p{Zl}\p{Zp}]/u
const drive = /^[A-Za-z]:/

/** The reference, or in words why the text is none. */
export const parse = (text: string): Result.Result<Reference, string> => {
  if (text.length > maxLength) return Result.fail(`It is longer than ${maxLength} characters.`)
  const groups = shape.exec(text)?.groups
  if (groups === undefined) return Result.fail(whyNone(text))
  const start = Number(groups["start"])
  const end = Number(groups["end"] ?? groups["start"])
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end)) return Result.fail("The line number is too large.")
  if (end < start) return Result.fail(`The range ends (${end}) before it starts (${start}).`)
  return Result.map(relativePath(groups["quoted"] ?? groups["plain"] ?? ""), (path) => ({ path, start, end }))
}

/** The format itself is said by the sentence of the refusal. */
const whyNone = (text: string): string =>
  /[./]/.test(text) && Result.isSuccess(parsePath(text))
    ? `It names no lines: cite those that show the item, or the file as a whole with \`file:${text}\`.`
    : "Nothing stands before the path or behind the lines, lines are counted from 1, and a path with blanks goes in double quotes."

/** A path by itself, written as one before lines is; or in words why the text is none. */
export const parsePath = (text: string): Result.Result<string, string> => {
  if (text.length > maxLength) return Result.fail(`It is longer than ${maxLength} characters.`)
  const groups = pathShape.exec(text)?.groups
  if (groups !== undefined) return relativePath(groups["quoted"] ?? groups["plain"] ?? "")
  return Result.fail(
    /:\d+(?:-\d+)?$/.test(text)
      ? "Lines are cited without a word before the path: <file_path>:<line>."
      : "It is not <file_path>; a path with blanks goes in double quotes."
  )
}

/** The shortest text that `parse` reads as this reference. */
export const print = ({ path, start, end }: Reference): string =>
  `${plainPath.test(path) ? path : `"${path}"`}:${start}${end === start ? "" : `-${end}`}`

const relativePath = (path: string): Result.Result<string, string> => {
  if (invisible.test(path) || path.includes("\\")) return Result.fail("The path holds a character that is not allowed.")
  if (path.startsWith("/") || drive.test(path)) return Result.fail("The path must be relative to the project root.")
  const segments = path.split("/")
  if (segments.includes("..")) return Result.fail('The path must not contain "..".')
  const named = segments.filter((segment) => segment !== ".")
  if (named.some((segment) => segment.trim() === "") || segments.at(-1) === "." || named.length === 0)
    return Result.fail("The path does not name a file.")
  return Result.succeed(named.join("/"))
}
