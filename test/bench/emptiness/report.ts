import type { Case } from "./cases.ts"
import type { Fixture } from "./fixtures.ts"
import type { Answers } from "./rules.ts"
import type { Half, Language } from "./types.ts"

export interface Judged extends Case, Answers {}

interface Share {
  readonly count: number
  readonly of: number
}

interface Figures {
  /** Stubs that were refused. */
  readonly recall: Share
  /** Real functions that were refused. */
  readonly falseAlarms: Share
}

export interface Row {
  readonly language: Language
  readonly half: Half
  readonly files: number
  readonly ours: Figures
  readonly original: Figures
  readonly timing: { readonly readMs: number; readonly judgedMs: number }
}

export const rowOf = (
  language: Language,
  half: Half,
  files: number,
  judged: ReadonlyArray<Judged>,
  timing: Row["timing"]
): Row => {
  const cases = judged.filter((one) => one.half === half && one.style?.isOpen !== true)
  const figures = (rule: keyof Answers): Figures => {
    const stubs = cases.filter(({ style }) => style !== null)
    const real = cases.filter(({ style }) => style === null)
    const refused = (all: ReadonlyArray<Judged>) => ({
      count: all.filter((one) => one[rule] !== null).length,
      of: all.length
    })
    return { recall: refused(stubs), falseAlarms: refused(real) }
  }
  return { language, half, files, ours: figures("ours"), original: figures("original"), timing }
}

const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

const percent = ({ count, of }: Share): string => (of === 0 ? "-" : `${((100 * count) / of).toFixed(2)} %`)
const share = (all: Share): string => `${String(all.count).padStart(5)} ${percent(all).padStart(9)}`

export const printTable = (rows: ReadonlyArray<Row>, isFirst: boolean): void => {
  if (isFirst) {
    print("                                         stubs refused (recall)            real refused (false alarms)")
    print("language    half      files  stubs  real       ours           original          ours           original")
  }
  for (const { files, half, language, original, ours, timing } of rows)
    print(
      `${language.padEnd(11)} ${half.padEnd(9)} ${String(files).padStart(5)} ${String(ours.recall.of).padStart(6)} ${String(ours.falseAlarms.of).padStart(5)}  ${share(ours.recall)} ${share(original.recall)}   ${share(ours.falseAlarms)} ${share(original.falseAlarms)}   ${((timing.readMs + timing.judgedMs) / 1_000).toFixed(1)} s`
    )
}

/** Wrong answers of the rules of today, with the code, and how they spread over styles and citations. */
export const printMisses = (judged: ReadonlyArray<Judged>, count: number, byStyle: boolean): void => {
  const missed = judged.filter(({ ours, style }) => style !== null && style.isOpen !== true && ours === null)
  const alarms = judged.filter(({ ours, style }) => style === null && ours !== null)
  if (byStyle) {
    const groups = new Map<string, Array<Judged>>()
    for (const one of judged)
      for (const key of [
        ...(one.style?.isOpen ? [] : [`${one.style === null ? "real" : "stub"} by ${one.citation}`]),
        ...(one.style === null ? [] : [`${one.style.isOpen ? "(open) " : ""}${one.style.name}`])
      ])
        groups.set(key, [...(groups.get(key) ?? []), one])
    for (const [key, all] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const refused = { count: all.filter(({ ours }) => ours !== null).length, of: all.length }
      print(`    ${key.padEnd(40)} refused ${share(refused)} of ${refused.of}`)
    }
  }
  if (count === 0) return
  printEach(`stubs that passed: ${missed.length}`, missed, count)
  printEach(`real functions that were refused: ${alarms.length}`, alarms, count)
}

const printEach = (title: string, all: ReadonlyArray<Judged>, count: number): void => {
  print(`--- ${title}`)
  for (const { citation, end, half, name, ours, path, project, start, style, text } of all.slice(0, count)) {
    const range = end === start ? `${start}` : `${start}-${end}`
    print(
      `[${half}] ${project}/${path}:${range}  ${name}, cited by ${citation}${style === null ? "" : `, stub: ${style.name}`}`
    )
    if (ours !== null) print(`    reason: ${ours}`)
    const lines = text.split("\n")
    const from = Math.max(1, start - 2)
    const to = Math.min(lines.length, Math.max(end, start + 6) + 1, from + 40)
    for (let line = from; line <= to; line++)
      print(`    ${line >= start && line <= end ? ">" : " "} ${String(line).padStart(5)} ${lines[line - 1] ?? ""}`)
  }
}

/** A fixture with the answers of both rules. */
export interface JudgedFixture extends Answers {
  readonly fixture: Fixture
}

const isRight = (expected: Fixture["expected"], answer: string | null): boolean =>
  (answer === null) === (expected === "accept")

export interface FixtureRow {
  readonly language: Language
  readonly fixtures: number
  readonly ours: number
  readonly original: number
}

export const fixtureRow = (language: Language, judged: ReadonlyArray<JudgedFixture>): FixtureRow => {
  const right = (rule: keyof Answers) => judged.filter((one) => isRight(one.fixture.expected, one[rule])).length
  return { language, fixtures: judged.length, ours: right("ours"), original: right("original") }
}

export const printFixtures = (
  { fixtures, ours, original }: FixtureRow,
  judged: ReadonlyArray<JudgedFixture>,
  isTold: boolean
): void => {
  print(`            special cases right: ${ours} of ${fixtures}, original ${original}`)
  if (!isTold) return
  for (const { fixture, ours } of judged) {
    if (isRight(fixture.expected, ours)) continue
    print(`--- special case ${fixture.path}, ${fixture.what}: ${fixture.expected} it`)
    if (ours !== null) print(`    reason: ${ours}`)
    print(fixture.code)
  }
}
