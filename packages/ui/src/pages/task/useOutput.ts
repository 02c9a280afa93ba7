import type { OutputStream, TextView } from "@proofline/plugins/frontends/http/api"
import { type RefObject, useEffect, useReducer, useRef, useState } from "react"
import { ask, type Failure, failureOf } from "../../api/client.ts"
import { type Stretch, stretchOf, withEarlier, withMore } from "./output.ts"
import type { AttemptRef } from "./Prompt.tsx"

/** As much as one answer holds, bytes. */
const piece = 65_536
/** So often the server is asked while the agent works, ms; after a failure less often. */
const interval = 1_000
const afterFailure = 3_000
/** Who is further behind goes to the end at once. */
const tooFar = 8 * piece

export interface OutputNow {
  /** Null: nothing was answered so far. */
  readonly stretch: Stretch | null
  readonly failure: Failure | null
  readonly isBusy: boolean
  readonly showEarlier: () => void
  /** Lets go of what is shown and begins anew at the end. */
  readonly showEnd: () => void
}

/** The output of an attempt from its end, and what is added while it works and the page is in sight. */
export const useOutput = ({ attempt, runId, taskId }: AttemptRef, stream: OutputStream): OutputNow => {
  const [stretch, setStretch] = useState<Stretch | null>(null)
  const [failure, setFailure] = useState<Failure | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [turn, begin] = useReducer((count: number) => count + 1, 0)
  const shown = useRef<Stretch | null>(null)
  const show = (next: Stretch): void => {
    shown.current = next
    setStretch(next)
  }
  const read = (from: number, signal?: AbortSignal): Promise<TextView> =>
    ask(
      (client) => client.tasks.output({ params: { run: runId, task: taskId, attempt }, query: { stream, from } }),
      signal
    )
  const reader = useRef<Reader>({ read, show })
  reader.current = { read, show }

  // biome-ignore lint/correctness/useExhaustiveDependencies: each turn begins anew at the end
  useEffect(() => {
    const controller = new AbortController()
    void follow(reader, shown, setFailure, controller.signal)
    return () => controller.abort()
  }, [runId, taskId, attempt, stream, turn])

  const showEarlier = (): void => {
    const before = shown.current
    if (before === null || isBusy) return
    setBusy(true)
    read(Math.max(0, before.from - piece))
      .then(
        (view) => {
          if (shown.current !== null) show(withEarlier(shown.current, view))
          setFailure(null)
        },
        (error: unknown) => setFailure(failureOf(error))
      )
      .finally(() => setBusy(false))
  }
  return { stretch, failure, isBusy, showEarlier, showEnd: begin }
}

interface Reader {
  /** From a byte on; negative: so many bytes before the end. */
  readonly read: (from: number, signal?: AbortSignal) => Promise<TextView>
  readonly show: (stretch: Stretch) => void
}

/** Reads the end, then what is added to it, until the agent has ended or the signal comes. */
const follow = async (
  reader: RefObject<Reader>,
  shown: RefObject<Stretch | null>,
  tell: (failure: Failure | null) => void,
  signal: AbortSignal
): Promise<void> => {
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const now = isFirst ? null : shown.current
    // what was let go at the end is asked for again when somebody wants to see the end
    if (now?.is_cut === true) return
    try {
      const isBehind = now !== null && now.total - now.next > tooFar
      const view = await reader.current.read(now === null || isBehind ? -piece : now.next, signal)
      if (signal.aborted || (!isFirst && shown.current?.is_cut === true)) return
      tell(null)
      if (now === null || view.text !== "" || view.is_live !== now.is_live) {
        const previous = shown.current
        reader.current.show(isFirst || isBehind || previous === null ? stretchOf(view) : withMore(previous, view))
      }
      if (view.next < view.total && view.text !== "") continue
      if (!view.is_live) return
      await pause(interval, signal)
    } catch (error) {
      if (signal.aborted) return
      const seen = failureOf(error)
      tell(seen)
      // what the server refuses now it refuses again; what it cannot do now it may do later
      if (seen.status !== 0 && seen.status < 429) return
      await pause(afterFailure, signal)
    }
  }
}

/** So long, and until the page is in sight: nothing is asked for a page that nobody sees. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      if (document.hidden && !signal.aborted) return
      clearTimeout(timer)
      document.removeEventListener("visibilitychange", check)
      signal.removeEventListener("abort", end)
      resolve()
    }
    let isDue = false
    const check = (): void => {
      if (isDue) end()
    }
    const timer = setTimeout(() => {
      isDue = true
      end()
    }, ms)
    document.addEventListener("visibilitychange", check)
    signal.addEventListener("abort", end)
  })
