/** What was measured, as tables of Markdown: medians of the rounds, and ratios that were taken within each round. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type Part, slots, writers } from "./contract.ts"

export interface Figure {
  readonly round: number
  readonly name: string
  readonly store: string
  readonly delayMs: number
  /** ms of one. */
  readonly per: number
  /** ms of one, of the processor and the system's own process alone. */
  readonly cpu: number
  /** Of one; null: not counted. */
  readonly fsyncs: number | null
  /** MiB. */
  readonly rss?: { readonly before: number; readonly max: number }
  readonly failed?: string
}

export const print = (line = ""): void => {
  process.stdout.write(`${line}\n`)
}

const titles: Readonly<Record<Part, string>> = {
  append: "Durable append of one event, one writer",
  append32: `Durable append of one event, ${writers} writers, a stream each`,
  step: "Durable step, one after the other in one run",
  claimed: "",
  subtasks: `Subtask that does nothing, of many, ${slots} at a time`,
  whole: `Proofline's own subtask, with its attempt, judgment and rules, ${slots} at a time`,
  fill: "",
  fold: "",
  load: ""
}

const sorted = (values: ReadonlyArray<number>): ReadonlyArray<number> => values.toSorted((a, b) => a - b)
const median = (values: ReadonlyArray<number>): number => {
  const all = sorted(values)
  const middle = Math.floor(all.length / 2)
  const [upper = Number.NaN, lower = Number.NaN] = [all[middle], all[middle - 1]]
  return all.length % 2 === 1 ? upper : (upper + lower) / 2
}
const digits = (value: number): string => value.toFixed(value < 0.1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0)
/** The median, and from the least to the most where there are several. */
const spread = (values: ReadonlyArray<number>): string => {
  const all = sorted(values)
  const [least = Number.NaN] = all
  const most = all.at(-1) ?? least
  return all.length < 2 ? digits(least) : `${digits(median(all))} (${digits(least)}–${digits(most)})`
}

/** In the order in which they came first. */
const distinct = <A>(values: ReadonlyArray<A>): ReadonlyArray<A> => [...new Set(values)]

/** Each of the rounds beside the first system of the list in the same round. */
const beside = (own: ReadonlyArray<Figure>, first: ReadonlyArray<Figure>): ReadonlyArray<number> =>
  own.flatMap(({ per, round }) => {
    const other = first.find((figure) => figure.round === round)
    return other === undefined ? [] : [per / other.per]
  })

export const printPart = (part: Part, figures: ReadonlyArray<Figure>): void => {
  print()
  print(`### ${titles[part]}`)
  print()
  const delays = distinct(figures.map(({ delayMs }) => delayMs))
  const columns = delays.flatMap((delay) => {
    const disk = delay === 0 ? "" : `, +${delay} ms`
    return [`ms${disk}`, `of Proofline's${disk}`, ...(delay === 0 ? ["fsyncs", "CPU ms"] : [])]
  })
  for (const store of distinct(figures.map((figure) => figure.store))
    .toSorted()
    .toReversed()) {
    const there = figures.filter((figure) => figure.store === store)
    print(`| ${store === "sqlite" ? "SQLite" : "Postgres"} | ${columns.join(" | ")} |`)
    print(`|---|${columns.map(() => "---|").join("")}`)
    for (const name of distinct(there.map((figure) => figure.name))) {
      const cells = delays.flatMap((delay) => {
        const own = there.filter((figure) => figure.name === name && figure.delayMs === delay)
        const first = there.filter((figure) => figure.name === "Proofline" && figure.delayMs === delay)
        const counted = own.flatMap(({ fsyncs }) => (fsyncs === null ? [] : [fsyncs]))
        return [
          digits(median(own.map(({ per }) => per))),
          name === "Proofline" ? "1" : `${spread(beside(own, first))}`,
          ...(delay === 0
            ? [counted.length === 0 ? "–" : digits(median(counted)), digits(median(own.map(({ cpu }) => cpu)))]
            : [])
        ]
      })
      print(`| ${name} | ${cells.join(" | ")} |`)
    }
    print()
  }
}

export const printFold = (events: number, figures: ReadonlyArray<Figure>): void => {
  print()
  print(`### A stream of ${events.toLocaleString("en-US")} events, read and folded by a new process`)
  print()
  print("| | s | events/s | MiB resident at most | before |")
  print("|---|---|---|---|---|")
  for (const store of distinct(figures.map((figure) => figure.store))) {
    for (const name of distinct(figures.map((figure) => figure.name))) {
      const own = figures.filter((figure) => figure.store === store && figure.name === name)
      if (own.length === 0) continue
      const where = `${store === "sqlite" ? "SQLite" : "Postgres"}, ${name}`
      const failed = own.find((figure) => figure.failed !== undefined)?.failed
      if (failed !== undefined) {
        print(`| ${where} | failed | | | ${failed.slice(0, 200).replaceAll(/\s+/g, " ")} |`)
        continue
      }
      const per = median(own.map((figure) => figure.per))
      const rss = (of: "before" | "max") => Math.round(median(own.map((figure) => figure.rss?.[of] ?? Number.NaN)))
      const perSecond = Math.round(1_000 / per).toLocaleString("en-US")
      print(
        `| ${where} | ${spread(own.map((figure) => (figure.per * events) / 1_000))} | ${perSecond} | ${rss("max")} | ${rss("before")} |`
      )
    }
  }
}

/** What is pinned. */
export const printVersions = (folder: string): void => {
  const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  print(
    Object.entries(dependencies)
      .filter(([name]) => !name.startsWith("@types/"))
      .map(([name, version]) => `${name} ${version}`)
      .join(", ")
  )
}
