import { useCallback, useEffect, useEffectEvent, useRef, useState } from "react"
import { ask, type Client, type Failure, failureOf } from "./client.ts"

export interface Loaded<A> {
  /** What was answered last; null: nothing so far. */
  readonly data: A | null
  /** Why the last try failed; null: it did not. `data` is then what was known before. */
  readonly error: Failure | null
  readonly loading: boolean
  readonly reload: () => void
}

interface LoadedState<A> {
  readonly key: string
  readonly data: A | null
  readonly error: Failure | null
  readonly loading: boolean
}

export interface ApiOptions<A> {
  /** When it changes the same is asked again; what was answered before stays until then. */
  readonly again?: string | number
  /** What was answered for other `deps` stays until the new answer is there. */
  readonly keep?: boolean
  /** Of what is answered the server does not know all yet: it is asked again, each time after twice as long. */
  readonly isPartial?: (data: A) => boolean
}

/** Ms until what is not known yet is asked for again: at first, and at most. */
const [firstWaitMs, longestWaitMs] = [500, 30_000]

/**
 * Asks when the component appears and whenever `deps` change; what is under way then, or when it is left, is given up.
 * Asked again while an answer is under way, it asks once more when that is there: nothing is starved by fast changes.
 */
export const useApi = <A>(
  load: (client: Client) => Promise<A>,
  deps: ReadonlyArray<string | number | boolean | null>,
  { again = 0, isPartial = () => false, keep = false }: ApiOptions<A> = {}
): Loaded<A> => {
  const key = JSON.stringify(deps)
  const [loaded, setLoaded] = useState<LoadedState<A>>({ key, data: null, error: null, loading: true })
  const turn = useRef<() => void>(() => {})
  const loadNow = useEffectEvent((signal: AbortSignal) => ask(load, signal))

  useEffect(() => {
    const controller = new AbortController()
    let isBusy = false
    let isAskedAgain = false
    const run = async (): Promise<void> => {
      if (isBusy) {
        isAskedAgain = true
        return
      }
      isBusy = true
      isAskedAgain = false
      setLoaded((before) =>
        before.key === key || keep ? { ...before, key, loading: true } : { key, data: null, error: null, loading: true }
      )
      const [data, error] = await loadNow(controller.signal).then(
        (value) => [value, null] as const,
        (cause: unknown) => [null, failureOf(cause)] as const
      )
      if (controller.signal.aborted) return
      isBusy = false
      setLoaded((before) => ({ key, data: error === null ? data : before.data, error, loading: false }))
      if (isAskedAgain) void run()
    }
    turn.current = () => void run()
    void run()
    return () => controller.abort()
  }, [key, keep])

  const first = useRef(again)
  useEffect(() => {
    if (first.current === again) return
    first.current = again
    turn.current()
  }, [again])

  const isWanting = useEffectEvent(isPartial)
  const waitMs = useRef(firstWaitMs)
  useEffect(() => {
    if (loaded.data === null || !isWanting(loaded.data)) {
      waitMs.current = firstWaitMs
      return
    }
    const timer = setTimeout(() => turn.current(), waitMs.current)
    waitMs.current = Math.min(2 * waitMs.current, longestWaitMs)
    return () => clearTimeout(timer)
  }, [loaded.data])

  const reload = useCallback(() => turn.current(), [])
  const isOther = loaded.key !== key && !keep
  return {
    data: isOther ? null : loaded.data,
    error: isOther ? null : loaded.error,
    loading: isOther || loaded.loading,
    reload
  }
}
