import type { PgConfig } from "./pg.ts"
import { addressWrong, type Place } from "./reasons.ts"
import { isSchemaName, type Names, namesOf } from "./sql/names.ts"

const connectMaxMs = 5_000

export interface Address {
  readonly config: PgConfig & { readonly connectionString: string; readonly options: string }
  readonly place: Place
  readonly names: Names
}

/** A transaction that is forgotten holds nothing for longer than this, and nobody waits for a lock for longer. */
const sessionOptions = [
  "-c idle_in_transaction_session_timeout=3000",
  "-c lock_timeout=10000",
  // a log is read page by page along an index; where a table has just grown, all that is left was collected and sorted for each page
  "-c enable_bitmapscan=off"
].join(" ")

/** `postgres://user@host:5432/database?schema=NAME`. Throws `Unusable`, which names neither user nor password. */
export const readAddress = (url: string): Address => {
  const parsed = parseUrl(url)
  const schema = parsed.searchParams.get("schema") ?? "proofline"
  if (!isSchemaName(schema)) {
    throw addressWrong(`"${schema}" is no name of a schema: small letters, digits and _, 50 at most`)
  }
  parsed.searchParams.delete("schema")
  const options = [parsed.searchParams.get("options"), sessionOptions].filter(Boolean).join(" ")
  parsed.searchParams.delete("options")
  return {
    names: namesOf(schema),
    place: {
      host: decodeURIComponent(parsed.hostname) || parsed.searchParams.get("host") || "localhost",
      port: parsed.port || "5432",
      database: decodeURIComponent(parsed.pathname.slice(1)) || "postgres",
      schema
    },
    config: {
      connectionString: parsed.toString(),
      options,
      application_name: "proofline",
      connectionTimeoutMillis: connectMaxMs,
      keepAlive: true
    }
  }
}

const parseUrl = (url: string): URL => {
  try {
    const parsed = new URL(url)
    if (parsed.protocol !== "postgres:" && parsed.protocol !== "postgresql:") throw new Error()
    return parsed
  } catch {
    throw addressWrong("it is no URL that begins with postgres://")
  }
}
