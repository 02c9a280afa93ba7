/** Which sessions of a run may be that of the client whose hook asks, and whether the others are at work. */
import { hostname } from "node:os"
import { Presence } from "@proofline/kernel"
import {
  assignmentStatusOf,
  type PhasesState,
  remainingOf,
  type SessionState
} from "@proofline/plugins/policies/sessions"
import { Clock, Effect } from "effect"
import type { State } from "../project/state.ts"

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

/** Who has nothing under way is waited for so long after it last asked for something, ms. */
const quietMs = 10 * 60_000

/** An agent that nobody waits for. */
export interface Idle {
  readonly agent: string
  /** Its session that is open and silent; null: it is gone. */
  readonly session: SessionState | null
}

/** Whether an agent with an open session comes to nothing: it is gone, or does nothing; null: it is at work. */
export const idleOf = Effect.fnUntraced(function* (state: State, { sessions }: PhasesState, agent: string) {
  const presence = yield* Presence
  const now = yield* Clock.currentTimeMillis
  const there = yield* Effect.filter(
    sessions.filter((session) => session.agent === agent && session.closed === null),
    ({ of_process, seen_at, session_id, ttl_ms }) =>
      of_process
        ? Effect.map(presence.of({ kind: "session", id: session_id }), (driver) => driver !== null)
        : Effect.succeed(now <= Date.parse(seen_at) + ttl_ms)
  )
  // what it has under way may take as long as its session lasts
  const isAtIt = remainingOf(state, agent).some((task) => assignmentStatusOf(task) === "in_progress")
  const isAtWork = ({ seen_at, ttl_ms }: SessionState) =>
    now <= Date.parse(seen_at) + (isAtIt ? Math.max(quietMs, ttl_ms) : quietMs)
  if (there.some(isAtWork)) return null
  return { agent, session: there.at(-1) ?? null } satisfies Idle
})
