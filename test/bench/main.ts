/**
 * What the log, its queue, its fold and its replay cost over the database alone, a check of evidence over reading the
 * file, and the start of the program over that of Node, measured in one run on one machine: read the ratios, not the
 * figures.
 * `PROOFLINE_BENCH=full`: `growth` with ten million events.
 * Not measured: other disks and machines, plugins, agents.
 * `main.ts [start|tasks|append|dispatch|postgres|makespan|growth|read|fold|replay|evidence]…`: only these.
 */
import "effect/schema/SchemaJITCompiler/enable" // first, as in the CLI
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { cpus, release, tmpdir, totalmem, type } from "node:os"
import { join } from "node:path"
import { type AppendFigures, measureAppends, writers } from "./append.ts"
import { type DispatchFigures, measureDispatch, together } from "./dispatch.ts"
import { type ColdFigures, type EvidenceFigures, measureColdEvidence, measureEvidence } from "./evidence.ts"
import { type FoldFigures, measureFold } from "./fold.ts"
import { commands, type GrowthFigures, measureGrowth, runs, settled } from "./growth.ts"
import {
  type MakespanFigures,
  measureMakespan,
  runs as parallelRuns,
  partMs,
  parts,
  slots as workerSlots
} from "./makespan.ts"
import { items, measurePostgres, type PostgresFigures, slots } from "./postgres.ts"
import { measureReading, type ReadFigures } from "./read.ts"
import { measureReplay, type ReplayFigures } from "./replay.ts"
import { measureStart, type StartFigures } from "./start.ts"
import { measureSubtasks, type SubtaskFigures, subtasks } from "./subtasks.ts"
import { measureTasks, sleepers, sleepMs, type TaskFigures, workers as taskWorkers } from "./tasks.ts"

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
  print()
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

const printCold = ({ apartMs, checks, files, togetherMs }: ColdFigures): void => {
  print(
    `${thousands(checks)} checks of evidence in ${thousands(files)} cold files of sixteen languages, from the start`
  )
  for (const [what, ms] of [
    ["those of a file together", togetherMs],
    ["one of each file after the other", apartMs]
  ] as const)
    print(`  ${what.padEnd(40)} ${thousands(checks / (ms / 1_000)).padStart(8)} /s`)
}

const printStart = ({ commands, node }: StartFigures): void => {
  print("From the start of the program to its end, of 30 times each")
  for (const { p50, p95, what } of [node, ...commands]) {
    const beside = what === node.what ? "" : `  ${ratio(p50, node.p50)} of ${node.what}`
    print(`  ${what.padEnd(39)} p50 ${p50.toFixed(0).padStart(5)} ms  p95 ${p95.toFixed(0).padStart(5)} ms${beside}`)
  }
  print()
}

const printTasks = ({ idle, slept: { runMs, xargsMs } }: TaskFigures): void => {
  print(`Tasks with a checklist, evidence judged, ${taskWorkers} workers`)
  const [few] = idle
  for (const { cpuMs, tasks } of idle) {
    const beside = few === undefined || few.tasks === tasks ? "" : `  ${ratio(cpuMs, few.cpuMs)} of ${few.tasks}`
    print(
      `  ${`${thousands(tasks)} whose agent only reports`.padEnd(44)} ${cpuMs.toFixed(1).padStart(6)} ms of CPU each${beside}`
    )
  }
  print(
    `  ${`${sleepers} whose agent sleeps ${sleepMs} ms`.padEnd(44)} ${(runMs / 1_000).toFixed(2).padStart(6)} s  ${ratio(runMs, xargsMs)} of xargs -P ${taskWorkers}`
  )
  print()
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
  print()
}

const printAppends = ({ manyWriters, oneWriter, raw }: AppendFigures): void => {
  print("Durable appends of one event (synchronous=FULL), best of 3")
  const line = (what: string, perSecond: number, more = "") =>
    print(`  ${what.padEnd(39)} ${thousands(perSecond).padStart(8)} /s${more}`)
  line("raw: prepared insert, one commit each", raw)
  line("log, 1 writer", oneWriter, `  ${ratio(oneWriter, raw)} of raw`)
  line(`log, ${writers} writers`, manyWriters, `  ${ratio(manyWriters, raw)} of raw`)
  print()
}

