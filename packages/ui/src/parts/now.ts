import { useRef, useSyncExternalStore } from "react"

/** A time that goes on for all who look at it, by one timer as long as somebody does. */
const makeClock = (every: number) => {
  const listeners = new Set<() => void>()
  let now = 0
  let timer: ReturnType<typeof setInterval> | undefined
  const tick = (): void => {
    now = Date.now()
    for (const listener of listeners) listener()
  }
  return {
    now: (): number => {
      // while nobody looked it stood still
      if (listeners.size === 0 && Math.abs(Date.now() - now) >= every) now = Date.now()
      return now
    },
    subscribe: (listener: () => void): (() => void) => {
      listeners.add(listener)
      timer ??= setInterval(tick, every)
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    }
  }
}

const clocks = new Map<number, ReturnType<typeof makeClock>>()

const clockOf = (every: number): ReturnType<typeof makeClock> => {
  const clock = clocks.get(every) ?? makeClock(every)
  clocks.set(every, clock)
  return clock
}

const standing = (): (() => void) => () => {}

/** The time, ms since the epoch; each second (or `every`) anew while something `isRunning` whose duration is shown. */
export const useNow = (isRunning: boolean, every = 1_000): number => {
  const clock = clockOf(every)
  const last = useRef<number | null>(null)
  last.current ??= clock.now()
  const now = useSyncExternalStore(isRunning ? clock.subscribe : standing, () =>
    isRunning ? clock.now() : (last.current ?? 0)
  )
  last.current = now
  return now
}
