import type { RunFacets } from "@proofline/plugins/frontends/http/api"
import { useEffect, useId, useRef, useState } from "react"
import { useLocation } from "wouter"
import { signOf } from "../../parts/Badge.tsx"
import { named } from "../../parts/code/visible.ts"
import { number } from "../../parts/number.ts"
import { queryOf, to } from "../../route.ts"

/** In this order; others stand behind them. */
const statuses = ["waiting", "running", "completed", "incomplete", "failed", "stopped", "cancelled"]
const kinds = ["tasks", "requirements", "prompt", "session"]

/** The values that find something, and those that are chosen, to be taken back. */
const offered = (
  order: ReadonlyArray<string>,
  found: Readonly<Record<string, number>>,
  chosen: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const there = new Set([...Object.keys(found), ...chosen])
  return [...order.filter((one) => there.delete(one)), ...there]
}

/** What is filtered by, as it stands in the address. `status`: separated by commas. */
interface FiltersProps {
  readonly q: string
  readonly status: string
  readonly kind: string
}

interface OfferedProps extends FiltersProps {
  /** How many runs each value finds as the other filters are. */
  readonly facets: RunFacets
}

const addressOf = (fields: FiltersProps): string => `${to.runs}${queryOf({ ...fields })}`

/** Filters of the list of runs; they are kept in the address, so that it can be copied and `back` works. */
export const Filters = ({ facets, kind, q, status }: OfferedProps) => {
  const [, navigate] = useLocation()
  const text = useId()
  const select = useId()
  const chosen = status === "" ? [] : status.split(",").map((one) => one.trim())
  const shownKinds = offered(kinds, facets.kind, kind === "" ? [] : [kind])
  const shownStatuses = offered(statuses, facets.status, chosen)
  const go = (change: Partial<FiltersProps>, replace = false) =>
    navigate(addressOf({ q, status, kind, ...change }), { replace })
  const [typed, setTyped] = useTyped(q, (text) => go({ q: text }, true))
  return (
    <search className="runs-filters" aria-label="Filter the runs">
      <div className="runs-search">
        <label htmlFor={text} className="visually-hidden">
          Name or id
        </label>
        <input
          id={text}
          type="search"
          placeholder="Name or id"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </div>
      <fieldset className="chips">
        <legend className="visually-hidden">Status</legend>
        {shownStatuses.map((each) => (
          <button
            key={each}
            type="button"
            className="chip"
            aria-pressed={chosen.includes(each)}
            onClick={() =>
              go({
                status: shownStatuses
                  .filter((one) => (one === each ? !chosen.includes(one) : chosen.includes(one)))
                  .join(",")
              })
            }
          >
            <span aria-hidden="true">{signOf(each)}</span> {named(each)}{" "}
            <span className="muted">{number(facets.status[each] ?? 0)}</span>
          </button>
        ))}
      </fieldset>
      <div hidden={shownKinds.length < 2 && kind === ""}>
        <label htmlFor={select} className="visually-hidden">
          Kind
        </label>
        <select id={select} value={kind} onChange={(event) => go({ kind: event.target.value })}>
          <option value="">All kinds</option>
          {shownKinds.map((each) => (
            <option key={each} value={each}>
              {named(each)} ({number(facets.kind[each] ?? 0)})
            </option>
          ))}
        </select>
      </div>
    </search>
  )
}

/** What is typed is shown at once; `write` follows when typing pauses. */
const useTyped = (q: string, write: (text: string) => void): readonly [string, (text: string) => void] => {
  const [typed, setTyped] = useState(q)
  const written = useRef(q)
  useEffect(() => {
    if (q === written.current) return
    written.current = q
    setTyped(q)
  }, [q])
  const latest = useRef(write)
  useEffect(() => {
    latest.current = write
  })
  useEffect(() => {
    if (typed === written.current) return
    const timer = setTimeout(() => {
      written.current = typed
      latest.current(typed)
    }, 250)
    return () => clearTimeout(timer)
  }, [typed])
  return [typed, setTyped]
}
