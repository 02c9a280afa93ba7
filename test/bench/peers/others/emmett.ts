/** Emmett: an event store. A stream is appended to at the version that is known, and folded by `aggregateStream`. */
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Event } from "@event-driven-io/emmett"
import { getPostgreSQLEventStore } from "@event-driven-io/emmett-postgresql"
import { getSQLiteEventStore, sqliteConnection } from "@event-driven-io/emmett-sqlite"
import pg from "pg"
import { type Counts, counting, expectCounted, type Parts, payload, serve, together, writers } from "../contract.ts"

const openSqlite = async (place: string) => {
  const fileName = join(place, "emmett.sqlite")
  // one connection that stays: by default it opens one for each call
  const connection = sqliteConnection({ fileName })
  await connection.command("PRAGMA synchronous = FULL")
  const store = getSQLiteEventStore({ fileName, connectionOptions: { singleton: true, connection } })
  await store.schema.migrate()
  return { store, close: async () => connection.close() }
}

const openPostgres = async (url: string, isNew: boolean) => {
  const store = getPostgreSQLEventStore(url, { projections: [], schema: { autoMigration: "None" } })
  if (isNew) await store.schema.migrate()
  return { store, close: () => store.close() }
}

const open = (place: string, isNew = true) =>
  place.startsWith("postgres") ? openPostgres(place, isNew) : openSqlite(place)

const accepted = (n: number) => ({ type: "CHECKLIST_ITEM_ACCEPTED", data: payload(n) })

const appending = (atOnce: number) => async (place: string) => {
  const { close, store } = await open(place)
  let round = 0
  return {
    times: (n: number) => {
      const name = round++
      return together(n, atOnce, (writer, i) =>
        store.appendToStream(`run_${name}_${writer}`, [accepted(i)], { expectedStreamVersion: BigInt(i) })
      )
    },
    close
  }
}

const long = "run_long"

/** So many at a time; a row of them is like each row that follows. */
const batchSize = 500

/**
 * The events of a log of Proofline, whose file the variable names. Only the first are appended by Emmett, with a
 * statement each, and the others written beside them as it writes those: how they got there is not measured.
 */
const filling = async (place: string) => {
  const { close, store } = await open(place)
  return {
    times: async (events: number) => {
      const source = new DatabaseSync(process.env["PEERS_SOURCE"] ?? "", { readOnly: true })
      const select = source.prepare("select event_type, content from event where version > ? order by version limit ?")
      const append = async (version: number) => {
        const batch: ReadonlyArray<Event> = select
          .all(version, Math.min(batchSize, events - version))
          .map((row) => ({ type: String(row["event_type"]), data: JSON.parse(String(row["content"])) }))
        await store.appendToStream(long, [...batch], { expectedStreamVersion: BigInt(version) })
      }
      await append(0)
      const rest = select.iterate(batchSize, events - batchSize)
      await (place.startsWith("postgres") ? writePostgres(place, rest) : writeSqlite(place, rest))
      source.close()
    },
    close
  }
}

type Rows = Iterable<Readonly<Record<string, unknown>>>

const writeSqlite = (place: string, rows: Rows): void => {
  const db = new DatabaseSync(join(place, "emmett.sqlite"))
  const insert = db.prepare(
    `insert into emt_messages (stream_id, stream_position, partition, message_kind, message_data, message_metadata,
       message_schema_version, message_type, message_id, is_archived)
     select stream_id, ?1, partition, message_kind, ?2, json_set(message_metadata, '$.streamPosition', ?3, '$.messageId', ?4),
       message_schema_version, ?5, ?4, is_archived from emt_messages where global_position = 1`
  )
  db.exec("begin")
  let position = batchSize
  for (const { content, event_type } of rows) {
    position++
    insert.run(position, String(content), `${position}`, randomUUID(), String(event_type))
  }
  db.prepare("update emt_streams set stream_position = ?").run(position)
  db.exec("commit")
  db.close()
}

const writePostgres = async (url: string, rows: Rows): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  let position = batchSize
  const write = async (some: ReadonlyArray<string>) => {
    await client.query(
      `insert into emt_messages (stream_id, stream_position, partition, transaction_id, message_kind, message_data,
         message_metadata, message_schema_version, message_type, message_id, is_archived)
       select stream_id, (event->>0)::bigint, partition, pg_current_xact_id(), message_kind, event->2,
         message_metadata, message_schema_version, event->>1, gen_random_uuid()::text, is_archived
       from emt_messages, jsonb_array_elements($1::jsonb) as event where stream_position = 1`,
      [`[${some.join()}]`]
    )
  }
  let batch: Array<string> = []
  for (const { content, event_type } of rows) {
    position++
    batch.push(`[${position}, ${JSON.stringify(event_type)}, ${content}]`)
    if (batch.length < 5_000) continue
    await write(batch)
    batch = []
  }
  await write(batch)
  await client.query("update emt_streams set stream_position = $1", [position])
  await client.query("analyze emt_messages")
  await client.end()
}

const folding = async (place: string) => {
  // what migrates leaves its own limit of 10 s for a statement on the connection, which a long stream exceeds
  const { close, store } = await open(place, false)
  return {
    times: async (events: number) => {
      const { state } = await store.aggregateStream(long, {
        initialState: (): Counts => new Map(),
        evolve: (counts: Counts, { data, type }: Event) => counting(counts, type, data)
      })
      expectCounted(state, events)
    },
    close
  }
}

const parts: Parts = { append: appending(1), append32: appending(writers), fill: filling, fold: folding }

await serve(parts)
