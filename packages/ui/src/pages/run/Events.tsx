import { useVirtualizer } from "@tanstack/react-virtual"
import { type KeyboardEvent, memo, useDeferredValue, useEffect, useId, useRef, useState } from "react"
import { useQuery } from "../../fold/hooks.tsx"
import type { EventRow, Queries, RunNow } from "../../fold/protocol.ts"
import { visible } from "../../parts/code/visible.ts"
import { press } from "../../parts/keys.ts"
import { Empty } from "../../parts/Notice.tsx"
import { EventDetail } from "./EventDetail.tsx"
import { number, rowsAtMost, windowAround } from "./numbers.ts"
import "./events.css"

const rowHeight = 32
const most = rowsAtMost(rowHeight)

/** The event log up to the event that is shown. */
export const Events = ({ run }: { readonly run: RunNow }) => {
  const [typed, setTyped] = useState("")
  const text = useDeferredValue(typed)
  const [types, setTypes] = useState<ReadonlyArray<string>>([])
  const [visibility, setVisibility] = useState<Visibility>("summary")
  const [opened, setOpened] = useState<number | null>(null)
  const [active, setActive] = useState<number | null>(null)
  const shown = useShown({ text, types, visibility }, run.is_live && run.status === "running")
  const { box, count, events, hidden } = shown
  if (events === undefined) return <p className="muted">Reading the events …</p>
  return (
    <section className="events" aria-label="Events">
      <h2 className="visually-hidden">Events</h2>
      <div className="events-filters">
        <Search typed={typed} onType={setTyped} />
        <Types all={events.types} chosen={types} onChoose={setTypes} />
        <AllDetails visibility={visibility} onChoose={setVisibility} />
        <Count shown={shown} events={events} />
      </div>
      {hidden === 0 ? null : (
        <p className="muted">
          The newest {number(most)} are in the list. The {number(hidden)} before them are found with a filter, or with
          the slider.
        </p>
      )}
      <div className="events-both">
        {count === 0 ? (
          <NothingFits events={events} visibility={visibility} />
        ) : (
          <List shown={shown} events={events} active={active} onActive={setActive} opened={opened} onOpen={setOpened} />
        )}
        {opened === null ? null : (
          <EventDetail
            key={opened}
            version={opened}
            onClose={() => {
              setOpened(null)
              box.current?.focus()
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
  const [total, setTotal] = useState(0)
  const box = useRef<HTMLDivElement>(null)
  // a list of more rows than can be drawn holds the newest
  const hidden = Math.max(0, total - most)
  const count = total - hidden
  const rows = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 10
  })
  const items = rows.getVirtualItems()
  const asked = windowAround(hidden + (items[0]?.index ?? 0), hidden + (items.at(-1)?.index ?? 0))
  const events = useQuery("events", { ...asked, ...filter })
  if (events !== undefined && events.total !== total) setTotal(events.total)

  // whoever looks at the end sees what is added to it
  const isAtEnd = useRef(isAtEndAtFirst)
  useEffect(() => {
    if (isAtEnd.current && count > 0) rows.scrollToIndex(count - 1, { align: "end" })
  }, [count, rows])
  return { box, count, events, hidden, isAtEnd, items, rows, total }
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
  const { box, count, hidden, isAtEnd, items, rows } = shown
  const id = useId()
  const rowAt = (index: number): EventRow | undefined => events.rows[hidden + index - events.from]
  const at = Math.min(active ?? count - 1, count - 1)
  const move = (index: number): void => {
    const next = Math.min(count - 1, Math.max(0, index))
    onActive(next)
    isAtEnd.current = next === count - 1
    rows.scrollToIndex(next)
  }
  const open = (index: number): void => {
    onActive(index)
    const version = rowAt(index)?.version
    if (version !== undefined) onOpen(version)
  }
  const onKeyDown = (event: KeyboardEvent): void => press(event, actsOf({ at, count, box, move, open }))
  return (
    <div
      ref={box}
      className="events-box card"
      role="listbox"
      aria-label="Events of the run"
      tabIndex={0}
      aria-activedescendant={`${id}${at}`}
      onKeyDown={onKeyDown}
      onScroll={({ currentTarget: { clientHeight, scrollHeight, scrollTop } }) => {
        isAtEnd.current = scrollTop + clientHeight >= scrollHeight - rowHeight
      }}
    >
      <div role="presentation" className="events-rows" style={{ height: rows.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rowAt(index)
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the list it is in
            <div
              key={index}
              id={`${id}${index}`}
              role="option"
              tabIndex={-1}
              className={`events-row${index === at ? " events-active" : ""}${row?.is_refusal ? " events-refusal" : ""}`}
              aria-selected={row !== undefined && row.version === opened}
              aria-setsize={count}
              aria-posinset={index + 1}
              style={{ height: rowHeight, transform: `translateY(${start}px)` }}
              onClick={() => open(index)}
            >
              {row === undefined ? <span className="muted">…</span> : <Row row={row} />}
            </div>
          )
        })}
      </div>
    </div>
  )
}

interface Moving {
  readonly at: number
  readonly count: number
  readonly box: Shown["box"]
  readonly move: (index: number) => void
  readonly open: (index: number) => void
}

/** What the keys of the list do. */
const actsOf = ({ at, box, count, move, open }: Moving): Readonly<Record<string, () => void>> => {
  const page = Math.max(1, Math.floor((box.current?.clientHeight ?? 0) / rowHeight) - 1)
  return {
    ArrowDown: () => move(at + 1),
    ArrowUp: () => move(at - 1),
    Home: () => move(0),
    End: () => move(count - 1),
    PageDown: () => move(at + page),
    PageUp: () => move(at - page),
    Enter: () => open(at),
    " ": () => open(at)
  }
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
              {type} ({number(count)})
            </option>
          ))}
        </select>
      </label>
      {chosen.map((type) => (
        <button
          key={type}
          type="button"
          className="run-chip"
          aria-label={`Do not filter by ${type}`}
          onClick={() => onChoose(chosen.filter((one) => one !== type))}
        >
          {visible(type)} <span aria-hidden="true">✕</span>
        </button>
      ))}
    </>
  )
}
