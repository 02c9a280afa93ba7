import { useVirtualizer } from "@tanstack/react-virtual"
import { type RefObject, useRef } from "react"

export interface RowsOptions {
  readonly count: number
  /** Height of a row in pixels, as far as it is known. */
  readonly heightOf: (index: number) => number
  /** Rows that are drawn above and below those in sight. */
  readonly overscan: number
  readonly keyOf?: (index: number) => string | number
}

/** A long list in a box that scrolls: only the rows that are in sight are drawn. */
export const useRows = <Box extends HTMLElement = HTMLDivElement>(
  { count, heightOf, keyOf, overscan }: RowsOptions,
  given?: RefObject<Box | null>
) => {
  const own = useRef<Box>(null)
  const box = given ?? own
  const virtual = useVirtualizer<Box, HTMLElement>({
    count,
    getScrollElement: () => box.current,
    estimateSize: heightOf,
    overscan,
    ...(keyOf === undefined ? {} : { getItemKey: keyOf })
  })
  return { box, count, heightOf, items: virtual.getVirtualItems(), virtual }
}

export type Rows = ReturnType<typeof useRows<HTMLDivElement>>
