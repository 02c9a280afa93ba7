import type { Queries, QueryKind, Request, Response } from "./protocol.ts"
import { makeStore, type Store } from "./store.ts"

interface Subscription {
  readonly kind: QueryKind
  readonly params: Queries[QueryKind]["params"]
  /** Of the answer that was computed last; null: none was. */
  revision: string | null
  /** As it was sent last. */
  sent: string | null
}

/** The clock and the waits of whoever runs the subscriptions. Times in ms. */
export interface Scheduler {
  readonly now: () => number
  /** Runs once, after so long; 0: as soon as what has come in already is dealt with. */
  readonly after: (ms: number, run: () => void) => void
}

/**
 * Keeps watched queries answered: recomputes after changes and posts an answer only when it differs. A few events are
 * shown as they come; where they come in masses, it is at most five times a second.
 */
export interface Subscriptions {
  readonly store: Store
  readonly receive: (request: Extract<Request, { readonly type: "seek" | "watch" | "unwatch" }>) => void
  /** Something was added to the store. */
  readonly changed: () => void
  /** Forgets all events: another log is read from its beginning. What was answered stays until something is there. */
  readonly restart: () => void
}

/** How long it rests between two answers to events that come, ms; a fifth of the time is enough for them in any case. */
const pause = 40
/** The same where more than a few came since the answer before: who looks cannot follow each of them. */
const longPause = 200
const few = 8
/** How long may be looked for text before others have their turn. */
const slice = 12

/** What the subscriptions know; times in ms. */
interface Keeping {
  readonly scheduler: Scheduler
  readonly post: (response: Response) => void
  readonly byId: Map<number, Subscription>
  store: Store
  /** Before that nothing is answered again just because events came. */
  restUntil: number
  /** Version of the last event that was there when all was answered. */
  answered: number
  /** All will be answered anew. */
  isDue: boolean
  /** Who asks will be answered at once. */
  isHurried: boolean
  /** The slider was moved since the last answer. */
  isSought: boolean
  /** Text will be looked for in what is left. */
  isLooking: boolean
}

export const makeSubscriptions = (
  run: string,
  post: (response: Response) => void,
  scheduler: Scheduler
): Subscriptions => {
  const keeping: Keeping = {
    scheduler,
    post,
    byId: new Map(),
    store: makeStore(run),
    restUntil: 0,
    answered: 0,
    isDue: false,
    isHurried: false,
    isSought: false,
    isLooking: false
  }
  return {
    get store() {
      return keeping.store
    },
    receive: (request) => receive(keeping, request),
    changed: () => soon(keeping),
    restart: () => {
      keeping.store = makeStore(run)
      keeping.answered = 0
      for (const subscription of keeping.byId.values()) subscription.revision = null
    }
  }
}

const receive = (keeping: Keeping, request: Parameters<Subscriptions["receive"]>[0]): void => {
  switch (request.type) {
    case "seek":
      keeping.store.seek(request.version)
      keeping.isSought = true
      atOnce(keeping)
      break
    case "watch":
      keeping.byId.set(request.id, {
        kind: request.kind,
        params: request.params as Subscription["params"],
        revision: null,
        sent: null
      })
      atOnce(keeping)
      break
    case "unwatch":
      keeping.byId.delete(request.id)
  }
}

const answer = ({ post, store, byId }: Keeping, isWanted: (subscription: Subscription) => boolean): void => {
  for (const [id, subscription] of byId) {
    if (!isWanted(subscription)) continue
    const revision = store.revision(subscription.kind, subscription.params)
    if (revision === subscription.revision) continue
    subscription.revision = revision
    const answer = store.answer(subscription.kind, subscription.params)
    const text = JSON.stringify(answer)
    if (text === subscription.sent) continue
    subscription.sent = text
    post({ type: "answer", id, answer })
  }
}

const answerAll = (keeping: Keeping): void => {
  const { now } = keeping.scheduler
  const begun = now()
  searchSlice(keeping)
  answer(keeping, () => true)
  const { head } = keeping.store
  const rest = head - keeping.answered > few ? longPause : pause
  keeping.answered = head
  keeping.restUntil = now() + Math.max(rest, (now() - begun) * 4)
}

/** Answers all anew when the rest is over. */
const soon = (keeping: Keeping): void => {
  if (keeping.isDue) return
  keeping.isDue = true
  const { after, now } = keeping.scheduler
  after(Math.max(0, keeping.restUntil - now()), () => {
    keeping.isDue = false
    // somebody moved the slider meanwhile and was answered
    if (now() < keeping.restUntil) soon(keeping)
    else answerAll(keeping)
  })
}

/** Who asks or moves the slider is answered before anything else; of several moves the last one counts. */
const atOnce = (keeping: Keeping): void => {
  if (keeping.isHurried) return
  keeping.isHurried = true
  keeping.scheduler.after(0, () => {
    keeping.isHurried = false
    if (keeping.isSought) {
      keeping.isSought = false
      return answerAll(keeping)
    }
    searchSlice(keeping)
    answer(keeping, ({ revision }) => revision === null)
  })
}

/** Looks for text in what is there and was not looked at, a slice at a time. */
const searchSlice = (keeping: Keeping): void => {
  const { after, now } = keeping.scheduler
  const until = now() + slice
  const isEnough = () => now() >= until
  let isLeft = false
  for (const { kind, params } of keeping.byId.values()) {
    if (kind === "events" && !keeping.store.search(params as Queries["events"]["params"], isEnough)) isLeft = true
  }
  if (!isLeft || keeping.isLooking) return
  keeping.isLooking = true
  after(0, () => {
    keeping.isLooking = false
    searchSlice(keeping)
    soon(keeping)
  })
}
