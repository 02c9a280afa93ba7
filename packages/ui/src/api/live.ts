import { useSyncExternalStore } from "react"
import { makeReader } from "../fold/sse.ts"
import { ask, asking, type Failure, failureOf } from "./client.ts"
import { AskError, serveAgain, unreachable } from "./failure.ts"
import { isNotifying } from "./notify.ts"
import { type Asked, streamOf } from "./requests.ts"
import { shareWhile } from "./session.ts"

/** Whether the server is there: one connection of the page, over which it hears of every new event. */
export type ServerState =
  | { readonly state: "connecting" }
  | { readonly state: "live" }
  /** It is tried again at `again_at`, ms since the epoch. */
  | { readonly state: "lost"; readonly failure: Failure; readonly again_at: number }

/** What is new is told at most so often, ms: what is shown is asked for again each time. */
const quiet = 500
const firstWait = 500
const longestWait = 10_000

let server: ServerState = { state: "connecting" }
shareWhile(() => server.state === "live")
let hurry: () => void = () => {}
const serverListeners = new Set<() => void>()

const become = (next: ServerState): void => {
  if (server.state === "live" && next.state === "live") return
  server = next
  for (const listener of serverListeners) listener()
}

/** How often something new was told of, by run; "" counts all of them. */
const revisions = new Map<string, number>()
const revisionListeners = new Set<() => void>()
const changed = new Set<string>()
let isFlushing = false

const flush = (): void => {
  isFlushing = false
  if (changed.size === 0 || (document.hidden && !isNotifying())) return
  for (const run of ["", ...changed]) revisions.set(run, (revisions.get(run) ?? 0) + 1)
  changed.clear()
  for (const listener of revisionListeners) listener()
}

const tell = (run: string): void => {
  changed.add(run)
  if (isFlushing) return
  isFlushing = true
  setTimeout(flush, quiet)
}

// nothing is asked for a page that nobody sees, unless somebody wants to be told
document.addEventListener("visibilitychange", flush)

/** A wait that `tryNow` and `signal` end early. */
const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    hurry = () => {
      clearTimeout(timer)
      resolve()
    }
    signal.addEventListener("abort", hurry, { once: true })
  })

/** `0.5 s`, `1 s` … `10 s`, each by up to a quarter longer: several tabs do not come back at the same moment. */
const backoff = (tries: number, random: number): number =>
  Math.min(longestWait, firstWait * 2 ** Math.min(tries, 10)) * (1 + random / 4)

/** Hears of every event behind `after`, until the server ends the connection. */
const hear = async (
  asked: Asked,
  after: number,
  opened: () => void,
  happened: (position: number, run: string) => void
): Promise<void> => {
  const stream = await streamOf(asked, after)
  opened()
  const read = makeReader()
  try {
    for (;;) {
      const { done, value } = await stream.read().catch(() => {
        throw new AskError(unreachable)
      })
      if (done) return
      for (const message of read(value))
        if (message.type === "event")
          happened(Number(message.id), (JSON.parse(message.data) as { readonly stream: string }).stream)
    }
  } finally {
    // what came could not be read: nothing more of it is
    void stream.cancel().catch(() => {})
  }
}

/** Follows the log until `signal`; comes back by itself when the server was away. Ends when the token is not good. */
export const followEvents = async (signal: AbortSignal): Promise<void> => {
  let after: number | null = null
  let tries = 0
  while (!signal.aborted) {
    let failure: Failure
    try {
      after ??= (await ask((client) => client.about(), signal)).position
      const from = after
      const opened = () => {
        // what happened while it was away is not known by page parts that never heard of it
        if (tries > 0) tell("")
        tries = 0
        become({ state: "live" })
      }
      const happened = (position: number, run: string) => {
        after = position
        tell(run)
      }
      await asking((asked) => hear(asked, from, opened, happened), signal)
      failure = {
        status: 0,
        code: "server_closed",
        message: "The server ended the connection.",
        hint: serveAgain,
        problems: []
      }
    } catch (error) {
      failure = failureOf(error)
    }
    if (signal.aborted) break
    if (failure.status === 401 || failure.status === 403) return
    // another log than before: its positions mean something else
    if (failure.status === 400) after = null
    const ms = backoff(tries++, Math.random())
    become({ state: "lost", failure, again_at: Date.now() + ms })
    await wait(ms, signal)
  }
  // who is shown another project is connected with nothing yet
  become({ state: "connecting" })
}

/** Ends the wait before the next try. */
export const tryNow = (): void => hurry()

export const useServer = (): ServerState =>
  useSyncExternalStore(
    (listener) => {
      serverListeners.add(listener)
      return () => serverListeners.delete(listener)
    },
    () => server
  )

const onRevision = (listener: () => void): (() => void) => {
  revisionListeners.add(listener)
  return () => revisionListeners.delete(listener)
}

/** A number that grows while events come, of this run or of any; at most twice a second. For `again` of `useApi`. */
export const useRevision = (run = ""): number => useSyncExternalStore(onRevision, () => revisions.get(run) ?? 0)
