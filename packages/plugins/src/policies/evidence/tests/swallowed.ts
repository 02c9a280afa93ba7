import { isScript } from "../code/families.ts"
import { type Asserting, asserts, blanked } from "./assertions.ts"

/** Failures that are caught. */

const catchesAll: Readonly<Record<string, RegExp>> = {
  javascript: /^/,
  typescript: /^/,
  tsx: /^/,
  csharp: /^$|\bException\b(?!\w)/,
  php: /Throwable|\bException\b|AssertionFailedError/,
  java: /Throwable|AssertionError|\bError\b/,
  kotlin: /Throwable|AssertionError|\bError\b/,
  scala: /Throwable|case\s+_\b/
}

/**
 * The code without the blocks whose failures are caught by something that goes on as if nothing was. `isCounted`: the runner
 * knows how many assertions there are, so that one in a handler tells that something was caught.
 */
export const withoutSwallowed = (code: string, asserting: Asserting, isCounted: boolean): string => {
  if (asserting.language === "python") return withoutSwallowedInPython(code, asserting)
  const catches = catchesAll[asserting.language]
  if (catches === undefined) return code
  const parts: Array<readonly [number, number]> = []
  for (const { 0: head, index } of code.matchAll(/\btry\s*\{/g)) {
    const open = index + head.length - 1
    const end = endOfBlock(code, open)
    const caught = /^\s*catch\s*(?:\(([^()]*)\)\s*)?\{/.exec(code.slice(end, end + 300))
    if (caught === null) continue
    const start = end + caught[0].length - 1
    const until = endOfBlock(code, start)
    const name = /^\s*([\w$]+)\s*(?::[^()]*)?$/.exec(caught[1] ?? "")?.[1]
    const isAsked = isScript(asserting.language) && !isCounted && name !== undefined
    const handler = isAsked ? code.slice(start, until).replace(thereIs(name), "") : code.slice(start, until)
    const type = caught[1] ?? (asserting.language === "scala" ? handler : "")
    if (catches.test(type) && !asserts(handler, asserting) && !/\breturn\s+(?:false|Promise)/.test(handler))
      // what is caught has a name that says assertion
      parts.push([open, isAsked ? until : start])
  }
  if (isScript(asserting.language)) parts.push(...caughtPromises(code))
  if (asserting.language === "kotlin") parts.push(...unaskedResults(code))
  return blanked(code, parts)
}

/** Assertions that something was caught, or that it is an error, as a failed assertion is. */
const thereIs = (name: string): RegExp => {
  const it = name.replaceAll("$", "\\$")
  return new RegExp(
    `(?<![\\w$.])(?:expect\\(\\s*${it}\\s*\\)\\s*\\.\\s*(?:to(?:BeDefined|BeTruthy)\\(\\s*\\)|toBeInstanceOf\\(\\s*Error\\s*\\)|not\\s*\\.\\s*toBe(?:Null|Undefined|Falsy)\\(\\s*\\))|assert(?:\\.ok)?\\(\\s*${it}\\s*(?:instanceof\\s+Error\\s*)?\\))`,
    "g"
  )
}

/** Blocks of Kotlin whose outcome nobody asks for: `runCatching { … }` as a statement. */
const unaskedResults = (code: string): ReadonlyArray<readonly [from: number, to: number]> =>
  [...code.matchAll(/(?:^|[;{\n])[ \t]*(?:kotlin\.)?runCatching\s*\{/g)].flatMap(({ 0: head, index }) => {
    const end = endOfBlock(code, index + head.length - 1)
    return /^\s*\./.test(code.slice(end, end + 100)) ? [] : [[index + head.length, end] as const]
  })

/** What ends in `.catch(() => {})`, from the beginning of its statement on. */
const caughtPromises = (code: string): ReadonlyArray<readonly [from: number, to: number]> =>
  [
    ...code.matchAll(
      /\.catch\(\s*(?:async\s*)?(?:\(\s*[\w$]*\s*\)|[\w$]+)\s*=>\s*(?:\{\s*(?:return\s*;?\s*)?\}|undefined|null|void 0|true)\s*\)|\.catch\(\s*function\s*\(\s*[\w$]*\s*\)\s*\{\s*\}\s*\)/g
    )
  ].map(({ 0: all, index }) => [startOfStatement(code, index), index + all.length] as const)

/** A chain may go on in the next line, which then begins with a dot. */
const startOfStatement = (code: string, from: number): number => {
  let depth = 0
  for (let at = from - 1; at >= 0; at--) {
    const char = code.charAt(at)
    if (/[)\]}]/.test(char)) depth++
    else if (/[([{]/.test(char) && --depth < 0) return at + 1
    else if (depth === 0 && (char === ";" || (char === "\n" && !/^\s*\./.test(code.slice(at + 1))))) return at + 1
  }
  return 0
}

/** Where a block ends that opens at a place. */
export const endOfBlock = (code: string, open: number): number => {
  let depth = 0
  for (let at = open; at < code.length; at++) {
    const char = code.charAt(at)
    if (char === "{") depth++
    else if (char === "}" && --depth === 0) return at + 1
  }
  return code.length
}

const suppressing = /^\s*with\s+(?:contextlib\s*\.\s*)?suppress\s*\([^)]*\b(?:AssertionError|Exception|BaseException)\b/

const withoutSwallowedInPython = (code: string, asserting: Asserting): string => {
  const rows = code.split("\n")
  const depth = (row: string) => row.length - row.trimStart().length
  const blockEnd = (head: number): number => {
    let last = head
    for (let row = head + 1; row < rows.length; row++) {
      const text = rows[row] ?? ""
      if (text.trim() === "") continue
      if (depth(text) <= depth(rows[head] ?? "")) break
      last = row
    }
    return last
  }
  return rows
    .reduce<ReadonlyArray<string>>((left, row, at) => {
      const isSuppressing = suppressing.test(row)
      if (!isSuppressing && !/^\s*try:\s*$/.test(row)) return left
      const end = blockEnd(at)
      if (isSuppressing) return left.map((text, i) => (i >= at && i <= end ? "" : text))
      const handler = end + 1 + rows.slice(end + 1).findIndex((text) => text.trim() !== "")
      const head = rows[handler] ?? ""
      if (!/^\s*except(?:\s*:|.*\b(?:AssertionError|Exception|BaseException)\b)/.test(head)) return left
      if (asserts(rows.slice(handler + 1, blockEnd(handler) + 1).join("\n"), asserting)) return left
      return left.map((text, i) => (i > at && i <= handler ? "" : text))
    }, rows)
    .join("\n")
}
