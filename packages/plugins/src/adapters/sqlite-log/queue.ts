import { randomUUID } from "node:crypto"
import { type Claim, claimSilenceMs, type LogUnavailable, type WorkQueue } from "@proofline/kernel"
import { Clock, Effect, type Latch, Result, Stream } from "effect"
import type { Committer } from "./committer.ts"
import { type Holder, holderText, lifeOf, parseHolder } from "./holder.ts"
import type { Session } from "./session.ts"
import { type Bell, patiently, pause } from "./waiting.ts"

/** How often a waiting worker looks whether the processes that hold work still live, in ms. */
const lookAfterOthersMs = 1_000

export const makeQueue = (
  session: Session,
  committer: Committer,
  bell: Bell,
  holder: Holder
): WorkQueue["Service"] => ({
  take: (slots, labels) =>
    Stream.unwrap(
      Effect.map(bell.listen, (latch) => {
        const taker: Taker = {
          id: randomUUID(),
          holder: holderText(holder),
          slots,
          offered: JSON.stringify(labels)
        }
        return Stream.fromEffectRepeat(nextClaim(session, committer, latch, taker))
      })
    ),
  keep: (claims) =>
    claims.length === 0
      ? Effect.succeed([])
      : Effect.flatMap(Clock.currentTimeMillis, (now) =>
          committer.submit(() =>
            Result.succeed(
              claims.filter(({ lease }) => changed(session.statements.keep.run(now, lease.item, lease.number)) === 0)
            )
          )
        ),
  settle: ({ lease }) =>
    committer.submit(() => {
      if (changed(session.statements.settle.run(lease.item, lease.number)) > 0) session.news = true
      return Result.succeed(undefined)
    })
})

/** One consumer of `take`. */
interface Taker {
  readonly id: string
  readonly holder: string
  readonly slots: number
  readonly offered: string
}

const changed = ({ changes }: { readonly changes: number | bigint }): number => Number(changes)

/** Waits for something to do and claims it. One at a time, so that a consumer which leaves holds nothing it never saw. */
const nextClaim = (
  session: Session,
  committer: Committer,
  latch: Latch.Latch,
  taker: Taker
): Effect.Effect<Claim, LogUnavailable> =>
  Effect.flatMap(Clock.currentTimeMillis, function look(now): Effect.Effect<Claim, LogUnavailable> {
    latch.closeUnsafe()
    return Effect.flatMap(
      patiently(session.file, () => {
        const dead = deadHolders(session, taker.holder)
        return { dead, found: bestFor(session, taker, now, dead) !== undefined, next: nextChange(session, now) }
      }),
      ({ dead, found, next }) => {
        const again = () => Effect.flatMap(Clock.currentTimeMillis, look)
        // looking costs nothing, claiming takes the write lock: only when there is something
        if (!found) return Effect.flatMap(news(latch, next - now), again)
        return Effect.flatMap(
          committer.submit(() => Result.succeed(claim(session, taker, now, dead))),
          (claimed) => (claimed === null ? again() : Effect.succeed(claimed))
        )
      }
    )
  })

const news = (latch: Latch.Latch, dueInMs: number): Effect.Effect<void> =>
  Effect.raceAllFirst([latch.await, Effect.sleep(dueInMs), pause(lookAfterOthersMs)])

/** JSON array of the holders of claims that have ended without a word. */
const deadHolders = ({ statements }: Session, own: string): string =>
  JSON.stringify(
    statements.holders
      .all()
      .map((row) => row.holder)
      .filter((text) => text !== own && lifeOf(parseHolder(text)) === "dead")
  )

const bestFor = ({ statements }: Session, { id, slots, offered }: Taker, now: number, dead: string) => {
  const silentBefore = now - claimSilenceMs
  const used = statements.slotsUsed.get(id, silentBefore, dead)?.used ?? 0
  return used < slots ? statements.best.get(now, silentBefore, dead, offered) : undefined
}

const nextChange = ({ statements }: Session, now: number): number =>
  statements.nextChange.get(now)?.at ?? Number.POSITIVE_INFINITY

/** Within a transaction; null when somebody else was quicker. */
const claim = (session: Session, taker: Taker, now: number, dead: string): Claim | null => {
  const row = bestFor(session, taker, now, dead)
  if (row === undefined) return null
  const number = row.lease + 1
  session.statements.claim.run(number, taker.holder, taker.id, now, row.seq)
  // whoever lost this item has a slot free now
  if (row.status === "claimed") session.news = true
  const item = JSON.parse(row.item)
  return { item, lease: { item: item.id, number } }
}