const printPostgres = (figures: PostgresFigures | null): void => {
  if (figures === null) {
    print("PostgreSQL: not measured, there is none on this machine")
    print()
    return
  }
  const { dispatch, drained, manyWriters, oneWriter, raw } = figures
  const line = (what: string, perSecond: number, more = "") =>
    print(`  ${what.padEnd(48)} ${thousands(perSecond).padStart(8)} /s${more}`)
  const took = ({ p50, p99 }: typeof raw) => `  p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`
  const ofRaw = (pace: typeof raw) => `  ${ratio(pace.perSecond, raw.perSecond)} of raw`
  print("The log in PostgreSQL, on this machine (fsync on)")
  line("raw: insert of one row, one commit, 2 connections", raw.perSecond, took(raw))
  line("appends of one event, 1 writer", oneWriter.perSecond, took(oneWriter) + ofRaw(oneWriter))
  line("appends of one event, 64 writers", manyWriters.perSecond, took(manyWriters) + ofRaw(manyWriters))
  line("from dispatch to claim", dispatch.perSecond, took(dispatch))
  line(
    `${thousands(items)} items: claim, report, settle; ${slots} slots`,
    drained,
    `  ${ratio(drained, raw.perSecond)} of raw`
  )
  print()
}

const printMakespan = (figures: MakespanFigures | null): void => {
  if (figures === null) return
  const { byWorkers, byWorkersInRuns, emptyMs } = figures
  const rows = (what: string, found: MakespanFigures["byWorkers"]) => {
    const [one] = found
    print(what)
    for (const { busy, ms, workers } of found) {
      const sped = one === undefined ? 1 : one.ms / ms
      const beside = (ms * workers * workerSlots) / (parts * partMs)
      print(
        `  ${`workers: ${workers}`.padEnd(44)} ${(ms / 1_000).toFixed(2).padStart(6)} s  ${sped.toFixed(2)}× as fast as one, ${(sped / workers).toFixed(2)} of linear; ${beside.toFixed(2)}× of the sleep alone; processors busy ${Math.round(busy * 100)} %`
      )
    }
  }
  rows(`${parts} parts of ${partMs} ms in PostgreSQL, ${workerSlots} slots a worker, one run`, byWorkers)
  rows(`the same in ${parallelRuns} runs`, byWorkersInRuns)
  print(`  ${"1 worker, parts that take no time".padEnd(44)} ${(emptyMs / 1_000).toFixed(2).padStart(6)} s`)
  print()
}

const printGrowth = (figures: GrowthFigures | null): void => {
  if (figures === null) return
  const { appended, bytes, drained, events, fillMs, took } = figures
  print(
    `${thousands(runs)} runs, ${thousands(events)} events (${mib(bytes)} with indexes, filled in ${Math.round(fillMs / 1_000)} s) and ${thousands(settled)} settled items in PostgreSQL, beside one small run; best of 5`
  )
  for (const [i, command] of commands.entries()) {
    const [one, many] = took[i] ?? [0, 0]
    print(
      `  ${command.padEnd(44)} ${one.toFixed(0).padStart(6)} ms with one run, ${many.toFixed(0).padStart(6)} ms with all  ${ratio(many, one)}`
    )
  }
  const pace = (what: string, [one, many]: readonly [number, number]) =>
    print(
      `  ${what.padEnd(44)} ${thousands(one).padStart(6)} /s with one run, ${thousands(many).padStart(6)} /s with all  ${ratio(many, one)}`
    )
  pace("appends of one event, 1 writer", [appended[0].perSecond, appended[1].perSecond])
  pace("items: claim, report, settle", drained)
  print()
}

