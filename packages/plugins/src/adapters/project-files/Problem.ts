import type { Positions } from "./positions.ts"

/** Something wrong with a file: one plain sentence, and a hint that says what to do about it. */
export interface Problem {
  /** Stable, e.g. `dependency_unknown`. */
  readonly code: string
  readonly message: string
  readonly file: string
  /** From 1. */
  readonly line: number
  /** From 1, in characters (code points), so that it is what an editor shows. */
  readonly column: number
  readonly hint: string
}

/** A problem as found, before its place is turned into a line and a column. */
export interface Finding {
  readonly code: string
  readonly message: string
  /** A function when the hint takes a search; it is called only for findings that are shown. */
  readonly hint: string | (() => string)
  /** Offset of the place that is shown. */
  readonly start: number
  /** End of the text the finding rests on; `Infinity` when it rests on the whole file. */
  readonly end: number
  /** The message without the words for the value: aliases lead to one fault by many names. Default: the message. */
  readonly fault?: string
}

/** What was found in one file so far. Filled while reading; nothing is shown before the end. */
export interface Findings {
  readonly problems: Array<Finding>
  readonly warnings: Array<Finding>
  /** Problems beyond the bound. */
  unlisted: number
  /**
   * Where the first syntax error lies that may have led the parser astray; `Infinity` when there is none.
   * Findings that rest on text from there on may be its echo and are dropped.
   */
  readableUntil: number
}

/** Problems listed for one file. A file with more is not a file with many mistakes but one of another kind. */
const maxListed = 1_000

export const noFindings = (): Findings => ({
  problems: [],
  warnings: [],
  unlisted: 0,
  readableUntil: Number.POSITIVE_INFINITY
})

const mayBeEcho = (findings: Findings, finding: Finding): boolean =>
  findings.readableUntil !== Number.POSITIVE_INFINITY && finding.end >= findings.readableUntil

export const refuse = (findings: Findings, finding: Finding): void => {
  if (mayBeEcho(findings, finding)) return
  if (findings.problems.length < maxListed) findings.problems.push(finding)
  else findings.unlisted += 1
}

export const warn = (findings: Findings, finding: Finding): void => {
  if (mayBeEcho(findings, finding)) return
  if (findings.warnings.length < maxListed) findings.warnings.push(finding)
}

/** Keys that a sentence names may have line breaks. */
const onOneLine = (sentence: string): string => sentence.replaceAll(/[\r\n]+/g, " ")

/** Findings as problems, in the order of the file, each once although aliases may lead to a place twice. */
const inOrder = (found: ReadonlyArray<Finding>, file: string, positions: Positions): ReadonlyArray<Problem> => {
  const seen = new Set<string>()
  const problems: Array<Problem> = []
  for (const finding of found.toSorted((a, b) => a.start - b.start)) {
    const key = `${finding.code} ${finding.start} ${finding.fault ?? finding.message}`
    if (seen.has(key)) continue
    seen.add(key)
    const { line, column } = positions.at(finding.start)
    const hint = typeof finding.hint === "string" ? finding.hint : finding.hint()
    problems.push({
      code: finding.code,
      message: onOneLine(finding.message),
      file,
      line,
      column,
      hint: onOneLine(hint)
    })
  }
  return problems
}

const more = (unlisted: number, last: Problem): Problem => ({
  ...last,
  code: "too_many_problems",
  message: `There are ${unlisted} more problems, which are not listed.`,
  hint: "Repair those above and check the file again."
})

/** What is shown to the user. */
export const listProblems = (
  { findings, positions }: { readonly findings: Findings; readonly positions: Positions },
  file: string
): { readonly problems: ReadonlyArray<Problem>; readonly warnings: ReadonlyArray<Problem> } => {
  const problems = inOrder(findings.problems, file, positions)
  const last = problems.at(-1)
  return {
    problems: findings.unlisted > 0 && last !== undefined ? [...problems, more(findings.unlisted, last)] : problems,
    warnings: inOrder(findings.warnings, file, positions)
  }
}
