import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore
} from "react"
import type { Connection, Queries, QueryKind, Request, Response } from "./protocol.ts"

/** A run that is opened: its log is read and folded by a worker of its own. */
interface RunStore {
  readonly connection: () => Connection
  readonly onConnection: (listener: () => void) => () => void
  /** Follows the answer to a query, which is named by its text, until what it gives back is called. */
  readonly watch: (query: string, listener: () => void) => () => void
  /** The last answer to a query that is followed; undefined: there is none yet. */
  readonly answer: (query: string) => unknown
  /** What is shown everywhere from now on: the run after this event, or always the newest (null). */
  readonly seek: (version: number | null) => void
  /** What was asked to be shown last, also while it is folded. */
  readonly moment: () => number | null
  readonly onMoment: (listener: () => void) => () => void
  readonly signIn: (token: string) => void
  readonly close: () => void
}

interface Watched {
  readonly id: number
  readonly listeners: Set<() => void>
  answer: unknown
}

export interface Opening {
  readonly run: string
  /** Where the server is, without a slash at the end. */
  readonly base: string
  readonly token: string
}

const openRun = (opening: Opening): RunStore => {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "fold" })
  const send = (request: Request) => worker.postMessage(request)
  const watched = new Map<string, Watched>()
  const byId = new Map<number, Watched>()
  const connectionListeners = new Set<() => void>()
  let connection: Connection = { state: "connecting" }
  const momentListeners = new Set<() => void>()
  let moment: number | null = null
  let ids = 0
  const become = (next: Connection): void => {
    connection = next
    for (const listener of connectionListeners) listener()
  }
  worker.onmessage = ({ data }: MessageEvent<Response>) => {
    if (data.type === "connection") return become(data.connection)
    const one = byId.get(data.id)
    if (one === undefined) return
    one.answer = data.answer
    for (const listener of one.listeners) listener()
  }
  worker.onerror = () =>
    become({
      state: "refused",
      status: 0,
      code: "fold_broken",
      message: "The log could not be folded in this browser.",
      hint: "Reload the page; `proofline events` shows the log itself."
    })
  send({ type: "open", ...opening })
  return {
    connection: () => connection,
    onConnection: (listener) => {
      connectionListeners.add(listener)
      return () => connectionListeners.delete(listener)
    },
    watch: (query, listener) => {
      let one = watched.get(query)
      if (one === undefined) {
        one = { id: ++ids, listeners: new Set(), answer: undefined }
        watched.set(query, one)
        const [kind, params]: readonly [QueryKind, unknown] = JSON.parse(query)
        byId.set(one.id, one)
        send({ type: "watch", id: one.id, kind, params })
      }
      const { id, listeners } = one
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        watched.delete(query)
        byId.delete(id)
        send({ type: "unwatch", id })
      }
    },
    answer: (query) => watched.get(query)?.answer,
    seek: (version) => {
      moment = version
      send({ type: "seek", version })
      for (const listener of momentListeners) listener()
    },
    moment: () => moment,
    onMoment: (listener) => {
      momentListeners.add(listener)
      return () => momentListeners.delete(listener)
    },
    signIn: (token) => send({ type: "token", token }),
    close: () => worker.terminate()
  }
}

const Context = createContext<RunStore | null>(null)

const useStore = (): RunStore => {
  const store = useContext(Context)
  if (store === null) throw new Error("Only what is inside of an OpenRun can ask about it.")
  return store
}

/** Opens a run for what is inside of it, as long as it is shown. */
export const OpenRun = ({
  base,
  children,
  run,
  token
}: Opening & {
  readonly children: ReactNode
}) => {
  const [store, setStore] = useState<RunStore | null>(null)
  const signedIn = useRef(token)
  signedIn.current = token
  useEffect(() => {
    const opened = openRun({ run, base, token: signedIn.current })
    setStore(opened)
    return () => {
      opened.close()
      setStore(null)
    }
  }, [run, base])
  useEffect(() => {
    store?.signIn(token)
  }, [store, token])
  return store === null ? null : <Context value={store}>{children}</Context>
}

/**
 * What is answered to a query at the shown version; it follows what happens. While an answer for other parameters is
 * under way, the last one stays. Undefined: there was none so far.
 */
export const useQuery = <K extends QueryKind>(
  kind: K,
  params: Queries[K]["params"]
): Queries[K]["answer"] | undefined => {
  const store = useStore()
  const query = JSON.stringify([kind, params])
  const subscribe = useCallback((listener: () => void) => store.watch(query, listener), [store, query])
  const answer = useSyncExternalStore(subscribe, () => store.answer(query)) as Queries[K]["answer"] | undefined
  const last = useRef(answer)
  // at once, not after it is drawn: a list that asks for other rows because of this answer has to see it meanwhile
  if (answer !== undefined) last.current = answer
  return last.current
}

export const useConnection = (): Connection => {
  const store = useStore()
  return useSyncExternalStore(store.onConnection, store.connection)
}

/** Shows the run after this event from now on, or always the newest (null). */
export const useSeek = (): ((version: number | null) => void) => useStore().seek

/** The event that was asked to be shown; null: always the newest. */
export const useMoment = (): number | null => {
  const store = useStore()
  return useSyncExternalStore(store.onMoment, store.moment)
}
