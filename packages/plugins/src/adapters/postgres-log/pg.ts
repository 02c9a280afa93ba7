import { packageMissing } from "./reasons.ts"

/** The part of the package `pg` that is used here. Its types are in a package of their own, which others do not have. */
export interface Pg {
  readonly Pool: new (config: PgConfig) => PgPool
  readonly Client: new (config: PgConfig) => PgClient
  readonly types: { readonly getTypeParser: (oid: number, format?: unknown) => unknown }
}

export interface PgConfig {
  readonly connectionString?: string
  readonly options?: string
  readonly application_name?: string
  readonly connectionTimeoutMillis?: number
  readonly query_timeout?: number
  readonly keepAlive?: boolean
  readonly max?: number
  readonly types?: Pg["types"]
}

export interface PgQuery {
  readonly name?: string
  readonly text: string
  readonly values?: Array<unknown>
  readonly rowMode?: "array"
  readonly query_timeout?: number
}

type Row = Readonly<Record<string, unknown>>

export interface PgClient {
  readonly connect: () => Promise<unknown>
  readonly query: (text: string, values?: Array<unknown>) => Promise<{ readonly rows: Array<Row> }>
  readonly end: () => Promise<void>
  readonly on: (event: "error" | "end" | "notification", listen: (of: { readonly payload?: string }) => void) => unknown
}

export interface PgPool {
  readonly connect: () => Promise<PgClient & { readonly release: (destroy: boolean) => void }>
  readonly query: (query: PgQuery) => Promise<{ readonly rows: Array<ReadonlyArray<unknown>> }>
  readonly end: () => Promise<void>
  readonly on: (event: "error" | "connect", listen: (client: PgClient) => void) => unknown
}

/** Without listeners an error of a connection that nobody uses just now would end the process. */
export const makePool = (pg: Pg, config: PgConfig): PgPool => {
  const pool = new pg.Pool(config)
  pool.on("error", () => {})
  pool.on("connect", (client) => client.on("error", () => {}))
  return pool
}

export const makeClient = (pg: Pg, config: PgConfig): PgClient => {
  const client = new pg.Client(config)
  client.on("error", () => {})
  return client
}

/** A connection for as long as it is used. */
export const withClient = async <A>(config: PgConfig, use: (client: PgClient) => Promise<A>): Promise<A> => {
  const client = makeClient(await loadPg(), config)
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

/** `pg`, which only those have installed who want it. */
export const loadPg = (): Promise<Pg> =>
  installed("pg", async () => {
    const loaded = (await import("pg")) as unknown as Pg & { readonly default?: Pg }
    return loaded.default ?? loaded
  })

/** Throws `Unusable` where a package is not installed. */
export const installed = async <A>(name: string, load: () => Promise<A>): Promise<A> => {
  try {
    return await load()
  } catch (error) {
    throw (error as { readonly code?: string }).code === "ERR_MODULE_NOT_FOUND" ? packageMissing(name) : error
  }
}
