/** The database alone: one prepared insert, one commit each. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import pg from "pg"
import { type Counts, counting, expectCounted, type Parts, payload, serve, together, writers } from "./contract.ts"

const table =
  "create table event (stream text not null, version integer not null, content text not null, primary key (stream, version))"

const sqlite = async (place: string) => {
  const db = new DatabaseSync(join(place, "raw.sqlite"))
  db.exec(`pragma journal_mode = wal; pragma synchronous = full; ${table}`)
  const insert = db.prepare("insert into event values (?, ?, ?)")
  let version = 0
  return {
    times: async (n: number) => {
      for (let i = 0; i < n; i++) insert.run("one", version++, JSON.stringify(payload(i)))
    },
    close: async () => db.close()
  }
}

const postgres = (connections: number) => async (url: string) => {
  const clients = Array.from({ length: connections }, () => new pg.Client({ connectionString: url }))
  await Promise.all(clients.map((client) => client.connect()))
  await clients[0]?.query(table)
  let rounds = 0
  return {
    times: async (n: number) => {
      const round = rounds++
      await together(n, connections, (writer, i) =>
        (clients[writer] as pg.Client).query({
          name: "insert",
          text: "insert into event values ($1, $2, $3)",
          values: [`${round}-${writer}`, i, JSON.stringify(payload(i))]
        })
      )
    },
    close: () => Promise.all(clients.map((client) => client.end()))
  }
}

/** The rows of Proofline's log, read page by page without it. */
const folded = (place: string) =>
  Promise.resolve({
    times: async (n: number) => {
      const db = new DatabaseSync(join(place, "proofline.db"), { readOnly: true })
      const select = db.prepare(
        "select version, event_type, content from event where stream = ? and version > ? order by version limit 1000"
      )
      const counts: Counts = new Map()
      for (let version = 0; version < n; version += 1_000) {
        for (const row of select.all("run_long", version)) {
          counting(counts, String(row["event_type"]), JSON.parse(String(row["content"])))
        }
      }
      expectCounted(counts, n)
      db.close()
    }
  })

const onPostgres = (place: string): boolean => place.startsWith("postgres")

const parts: Parts = {
  append: (place) => (onPostgres(place) ? postgres(1)(place) : sqlite(place)),
  append32: (place) => {
    if (!onPostgres(place)) throw new Error("One file has one writer.")
    return postgres(writers)(place)
  },
  fold: folded
}

await serve(parts)
