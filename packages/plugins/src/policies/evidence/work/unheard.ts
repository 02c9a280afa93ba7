import type { LineRange } from "../../../port/index.ts"
import type { Placed } from "../asked/namedPlaces.ts"
import { saidOf } from "../asked/said.ts"
import { anyOf, keeping } from "../asked/words.ts"
import { rowsIn } from "../code/rowsIn.ts"
import { timesIn } from "../code/timesIn.ts"
import { isTestFile } from "../tests/testCases.ts"
import { bindingIn } from "./bindings.ts"
import type { IdleAdditions } from "./idleAdditions.ts"
import { isOnlySourced } from "./inert/unread.ts"

type File = Placed & { readonly lines: ReadonlyArray<string> }

/**
 * What is new in these lines and does its work only where something else speaks of it, while nothing in the file does: functions of a
 * script for a shell, and what only keeps values in Go. Null: something does, or it is something else. `fresh`: rows that are new. Pure.
 */
export const unheardIn = (
  item: string,
  file: File,
  fresh: ReadonlyArray<number>,
  { end, start }: LineRange
): IdleAdditions | null => {
  const { outline, path, tokens } = file
  if (outline === null || isTestFile(path)) return null
  const rows = rowsIn(fresh, { start, end }).filter((row) => tokens[row] !== "")
  if (rows.length === 0) return null
  if (outline.language === "bash") return functionsIn(item, file, new Set(fresh), rows)
  return outline.language === "go" && ofKeeping.test(item) ? onlyFilled(file, rows) : null
}

/** All that is new is functions of a script that does its work itself. */
const functionsIn = (
  item: string,
  { lines, outline, path, tokens }: File,
  isNew: ReadonlySet<number>,
  rows: ReadonlyArray<number>
): IdleAdditions | null => {
  if (
    ofFunctions.test(saidOf(item)) ||
    ofUsers.test(path) ||
    isOnlySourced({ texts: lines.filter((_, row) => tokens[row] !== "") })
  )
    return null
  const declared = (outline?.declarations ?? []).flatMap(({ end, kind, name, start }) => {
    const whole = tokens.slice(start.row, end.row + 1)
    return kind === "function" &&
      name !== null &&
      whole.every((text, at) => /^[\s{}()]*$/.test(text) || isNew.has(start.row + at))
      ? [{ name, row: start.row, last: end.row }]
      : []
  })
  const cited = declared.filter(({ last, row }) => rows.some((one) => one >= row && one <= last))
  if (cited.length === 0 || !rows.every((row) => cited.some((one) => row >= one.row && row <= one.last))) return null
  const isIn = (row: number): boolean => declared.some((one) => row >= one.row && row <= one.last)
  const rest = lines.filter((_, row) => !isIn(row))
  if (rest.some((line) => byValue.test(line))) return null
  // what calls them may be new too
  const others = (own: string): ReadonlyArray<string> => [
    ...rest,
    ...declared.flatMap(({ last, name, row }) => (name === own ? [] : lines.slice(row, last + 1)))
  ]
  return cited.some(({ name }) => others(name).some((line) => timesIn(line, name) > 0))
    ? null
    : { declared: cited, isEcho: false, why: "Nothing calls" }
}

/** People, or whatever reads the file, call them. */
const ofUsers = /(?:^|\/)\.?\w*(?:rc|profile|aliases|functions|completions?|env)$|\.(?:plugin|theme)\.\w+$/
const ofFunctions =
  /\b(?:alias\w*|commands?|completions?|functions?|helpers?|hooks?|librar(?:y|ies)|subcommands?|utilit\w*|utils?)\b|関数/i
/** Something is called by a name that it is given: `"$@"`, `cmd_$1`. */
const byValue =
  /(?:^|[;&|(]|\bthen|\bdo|\belse)\s*"?\$(?:\{?[\w@*]|@)|\w["']?\$\{?\w|\beval\b|\bcompgen\b|\bdeclare -F\b|\btype -t\b/

const ofKeeping = anyOf([keeping])

/** A map that gets values, and that nothing is asked of. */
const onlyFilled = ({ lines, tokens }: File, rows: ReadonlyArray<number>): IdleAdditions | null => {
  for (const row of rows) {
    const line = (lines[row] ?? "").trim()
    const bound = bindingIn(line)
    const name =
      bound !== null && /^(?:make\(\s*)?map\[|^sync\.Map\{/.test(bound.value)
        ? bound.name
        : /^(?:var )?(\w+)\s+(?:map\[|sync\.Map\b)[^(){}=]*$/.exec(line)?.[1]
    if (name === undefined) continue
    const uses = lines.flatMap((other, at) =>
      at === row || tokens[at] === "" || timesIn(other, name) === 0 ? [] : [other.trim()]
    )
    const filling = new RegExp(
      `^(?:[\\w.]+\\.)?${name}(?:\\[[^\\]]*\\]\\s*(?:=(?!=)|\\+\\+)|\\s*=\\s*(?:make\\(|map\\[)|\\.Store\\()|^${name}\\s*:\\s*(?:make\\(|map\\[)|^delete\\((?:[\\w.]+\\.)?${name},|\\{${name}: (?:make\\(|map\\[)`
    )
    if (uses.every((use) => filling.test(use) && timesIn(use, name) === 1))
      return { declared: [{ name, row, last: row }], isEcho: false, why: "Nothing asks" }
  }
  return null
}