const printSubtasks = ({ bySlots }: SubtaskFigures, rawMs: number): void => {
  print(
    `${thousands(subtasks)} parallel subtasks that do nothing, attempt, criteria and review each; ms for one, best of 3`
  )
  for (const { ms, slots } of bySlots) {
    print(`  ${`${thousands(slots)} workers`.padEnd(44)} ${ms.toFixed(2).padStart(6)} ms  ${ratio(ms, rawMs)} of raw`)
  }
  print()
}

/** Figures of a log, in ms of CPU, beside those of the driver alone, which reads the same rows and parses them. */
const printCosts = (
  events: number,
  parsedMs: number,
  rest: ReadonlyArray<readonly [what: string, ms: number]>
): void => {
  for (const [what, ms] of [["raw: select of the rows and JSON.parse", parsedMs] as const, ...rest]) {
    const perSecond = thousands(events / (ms / 1_000)).padStart(11)
    print(
      `  ${what.padEnd(44)} ${(ms / 1_000).toFixed(3).padStart(6)} s  ${perSecond} events/s  ${ratio(ms, parsedMs)} the CPU of raw`
    )
  }
  print()
}

const printFold = ({ byHandMs, bytes, events, foldMs, loadMs, parsedMs, tasks, wholeMs }: FoldFigures): void => {
  print(
    `${thousands(events)} events of one run with ${thousands(tasks)} tasks, ${thousands(bytes / events)} bytes of content each, CPU, best of 7`
  )
  printCosts(events, parsedMs, [
    ["the fold alone, of decoded events", foldMs],
    ["the same by one switch, written by hand", byHandMs],
    ["read, decoded and folded", wholeMs],
    ["the same, and its hash chain checked: a load", loadMs]
  ])
  print(`  the fold of plugins takes ${ratio(foldMs, byHandMs)} the CPU of the one written by hand`)
  print()
}

const printReplay = ({ events, parsedMs, replayMs, tasks }: ReplayFigures): void => {
  print(`Replay of a run of ${thousands(tasks)} tasks, ${thousands(events)} events, CPU, best of 15`)
  printCosts(events, parsedMs, [["read, decided again and compared", replayMs]])
}

const asked = process.argv.slice(2)
const isAsked = (part: string): boolean => asked.length === 0 || asked.includes(part)

const directory = mkdtempSync(join(tmpdir(), "proofline-bench-"))
// a private Postgres is another user where this one is root
chmodSync(directory, 0o711)
try {
  const [cpu] = cpus()
  print(`${new Date().toISOString()}  Node ${process.version}  ${type()} ${release()}`)
  print(`${cpus().length} × ${cpu?.model ?? "unknown"}, ${mib(totalmem())}, files in ${tmpdir()}`)
  print()
  if (isAsked("start")) printStart(await measureStart(directory, 30))
  if (isAsked("tasks")) printTasks(await measureTasks(directory, [100, 2_000]))
  if (isAsked("append")) printAppends(await measureAppends(directory, 3))
  if (isAsked("dispatch")) {
    const dispatch = await measureDispatch(directory, 15)
    printDispatch(dispatch)
    printSubtasks(await measureSubtasks(directory, 3), dispatch.rawMs)
  }
  if (isAsked("postgres")) printPostgres(await measurePostgres(directory))
  if (isAsked("makespan")) printMakespan(await measureMakespan(directory))
  if (isAsked("growth")) {
    const events = process.env["PROOFLINE_BENCH"] === "full" ? 10_000_000 : 2_000_000
    printGrowth(await measureGrowth(directory, events))
  }
  if (isAsked("read")) {
    for (const events of [100_000, 1_000_000]) printReading(await measureReading(directory, events, 3))
  }
  if (isAsked("fold")) printFold(await measureFold(directory, 1_000_000, 7))
  if (isAsked("replay")) printReplay(await measureReplay(directory, 1_000, 15))
  if (isAsked("evidence")) {
    printEvidence(await measureEvidence(3_000, 3))
    printCold(await measureColdEvidence(10_000, 3_500))
  }
} finally {
  rmSync(directory, { recursive: true })
}
