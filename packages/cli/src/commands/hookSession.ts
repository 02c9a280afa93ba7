/** Which sessions of a run may be that of the client whose hook asks. */
import { hostname } from "node:os"
import { Presence } from "@proofline/kernel"
import type { PhasesState, SessionState } from "@proofline/plugins/policies/sessions"
import { Effect } from "effect"

/**
 * The sessions an agent may go on in, by its name: every open one, and of a name without one the last, where that ended
 * without a word, for the next call opens another. Who has reported, or was sent away, has none.
 */
export const candidatesIn = (
  { sessions }: PhasesState,
  isNamed: (agent: string) => boolean
): ReadonlyArray<SessionState> =>
  [
    ...Map.groupBy(
      sessions.filter(({ agent }) => isNamed(agent)),
      ({ agent }) => agent
    ).values()
  ].flatMap((own) => {
    const open = own.filter(({ closed }) => closed === null)
    const last = own.at(-1)
    if (open.length > 0 || last === undefined) return open
    return last.closed === "reported" || last.closed === "revoked" ? [] : [{ ...last, closed: null }]
  })

/**
 * Of several sessions the one whose server was started by the same client as this process; all of them where that cannot
 * be told: a session of a token is no process, and one server may have been started as far from here as another.
 */
export const ofThisClient = Effect.fnUntraced(function* (candidates: ReadonlyArray<SessionState>) {
  if (candidates.length < 2) return candidates
  const { makeAncestors } = yield* Effect.promise(() => import("@proofline/plugins/adapters/node-process"))
  const presence = yield* Presence
  const ancestorsOf = makeAncestors()
  const here = ancestorsOf(process.pid)
  const steps = yield* Effect.forEach(candidates, ({ of_process, session_id }) =>
    Effect.map(of_process ? presence.of({ kind: "session", id: session_id }) : Effect.succeed(null), (driver) => {
      if (driver === null || driver.host !== hostname()) return null
      const theirs = new Set(ancestorsOf(driver.pid))
      const met = here.findIndex((pid) => theirs.has(pid))
      return met === -1 ? Number.POSITIVE_INFINITY : met
    })
  )
  const known = steps.filter((step) => step !== null)
  const nearest = Math.min(...known)
  const found = candidates.filter((_, i) => steps[i] === nearest)
  return known.length === candidates.length && Number.isFinite(nearest) && found.length === 1 ? found : candidates
})
