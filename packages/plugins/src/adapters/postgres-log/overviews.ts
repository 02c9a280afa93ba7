/** What the database knows of every run at a glance, read without the kernel: `status` must not wait for it to load. */
import { drivenAsAWhole, type RunOverview } from "../../log/overviews.ts"
import { readAddress } from "./address.ts"
import { withClient } from "./pg.ts"
import { explain, Unusable } from "./reasons.ts"
import { migrationTable, unknownMigration } from "./sql/names.ts"

export type { Unusable } from "./reasons.ts"

/**
 * The runs in the log, newest first; none when there is no log. Changes nothing. Rejects with `Unusable`. `tellNewer` is told
 * first of what a newer Proofline changed in its schema.
 */
export const runOverviews = async (
  url: string,
  tellNewer?: (change: string) => void
): Promise<ReadonlyArray<RunOverview>> => {
  const { config, names, place } = readAddress(url)
  const { schema } = names
  try {
    return await withClient(config, async (client) => {
      const { rows: found } = await client.query("select to_regclass($1) is not null as found", [
        `${schema}.run_summary`
      ])
      if (found[0]?.["found"] !== true) return []
      if (tellNewer !== undefined) {
        const { rows: applied } = await client.query(`select name from ${schema}.${migrationTable} order by name`)
        const change = unknownMigration(applied.map(({ name }) => `${name}`))
        if (change !== null) tellNewer(change)
      }
      const { rows } = await client.query(`
        select s.summary, case when w.name is null then null
          else jsonb_build_object('pid', w.pid, 'host', w.host, 'since', h.since) end as driver,
          to_jsonb(a) - 'stream' as away
        from ${schema}.run_summary s
        left join ${schema}.hold h on h.kind = 'run' and h.name = s.run_id
        left join ${schema}.away a on a.stream = s.run_id
        left join ${schema}.worker w on w.name = h.worker and w.deadline >= now()
        order by s.started_at desc, s.run_id desc`)
      return drivenAsAWhole(
        rows.map(({ away, driver, summary }) => ({ ...JSON.parse(`${summary}`), driver, away }) as RunOverview)
      )
    })
  } catch (error) {
    throw new Unusable(explain(place, error))
  }
}
