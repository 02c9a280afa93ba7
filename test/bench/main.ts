/**
 * What the log, its queue, its fold and its replay cost over the database alone, and a check of evidence over reading
 * the file, measured in one run on one machine: read the ratios, not the figures.
 * Not measured: several processes, other disks, plugins, agents.
 */
import "effect/schema/SchemaJITCompiler/enable" // first, as in the CLI
import { mkdtempSync, rmSync } from "node:fs"
import { cpus, release, tmpdir, totalmem, type } from "node:os"
import { join } from "node:path"
import { measureAppends, writers } from "./append.ts"
import { type DispatchFigures, measureDispatch, together } from "./dispatch.ts"
import { type EvidenceFigures, measureEvidence } from "./evidence.ts"
import { type FoldFigures, measureFold } from "./fold.ts"
import { measureReading, type ReadFigures } from "./read.ts"
import { measureReplay, type ReplayFigures } from "./replay.ts"
import { measureSubtasks, subtasks } from "./subtasks.ts"

const print = (line = ""): void => {
  process.stdout.write(`${line}\n`)
}

const thousands = (n: number): string => Math.round(n).toLocaleString("en-US")
const ratio = (a: number, b: number): string => `${(a / b).toFixed(2)}×`
const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`

const printReading = (figures: ReadFigures): void => {
  const { events, rawMs } = figures
  const line = (what: string, ms: number) =>
    print(
      `  ${what.padEnd(34)} ${(ms / 1_000).toFixed(2).padStart(6)} s  ${thousands(events / (ms / 1_000)).padStart(11)} events/s  ${ratio(rawMs, ms)} of raw`
    )
  print(`${thousands(events)} events of one stream, ${thousands(figures.bytes / events)} bytes of content each`)
  line("raw: select of the same rows", rawMs)
  line("raw: and JSON.parse of the content", figures.parsedMs)
  line("read: events as the log gives them", figures.readMs)
  line("decoded by their schemas", figures.decodedMs)
  line("decoded and folded", figures.foldedMs)
  print(
    `  heap in use while folding: at most ${mib(figures.heapPeak)} above the start, ${mib(figures.heapKept)} at the end, for ${thousands(figures.tasks)} tasks`
  )
}

const printEvidence = (figures: EvidenceFigures): void => {
  const { checks, rawMs, startMs } = figures
  const line = (what: string, ms: number) =>
    print(`  ${what.padEnd(40)} ${thousands(checks / (ms / 1_000)).padStart(8)} /s  ${ratio(rawMs, ms)} of raw`)
  print(`${thousands(checks)} checks of evidence in ${figures.files} warm files, best of 3`)
  line("raw: read the file and split its lines", rawMs)
  line("evidence check, all lines at once", figures.togetherMs)
  line("evidence check, each after the other", figures.singlyMs)
  print(`  first answer after ${Math.round(startMs)} ms`)
}

const printDispatch = (figures: DispatchFigures): void => {
  const { rawMs, singly, togetherMs } = figures
  const line = (what: string, ms: number, more = "") =>
    print(`  ${what.padEnd(44)} ${ms.toFixed(2).padStart(6)} ms  ${ratio(ms, rawMs)} of raw${more}`)
  print("Work from dispatch to its end (synchronous=FULL), ms for one piece, best of 15")
  line("raw: prepared insert, one commit", rawMs)
  const [few] = singly
  for (const { ms, ready } of singly) {
    const more = few === undefined ? "" : `  ${ratio(ms, few.ms)} of ${few.ready} ready`
    line(`one after the other, ${thousands(ready)} others ready`, ms, more)
  }
  line(`${thousands(together)} at once in as many slots`, togetherMs)
}

/** Figures of a log beside those of the driver alone, which reads the same rows and parses them. */
const printCosts = (
  events: number,
  parsedMs: number,
  rest: ReadonlyArray<readonly [what: string, ms: number]>
): void => {
  for (const [what, ms] of [["raw: select of the rows and JSON.parse", parsedMs] as const, ...rest]) {
    const perSecond = thousands(events / (ms / 1_000)).padStart(11)
    print(
      `  ${what.padEnd(44)} ${(ms / 1_000).toFixed(3).padStart(6)} s  ${perSecond} events/s  ${ratio(ms, parsedMs)} the time of raw`
    )
  }
}

const printFold = ({ bytes, events, foldMs, parsedMs, tasks, wholeMs }: FoldFigures): void => {
  print(
    `${thousands(events)} events of one run with ${thousands(tasks)} tasks, ${thousands(bytes / events)} bytes of content each, best of 3`
  )
  printCosts(events, parsedMs, [
    ["the fold alone, of decoded events", foldMs],
    ["read, decoded and folded", wholeMs]
  ])
}

const printReplay = ({ events, parsedMs, replayMs, tasks }: ReplayFigures): void => {
  print(`Replay of a run of ${thousands(tasks)} tasks, ${thousands(events)} events, best of 3`)
  printCosts(events, parsedMs, [["read, decided again and compared", replayMs]])
}

const directory = mkdtempSync(join(tmpdir(), "proofline-bench-"))
try {
  const [cpu] = cpus()
  print(`${new Date().toISOString()}  Node ${process.version}  ${type()} ${release()}`)
  print(`${cpus().length} × ${cpu?.model ?? "unknown"}, ${mib(totalmem())}, files in ${tmpdir()}`)
  print()
  const appends = await measureAppends(directory, 3)
  print("Durable appends of one event (synchronous=FULL), best of 3")
  print(`  raw: prepared insert, one commit each   ${thousands(appends.raw).padStart(8)} /s`)
  print(
    `  log, 1 writer                           ${thousands(appends.oneWriter).padStart(8)} /s  ${ratio(appends.oneWriter, appends.raw)} of raw`
  )
  print(
    `  log, ${writers} writers                         ${thousands(appends.manyWriters).padStart(8)} /s  ${ratio(appends.manyWriters, appends.raw)} of raw`
  )
  print()
  const dispatch = await measureDispatch(directory, 15)
  printDispatch(dispatch)
  print()
  print(
    `${thousands(subtasks)} parallel subtasks that do nothing, attempt, criteria and review each; ms for one, best of 3`
  )
  for (const { ms, slots } of (await measureSubtasks(directory, 3)).bySlots) {
    print(
      `  ${`${thousands(slots)} workers`.padEnd(44)} ${ms.toFixed(2).padStart(6)} ms  ${ratio(ms, dispatch.rawMs)} of raw`
    )
  }
  print()
  for (const events of [100_000, 1_000_000]) {
    printReading(await measureReading(directory, events, 3))
    print()
  }
  printFold(await measureFold(directory, 1_000_000, 3))
  print()
  printReplay(await measureReplay(directory, 1_000, 3))
  print()
  printEvidence(await measureEvidence(3_000, 3))
} finally {
  rmSync(directory, { recursive: true })
}
