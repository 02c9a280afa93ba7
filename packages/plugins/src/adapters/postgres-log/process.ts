import { randomUUID } from "node:crypto"
import { Effect, Latch, type Scope } from "effect"
import { retryDelay } from "./database.ts"
import type { Session } from "./session.ts"
import { deadlineMs, fenceMs } from "./sql/names.ts"
import { pause } from "./waiting.ts"

/** How often a process says that it lives, ms. */
const beatMs = 1_000

/** Who takes work and holds locks, as others see it. */
export interface Holder {
  readonly pid: number
  readonly host: string
  /** As a worker it is listed by this name; host and number when left out. */
  readonly name?: string
}

/** A worker as the function `beat` wants it. */
interface WorkerRow extends Holder {
  readonly name: string
  readonly slots: number
  readonly labels: ReadonlyArray<string>
  readonly version: string
}

/**
 * This process, as long as it holds or takes something. It says each second that it lives, and notices when it cannot:
 * then whatever it has claimed is given up, since others may have it, and it takes new work under a new name.
 */
export interface Process {
  /** The name under which locks are held. */
  readonly name: string
  /** What claims work just now. */
  readonly worker: () => WorkerRow
  /** Registers this process for as long as the scope is open. */
  readonly present: Effect.Effect<void, never, Scope.Scope>
  /** The same for a taker of work. */
  readonly taking: (slots: number, labels: ReadonlyArray<string>) => Effect.Effect<void, never, Scope.Scope>
  /** Succeeds when there was no answer for too long; what was claimed is given up then. */
  readonly fenced: Effect.Effect<void>
}

export const makeProcess = (
  session: Session,
  holder: Holder,
  version: string
): Effect.Effect<Process, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { database, notifier } = session
    const name = `${holder.name ?? `${holder.host}:${holder.pid}`}/${randomUUID()}`
    const takers = new Set<{ readonly slots: number; readonly labels: ReadonlyArray<string> }>()
    const gone = new Set<string>()
    const isUsed = Latch.makeUnsafe(false)
    let users = 0
    let hasTaken = false
    let epoch = 1
    let answeredAt = performance.now()
    /** Since when there was always an answer; null: there is none now. */
    let heardSince: number | null = answeredAt

    const worker = (): WorkerRow => ({
      ...holder,
      name: `${name}/${epoch}`,
      slots: [...takers].reduce((sum, { slots }) => sum + slots, 0),
      labels: [...new Set([...takers].flatMap(({ labels }) => labels))].sort(),
      version
    })
    const rows = () => [{ ...worker(), name, slots: 0, labels: [] }, ...(hasTaken ? [worker()] : [])]
    const beat = Effect.suspend(() => {
      const sent = performance.now()
      // not right after an outage: what was done by then is about to be handed in
      const left = heardSince !== null && sent - heardSince >= deadlineMs ? [...gone] : []
      return Effect.flatMap(
        Effect.tryPromise(() => database.once(database.function("beat", [JSON.stringify(rows()), left]), fenceMs)),
        ([row]) => {
          answeredAt = sent
          heardSince ??= sent
          for (const one of left) gone.delete(one)
          if (row?.[0] === true && takers.size > 0) notifier.notify("queue", "ours")
          return Effect.void
        }
      )
    })
    const fence = () => {
      gone.add(worker().name)
      epoch++
      heardSince = null
    }
    const beating = Effect.forever(
      Effect.andThen(
        isUsed.await,
        Effect.matchEffect(beat, { onFailure: () => retryDelay, onSuccess: () => pause(beatMs) })
      )
    )
    yield* Effect.forkScoped(beating)
    yield* Effect.addFinalizer(() =>
      users === 0 && gone.size === 0 && epoch === 1
        ? Effect.void
        : Effect.promise(() =>
            Promise.race([
              database.once(database.function("end_workers", [[name, worker().name, ...gone]])).catch(() => {}),
              new Promise((resolve) => setTimeout(resolve, fenceMs).unref())
            ])
          )
    )
    const used = Effect.acquireRelease(
      Effect.sync(() => {
        if (users++ === 0) answeredAt = performance.now()
        isUsed.openUnsafe()
      }),
      () =>
        Effect.sync(() => {
          if (--users === 0) isUsed.closeUnsafe()
        })
    )
    return {
      name,
      worker,
      // whoever looks for the row right afterwards finds it
      present: Effect.andThen(used, Effect.ignore(beat)),
      taking: (slots, labels) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            const taker = { slots, labels }
            takers.add(taker)
            if (hasTaken) return taker
            // for good: what a taker was given may be kept after it has left
            hasTaken = true
            if (users++ === 0) answeredAt = performance.now()
            isUsed.openUnsafe()
            return taker
          }),
          (taker) => Effect.sync(() => takers.delete(taker))
        ),
      fenced: Effect.suspend(() => pause(Math.max(0, answeredAt + fenceMs - performance.now()))).pipe(
        Effect.andThen(Effect.sync(() => performance.now() - answeredAt >= fenceMs)),
        Effect.repeat({ until: (isOver) => isOver }),
        Effect.andThen(Effect.sync(fence))
      )
    }
  })
