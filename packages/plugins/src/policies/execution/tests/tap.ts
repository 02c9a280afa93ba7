import { type Output, type Reading, type ReportedTest, reading } from "./model.ts"

interface Point extends ReportedTest {
  /** It closed nothing. */
  readonly isAlone: boolean
  readonly isSuite: boolean
}

interface Level {
  readonly indent: number
  readonly points: Array<Point>
}

/** The Test Anything Protocol, also with subtests: then only those within count. */
export const tap = ({ lines, text }: Output): ReadonlyArray<Reading> => {
  if (!/^(?:TAP version 1[34]|1\.\.\d+)[ \t\r]*(?:#.*)?$/m.test(text)) return []
  // prove may print what it has read, and counts itself
  if (/^Result: (?:PASS|FAIL|NOTESTS)\s*$/m.test(text)) return []
  const { points, missing } = pointsIn(lines)
  const tests = points.map(({ file, name, status }): ReportedTest => ({ name, file, status }))
  if (missing === 0) return [reading("tap", tests, { runner: runnerOf(text) })]
  const counts = reading("tap", tests)
  return [{ ...counts, runner: runnerOf(text), failed: counts.failed + missing }]
}

const runnerOf = (text: string): string | null =>
  /^# suites \d+$/m.test(text) && /^# todo \d+$/m.test(text) ? "node" : null

/** Points that stand in no point, and how many were planned at the margin and never came. */
const pointsIn = (
  lines: ReadonlyArray<string>
): { readonly points: ReadonlyArray<Point>; readonly missing: number; readonly seen: number } => {
  const levels: Array<Level> = []
  const opened: Array<{ readonly name: string; readonly indent: number }> = []
  let [planned, seen, missing, all] = [null as number | null, 0, 0, 0]
  let yaml: number | null = null
  const isTape = lines.some((line) => /^# pass {2}\d+$/.test(line))
  let group = ""
  const endStream = () => {
    if (planned !== null) missing += Math.max(0, planned - seen)
    planned = null
    all += seen
    seen = 0
  }
  /** Takes what stands deeper than this. */
  const within = (indent: number): ReadonlyArray<Point> => {
    let found: ReadonlyArray<Point> = []
    while ((levels.at(-1)?.indent ?? -1) > indent) found = (levels.pop()?.points ?? []).concat(found)
    return found
  }
  const add = (indent: number, points: ReadonlyArray<Point>) => {
    const last = levels.at(-1)
    if (last !== undefined && last.indent === indent) for (const point of points) last.points.push(point)
    else levels.push({ indent, points: [...points] })
  }
  for (const line of lines) {
    const indent = line.length - line.trimStart().length
    const content = line.slice(indent)
    if (yaml !== null) {
      if (content === "..." && indent <= yaml) yaml = null
      else if (indent >= yaml) {
        if (/^type: ['"]?suite['"]?$/.test(content)) markSuite(levels.at(-1))
        continue
      } else yaml = null
    }
    if (content === "---" && indent > 0) {
      yaml = indent
      continue
    }
    if (indent === 0 && content.startsWith("TAP version ")) endStream()
    const plan = /^1\.\.(\d+)(?:\s*#.*)?$/.exec(content)
    if (plan !== null && indent === 0) {
      // Node plans no tests for a file in which none matches, and goes on
      if (planned !== null && planned > 0) endStream()
      planned = Number(plan[1])
    }
    if (isTape && indent === 0 && content.startsWith("# ")) group = groupOf(content)
    if (content === "}") {
      const open = opened.pop()
      if (open !== undefined)
        add(
          open.indent,
          within(open.indent).map((point) => inside(open.name, point))
        )
      continue
    }
    const found = /^(not )?ok\b(?: +(\d+))?(?: +- | +|$)(.*)$/.exec(content)
    if (found === null) continue
    if (indent === 0) seen++
    const isOpening = content.endsWith(" {")
    const point = pointOf(found[1] !== undefined, isOpening ? (found[3] ?? "").slice(0, -2) : (found[3] ?? ""))
    if (isOpening) {
      opened.push({ name: point.name, indent })
      continue
    }
    const inner = within(indent)
    add(
      indent,
      inner.length > 0 ? inner.map((one) => inside(point.name, one)) : [{ ...inside(group, point), isAlone: true }]
    )
  }
  endStream()
  return { points: within(-1).filter(({ isSuite }) => !isSuite), missing, seen: all }
}

const inside = (name: string, point: Point): Point =>
  name === "" ? point : { ...point, isAlone: false, name: point.name === "" ? name : `${name} > ${point.name}` }

/** A suite with nothing in it is no test. */
const markSuite = (level: Level | undefined): void => {
  const last = level?.points.at(-1)
  if (level !== undefined && last?.isAlone === true) level.points[level.points.length - 1] = { ...last, isSuite: true }
}

/** tape says the test before its assertions; others say all kinds of things there. */
const groupOf = (comment: string): string =>
  /^# *(?:tests?|pass|fail|suites|cancelled|skipped|todo|duration_ms|ok|Subtest:|SKIP|TODO|Failed|Looks|at)(?!\w)|:$|^# *[(`]/.test(
    comment
  )
    ? ""
    : comment.slice(2).trim()

const pointOf = (isNotOk: boolean, rest: string): Point => {
  const directive = /(?:^|[^\\])# *(?:(SKIP|TODO)\b|time=)/i.exec(rest)
  const text = directive === null ? rest : rest.slice(0, rest.indexOf("#", directive.index))
  const name = text.replaceAll("\\#", "#").replaceAll("\\\\", "\\").trim()
  const isLeftOut = directive?.[1] !== undefined
  return {
    name,
    file: null,
    status: isLeftOut ? "skipped" : isNotOk ? "failed" : "passed",
    isAlone: true,
    isSuite: false
  }
}

/** perl's `prove`, which counts what it has read. */
export const prove = ({ lines, text }: Output): ReadonlyArray<Reading> => {
  if (!/^Result: (?:PASS|FAIL|NOTESTS)\s*$/m.test(text)) return []
  const totals = [...text.matchAll(/^Files=\d+, Tests=(\d+),/gm)]
  if (totals.length === 0) return []
  const sum = (pattern: RegExp) => [...text.matchAll(pattern)].reduce((sum, [, number]) => sum + Number(number), 0)
  const all = totals.reduce((sum, [, number]) => sum + Number(number), 0)
  const failed = Math.min(all, sum(/^\S.* \(Wstat: .* Failed: (\d+)\)$/gm))
  const skipped = Math.min(
    all - failed,
    sum(/\bless (\d+) skipped subtests?:/g) + sum(/^\S+ \.+ .*\bskipped: (\d+)\b/gm)
  )
  const counts = { passed: all - failed - skipped, failed, skipped }
  // says how a file ended, and is no point
  const { points, seen } = pointsIn(lines.filter((line) => line !== "ok"))
  const tests = points.map(({ file, name, status }) => ({ name, file, status }))
  return [seen === all ? reading("prove", tests) : reading("prove", [], { counts })]
}
