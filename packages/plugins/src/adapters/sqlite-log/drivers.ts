import { randomUUID } from "node:crypto"
import { type Driver, type RunDrivers, RunIsDriven } from "@proofline/kernel"
import { Clock, Effect, Result } from "effect"
import type { Committer } from "./committer.ts"
import { type Holder, holderText, lifeOf, parseHolder } from "./holder.ts"
import type { Session } from "./session.ts"
import { patiently, pause } from "./waiting.ts"

/** A driver on another host that was silent for so long, in ms, is taken for dead. */
const driverSilenceMs = 15_000
const heartbeatMs = 5_000

export const makeDrivers = (session: Session, committer: Committer, holder: Holder): RunDrivers["Service"] => {
  const { statements, file } = session
  const keep = (run: string, token: string) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      committer.submit(() => Result.succeed(statements.keepDriver.run(now, run, token)))
    )
  return {
    acquire: (run) =>
      Effect.gen(function* () {
        const token = randomUUID()
        const now = yield* Clock.currentTimeMillis
        const since = new Date(now).toISOString()
        const driver = yield* Effect.acquireRelease(
          committer.submit(() => take(session, run, holder, since, now, token)),
          () => Effect.ignore(committer.submit(() => Result.succeed(statements.dropDriver.run(run, token))))
        )
        // a heartbeat that fails is made up for by the next; on this host nobody needs it
        yield* Effect.forkScoped(Effect.forever(Effect.andThen(pause(heartbeatMs), Effect.ignore(keep(run, token)))))
        return driver
      }),
    current: (run) => Effect.flatMap(Clock.currentTimeMillis, (now) => patiently(file, () => living(session, run, now)))
  }
}

const toDriver = ({ pid, host }: Holder, since: string): Driver => ({ pid, host, since })

/** Whoever drives the run and still lives. */
const living = ({ statements }: Session, run: string, now: number): Driver | null => {
  const row = statements.driver.get(run)
  if (row === undefined) return null
  const holder = parseHolder(row.holder)
  const life = lifeOf(holder)
  const lives = life === "alive" || (life === "unknown" && now - row.kept_at < driverSilenceMs)
  return lives ? toDriver(holder, row.since) : null
}

/** Within a transaction, so that of two who try at once one wins. */
const take = (
  session: Session,
  run: string,
  holder: Holder,
  since: string,
  now: number,
  token: string
): Result.Result<Driver, RunIsDriven> => {
  const other = living(session, run, now)
  if (other !== null) return Result.fail(new RunIsDriven({ run, driver: other }))
  session.statements.putDriver.run(run, holderText(holder), since, now, token)
  return Result.succeed(toDriver(holder, since))
}
