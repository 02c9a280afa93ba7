import { anyOf, forgiving } from "../../asked/words.ts"
import { commandsIn, isIdle, isInert, isReport, topicOf } from "./commands.ts"

/** A place of a configuration at which something is run. Rows count from 0, the last one excluded. */
export interface Unit {
  readonly rows: Rows
  /** What it stands in: a job, a target. */
  readonly scope: Rows
  /** What it is called, or what it stands in; empty: nothing. */
  readonly name: string
  /** For a shell; of what is run otherwise its name. */
  readonly script: string
  /** Its first line that fails ends it. */
  readonly stops: boolean
  /** It is run otherwise: an action, a template. */
  readonly isOther: boolean
  /** The line by which it never runs; null: none. */
  readonly off: string | null
  /** The line by which its failure is forgotten; null: none. */
  readonly lost: string | null
}

export type Rows = readonly [from: number, to: number]

/** What there is to know of what an item asks for. */
export interface Asked {
  readonly item: string
  /** It may ask for what does nothing. */
  readonly isIdle: boolean
}

/** Whether one of some rows, which are ascending, is within. */
const has = ([from, to]: Rows, of: ReadonlyArray<number>): boolean => {
  let [low, high] = [0, of.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((of[middle] ?? 0) < from) low = middle + 1
    else high = middle
  }
  return (of[low] ?? to) < to
}

/**
 * Why nothing that is new in a configuration does what an item asks to run, as a sentence; null: something may. `rows`: those that are
 * cited, of the new ones. Pure.
 */
export const idleUnits = (
  asked: Asked,
  units: ReadonlyArray<Unit>,
  rows: ReadonlyArray<number>,
  fresh: ReadonlyArray<number>
): string | null => {
  const isNew = units.filter(
    (unit) => has(unit.rows, fresh) || ((unit.off ?? unit.lost) !== null && has(unit.scope, fresh))
  )
  const cited = isNew.filter(({ scope }) => has(scope, rows))
  if (cited.length === 0) return null
  return ofTopic(asked, isNew) ?? (asked.isIdle ? null : ofNothing(isNew, cited))
}

const ofTopic = ({ isIdle: mayBeIdle, item }: Asked, units: ReadonlyArray<Unit>): string | null => {
  const isAsked = topicOf(item)
  if (isAsked === null) return null
  const published = new Set(
    units.flatMap(({ isOther, scope, script }) => (isOther && publishing.test(script) ? [scope[0]] : []))
  )
  const said = units.flatMap(({ isOther, lost, name, off, scope, script, stops }) => {
    const isJudged = isReport(script) || published.has(scope[0])
    const all = isOther ? [{ text: script, fate: "counts" as const }] : commandsIn(script, stops)
    return all
      .filter(({ text }) => isAsked(text, name))
      .map(({ fate, text }) => {
        if (off !== null || fate === "never") return neverRuns(off ?? text)
        if (!mayBeIdle && isInert(text)) return runsNothing(text)
        const isLost = fate === "lost" || lost !== null
        return isLost && !lenient.test(item) && !isJudged ? cannotFail(lost ?? lineOf(script, text)) : null
      })
  })
  return said.length > 0 && said.every((one) => one !== null) ? (said[0] ?? null) : null
}

/** What shows to people, or judges, what something else has found. */
const publishing = /upload|report|publish|annotat|comment|sarif|summary/i

/** The line of a script that a command stands in. */
const lineOf = (script: string, command: string): string =>
  script.split("\n").find((line) => line.includes(command)) ?? command

const ofNothing = (units: ReadonlyArray<Unit>, cited: ReadonlyArray<Unit>): string | null => {
  const work = units.filter(({ isOther, script }) => isOther || !installing.test(script.trim()))
  const its = new Set(cited)
  const reasons = (work.length > 0 ? work : units).map((unit) => ({ unit, why: whyNothing(unit) }))
  const first = reasons.find(({ unit }) => its.has(unit))
  return reasons.every(({ why }) => why !== null) ? (first?.why ?? null) : null
}

const whyNothing = ({ isOther, off, script }: Unit): string | null =>
  off !== null
    ? neverRuns(off)
    : !isOther && isIdle(script)
      ? runsNothing(script.trim().replace(/^# /, "").split("\n")[0] ?? "")
      : null

const installing =
  /^(?:npm (?:ci|i|install)|yarn(?: install)?|pnpm i(?:nstall)?|pip3? install|bundle install|composer install)\b[^&|;\n]*$/

const shown = (text: string): string => text.trim().slice(0, 80)

export const runsNothing = (line: string): string =>
  `What is configured there runs nothing: \`${shown(line)}\`. Let it run what the item asks for.`
export const neverRuns = (line: string): string =>
  `What is configured there never runs: \`${shown(line)}\`. Let it run what the item asks for.`
export const cannotFail = (line: string): string =>
  `What is configured there cannot fail: \`${shown(line)}\`. Let its result count.`
export const makesNothing = (line: string): string =>
  `What is configured there is off: \`${shown(line)}\`. Let it do what the item asks for.`

/** A failure may be forgotten. */
const lenient = anyOf(
  [
    forgiving,
    String.raw`advisory|allow\w*|non[- ]?blocking|even (?:if|when|though)|(?:may|can|might|could) fail|inform\w*|regardless|soft\w*|experimental|nightly|canary|beta|flaky|coverage|baseline|artifacts?|uploads?|collect\w*|reports?`
  ],
  "失敗(?:して|を無視|を許)|警告|任意|無視|参考"
)
