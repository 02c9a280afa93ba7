import type { Away, Driver, RunSummary } from "@proofline/kernel"

/** What a log knows of a run at a glance. */
export interface RunOverview extends RunSummary {
  /** The process that drives the run, or the one it is a part of; null when nobody does, or when it died. */
  readonly driver: Driver | null
  /** Where it is, when it is not here; null or left out: here. */
  readonly away?: Away | null
}

/** Whoever drives the whole drives its parts. */
export const drivenAsAWhole = (runs: ReadonlyArray<RunOverview>): ReadonlyArray<RunOverview> => {
  const drivers = new Map(runs.map(({ driver, run_id }) => [run_id, driver]))
  return runs.map((run) => ({ ...run, driver: run.driver ?? drivers.get(run.parent_run_id ?? "") ?? null }))
}
