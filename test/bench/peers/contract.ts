/** What every system is asked for, in a process of its own; imports nothing of any of them. */
import { closeSync, openSync, readSync, writeSync } from "node:fs"

/** The work that is measured; what each system does for it stands in its file. */
export type Part = "append" | "append32" | "step" | "claimed" | "subtasks" | "whole" | "fill" | "fold" | "load"

/** What the driver asks of a process. */
export interface Order {
  readonly part: Part
  /** A directory for files, or the URL of an empty database. */
  readonly place: string
  /** Done before, by the part that warms up; 0: nothing. */
  readonly warm: number
  readonly measures: ReadonlyArray<{ readonly delayMs: number; readonly n: number }>
}

export interface Measured {
  readonly delayMs: number
  readonly n: number
  readonly ms: number
  /** Processor time of this process alone; that of a database server is not in it. */
  readonly cpuMs: number
  /** Calls of fsync and fdatasync meanwhile, of the process or of the database server; null: not counted. */
  readonly fsyncs: number | null
}

export interface Answer {
  readonly measured: ReadonlyArray<Measured>
  /** MiB that the process had resident before the first work, and at most until its end. */
  readonly rssBefore: number
  readonly rssMax: number
}

/** A part that is ready: `times(n)` does the work n times, and is asked again and again. */
export interface Prepared {
  readonly times: (n: number) => Promise<unknown>
  readonly close?: () => Promise<unknown>
}

export type Parts = { readonly [P in Part]?: (place: string) => Promise<Prepared> }

/** The concurrent writers of `append32`, and how many subtasks are under way at the same time. */
export const writers = 32
export const slots = 64

/** What an event, a step and a subtask carry: about 270 bytes of JSON. */
export const payload = (n: number) => ({
  task_id: `task-${n}`,
  attempt: 1,
  index: n,
  item: "The handler checks the password",
  status: "done",
  verdict: "proven",
  evidence: "src/login/handler.ts:12-48",
  sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  note: "All lines were read from disk."
})
export type Payload = ReturnType<typeof payload>

/** Asks for the work n times, of which so many are under way. */
export const together = async (n: number, atOnce: number, work: (writer: number, i: number) => Promise<unknown>) => {
  const each = Math.ceil(n / atOnce)
  const write = async (writer: number) => {
    for (let i = 0; i < each; i++) await work(writer, i)
  }
  await Promise.all(Array.from({ length: atOnce }, (_, writer) => write(writer)))
}

/** What is kept of a long log in the simplest fold: how often each thing happened to each task. */
export type Counts = Map<string, Map<string, number>>
export const counting = (counts: Counts, type: string, content: unknown): Counts => {
  const { parent_task_id, task_id = parent_task_id } = content as { readonly [key: string]: string | undefined }
  const of = counts.get(task_id ?? "") ?? new Map<string, number>()
  if (of.size === 0) counts.set(task_id ?? "", of)
  of.set(type, (of.get(type) ?? 0) + 1)
  return counts
}
const counted = (counts: Counts): number => {
  let sum = 0
  for (const of of counts.values()) for (const n of of.values()) sum += n
  return sum
}
/** Throws unless the fold has seen so many. */
export const expectCounted = (counts: Counts, events: number): void => {
  const n = counted(counts)
  if (n !== events) throw new Error(`The fold has seen ${n} events, not ${events}.`)
}

/** The page that the shim shares: how many calls, and how long each takes more. */
const openPage = (path: string) => {
  const file = openSync(path, "r+")
  const word = Buffer.alloc(8)
  return {
    calls: () => {
      readSync(file, word, 0, 8, 0)
      return Number(word.readBigUInt64LE())
    },
    delay: (ms: number) => {
      word.writeBigUInt64LE(BigInt(ms * 1_000_000))
      writeSync(file, word, 0, 8, 8)
    },
    close: () => closeSync(file)
  }
}

const mib = (bytes: number): number => bytes / 2 ** 20

/** Does what the driver asks on the command line, answers, and ends. */
export const serve = async (parts: Parts): Promise<void> => {
  const order: Order = JSON.parse(process.argv[2] ?? "{}")
  const prepare = parts[order.part]
  if (prepare === undefined) throw new Error(`There is no ${order.part} here.`)
  // nobody waits for the answer any more
  process.once("disconnect", () => process.exit(1))
  // where the server is another process, it has a page of its own
  const path = process.env["PEERS_COUNTED_PAGE"]
  const page = path === undefined ? null : openPage(path)
  const prepared = await prepare(order.place)
  const rssBefore = mib(process.memoryUsage.rss())
  if (order.warm > 0) await prepared.times(order.warm)
  const measured: Array<Measured> = []
  for (const { delayMs, n } of order.measures) {
    page?.delay(delayMs)
    const before = page?.calls() ?? 0
    const cpu = process.cpuUsage()
    const startedAt = performance.now()
    await prepared.times(n)
    const ms = performance.now() - startedAt
    const { system, user } = process.cpuUsage(cpu)
    measured.push({
      delayMs,
      n,
      ms,
      cpuMs: (system + user) / 1_000,
      fsyncs: page === null ? null : page.calls() - before
    })
    page?.delay(0)
  }
  const answer: Answer = { measured, rssBefore, rssMax: process.resourceUsage().maxRSS / 1_024 }
  await prepared.close?.()
  await new Promise<void>((resolve) => {
    if (process.send === undefined) {
      process.stdout.write(`${JSON.stringify(answer)}\n`, () => resolve())
    } else process.send(answer, undefined, {}, () => resolve())
  })
  process.exit(0)
}
