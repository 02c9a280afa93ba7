import { useEffect, useState } from "react"

/** The time, ms since the epoch; each second (or `every`) anew while something `isRunning` whose duration is shown. */
export const useNow = (isRunning: boolean, every = 1_000): number => {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!isRunning) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), every)
    return () => clearInterval(timer)
  }, [isRunning, every])
  return now
}
