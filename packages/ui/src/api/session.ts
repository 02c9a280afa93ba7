import { useSyncExternalStore } from "react"
import { tokenInHash } from "./token.ts"

/** The operator's token: from the address that `proofline serve` prints, or typed in. It stays in this tab. */
export interface Session {
  /** Null: the page asks for one. */
  readonly token: string | null
  /** The server did not take the last one. */
  readonly was_refused: boolean
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

let session: Session = { token: taken() ?? kept(), was_refused: false }

const become = (next: Session): void => {
  session = next
  keep(next.token)
  for (const listener of listeners) listener()
}

// the printed address is opened in a tab that shows the page already: nothing is loaded, only the fragment changes
addEventListener("hashchange", () => {
  const token = taken()
  if (token !== null) become({ token, was_refused: false })
})

/** The token for the next request; empty when nobody signed in. */
export const currentToken = (): string => session.token ?? ""

/** Goes on with this token; the next request shows whether it is good. */
export const signIn = (token: string): void => become({ token, was_refused: false })

/** The server does not take `token`: it is forgotten, and the page asks for another. */
export const refuse = (token: string): void => {
  if (session.token === token) become({ token: null, was_refused: true })
}

const onSession = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useSession = (): Session => useSyncExternalStore(onSession, () => session)
