import type { WorkerView } from "@proofline/plugins/frontends/http/api"

/** A machine, with those of its processes that take work. */
export interface Machine {
  readonly host: string
  /** Those that give signs first. */
  readonly workers: ReadonlyArray<WorkerView>
  /** How many of them give signs, with how many slots, of which so many are in use. */
  readonly living: number
  readonly slots: number
  readonly holding: number
}

/** Workers by the machine they are on, in the order in which they are listed; what is lost stands behind what lives. */
export const byMachine = (workers: ReadonlyArray<WorkerView>): ReadonlyArray<Machine> => {
  const hosts = [...new Set(workers.map(({ host }) => host))]
  const machines = hosts.map((host): Machine => {
    const own = workers.filter((worker) => worker.host === host)
    const living = own.filter(({ lost }) => !lost)
    return {
      host,
      workers: [...living, ...own.filter(({ lost }) => lost)],
      living: living.length,
      slots: living.reduce((sum, { slots }) => sum + slots, 0),
      holding: living.reduce((sum, { holding }) => sum + holding, 0)
    }
  })
  return [...machines.filter(({ living }) => living > 0), ...machines.filter(({ living }) => living === 0)]
}
