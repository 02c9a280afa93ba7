import { memo, useDeferredValue, useEffect, useRef, useState } from "react"
import type { EventRow, Queries, RunNow } from "../../fold/protocol.ts"
import { named, visible } from "../../parts/code/visible.ts"
import { Empty } from "../../parts/Notice.tsx"
import { number } from "../../parts/number.ts"
import { RowList } from "../../parts/RowList.tsx"
import { useField } from "../../route.ts"
import { EventDetail } from "./EventDetail.tsx"
import { rowsAtMost } from "./numbers.ts"
import { useQueriedRows, windowAround } from "./useQueriedRows.ts"
import "./events.css"

const rowHeight = 32
const most = rowsAtMost(rowHeight)

/** The event log up to the event that is shown. */
export const Events = ({ run }: { readonly run: RunNow }) => {
  const [typed, setTyped] = useField("q")
  const text = useDeferredValue(typed)
  const [named, setNamed] = useField("types")
  const types = named === "" ? [] : named.split(",")
  const [details, setDetails] = useField("details")
  const visibility: Visibility = details === "all" ? "full" : "summary"
  const [event, setEvent] = useField("event")
  const opened = /^\d{1,9}$/.test(event) ? Number(event) : null
  const [active, setActive] = useState<number | null>(null)
  const shown = useShown({ text, types, visibility }, run.is_live && run.status === "running")
  const { events, hidden, rows } = shown
  if (events === undefined) return <p className="muted">Reading the events …</p>
  return (
    <section className="events" aria-label="Events">
      <h2 className="visually-hidden">Events</h2>
      <div className="events-filters">
        <Search typed={typed} onType={setTyped} />
        <Types all={events.types} chosen={types} onChoose={(chosen) => setNamed(chosen.join(","))} />
        <AllDetails visibility={visibility} onChoose={(chosen) => setDetails(chosen === "full" ? "all" : "")} />
        <Count shown={shown} events={events} />
      </div>
      {hidden === 0 ? null : (
        <p className="muted">
          The newest {number(most)} are in the list. The {number(hidden)} before them are found with a filter, or with
          the slider.
        </p>
      )}
      <div className="events-both">
        {rows.count === 0 ? (
          <NothingFits events={events} visibility={visibility} />
        ) : (
          <List
            shown={shown}
            events={events}
            active={active}
            onActive={setActive}
            opened={opened}
            onOpen={(version) => setEvent(String(version))}
          />
        )}
        {opened === null ? null : (
          <EventDetail
            key={opened}
            version={opened}
            onClose={() => {
              setEvent("")
              rows.box.current?.focus()
            }}
          />
        )}
      </div>
    </section>
  )
}

type Visibility = "summary" | "full"
type Answer = Queries["events"]["answer"]

interface Filter {
  readonly text: string
  readonly types: ReadonlyArray<string>
  readonly visibility: Visibility
}

/** The events that fit the filter, as far as they are in sight. */
const useShown = (filter: Filter, isAtEndAtFirst: boolean) => {
  const { answer: events, ...shown } = useQueriedRows(
    "events",
    // a list of more rows than can be drawn holds the newest
    { heightOf: () => rowHeight, overscan: 10, most },
    (asked) => ({ ...windowAround(asked), ...filter })
  )
  const { count, virtual } = shown.rows
  // whoever looks at the end sees what is added to it
  const isAtEnd = useRef(isAtEndAtFirst)
  useEffect(() => {
    if (isAtEnd.current && count > 0) virtual.scrollToIndex(count - 1, { align: "end" })
  }, [count, virtual])
  return { ...shown, events, isAtEnd }
}

type Shown = ReturnType<typeof useShown>

const Search = ({ onType, typed }: { readonly typed: string; readonly onType: (text: string) => void }) => (
  <label className="events-search">
    <span className="visually-hidden">Search type and content</span>
    <input
      type="search"
      placeholder="Search type and content"
      value={typed}
      onChange={(event) => onType(event.target.value)}
    />
  </label>
)

const AllDetails = ({
  onChoose,
  visibility
}: {
  readonly visibility: Visibility
  readonly onChoose: (visibility: Visibility) => void
}) => (
  <label className="events-visibility">
    <input
      type="checkbox"
      checked={visibility === "full"}
      onChange={(event) => onChoose(event.target.checked ? "full" : "summary")}
    />
    All details
  </label>
)

const isSearching = ({ searched, whole }: Answer): boolean => searched < whole

