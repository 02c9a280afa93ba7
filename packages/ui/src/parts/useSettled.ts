import { useEffect, useState } from "react"

/** The value once it has stayed the same for so long, ms: nothing is asked for at each key. */
export const useSettled = <A>(value: A, ms = 150): A => {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    if (value === settled) return
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, settled, ms])
  return settled
}
