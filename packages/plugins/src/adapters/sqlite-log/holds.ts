import { randomUUID } from "node:crypto"
import type { Driver, LogUnavailable } from "@proofline/kernel"
import { Clock, Effect, Result, type Scope } from "effect"
import { type Take, Taken, untilDropped } from "../../log/holds.ts"
import { pause } from "../../log/pause.ts"
import type { Committer } from "./committer.ts"
import { type Holder, holderText, isGone, parseHolder } from "./holder.ts"
import { looking, type Session } from "./session.ts"
import type { HoldStatements } from "./statements.ts"

const heartbeatMs = 5_000

/** What processes hold, each under a key of its own. A row whose process is dead is as good as none. */
export interface Holds<Key extends ReadonlyArray<string>> {
  readonly current: (...key: Key) => Effect.Effect<Driver | null, LogUnavailable>
  readonly take: Take<Key>
}

/** `scope`: of the log; what is given up then is given up with the process. */
export const makeHolds = <Key extends ReadonlyArray<string>>(
  session: Session,
  committer: Committer,
  holder: Holder,
  statements: HoldStatements<Key>,
  scope: Scope.Scope
): Holds<Key> => {
  const current = (...key: Key) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => looking(session, () => living(statements, key, now)))
  const put = (key: Key, driver: Driver, now: number, token: string) =>
    committer.submit(() => {
      // within a transaction, so that of two who try at once one wins
      const other = living(statements, key, now)
      if (other !== null) return Result.fail(new Taken({ driver: other }))
      statements.put.run(...key, holderText(holder), driver.since, now, token)
      return Result.succeed(driver)
    })
  const keep = (key: Key, token: string) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      committer.submit(() => Result.succeed(statements.keep.run(now, ...key, token)))
    )
  const drop = (key: Key, token: string) =>
    committer.submit(() => {
      statements.drop.run(...key, token)
      // others may wait for it
      session.news = true
      return Result.succeed(undefined)
    })
  return {
    current,
    take: (...key) =>
      Effect.gen(function* () {
        // looking costs nothing, writing takes the lock of the file
        const other = yield* current(...key)
        if (other !== null) return yield* new Taken({ driver: other })
        const token = randomUUID()
        const now = yield* Clock.currentTimeMillis
        const driver = { pid: holder.pid, host: holder.host, since: new Date(now).toISOString() }
        yield* Effect.acquireRelease(put(key, driver, now, token), () =>
          Effect.catch(drop(key, token), () => Effect.forkIn(untilDropped(drop(key, token)), scope))
        )
        // a heartbeat that fails is made up for by the next; on this host nobody needs it
        yield* Effect.forkScoped(Effect.forever(Effect.andThen(pause(heartbeatMs), Effect.ignore(keep(key, token)))))
        return driver
      })
  }
}

/** Whoever has it and still lives. */
const living = <Key extends ReadonlyArray<string>>(
  { get }: HoldStatements<Key>,
  key: Key,
  now: number
): Driver | null => {
  const row = get.get(...key)
  if (row === undefined) return null
  const holder = parseHolder(row.holder)
  return isGone(holder, row.kept_at, now) ? null : { pid: holder.pid, host: holder.host, since: row.since }
}