const Count = ({ events, shown: { total } }: { readonly shown: Shown; readonly events: Answer }) => (
  <span className="muted events-count" role="status">
    {total === events.whole ? `${number(total)} events` : `${number(total)} of ${number(events.whole)} events`}
    {isSearching(events) ? ", searching …" : ""}
  </span>
)

const NothingFits = ({ events, visibility }: { readonly events: Answer; readonly visibility: Visibility }) => (
  <Empty title={isSearching(events) ? "Nothing found so far." : "No event fits."}>
    <p>
      {visibility === "summary"
        ? "Events of the summary are shown: with all details there are more."
        : "Take a filter away to see more."}
    </p>
  </Empty>
)

interface ListProps {
  readonly shown: Shown
  readonly events: Answer
  /** Index of the row that keys move from; null: the last. */
  readonly active: number | null
  readonly onActive: (index: number) => void
  /** Version of the event whose details are shown. */
  readonly opened: number | null
  readonly onOpen: (version: number) => void
}

const List = ({ active, events, onActive, onOpen, opened, shown }: ListProps) => {
  const { hidden, isAtEnd, rows } = shown
  const rowAt = (index: number): EventRow | undefined => events.rows[hidden + index - events.from]
  const open = (index: number): void => {
    onActive(index)
    const version = rowAt(index)?.version
    if (version !== undefined) onOpen(version)
  }
  return (
    <RowList
      role="listbox"
      label="Events of the run"
      className="events-box"
      rows={rows}
      active={active ?? rows.count - 1}
      onMove={(index) => {
        onActive(index)
        isAtEnd.current = index === rows.count - 1
      }}
      acts={(at) => ({ Enter: () => open(at), " ": () => open(at) })}
      onScroll={({ currentTarget: { clientHeight, scrollHeight, scrollTop } }) => {
        isAtEnd.current = scrollTop + clientHeight >= scrollHeight - rowHeight
      }}
      row={(index) => {
        const row = rowAt(index)
        return {
          className: row?.is_refusal ? "events-row events-refusal" : "events-row",
          "aria-selected": row !== undefined && row.version === opened,
          "aria-setsize": rows.count,
          "aria-posinset": index + 1,
          onClick: () => open(index),
          children: row === undefined ? <span className="muted">…</span> : <Row row={row} />
        }
      }}
    />
  )
}

/** Drawn once, not whenever it is scrolled. */
const Row = memo(({ row }: { readonly row: EventRow }) => (
  <>
    <span className="events-version muted">{row.version}</span>
    <time className="events-time muted" dateTime={row.timestamp} title={row.timestamp}>
      {clock(row.timestamp)}
    </time>
    <span className="events-type clip">
      {row.is_refusal ? <span aria-hidden="true">✗ </span> : null}
      {visible(row.event_type)}
    </span>
    <span className="events-summary clip muted">{visible(row.summary)}</span>
    {row.visibility === "full" ? <span className="events-full muted">detail</span> : null}
  </>
))

const clock = (iso: string): string => {
  const at = new Date(iso)
  return Number.isNaN(at.getTime())
    ? iso
    : at.toLocaleTimeString(undefined, { hourCycle: "h23", hour: "2-digit", minute: "2-digit", second: "2-digit" })
}

const Types = ({
  all,
  chosen,
  onChoose
}: {
  readonly all: ReadonlyArray<{ readonly type: string; readonly count: number }>
  readonly chosen: ReadonlyArray<string>
  readonly onChoose: (types: ReadonlyArray<string>) => void
}) => {
  const left = all.filter(({ type }) => !chosen.includes(type))
  return (
    <>
      <label>
        <span className="visually-hidden">Add a type to filter by</span>
        <select value="" onChange={(event) => event.target.value !== "" && onChoose([...chosen, event.target.value])}>
          <option value="">{chosen.length === 0 ? "All types" : "Another type"}</option>
          {left.map(({ count, type }) => (
            <option key={type} value={type}>
              {named(type)} ({number(count)})
            </option>
          ))}
        </select>
      </label>
      {chosen.map((type) => (
        <button
          key={type}
          type="button"
          className="run-chip"
          aria-label={`Do not filter by ${named(type)}`}
          onClick={() => onChoose(chosen.filter((one) => one !== type))}
        >
          {visible(type)} <span aria-hidden="true">✕</span>
        </button>
      ))}
    </>
  )
}
