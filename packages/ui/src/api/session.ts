import { useSyncExternalStore } from "react"
import { tokenInHash } from "./token.ts"

/** The operator's token: from the address that `proofline serve` prints, or typed in. It stays in this tab. */
export interface Session {
  /** Null: the page asks for one. */
  readonly token: string | null
  /** The server did not take the last one. */
  readonly was_refused: boolean
  /** Another tab of this server is asked for the token. */
  readonly is_asking: boolean
}

const key = "proofline.token"
const listeners = new Set<() => void>()

// a browser may forbid storage: then the token lives as long as the page
const kept = (): string | null => {
  try {
    return sessionStorage.getItem(key)
  } catch {
    return null
  }
}

const keep = (token: string | null): void => {
  try {
    if (token === null) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, token)
  } catch {
    // see above
  }
}

/** Takes the token out of the address, so that it is in no history, bookmark or screenshot. */
const taken = (): string | null => {
  const found = tokenInHash(location.hash)
  if (found === null) return null
  history.replaceState(null, "", `#${found.to}`)
  keep(found.token)
  return found.token
}

const first = taken() ?? kept()
let session: Session = { token: first, was_refused: false, is_asking: first === null }

const become = (next: Session): void => {
  session = next
  keep(next.token)
  for (const listener of listeners) listener()
}

// the printed address is opened in a tab that shows the page already: nothing is loaded, only the fragment changes
addEventListener("hashchange", () => {
  const token = taken()
  if (token !== null) become({ token, was_refused: false, is_asking: false })
})

/** The token for the next request; empty when nobody signed in. */
export const currentToken = (): string => session.token ?? ""

/** Goes on with this token; the next request shows whether it is good. */
export const signIn = (token: string): void => become({ token, was_refused: false, is_asking: false })

/** The server does not take `token`: it is forgotten, and the page asks for another. */
export const refuse = (token: string): void => {
  if (session.token === token) become({ token: null, was_refused: true, is_asking: false })
}

/** Between the tabs of this server: another site, or another port, has no part in it. */
const tabs = "BroadcastChannel" in globalThis ? new BroadcastChannel("proofline.tabs") : null
/** A tab that is there answers at once; then a person is asked. */
const patience = 300

let isTrusted: () => boolean = () => false

/** Only a tab that is connected with a server which takes its token tells it to others: what else came to this address gets nothing. */
export const shareWhile = (isLive: () => boolean): void => {
  isTrusted = isLive
}

interface Told {
  readonly type: "ask" | "token"
  readonly token?: string
}

if (tabs !== null) {
  tabs.onmessage = ({ data }: MessageEvent<Told>) => {
    if (data.type === "ask" && session.token !== null && isTrusted())
      tabs.postMessage({ type: "token", token: session.token } satisfies Told)
    if (data.type === "token" && data.token !== undefined && session.is_asking) signIn(data.token)
  }
}
if (session.is_asking) {
  tabs?.postMessage({ type: "ask" } satisfies Told)
  setTimeout(() => session.is_asking && become({ ...session, is_asking: false }), tabs === null ? 0 : patience)
}

const onSession = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useSession = (): Session => useSyncExternalStore(onSession, () => session)
