import { randomUUID } from "node:crypto"
import { type Claim, claimSilenceMs, declinedMs, type LogUnavailable, type WorkQueue } from "@proofline/kernel"
import { Clock, Effect, type Latch, Result, type Scope, Stream } from "effect"
import { pause } from "../../log/pause.ts"
import type { Committer, Waiter } from "./committer.ts"
import { type Holder, holderText, lifeOf, parseHolder } from "./holder.ts"
import { looking, type Session } from "./session.ts"
import { setBy, steadyMillis } from "./steady.ts"
import type { Notifier } from "./waiting.ts"

/** How often a waiting worker checks whether the processes that hold work still live, in ms. */
const checkHoldersMs = 1_000

/** Claims that one transaction makes at most. */
const claimsMax = 256

/** `scope`: of the log; what a taker leaves is given back in it. */
export const makeQueue = (
  session: Session,
  committer: Committer,
  notifier: Notifier,
  holder: Holder,
  scope: Scope.Scope
): WorkQueue["Service"] => ({
  take: (slots, labels) =>
    Stream.unwrap(
      Effect.gen(function* () {
        const latch = yield* notifier.subscribe
        const clock = yield* Clock.Clock
        const taker: Taker = {
          id: randomUUID(),
          holder: holderText(holder),
          slots,
          offered: new Set(labels),
          labelSets: [],
          seen: 0,
          claimed: [],
          unseen: []
        }
        const waiter: Waiter = () => {
          if (taker.unseen.length > 0) return null
          const claims = claim(session, taker, clock.currentTimeMillisUnsafe() - setBy(), [])
          return claims.length === 0 ? null : () => taker.unseen.push(...claims)
        }
        yield* Effect.addFinalizer(() => Effect.forkIn(leave(session, committer, taker, waiter), scope))
        return Stream.fromEffectRepeat(nextClaim(session, committer, latch, taker, waiter))
      })
    ),
  keep: (claims) =>
    claims.length === 0
      ? Effect.succeed([])
      : Effect.flatMap(steadyMillis, (now) =>
          committer.submit(() =>
            Result.succeed(
              claims.filter(
                ({ lease }) => changed(session.statements.keep.run(silentAt(now), lease.item, lease.number)) === 0
              )
            )
          )
        ),
  settle: ({ lease }) =>
    committer.submit(() => {
      if (changed(session.statements.settle.run(lease.item, lease.number)) > 0) session.news = true
      return Result.succeed(undefined)
    }),
  decline: ({ lease }) =>
    Effect.flatMap(steadyMillis, (now) =>
      committer.submit(() => {
        const { decline } = session.statements
        if (changed(decline.run(now + declinedMs, lease.item, lease.number)) > 0) session.news = true
        return Result.succeed(undefined)
      })
    )
})

/** One consumer of `take`. */
interface Taker {
  readonly id: string
  readonly holder: string
  readonly slots: number
  readonly offered: ReadonlySet<string>
  /** Label sets that are offered as a whole, of those up to number `seen`. A set never changes and is never removed. */
  readonly labelSets: Array<number>
  seen: number
  /** What it claims just now, where it is interrupted before it knows of it. */
  claimed: ReadonlyArray<Claim>
  /** Claims that it has, and has not handed out. */
  unseen: Array<Claim>
}

const changed = ({ changes }: { readonly changes: number | bigint }): number => Number(changes)

/** When a claim that was kept at this moment is lost. */
const silentAt = (keptAt: number): number => keptAt + claimSilenceMs + 1

/** Hands out what was claimed, or waits for something to do and claims as much as there are slots for. */
const nextClaim = (
  session: Session,
  committer: Committer,
  latch: Latch.Latch,
  taker: Taker,
  waiter: Waiter
): Effect.Effect<Claim, LogUnavailable> =>
  Effect.suspend(function next(): Effect.Effect<Claim, LogUnavailable> {
    const unseen = taker.unseen.shift()
    return unseen === undefined ? Effect.flatMap(steadyMillis, claimNext) : Effect.succeed(unseen)
    function claimNext(now: number): Effect.Effect<Claim, LogUnavailable> {
      latch.closeUnsafe()
      return Effect.flatMap(
        looking(session, () => {
          learnLabels(session, taker)
          const dead = deadHolders(session, taker.holder)
          const due = session.statements.nextDue.get()?.at ?? Number.POSITIVE_INFINITY
          const found = dead.length > 0 || due <= now || bestFor(session, taker, now) !== null
          return { dead, due, found }
        }),
        ({ dead, due, found }) => {
          // looking costs nothing, writing takes the lock: only when there is something
          if (!found) return Effect.flatMap(news(committer, latch, waiter, due - now), next)
          return Effect.flatMap(
            committer.submit(() => {
              taker.claimed = claim(session, taker, now, dead)
              return Result.succeed(undefined)
            }),
            () => {
              taker.unseen.push(...taker.claimed)
              taker.claimed = []
              return next()
            }
          )
        }
      )
    }
  })

