import { truthOf } from "../../../../text/conditions.ts"
import { anyOf, rewriting, standingIn } from "../../asked/words.ts"
import { depthOf, type InertRule, type NewRows, nextRow, rowAt, shown } from "./newRows.ts"

/** A choice of which both sides are the same. */
export const sameEitherWay: InertRule = (code) => {
  if (code.outline === null || ofRepeats.test(code.item)) return null
  const rows = code.rows.filter(code.isNew)
  const same = rows.find((row) => choice(code, row) || sides(code, row, rows))
  if (same === undefined) return null
  const own = sides(code, same, rows) ? sidesOf(code, same) : [same]
  return rows.every(
    (row) => own.includes(row) || /^[\s{}();]*(?:else\b[\s{:]*)?$/.test(rowAt(code, row)) || isHead(code, row)
  )
    ? `Both ways through it are the same: ${shown(rowAt(code, same))}. Let them differ, or leave the choice out.`
    : null
}

const isHead = ({ outline }: NewRows, row: number): boolean =>
  outline?.declarations.some(({ kind, start }) => kind === "function" && start.row === row) === true

const ofRepeats = anyOf([standingIn, rewriting])

/** `x ? a : a`, `a if x else a` */
const choice = (code: NewRows, row: number): boolean => {
  const text = rowAt(code, row)
  const value =
    code.language === "python" ? /\b(?:return|=)\s*(.+?) if .+ else (.+)$/ : /\?(?![.?:])\s*(.+?)\s*:\s*(.+?)[;,]?$/
  const [, one = "", other = ""] = value.exec(text) ?? []
  return one !== "" && one.trim() === other.trim() && !/["'`?:]/.test(one)
}

/** What stands in each of both sides, be the second one behind the choice. */
const sides = (code: NewRows, row: number, fresh: ReadonlyArray<number>): boolean =>
  sidesOf(code, row).length > 0 && fresh.includes(row)

const sidesOf = (code: NewRows, row: number): ReadonlyArray<number> => {
  if (!/^if\b.*[{:]$/.test(rowAt(code, row))) return []
  const own = blockBelow(code, row)
  const last = own.at(-1) ?? row
  let at = nextRow(code, last)
  const head = rowAt(code, at)
  if (code.language !== "python") {
    if (!head.startsWith("}")) return []
    if (/^\}$/.test(head)) at = nextRow(code, at)
    if (/^else\b/.test(rowAt(code, at)) && !/^else\s*\{?$/.test(rowAt(code, at))) return []
  }
  const isElse = /^(?:\}\s*)?else\s*[{:]?$/.test(rowAt(code, at))
  if (!isElse && (/\belse\b/.test(rowAt(code, at)) || !/^(?:return|throw|raise)\b/.test(rowAt(code, own[0] ?? row))))
    return []
  const other = isElse ? blockBelow(code, at) : own.map((_, i) => at + i)
  const isSame =
    own.length > 0 &&
    own.length === other.length &&
    own.every((one, i) => rowAt(code, one) === rowAt(code, other[i] ?? -1))
  return isSame && !/^return;?$/.test(rowAt(code, own[0] ?? row))
    ? [row, ...own, ...(isElse ? [at] : []), ...other]
    : []
}

const blockBelow = (code: NewRows, row: number): ReadonlyArray<number> => {
  const depth = depthOf(code.texts[row] ?? "")
  const found: Array<number> = []
  for (let at = nextRow(code, row); at !== -1 && depthOf(code.texts[at] ?? "") > depth; at = nextRow(code, at))
    found.push(at)
  return found
}

/** `false ? a : b`, `a if False else b`: what is left of it stood there before. */
export const neverTaken: InertRule = (code) => {
  const rows = code.rows.filter(code.isNew)
  const [row] = rows
  return row !== undefined && code.outline !== null && rows.every((one) => taken(rowAt(code, one)).some(code.wasThere))
    ? `Only one side of it is ever taken, which stood there before: ${shown(rowAt(code, row))}. Ask what decides.`
    : null
}

/** What a line comes to, with the brackets around it and without. */
const taken = (text: string): ReadonlyArray<string> => {
  const [, before, truth, first, second, after] =
    /^(.*?)(?<![\w$.)\]])([Tt]rue|[Ff]alse)\s*\?(?![.?:])\s*(.+?)\s+:\s+(.+?)(\)?[;,]?)$/.exec(text) ?? []
  const [, begin, one, word, other, end] =
    /^((?:(?:return|[\w.]+ =) )?\(?)(.+) if (True|False) else (.+?)(\)?)$/.exec(text) ?? []
  const [head, tail] = [before ?? begin, after ?? end]
  if (head === undefined || tail === undefined) return []
  const rest = /^t/i.test(truth ?? word ?? "") ? (first ?? one) : (second ?? other)
  return [`${head}${rest}${tail}`, `${head.replace(/\($/, "")}${rest}${tail.replace(/^\)/, "")}`]
}

