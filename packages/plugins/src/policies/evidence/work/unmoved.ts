import type { Declaration, SourceOutline } from "../../../port/index.ts"
import { tokensOf } from "../code/tokens.ts"

/** A version of a file. */
export interface Version {
  /** With their ends. */
  readonly lines: ReadonlyArray<string>
  readonly outline: SourceOutline | null
  /** What stands for each row when versions are compared. */
  readonly tokens: ReadonlyArray<string>
}

/**
 * Two versions without the declarations that are in both of them, token for token, and of which rows are called new: they
 * were moved, copied or laid out in another way, and that is no work. Null: there are none. Where a declaration stands
 * counts: one that has another class around it is another one.
 */
export const withoutMoved = (
  before: Version,
  now: Version,
  rows: ReadonlyArray<number>
): { readonly before: ReadonlyArray<string>; readonly now: ReadonlyArray<string> } | null => {
  if (before.outline === null || now.outline === null || rows.length === 0) return null
  const known = Map.groupBy(wholeOf(before), ({ key }) => key)
  if (known.size === 0) return null
  const whole = wholeOf(now)
  const keys = new Set<string>()
  let done = -1
  for (const { first, key, last } of whole) {
    if (first <= done || !known.has(key) || !rows.some((row) => row >= first && row <= last)) continue
    keys.add(key)
    done = last
  }
  if (keys.size === 0) return null
  return {
    before: blanked(
      before.tokens,
      [...keys].flatMap((key) => known.get(key) ?? [])
    ),
    now: blanked(
      now.tokens,
      whole.filter(({ key }) => keys.has(key))
    )
  }
}

/** A declaration that has its rows for itself. */
interface Whole {
  readonly key: string
  readonly first: number
  readonly last: number
}

const wholeOf = ({ lines, outline }: Version): ReadonlyArray<Whole> => {
  if (outline === null || outline.declarations.length > maxDeclarations) return []
  return outline.declarations.flatMap((one) =>
    one.name === null || !isAlone(lines, one)
      ? []
      : [{ key: keyOf(lines, outline, one), first: one.start.row, last: one.end.row }]
  )
}

/** Files of more are made by programs. */
const maxDeclarations = 5_000

const isAlone = (lines: ReadonlyArray<string>, { end, start }: Declaration): boolean =>
  (lines[start.row] ?? "").slice(0, start.column).trim() === "" &&
  /^[\s;,]*(?:(?:\/\/|#|\/\*).*)?$/.test((lines[end.row] ?? "").slice(end.column).trimEnd())

/** Its tokens, and the heads of what is around it. */
const keyOf = (lines: ReadonlyArray<string>, outline: SourceOutline, declaration: Declaration): string => {
  const around: Array<string> = []
  for (let at = declaration.parent; at !== null; ) {
    const outer: Declaration | undefined = outline.declarations[at]
    if (outer === undefined) break
    around.push(`${outer.kind} ${outer.name ?? ""} ${(lines[outer.start.row] ?? "").trim()}`)
    at = outer.parent
  }
  return [declaration.kind, tokensOf(lines, outline, declaration), ...around].join("\n")
}

const blanked = (tokens: ReadonlyArray<string>, parts: ReadonlyArray<Whole>): ReadonlyArray<string> => {
  const left = [...tokens]
  for (const { first, last } of parts) left.fill("", first, last + 1)
  return left
}
