import { useState } from "react"
import { ask, type Client, type Failure, failureOf } from "./client.ts"

export interface Action {
  readonly isBusy: boolean
  /** Why it was not done; null: it was, or nobody tried. */
  readonly failure: Failure | null
  readonly clear: () => void
  /** Does it, once at a time, and then `then` with the answer. */
  readonly run: <A>(request: (client: Client) => Promise<A>, then: (answer: A) => void) => void
}

/** Something that is done because somebody asks for it, with what became of it. */
export const useAction = (): Action => {
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure | null>(null)
  return {
    isBusy,
    failure,
    clear: () => setFailure(null),
    run: (request, then) => {
      if (isBusy) return
      setBusy(true)
      setFailure(null)
      void ask(request)
        .then(then, (error: unknown) => setFailure(failureOf(error)))
        .finally(() => setBusy(false))
    }
  }
}
