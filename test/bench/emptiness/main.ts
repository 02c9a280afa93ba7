/**
 * How well evidence is told from pretence: real functions of many projects must pass, stubs made of them must be
 * refused. Figures of the rules of today beside those of the text rules they replaced.
 */
import { parseArgs } from "node:util"
import { casesOf } from "./cases.ts"
import { corpusOf } from "./corpus.ts"
import { cacheDirectory } from "./fetch.ts"
import { fixturesOf } from "./fixtures.ts"
import {
  type FixtureRow,
  fixtureRow,
  type Judged,
  type JudgedFixture,
  printFixtures,
  printMisses,
  printTable,
  type Row,
  rowOf
} from "./report.ts"
import { makeJudge } from "./rules.ts"
import { type Half, languages } from "./types.ts"

const usage = `usage: npm run bench:emptiness -- [options]

  --language a,b     only these of ${languages.join(", ")}
  --half WHICH       dev, held-out or all (all)
  --functions N      real functions of a language in each half, at most (500)
  --seed TEXT        another choice of functions, styles and citations (1)
  --misses N         print the first N wrong answers of each kind and language (of dev, unless --half held-out)
  --styles           recall by style and citation
  --json             one JSON document instead of tables
  --projects         what the corpus was taken from

The corpus is kept in PROOFLINE_CORPUS, or in the directory for temporary files.
`

const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      language: { type: "string" },
      half: { type: "string", default: "all" },
      functions: { type: "string", default: "500" },
      seed: { type: "string", default: "1" },
      misses: { type: "string", default: "0" },
      styles: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      projects: { type: "boolean", default: false },
      help: { type: "boolean", default: false }
    },
    allowPositionals: true
  })
  if (values.help) {
    process.stdout.write(usage)
    return 0
  }
  const chosen = (values.language ?? languages.join(",")).split(",")
  const unknown = chosen.find((name) => !languages.some((language) => language === name))
  const functions = Number(values.functions)
  const misses = Number(values.misses)
  const halves = halvesOf(values.half)
  if (unknown !== undefined) return fail(`There is no language ${unknown}. Choose of ${languages.join(", ")}.`)
  if (halves === null) return fail(`--half is dev, held-out or all, not ${values.half}.`)
  if (!Number.isInteger(functions) || functions < 1) return fail(`--functions is a count, not ${values.functions}.`)
  if (!Number.isInteger(misses) || misses < 0) return fail(`--misses is a count, not ${values.misses}.`)

  const cache = cacheDirectory()
  const { judge } = await makeJudge()
  const rows: Array<Row> = []
  const specials: Array<FixtureRow> = []
  for (const language of languages.filter((name) => chosen.includes(name))) {
    const started = performance.now()
    const corpus = corpusOf(language, { cache, halves, perHalf: functions, seed: values.seed })
    for (const sentence of corpus.missing) process.stderr.write(`${language}: left out, ${sentence}\n`)
    const found = performance.now()
    const judged: Array<Judged> = []
    for (const one of casesOf(corpus.samples, values.seed)) judged.push({ ...one, ...(await judge(one)) })
    const ended = performance.now()
    const timing = { readMs: Math.round(found - started), judgedMs: Math.round(ended - found) }
    const made = halves.map((half) => rowOf(language, half, corpus.files[half], judged, timing))
    rows.push(...made)
    const special: Array<JudgedFixture> = []
    for (const fixture of fixturesOf(language)) special.push({ fixture, ...(await judge(fixture)) })
    const specialRow = fixtureRow(language, special)
    specials.push(specialRow)
    if (values.json) continue
    printTable(made, rows.length === made.length)
    if (values.projects)
      for (const { functions, half, name, version } of corpus.projects)
        process.stdout.write(`    ${half.padEnd(9)} ${String(functions).padStart(5)}  ${name} ${version}\n`)
    printFixtures(specialRow, special, misses > 0)
    // whoever tunes rules must not see the other half by accident
    const shown = values.half === "held-out" ? judged : judged.filter(({ half }) => half === "dev")
    printMisses(shown, misses, values.styles)
  }
  if (values.json)
    process.stdout.write(`${JSON.stringify({ seed: values.seed, functions, rows, specials }, null, 2)}\n`)
  return 0
}

const halvesOf = (text: string): ReadonlyArray<Half> | null =>
  text === "all" ? ["dev", "held-out"] : text === "dev" || text === "held-out" ? [text] : null

const fail = (sentence: string): number => {
  process.stderr.write(`${sentence}\n\n${usage}`)
  return 2
}

process.exitCode = await main()
