import { useEffect, useEffectEvent } from "react"

/** What keys and the palette can ask for, of what is shown. */
export type Act = "live" | "next refusal" | "try again"

const acts = new Map<Act, () => void>()

/** Says how something is done as long as it is shown; null: it cannot be now. */
export const useAct = (name: Act, act: (() => void) | null): void => {
  const done = useEffectEvent(() => act?.())
  const can = act !== null
  useEffect(() => {
    if (!can) return
    const run = () => done()
    acts.set(name, run)
    return () => {
      if (acts.get(name) === run) acts.delete(name)
    }
  }, [name, can])
}

/** Whether something that is shown does it now. */
export const canAct = (name: Act): boolean => acts.has(name)

export const act = (name: Act): void => acts.get(name)?.()