/** It is asked only what always holds. */
export const alwaysHolds: InertRule = (code) => {
  const rows = code.rows.filter(code.isNew)
  const [first] = rows
  const isHollow = (row: number): boolean => {
    const condition = asserted
      .exec(rowAt(code, row))
      ?.slice(1)
      .find((one) => one !== undefined)
    return condition !== undefined && truthOf(condition.replace(/,\s*(?:"[^"]*"|'[^']*')\s*$/, ""), isStable) === true
  }
  return code.outline !== null && first !== undefined && rows.every(isHollow)
    ? `What is asked there always holds: ${shown(rowAt(code, first))}. Ask what can fail.`
    : null
}

const isStable = (one: string): boolean => /^(?:sizeof\(\w+\)|\$?[A-Za-z_][\w.]*)$/.test(one)
const asserted =
  /^(?:assert (.+)|(?:_Static_|static_)?assert\((.+)\);|(?:debug_)?assert!\((.+)\);|(?:require|check|precondition|console\.assert|assert(?:\.ok)?|(?:Debug|Trace)\.Assert|invariant|(?:Preconditions\.)?check(?:Argument|State))\((.+?)\)\s*(?:\{.*\})?;?|guard (.+) else \{.*\})$/

/** A loop that is to do something again, and goes through once. */
export const onlyOnce: InertRule = (code) => {
  if (!again.test(code.item) || /\bonce\b|\bno longer\b|\bnever\b|\bstop\b/i.test(code.item)) return null
  const rows = code.rows.filter(code.isNew)
  const found = rows.find(
    (row) => once.test(rowAt(code, row)) || (counted.test(rowAt(code, row)) && leavesAtOnce(code, row))
  )
  const hasOther = rows.some((row) => row !== found && /\b(?:for|while|loop|until|retry\w*)\b/i.test(rowAt(code, row)))
  return found === undefined || hasOther
    ? null
    : `The loop there goes through once: ${shown(rowAt(code, found))}. Let it try again.`
}

const again = /\bretr(?:y|ies|ied)\b|\b(?:\d+|three|two|four|five|several) times\b|\b(?:try|tries|attempt\w*) again\b/i
const once =
  /^for\b.*(?:\brange\(\s*1\s*\)\s*:|<\s*1\s*;|\bin\s+1\s*;|\bin 0\.\.1\s*\{|\bin (?:0 until 1|1\.\.1)\s*\)|<=\s*1\s*;(?=[^;]*$)(?<=\b=\s*1;[^;]*;))|^1\.times\b/
const counted =
  /^for\b.*(?:\brange\(\s*\d+\s*\)\s*:|<=?\s*\d+\s*;.*\{|\bin \d+\.\.=?\d+\s*\{)$|^(?:while\s*\(true\)\s*\{|for\s*\(\s*;\s*;\s*\)\s*\{|while True:|loop\s*\{|\d+\.times do)$/
const leavesAtOnce = (code: NewRows, row: number): boolean => {
  const next = nextRow(code, row)
  if (!/^try\s*[{:]$/.test(rowAt(code, next))) return leaving.test(rowAt(code, next))
  const handlers = handlersOf(code, next)
  return (
    leaving.test(rowAt(code, nextRow(code, next))) &&
    handlers.length > 0 &&
    handlers.every((at) => /^(?:throw|raise)\b/.test(rowAt(code, nextRow(code, at))))
  )
}

/** Rows in which what fails in a `try` is handled. */
const handlersOf = (code: NewRows, row: number): ReadonlyArray<number> => {
  const depth = depthOf(code.texts[row] ?? "")
  const found: Array<number> = []
  for (let at = nextRow(code, row); at !== -1 && depthOf(code.texts[at] ?? "") >= depth; at = nextRow(code, at)) {
    if (depthOf(code.texts[at] ?? "") > depth) continue
    if (/^(?:\}\s*)?(?:catch|except)\b/.test(rowAt(code, at))) found.push(at)
    else if (rowAt(code, at) !== "}") break
  }
  return found
}
const leaving = /^(?:return|throw|raise|break)\b/

/** Waits for what is there already. */
export const waitsForNothing: InertRule = (code) => {
  const rows = code.rows.filter(code.isNew)
  const [first] = rows
  return first !== undefined &&
    !/\b(?:event loop|defer\w*|flush\w*|later|microtasks?|pending|settl\w*|ticks?|yield\w*)\b/i.test(code.item) &&
    rows.every((row) => waiting.test(rowAt(code, row)))
    ? `What is new there waits for nothing: ${shown(rowAt(code, first))}. Cite what does the work.`
    : null
}
const waiting = /^await (?:Task\.(?:CompletedTask|Delay\(0\))|Promise\.resolve\(\));?$/
