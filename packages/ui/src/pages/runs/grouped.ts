import type { RunRow } from "@proofline/plugins/frontends/http/api"

/** What waits for a person first, itself or in a run that it started; else in the order it had. */
export const waitingFirst = (groups: ReadonlyArray<RunGroup>): ReadonlyArray<RunGroup> => {
  const waits = ({ parts, row }: RunGroup): boolean =>
    [row, ...parts].some(({ shown_as }) => shown_as.word === "waiting")
  return [...groups.filter(waits), ...groups.filter((group) => !waits(group))]
}

/** A run with the runs that it started, newest first. */
export interface RunGroup {
  readonly row: RunRow
  readonly parts: ReadonlyArray<RunRow>
}

/**
 * Task runs below their requirements run, where that is among `rows`; one whose requirements run is not there stands by
 * itself. Order as in `rows`.
 */
export const grouped = (rows: ReadonlyArray<RunRow>): ReadonlyArray<RunGroup> => {
  const here = new Set(rows.map(({ run_id }) => run_id))
  const isPart = ({ parent_run_id, run_id }: RunRow) =>
    parent_run_id !== null && parent_run_id !== run_id && here.has(parent_run_id)
  const parts = Map.groupBy(rows.filter(isPart), ({ parent_run_id }) => parent_run_id)
  return rows.filter((row) => !isPart(row)).map((row) => ({ row, parts: parts.get(row.run_id) ?? [] }))
}
