import { type RefObject, useState } from "react"
import { useQuery } from "../../fold/hooks.tsx"
import type { Queries } from "../../fold/protocol.ts"
import { type RowsOptions, useRows } from "../../parts/useRows.ts"

interface Asked {
  /** Index of the first row that is in sight, and of the last. */
  readonly first: number
  readonly last: number
}

/** The rows of an answer that are in sight. How many there are is known from the answer before. */
export const useQueriedRows = <Kind extends "events" | "timeline" | "tree">(
  kind: Kind,
  /** Of more rows than `most` the last are in the list. */
  { most = Number.POSITIVE_INFINITY, ...options }: Omit<RowsOptions, "count"> & { readonly most?: number },
  params: (asked: Asked) => Queries[Kind]["params"],
  box?: RefObject<HTMLDivElement | null>
) => {
  const [total, setTotal] = useState(0)
  const hidden = Math.max(0, total - most)
  const rows = useRows({ ...options, count: total - hidden }, box)
  const first = hidden + (rows.items[0]?.index ?? 0)
  const last = hidden + (rows.items.at(-1)?.index ?? 0)
  const answer = useQuery(kind, params({ first, last }))
  if (answer !== undefined && answer.total !== total) setTotal(answer.total)
  return { answer, hidden, rows, total }
}

/** The rows that are asked for when these are in sight: more on both sides, and no other for every row that is scrolled. */
export const windowAround = ({ first, last }: Asked): { readonly from: number; readonly to: number } => ({
  from: Math.max(0, Math.floor((first - 30) / 50) * 50),
  to: Math.ceil((last + 31) / 50) * 50
})
