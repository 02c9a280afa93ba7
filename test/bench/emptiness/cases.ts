import type { Sample } from "./corpus.ts"
import { pick, randomOf } from "./random.ts"
import { isTrivial } from "./real.ts"
import { type Style, stubbed, styles } from "./stubs.ts"
import { lineStarts } from "./text.ts"
import type { FoundFunction, Half, Language, Source } from "./types.ts"

/** How an agent cites a function. */
export type Citation = "signature" | "whole" | "body" | "line" | "above"

/** Evidence and what must be said of it. */
export interface Case {
  readonly language: Language
  readonly half: Half
  readonly project: string
  readonly path: string
  readonly name: string
  readonly text: string
  readonly start: number
  readonly end: number
  readonly citation: Citation
  /** Null: real code, which must pass. */
  readonly style: Style | null
}

const citations: ReadonlyArray<Citation> = ["signature", "whole", "body", "line", "above"]

/** One case as it is, and one as a stub; how they are cited and stubbed goes round, so that all is asked as often. */
export const casesOf = (samples: ReadonlyArray<Sample>, seed: string): ReadonlyArray<Case> => {
  let made = 0
  return samples.flatMap((sample, i) => {
    const { found, source } = sample
    const random = randomOf(`${seed} ${source.project} ${source.path} ${found.name} ${found.start}`)
    const real = realCase(sample, citations[i % citations.length] ?? "whole", random)
    if (found.role !== "plain") return [real]
    const all = styles[source.language]
    for (let tried = 0; tried < all.length; tried++) {
      const style = all[(made + tried) % all.length]
      if (style === undefined) continue
      const stub = stubCase(sample, style, pick(citations, random) ?? "whole", random)
      if (stub === null) continue
      made += tried + 1
      return [real, stub]
    }
    return [real]
  })
}

const common = ({ found, source }: Sample) => ({
  language: source.language,
  half: source.half,
  project: source.project,
  path: source.path,
  name: found.name
})

const realCase = (sample: Sample, wanted: Citation, random: () => number): Case => {
  const { found, source } = sample
  const at = (citation: Citation, start: number, end = start): Case => ({
    ...common(sample),
    text: source.text,
    start,
    end,
    citation,
    style: null
  })
  const whole = at("whole", found.start, found.end)
  const lines = significantLines(source, found)
  switch (wanted) {
    case "signature":
      return at(wanted, found.signature)
    case "whole":
      return whole
    case "body": {
      const [first, last] = [lines.at(0), lines.at(-1)]
      return first === undefined || last === undefined ? whole : at(wanted, first, last)
    }
    case "line": {
      const line = pick(lines, random)
      return line === undefined ? whole : at(wanted, line)
    }
    case "above":
      return at(wanted, found.above, found.end)
  }
}

const stubCase = (sample: Sample, style: Style, wanted: Citation, random: () => number): Case | null => {
  const { found, source } = sample
  const made = stubbed(source, found, style)
  if (made === null) return null
  const at = (citation: Citation, start: number, end = start): Case => ({
    ...common(sample),
    text: made.text,
    start,
    end,
    citation,
    style
  })
  const whole = at("whole", found.start, made.end)
  switch (wanted) {
    case "signature":
      return at(wanted, found.signature)
    case "whole":
      return whole
    case "body": {
      const [first, last] = [made.bodyLines.at(0), made.bodyLines.at(-1)]
      return first === undefined || last === undefined ? whole : at(wanted, first, last)
    }
    case "line": {
      const line = pick(made.bodyLines, random)
      return line === undefined ? at("signature", found.signature) : at(wanted, line)
    }
    case "above":
      return at(wanted, found.above, made.end)
  }
}

/**
 * Lines of a body that hold code of its own: no comment, brace, string, import, directive or decorator alone; nothing
 * of a function within it, which may be empty in its own right; nothing that would be a stub if it stood alone.
 */
const significantLines = (source: Source, found: FoundFunction): ReadonlyArray<number> => {
  const { body } = found
  const starts = lineStarts(source.text)
  const nested = source.functions.filter(
    (other) => other !== found && other.start >= found.start && other.end <= found.end
  )
  const lines: Array<number> = []
  for (let line = found.start; line <= found.end; line++) {
    const from = Math.max(body.from, starts[line - 1] ?? 0)
    const to = Math.min(body.to, starts[line] ?? source.text.length)
    if (from >= to) continue
    const code = source.code.slice(from, to).trim()
    if (!/\w/.test(code)) continue
    if (/^(?:import|from|use|using|require|require_relative|include|package|namespace)\b|^[@#]|^\[\w/.test(code))
      continue
    if (/^[\W]*(?:else|try|do|finally|ensure|begin|end|then|fi|done|esac|default|loop|unsafe)?\b[\W]*$/.test(code))
      continue
    if (/(?:=>|->|\)|\bfunction\b.*|\bin)\s*\{\s*\}|\blambda\b|\{\s*\|[^|]*\|\s*\}/.test(code)) continue
    if (isTrivial(source.language, source.uncommented.slice(from, to), source.code.slice(from, to))) continue
    if (nested.some(({ above, end }) => above <= line && line <= end)) continue
    lines.push(line)
  }
  return lines
}
