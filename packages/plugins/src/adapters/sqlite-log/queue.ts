import { randomUUID } from "node:crypto"
import { type Claim, claimSilenceMs, declinedMs, type LogUnavailable, type WorkQueue } from "@proofline/kernel"
import { Effect, type Latch, Result, Stream } from "effect"
import { pause } from "../../log/pause.ts"
import type { Committer } from "./committer.ts"
import { type Holder, holderText, lifeOf, parseHolder } from "./holder.ts"
import { looking, type Session } from "./session.ts"
import { steadyMillis } from "./steady.ts"
import type { Notifier } from "./waiting.ts"

/** How often a waiting worker checks whether the processes that hold work still live, in ms. */
const checkHoldersMs = 1_000

export const makeQueue = (
  session: Session,
  committer: Committer,
  notifier: Notifier,
  holder: Holder
): WorkQueue["Service"] => ({
  take: (slots, labels) =>
    Stream.unwrap(
      Effect.map(notifier.subscribe, (latch) => {
        const taker: Taker = {
          id: randomUUID(),
          holder: holderText(holder),
          slots,
          offered: new Set(labels),
          labelSets: [],
          seen: 0
        }
        return Stream.fromEffectRepeat(nextClaim(session, committer, latch, taker))
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
}

const changed = ({ changes }: { readonly changes: number | bigint }): number => Number(changes)

/** When a claim that was kept at this moment is lost. */
const silentAt = (keptAt: number): number => keptAt + claimSilenceMs + 1

/** Waits for something to do and claims it. One at a time, so that a consumer which leaves holds nothing it never saw. */
const nextClaim = (
  session: Session,
  committer: Committer,
  latch: Latch.Latch,
  taker: Taker
): Effect.Effect<Claim, LogUnavailable> =>
  Effect.flatMap(steadyMillis, function claimNext(now): Effect.Effect<Claim, LogUnavailable> {
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
        const again = () => Effect.flatMap(steadyMillis, claimNext)
        // looking costs nothing, writing takes the lock: only when there is something
        if (!found) return Effect.flatMap(news(latch, due - now), again)
        return Effect.flatMap(
          committer.submit(() => Result.succeed(claim(session, taker, now, dead))),
          (claimed) => (claimed === null ? again() : Effect.succeed(claimed))
        )
      }
    )
  })

const news = (latch: Latch.Latch, dueInMs: number): Effect.Effect<void> =>
  Effect.raceAllFirst([latch.await, Effect.sleep(dueInMs), pause(checkHoldersMs)])

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
const bestFor = ({ statements }: Session, taker: Taker, now: number): number | null => {
  let best: Place | undefined
  for (const labelSet of taker.labelSets) {
    const first = statements.best.get(labelSet, now)
    if (first !== undefined && (best === undefined || comesBefore(first, best))) best = first
  }
  if (best === undefined) return null
  // counted last, since a worker may have a thousand slots
  const used = statements.slotsUsed.get(taker.holder, taker.id, now)?.used ?? 0
  return used < taker.slots ? best.seq : null
}

interface Place {
  readonly seq: number
  readonly priority: number
}

const comesBefore = (a: Place, b: Place): boolean =>
  a.priority > b.priority || (a.priority === b.priority && a.seq < b.seq)

/** Within a transaction; null when somebody else was quicker. */
const claim = (session: Session, taker: Taker, now: number, dead: ReadonlyArray<string>): Claim | null => {
  const { statements } = session
  let freed = changed(statements.free.run(now))
  for (const holder of dead) freed += changed(statements.freeFrom.run(holder))
  // others may take what is free now, and whoever lost a claim has a slot
  if (freed > 0) session.news = true
  const seq = bestFor(session, taker, now)
  const row = seq === null ? undefined : statements.item.get(seq)
  if (seq === null || row === undefined) return null
  const number = row.lease + 1
  statements.claim.run(number, taker.holder, taker.id, silentAt(now), seq)
  const item = JSON.parse(row.item)
  return { item, lease: { item: item.id, number } }
}
