import { useEffect, useRef } from "react"
import { useSearch } from "wouter"
import { useMoment, useSeek } from "../../fold/hooks.tsx"
import { useHash, writeQuery } from "../../route.ts"

/** Browsers take only so many changes of the address: of a slider that is dragged, the place where it rests. */
const pause = 250

/** The moment stands in the address, and what an address names is shown; from view to view the moment stays. */
export const useAddressedMoment = (): void => {
  const seek = useSeek()
  const moment = useMoment()
  const search = useSearch()
  const [path] = useHash()
  const named = momentIn(search)
  const followed = useRef<string | null>(null)
  useEffect(() => {
    const address = `${path}?${search}`
    if (followed.current === address) return
    followed.current = address
    if (named !== null && named !== moment) seek(named)
  }, [path, search, named, moment, seek])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address of another view is to have it too
  useEffect(() => {
    const timer = setTimeout(() => writeQuery({ at: moment === null ? null : String(moment) }), pause)
    return () => clearTimeout(timer)
  }, [moment, path, search])
}

const momentIn = (search: string): number | null => {
  const at = new URLSearchParams(search).get("at") ?? ""
  return /^\d{1,9}$/.test(at) ? Number(at) : null
}
