import { driveRun, type LogUnavailable, Presence, type RunIsDriven } from "@proofline/kernel"
import type { RunOverview } from "@proofline/plugins/adapters/sqlite-log/summary"
import { Effect } from "effect"
import type { Problem } from "../base/problems.ts"
import type { Side } from "./side.ts"

/** Runs that only make sense together: a run and its task runs, these first. */
export type Unit = ReadonlyArray<RunOverview>

/** All runs by units, the oldest first; with `named`, the units that these are in. */
export const unitsOf = (
  rows: ReadonlyArray<RunOverview>,
  named: ReadonlySet<string> | null = null
): ReadonlyArray<Unit> => {
  const known = new Set(rows.map(({ run_id }) => run_id))
  const rootOf = ({ parent_run_id, run_id }: RunOverview) =>
    parent_run_id !== null && known.has(parent_run_id) ? parent_run_id : run_id
  const units = Map.groupBy(rows.toReversed(), rootOf)
  return [...units]
    .filter(([, unit]) => named === null || unit.some(({ run_id }) => named.has(run_id)))
    .map(([root, unit]) => [
      ...unit.filter(({ run_id }) => run_id !== root),
      ...unit.filter(({ run_id }) => run_id === root)
    ])
}

/** Does something while this process alone drives a unit in a log; whoever drives the whole drives its parts. */
export const holding =
  ({ presence }: Pick<Side, "presence">, unit: ReadonlyArray<Pick<RunOverview, "run_id">>) =>
  <A, E, R>(use: Effect.Effect<A, E, R>): Effect.Effect<A, E | RunIsDriven | LogUnavailable, R> =>
    Effect.scoped(
      Effect.andThen(
        Effect.forEach(unit, ({ run_id }) => Effect.provideService(driveRun(run_id), Presence, presence), {
          discard: true
        }),
        use
      )
    ) as Effect.Effect<A, E | RunIsDriven | LogUnavailable, R>

/** Why a unit cannot be taken away as it is, whoever drives it; null: it can. */
export const atHome = (unit: Unit, { isShared }: Pick<Side, "isShared">): Problem | null => {
  const running = unit.filter(({ away, status }) => status === "running" && away == null)
  const session = running.find(({ kind }) => kind === "session")
  if (session !== undefined) return sessionProblem(session)
  const [run] = isShared ? running : []
  return run === undefined ? null : workedProblem(run)
}

/** Agents work on a session run by themselves, whenever they want. */
const sessionProblem = ({ run_id }: RunOverview): Problem => ({
  code: "run_is_session",
  kind: "conflict",
  message: `${run_id} is a session run that goes on: agents may work on it at any time.`,
  hint: "End it first: `proofline session end`."
})

const workedProblem = ({ run_id }: RunOverview): Problem => ({
  code: "run_is_driven",
  kind: "conflict",
  message: `Run ${run_id} goes on: workers of its database may work on it at any time.`,
  hint: `Wait until it has ended, or end it with \`proofline cancel ${run_id}\`; after the copy \`proofline resume\` goes on with it.`
})
