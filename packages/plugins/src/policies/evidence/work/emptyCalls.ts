import type { Declaration, LineRange, SourceOutline } from "../../../port/index.ts"
import type { Placed } from "../asked/namedPlaces.ts"
import { onceFor } from "../code/once.ts"
import { titled } from "../code/range.ts"
import { isTestFile } from "../tests/testCases.ts"

/**
 * The first new function of the file that these lines call, or hand on by its name, and in which nothing is done, and why it counts as empty: `save (line
 * 9) has an empty body`. Null: there is none. Methods of other objects are left alone, and so is what is named for doing nothing,
 * or for others to replace (`noop`, `on_start`). Pure.
 */
export const emptyCallIn = (
  { outline, path, tokens }: Placed,
  before: SourceOutline | null,
  { end, start }: LineRange
): string | null => {
  if (outline === null || isTestFile(path)) return null
  const known = namesOf(before ?? nothing)
  const empty = emptyIn(outline).filter(([name]) => !known.has(name))
  if (empty.length === 0) return null
  const forms = outline.language === "ruby" ? [call, given, symbol] : [call, given]
  const calls = tokens
    .slice(start - 1, end)
    .map((row) => new Set(forms.flatMap((form) => [...row.matchAll(form)].map(([, name]) => name))))
  const called = empty.find(([name, all]) =>
    calls.some((names, index) => names.has(name) && !all.some((one) => isAt(one, start - 1 + index)))
  )
  const first = called?.[1][0]
  return first === undefined ? null : `${titled(outline.declarations, first)} ${first.empty}`
}

const nothing = { declarations: [] }

/** Names of what a version of the file declares. */
export const namesOf = onceFor(
  ({ declarations }: Pick<SourceOutline, "declarations">): ReadonlySet<string | null> =>
    new Set(declarations.map(({ name }) => name))
)

/** Functions in which nothing is done, by their names. */
const emptyIn = onceFor(({ declarations }: SourceOutline) =>
  [...Map.groupBy(declarations.filter(isFunction), ({ name }) => name ?? "")].filter(
    ([name, all]) => !isMeant.test(name) && all.every(({ empty }) => empty !== null)
  )
)

const isFunction = ({ kind }: Declaration): boolean => kind === "function"

const isAt = ({ end, start }: Declaration, row: number): boolean => row >= start.row && row <= end.row

/** Of a function of the file, or of a method of the same object. */
const call = /(?<![\w$]|(?:\.|::|->)\s*)(?:(?:self|this|cls|Self)\s*(?:\.|->|::)\s*)?([\p{L}_$][\w$]*[!?]?)\s*\(/gu

/** One that is handed on: `app.get("/", home)`. */
const given = /(?<=[(,]\s*)([\p{L}_$][\w$]*)(?=\s*[,)])/gu
/** `validate :name_is_free` */
const symbol = /:\s?([a-z_]\w*[!?]?)/g

/** It does nothing by name, or is there for others to replace. */
const isMeant =
  /^_*(?:no_?-?op|nop|nothing|absorb|discard|drain|empty|ignore|identity|dummy|fake|mock|null|silen|skip|stub|suppress|swallow|hook|(?:on|before|after|will|did|pre|post)(?=_|[A-Z]))/i
