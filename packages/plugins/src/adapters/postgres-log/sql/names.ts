/** One log is one schema of a database; the tables of pg-boss are in a schema of their own beside it. */
export interface Names {
  readonly schema: string
  readonly queueSchema: string
  /** What is notified when something was written. */
  readonly channel: string
}

export const namesOf = (schema: string): Names => ({
  schema,
  queueSchema: `${schema}_queue`,
  channel: `${schema}_log`
})

/** PostgreSQL cuts names after 63 bytes; what we add to this one must fit. */
export const isSchemaName = (name: string): boolean => /^[a-z_][a-z0-9_]{0,49}$/.test(name)

export const migrationTable = "schema_migration"

const migrationNames = [
  "0001_log",
  "0002_blobs",
  "0003_settling_reports",
  "0004_shorter_appends",
  "0005_unforced_looks",
  "0006_kept_through_outages"
] as const
export type MigrationName = (typeof migrationNames)[number]

/** The first of these, in order, that only a newer Proofline makes. */
export const unknownMigration = (applied: ReadonlyArray<string>): string | null => {
  const known: ReadonlySet<string> = new Set(migrationNames)
  return applied.find((name) => !known.has(name)) ?? null
}

/** The one queue of pg-boss. */
export const queueName = "work"

/** A claim is silent from the moment on at which its process should have answered, ms. */
export const deadlineMs = 3_000

/** Without an answer for so long, well before the deadline, a process counts itself as dead; ms. */
export const fenceMs = 2_000

/**
 * Plans that were made while the tables were empty are kept, and shall not read them as a whole later. So our statements
 * leave a planner one index to choose, and these settings the joins that use it. What is forbidden so counts as expensive,
 * and nothing of it shall be compiled for that.
 */
export const byIndex =
  "set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off"

/** A function that a role may call which may not write the tables itself. */
export const definer = ({ schema }: Names): string =>
  `language plpgsql security definer set search_path = ${schema}, pg_temp ${byIndex}`

/** For statements that were not written for that: those of pg-boss. */
export const plannedAnew = "set jit = off set plan_cache_mode = force_custom_plan"
