import { lineAt } from "../text.ts"

/** First line of the comments, attributes and decorators that stand directly above a line; both count from 1. */
export const aboveOf = (text: string, uncommented: string, starts: ReadonlyArray<number>, start: number): number => {
  let line = start
  while (line > 1) {
    const [from, to] = [starts[line - 2] ?? 0, starts[line - 1] ?? text.length]
    const code = uncommented.slice(from, to).trim()
    const isRemark = code === "" && text.slice(from, to).trim() !== ""
    if (!isRemark && !/^(?:@\w[\w.]*(?:\(.*\))?|#\[.*\]|\[[A-Z].*\])$/.test(code)) break
    line--
  }
  return line
}

interface Lined {
  readonly start: number
  readonly end: number
}

/** Whether nothing else stands on the lines of a function: what is cited by lines must be it and nothing more. */
export const standsAlone = (
  text: string,
  starts: ReadonlyArray<number>,
  to: number,
  { end, start }: Lined
): boolean => {
  const behind = text.slice(to, starts[lineAt(starts, to - 1)] ?? text.length)
  const first = text.slice(starts[start - 1] ?? 0, starts[start] ?? text.length)
  return /^[\s;,)\]}]*(?:(?:\/\/|#|\/\*).*)?\s*$/.test(behind) && (end > start || first.length < 400)
}