/** Gives back what was claimed and not handed out. What was not claimed at last, or is not its own any more, is left alone. */
const leave = (session: Session, committer: Committer, taker: Taker, waiter: Waiter): Effect.Effect<void> =>
  Effect.suspend(() => {
    committer.waiters.delete(waiter)
    const left = [...taker.unseen, ...taker.claimed]
    if (left.length === 0) return Effect.void
    return Effect.ignore(
      committer.submit(() => {
        for (const { lease } of left) session.statements.giveBack.run(lease.item, lease.number, taker.id)
        session.news = true
        return Result.succeed(undefined)
      })
    )
  })

/** Meanwhile whoever changes something claims for it. */
const news = (committer: Committer, latch: Latch.Latch, waiter: Waiter, dueInMs: number): Effect.Effect<void> =>
  Effect.suspend(() => {
    committer.waiters.add(waiter)
    return Effect.ensuring(
      Effect.raceAllFirst([latch.await, Effect.sleep(dueInMs), pause(checkHoldersMs)]),
      Effect.sync(() => committer.waiters.delete(waiter))
    )
  })

/** Not within a transaction, whose new sets may be undone. */
const learnLabels = ({ statements }: Session, taker: Taker): void => {
  for (const { id, labels } of statements.labelSetsAfter.all(taker.seen)) {
    const needed: ReadonlyArray<string> = JSON.parse(labels)
    if (needed.every((label) => taker.offered.has(label))) taker.labelSets.push(id)
    taker.seen = id
  }
}

/** The holders of claims that have ended without a word. */
const deadHolders = ({ statements }: Session, own: string): ReadonlyArray<string> => {
  const dead: Array<string> = []
  for (let row = statements.nextHolder.get(""); row !== undefined; row = statements.nextHolder.get(row.holder)) {
    if (row.holder !== own && lifeOf(parseHolder(row.holder)) === "dead") dead.push(row.holder)
  }
  return dead
}

/** Number of the free item that comes first; null when there is none, or no slot for it. */
const bestFor = (session: Session, taker: Taker, now: number): number | null => {
  const best = first(session, taker, now)
  // counted last, since a worker may have a thousand slots
  return best !== null && slotsFree(session, taker, now) > 0 ? best : null
}

const slotsFree = ({ statements }: Session, { holder, id, slots }: Taker, now: number): number =>
  slots - (statements.slotsUsed.get(holder, id, now)?.used ?? 0)

const first = ({ statements }: Session, { labelSets }: Taker, now: number): number | null => {
  let best: Place | undefined
  for (const labelSet of labelSets) {
    const one = statements.best.get(labelSet, now)
    if (one !== undefined && (best === undefined || comesBefore(one, best))) best = one
  }
  return best?.seq ?? null
}

interface Place {
  readonly seq: number
  readonly priority: number
}

const comesBefore = (a: Place, b: Place): boolean =>
  a.priority > b.priority || (a.priority === b.priority && a.seq < b.seq)

/** Within a transaction; none when somebody else was quicker. */
const claim = (session: Session, taker: Taker, now: number, dead: ReadonlyArray<string>): ReadonlyArray<Claim> => {
  const { statements } = session
  let freed = changed(statements.free.run(now))
  for (const holder of dead) freed += changed(statements.freeFrom.run(holder))
  // others may take what is free now, and whoever lost a claim has a slot
  if (freed > 0) session.news = true
  const claims: Array<Claim> = []
  let free = claimsMax
  while (claims.length < free) {
    const seq = first(session, taker, now)
    const row = seq === null ? undefined : statements.item.get(seq)
    if (seq === null || row === undefined) break
    if (claims.length === 0) free = Math.min(free, slotsFree(session, taker, now))
    if (claims.length >= free) break
    const number = row.lease + 1
    statements.claim.run(number, taker.holder, taker.id, silentAt(now), seq)
    const item = JSON.parse(row.item)
    claims.push({ item, lease: { item: item.id, number } })
  }
  return claims
}
