import type { Queries, QueryKind, Request, Response } from "./protocol.ts"
import { makeStore, type Store } from "./store.ts"

interface Watch {
  readonly kind: QueryKind
  readonly params: Queries[QueryKind]["params"]
  /** Of the answer that was computed last; null: none was. */
  revision: string | null
  /** As it was sent last. */
  sent: string | null
}

/** The clock and the waits of whoever runs the desk. Times in ms. */
export interface Pace {
  readonly now: () => number
  /** Runs once, after so long; 0: as soon as what has come in already is dealt with. */
  readonly after: (ms: number, run: () => void) => void
}

/** Answers what is watched, again whenever the answer changes, and no more often than can be seen. */
export interface Desk {
  readonly store: Store
  readonly receive: (request: Extract<Request, { readonly type: "seek" | "watch" | "unwatch" }>) => void
  /** Something was added to the store. */
  readonly changed: () => void
  /** Forgets all events: another log is read from its beginning. What was answered stays until something is there. */
  readonly restart: () => void
}

/** What is watched is answered again at most five times a second, and a fifth of the time is enough for it. */
const pause = 200
/** How long may be looked for text before others have their turn. */
const slice = 12

export const makeDesk = (run: string, post: (response: Response) => void, { after, now }: Pace): Desk => {
  const watches = new Map<number, Watch>()
  let store = makeStore(run)
  /** Before that nothing is answered again just because events came. */
  let restUntil = 0
  let isDue = false
  let isHurried = false
  let isSought = false
  let isLooking = false

  const answer = (isWanted: (watch: Watch) => boolean): void => {
    for (const [id, watch] of watches) {
      if (!isWanted(watch)) continue
      const revision = store.revision(watch.kind, watch.params)
      if (revision === watch.revision) continue
      watch.revision = revision
      const answer = store.answer(watch.kind, watch.params)
      const text = JSON.stringify(answer)
      if (text === watch.sent) continue
      watch.sent = text
      post({ type: "answer", id, answer })
    }
  }

  const answerAll = (): void => {
    const begun = now()
    look()
    answer(() => true)
    restUntil = now() + Math.max(pause, (now() - begun) * 4)
  }

  const soon = (): void => {
    if (isDue) return
    isDue = true
    after(Math.max(0, restUntil - now()), () => {
      isDue = false
      // somebody moved the slider meanwhile and was answered
      if (now() < restUntil) soon()
      else answerAll()
    })
  }

  /** Who asks or moves the slider is answered before anything else; of several moves the last one counts. */
  const atOnce = (): void => {
    if (isHurried) return
    isHurried = true
    after(0, () => {
      isHurried = false
      if (isSought) {
        isSought = false
        return answerAll()
      }
      look()
      answer(({ revision }) => revision === null)
    })
  }

  /** Looks for text in what is there and was not looked at, a slice at a time. */
  const look = (): void => {
    const until = now() + slice
    const isEnough = () => now() >= until
    let isLeft = false
    for (const { kind, params } of watches.values()) {
      if (kind === "events" && !store.search(params as Queries["events"]["params"], isEnough)) isLeft = true
    }
    if (!isLeft || isLooking) return
    isLooking = true
    after(0, () => {
      isLooking = false
      look()
      soon()
    })
  }

  return {
    get store() {
      return store
    },
    receive: (request) => {
      switch (request.type) {
        case "seek":
          store.seek(request.version)
          isSought = true
          return atOnce()
        case "watch":
          watches.set(request.id, {
            kind: request.kind,
            params: request.params as Watch["params"],
            revision: null,
            sent: null
          })
          return atOnce()
        case "unwatch":
          watches.delete(request.id)
      }
    },
    changed: soon,
    restart: () => {
      store = makeStore(run)
      for (const watch of watches.values()) watch.revision = null
    }
  }
}
