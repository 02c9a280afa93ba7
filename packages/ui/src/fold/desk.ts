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

/**
 * Keeps watched queries answered: recomputes after changes and posts an answer only when it differs, at most five times
 * a second.
 */
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

/** What the desk knows; times in ms. */
interface Keeping {
  readonly pace: Pace
  readonly post: (response: Response) => void
  readonly watches: Map<number, Watch>
  store: Store
  /** Before that nothing is answered again just because events came. */
  restUntil: number
  /** All will be answered anew. */
  isDue: boolean
  /** Who asks will be answered at once. */
  isHurried: boolean
  /** The slider was moved since the last answer. */
  isSought: boolean
  /** Text will be looked for in what is left. */
  isLooking: boolean
}

export const makeDesk = (run: string, post: (response: Response) => void, pace: Pace): Desk => {
  const keeping: Keeping = {
    pace,
    post,
    watches: new Map(),
    store: makeStore(run),
    restUntil: 0,
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
      for (const watch of keeping.watches.values()) watch.revision = null
    }
  }
}

const receive = (keeping: Keeping, request: Parameters<Desk["receive"]>[0]): void => {
  switch (request.type) {
    case "seek":
      keeping.store.seek(request.version)
      keeping.isSought = true
      atOnce(keeping)
      break
    case "watch":
      keeping.watches.set(request.id, {
        kind: request.kind,
        params: request.params as Watch["params"],
        revision: null,
        sent: null
      })
      atOnce(keeping)
      break
    case "unwatch":
      keeping.watches.delete(request.id)
  }
}

const answer = ({ post, store, watches }: Keeping, isWanted: (watch: Watch) => boolean): void => {
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

const answerAll = (keeping: Keeping): void => {
  const { now } = keeping.pace
  const begun = now()
  look(keeping)
  answer(keeping, () => true)
  keeping.restUntil = now() + Math.max(pause, (now() - begun) * 4)
}

/** Answers all anew when the rest is over. */
const soon = (keeping: Keeping): void => {
  if (keeping.isDue) return
  keeping.isDue = true
  const { after, now } = keeping.pace
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
  keeping.pace.after(0, () => {
    keeping.isHurried = false
    if (keeping.isSought) {
      keeping.isSought = false
      return answerAll(keeping)
    }
    look(keeping)
    answer(keeping, ({ revision }) => revision === null)
  })
}

/** Looks for text in what is there and was not looked at, a slice at a time. */
const look = (keeping: Keeping): void => {
  const { after, now } = keeping.pace
  const until = now() + slice
  const isEnough = () => now() >= until
  let isLeft = false
  for (const { kind, params } of keeping.watches.values()) {
    if (kind === "events" && !keeping.store.search(params as Queries["events"]["params"], isEnough)) isLeft = true
  }
  if (!isLeft || keeping.isLooking) return
  keeping.isLooking = true
  after(0, () => {
    keeping.isLooking = false
    look(keeping)
    soon(keeping)
  })
}
