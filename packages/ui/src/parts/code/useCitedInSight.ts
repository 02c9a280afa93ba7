import { type RefObject, useLayoutEffect, useRef } from "react"

/** For the frame of code: whenever `what` changes, the first marked line comes into its sight, with some lines above. */
export const useCitedInSight = (what: unknown): RefObject<HTMLElement | null> => {
  const frame = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolled by whoever reads it, it stays where it is
  useLayoutEffect(() => {
    const shown = frame.current
    const cited = shown?.querySelector(".code-cited")
    if (shown == null || cited == null) return
    const above = cited.getBoundingClientRect().top - shown.getBoundingClientRect().top
    shown.scrollTop += above - shown.clientHeight / 5
  }, [what])
  return frame
}
