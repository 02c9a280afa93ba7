import { useEffect, useState } from "react"

const settledAfterMs = 150

/** The value once it has stayed the same for so long: nothing is asked for at each key. */
export const useSettled = <A>(value: A): A => {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    if (value === settled) return
    const timer = setTimeout(() => setSettled(value), settledAfterMs)
    return () => clearTimeout(timer)
  }, [value, settled])
  return settled
}
