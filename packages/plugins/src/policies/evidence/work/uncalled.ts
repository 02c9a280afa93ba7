import type { Declaration, LineRange, SourceOutline } from "../../../port/index.ts"
import type { Placed } from "../asked/namedPlaces.ts"
import { onceFor } from "../code/once.ts"
import { titled } from "../code/range.ts"
import { timesIn } from "../code/timesIn.ts"
import { isTestFile } from "../tests/testCases.ts"
import { namesOf } from "./emptyCalls.ts"

/**
 * The new function within a function that these lines are of, where nothing else in the file speaks of it: `retry (line 9)`.
 * Nobody outside can call it. Null: there is none, or they hold other code too. What a decorator hands on is called. Pure.
 */
export const uncalledIn = (
  { outline, path, tokens }: Placed,
  before: SourceOutline | null,
  { end, start }: LineRange
): string | null => {
  if (outline === null || isTestFile(path)) return null
  const { declarations } = outline
  const inner = innerIn(outline)
  if (inner.length === 0) return null
  const rows = tokens.slice(start - 1, end).flatMap((text, at) => (text === "" ? [] : [start - 1 + at]))
  const known = before === null ? new Set() : namesOf(before)
  const found = inner.find(
    (one) =>
      one.name !== null &&
      !known.has(one.name) &&
      rows.every((row) => row >= one.start.row && row <= one.end.row) &&
      begins(tokens[one.start.row] ?? "", one.name) &&
      !isOfObject(tokens, one.start.row) &&
      timesIn(tokens.join("\n"), one.name) === 1 &&
      !/^(?:\d+ )?@/.test(tokens.slice(0, one.start.row).findLast((text) => text !== "") ?? "")
  )
  return found === undefined || rows.length === 0 ? null : titled(declarations, found)
}

const innerIn = onceFor(({ declarations }: SourceOutline) => declarations.filter((one) => isInner(declarations, one)))

/** In the body of a function, and no member of a type. */
const isInner = (declarations: ReadonlyArray<Declaration>, { kind, parent }: Declaration): boolean =>
  kind === "function" && parent !== null && declarations[parent]?.kind === "function"

/** Whether the block in which a row stands makes an object: `new Generator[Path] {`. */
const isOfObject = (tokens: ReadonlyArray<string>, row: number): boolean => {
  let open = 0
  for (let at = row - 1; at >= 0; at--) {
    const text = tokens[at] ?? ""
    open += (text.match(/\{/g)?.length ?? 0) - (text.match(/\}/g)?.length ?? 0)
    if (open > 0) return /\b(?:new|object)\b/.test(text)
  }
  return false
}

/** A statement that declares it, and no member of an object. */
const begins = (text: string, name: string): boolean => statement.exec(text)?.[1] === name

const statement =
  /^(?:\d+ )?(?:async |suspend |inline |private |local )*(?:def|fn|fun|func|function|const|let|var|val|local)\s*\*?\s*([\p{L}_$][\p{L}\p{N}_$]*)/u
