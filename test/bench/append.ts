import { join } from "node:path"
import { DatabaseSync, type SQLInputValue } from "node:sqlite"
import { EventLog } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as sqliteLog } from "@proofline/plugins/adapters/sqlite-log"
import { Effect, Layer } from "effect"
import { candidate, facts } from "./history.ts"

/** Durable appends of one event each, per second. */
export interface AppendFigures {
  readonly raw: number
  readonly oneWriter: number
  readonly manyWriters: number
}

const appends = 4_000
const tasks = 5
export const writers = 64

/** Rounds of the three kinds in turn, so that a slow moment of the machine hits all of them; the best of each. */
export const measureAppends = async (directory: string, rounds: number): Promise<AppendFigures> => {
  const best = { raw: 0, oneWriter: 0, manyWriters: 0 }
  for (let round = 0; round < rounds; round++) {
    const one = join(directory, `one-${round}.sqlite`)
    best.oneWriter = Math.max(best.oneWriter, await ours(one, 1, appends))
    best.raw = Math.max(best.raw, raw(one, join(directory, `raw-${round}.sqlite`)))
    const many = join(directory, `many-${round}.sqlite`)
    best.manyWriters = Math.max(best.manyWriters, await ours(many, writers, appends * 4))
  }
  return best
}

const perSecond = (n: number, startedAt: number): number => (n / (performance.now() - startedAt)) * 1_000

/** Each writer appends to a stream of its own, one event after the other. */
const ours = (file: string, count: number, total: number): Promise<number> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const each = Math.floor(total / count)
    const write = (writer: number) =>
      Effect.gen(function* () {
        const stream = `run_01890a5d-ac96-774b-bcce-${writer.toString(16).padStart(12, "0")}`
        const history = facts(tasks)
        for (let i = 0; i < each; i++) {
          const fact = history.next().value
          if (fact !== undefined) yield* log.append(stream, i, [candidate(fact, stream, writer * each + i)])
        }
      })
    const startedAt = performance.now()
    yield* Effect.all(
      Array.from({ length: count }, (_, writer) => write(writer)),
      { concurrency: "unbounded", discard: true }
    )
    return perSecond(each * count, startedAt)
  }).pipe(Effect.provide(sqliteLog({ file }).pipe(Layer.provide(nodeDigest))), Effect.runPromise)

/** The same rows into the same table of a file with the same settings, by the driver alone, one commit each. */
const raw = (from: string, to: string): number => {
  const source = new DatabaseSync(from)
  const { sql } = source.prepare("select sql from sqlite_schema where name = 'event'").get() as { sql: string }
  const { page_size } = source.prepare("pragma page_size").get() as { page_size: number }
  const select = source.prepare("select * from event order by position")
  select.setReturnArrays(true)
  const rows = select.all() as unknown as Array<Array<SQLInputValue>>
  source.close()
  const target = new DatabaseSync(to)
  target.exec(`pragma page_size = ${page_size}; pragma journal_mode = wal; pragma synchronous = full; ${sql}`)
  const insert = target.prepare(`insert into event values (${rows[0]?.map(() => "?").join()})`)
  const startedAt = performance.now()
  for (const row of rows) insert.run(...row)
  const figure = perSecond(rows.length, startedAt)
  target.close()
  return figure
}
