import { DatabaseSync } from "node:sqlite"
import type { EventLog, KernelEvent } from "@proofline/kernel"
import { Effect } from "effect"
import { candidate } from "./history.ts"

/** Appends the first so many facts to the stream, several an append: how they got there does not matter here. */
export const fill = (
  log: EventLog["Service"],
  stream: string,
  history: Iterator<KernelEvent, unknown>,
  events: number
) =>
  Effect.gen(function* () {
    const each = 500
    for (let version = 0; version < events; version += each) {
      const batch = Array.from({ length: Math.min(each, events - version) }, () => {
        const next = history.next()
        if (next.done === true) throw new Error("The history has ended.")
        return candidate(next.value, stream, version)
      })
      yield* log.append(stream, version, batch)
    }
  })

/** ms, by some clock. */
export type Now = () => number

/** The wall clock. */
const wall: Now = () => performance.now()

/** The time that this thread was at work: others on the machine make it hardly longer. */
export const cpu: Now = () => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1_000
}

/** ms for all rows of the stream in order, by the driver alone; `each` is given the content of every row. */
export const raw = (
  file: string,
  stream: string,
  events: number,
  each: (content: string) => void,
  now: Now = wall
): number => {
  const db = new DatabaseSync(file)
  const page = 1_000
  const select = db.prepare("select * from event where stream = ? and version > ? order by version limit ?")
  select.setReturnArrays(true)
  const contentColumn = select.columns().findIndex(({ name }) => name === "content")
  const startedAt = now()
  for (let version = 0; version < events; version += page) {
    for (const row of select.all(stream, version, page))
      each((row as unknown as ReadonlyArray<string>)[contentColumn] as string)
  }
  const ms = now() - startedAt
  db.close()
  return ms
}

/** Of the content of all events in the file. */
export const contentBytes = (file: string): number => {
  const db = new DatabaseSync(file)
  const { bytes } = db.prepare("select sum(length(content)) as bytes from event").get() as { bytes: number }
  db.close()
  return bytes
}
