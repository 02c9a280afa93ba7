import { type RefObject, useEffect, useRef } from "react"

/**
 * A button that asked for something goes away with what it changes, and the focus would go with it: after `keep` the
 * focus that was lost comes to this place. `again`: what changes when it may be lost.
 */
export const useKeptFocus = <E extends HTMLElement>(again: string): readonly [RefObject<E | null>, () => void] => {
  const place = useRef<E>(null)
  const isKept = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the change may be there before the answer, or after it
  useEffect(() => {
    if (!isKept.current || document.activeElement !== document.body) return
    isKept.current = false
    place.current?.focus()
  }, [again])
  return [
    place,
    () => {
      isKept.current = true
    }
  ]
}
