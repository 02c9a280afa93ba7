import { counted } from "@proofline/kernel"
import {
  type KeyboardEvent,
  memo,
  type RefObject,
  useDeferredValue,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState
} from "react"
import type { Bar, Lane, Queries, RunNow } from "../../fold/protocol.ts"
import { signOf, toneOf } from "../../parts/Badge.tsx"
import { named } from "../../parts/code/visible.ts"
import { press } from "../../parts/keys.ts"
import { Empty } from "../../parts/Notice.tsx"
import { useNow } from "../../parts/now.ts"
import { number } from "../../parts/number.ts"
import type { Rows } from "../../parts/useRows.ts"
import { durationText, timeText } from "../../parts/when.ts"
import { taskHref, workerText } from "../task/links.ts"
import { grainOf, moved, roomy, type Span, ticksOf, tickText, zoomed } from "./scale.ts"
import { TaskRuns } from "./Tree.tsx"
import { useQueriedRows } from "./useQueriedRows.ts"
import "./timeline.css"

const barHeight = 26
const laneHeight = (rows: number): number => 34 + rows * barHeight

/** Who worked when on what, and what came of it, up to the event that is shown. */
export const Timeline = ({ run }: { readonly run: RunNow }) => {
  // null: the whole, also when it grows
  const [chosen, setChosen] = useState<Span | null>(null)
  const box = useRef<HTMLDivElement>(null)
  const width = useWidth(box)
  const isRunning = run.is_live && run.ended_at === null
  const now = useNow(isRunning)
  const whole = wholeOf(run, isRunning ? now : 0)
  const span = chosen ?? whole
  const { lanes, timeline } = useLanes(box, chosen, grainOf(span, width))
  const zoom = (factor: number, at = 0.5): void => {
    const next = zoomed(span, factor, at, whole)
    setChosen(next.end - next.begin >= whole.end - whole.begin ? null : next)
  }
  const move = (by: number): void => setChosen(chosen === null ? null : moved(span, by, whole))
  useZoomWheel(box, zoom, move)
  // many bars are drawn piece by piece: keys and the slider come first
  const seen = useMemo(() => ({ timeline, begin: span.begin, end: span.end }), [timeline, span.begin, span.end])
  const drawn = useDeferredValue(seen)
  const zoomInto = useEffectEvent((bar: Bar) => setChosen(around(bar, now, whole)))
  const onZoom = useRef((bar: Bar) => zoomInto(bar)).current
  if (timeline === undefined) return <p className="muted">Reading the attempts …</p>
  if (timeline.total === 0) return <NoAttempts run={run} />
  return (
    <section className="timeline" aria-label="Timeline">
      <h2 className="visually-hidden">Timeline of the attempts, by worker</h2>
      <Tools span={span} isWhole={chosen === null} onWhole={() => setChosen(null)} onZoom={zoom} onMove={move} />
      <Legend />
      <div className="timeline-frame card">
        <Axis span={span} width={width} />
        <div ref={box} className="timeline-box">
          <div className="timeline-lanes" style={{ height: lanes.virtual.getTotalSize() }}>
            <Lanes
              items={lanes.items}
              drawn={drawn}
              runId={run.run_id}
              at={isRunning ? now : Date.parse(run.at ?? "")}
              width={width}
              onZoom={onZoom}
            />
            {isRunning && now >= span.begin && now <= span.end ? (
              <span className="timeline-now" style={{ left: `${percent(now, span)}%` }} aria-hidden="true" />
            ) : null}
          </div>
        </div>
      </div>
    </section>
  )
}

/** The lanes that are in sight, with what was answered of them. */
const useLanes = (box: RefObject<HTMLDivElement | null>, chosen: Span | null, grain: number) => {
  /** By index of the lane, as far as it was seen. */
  const rowsOf = useRef(new Map<number, number>())
  const { answer: timeline, rows: lanes } = useQueriedRows(
    "timeline",
    { heightOf: (index) => laneHeight(rowsOf.current.get(index) ?? 1), overscan: 2 },
    ({ first, last }) => {
      const from = Math.max(0, first - 2)
      return {
        from,
        to: Math.max(from + 12, last + 3),
        begin: chosen === null ? null : Math.floor(chosen.begin),
        end: chosen === null ? null : Math.ceil(chosen.end),
        grain
      }
    },
    box
  )
  const { virtual } = lanes
  useLayoutEffect(() => {
    let isOther = false
    for (const [i, { rows }] of (timeline?.rows ?? []).entries()) {
      const index = i + (timeline?.from ?? 0)
      isOther ||= (rowsOf.current.get(index) ?? 1) !== rows
      rowsOf.current.set(index, rows)
    }
    if (isOther) virtual.measure()
  }, [timeline, virtual])
  return { lanes, timeline }
}

const NoAttempts = ({ run }: { readonly run: RunNow }) =>
  run.loop !== null && run.loop.task_runs.length > 0 ? (
    <Empty title="The attempts are in the task runs of this run.">
      <TaskRuns runs={run.loop.task_runs} />
    </Empty>
  ) : (
    <Empty
      title={run.is_live ? "Nobody has worked on anything so far." : "Nobody had worked on anything at this event."}
    >
      <p>Every attempt appears here when an agent begins it.</p>
    </Empty>
  )

interface ToolsProps {
  readonly span: Span
  readonly isWhole: boolean
  readonly onWhole: () => void
  readonly onZoom: (factor: number) => void
  readonly onMove: (by: number) => void
}

const Tools = ({ isWhole, onMove, onWhole, onZoom, span }: ToolsProps) => (
  <fieldset className="run-group timeline-tools" aria-label="Scale of the timeline">
    <button type="button" onClick={onWhole} disabled={isWhole}>
      Whole
    </button>
    <button type="button" aria-label="Zoom in" onClick={() => onZoom(0.5)}>
      +
    </button>
    <button type="button" aria-label="Zoom out" disabled={isWhole} onClick={() => onZoom(2)}>
      −
    </button>
    <button type="button" aria-label="Earlier" disabled={isWhole} onClick={() => onMove(-0.5)}>
      ◀
    </button>
    <button type="button" aria-label="Later" disabled={isWhole} onClick={() => onMove(0.5)}>
      ▶
    </button>
    <span className="muted timeline-span">
      {timeText(new Date(span.begin).toISOString())}, {durationText(span.end - span.begin)} in sight
    </span>
  </fieldset>
)

interface LanesProps extends Pick<Drawing, "runId" | "width" | "onZoom"> {
  readonly items: Rows["items"]
  /** What was answered, and the times that are in sight. */
  readonly drawn: Span & { readonly timeline: Queries["timeline"]["answer"] | undefined }
  /** Where bars end that are not over. */
  readonly at: number
}

const Lanes = ({ at, drawn: { timeline, ...span }, items, ...drawing }: LanesProps) =>
  items.map(({ index, size, start }) => {
    const lane = timeline?.rows[index - timeline.from]
    return (
      <div
        key={index}
        className="timeline-lane"
        style={{ height: size, transform: `translateY(${start}px)` }}
        data-lane={index}
      >
        <LaneView lane={lane} {...span} {...drawing} now={isOpen(lane) ? at : 0} />
      </div>
    )
  })

/** From the begin of the run to where it is; never empty. */
const wholeOf = (run: RunNow, now: number): Span => {
  const begin = Date.parse(run.started_at ?? "") || 0
  return roomy({ begin, end: Math.max(begin + 20, Date.parse(run.ended_at ?? run.at ?? "") || 0, now) })
}

const around = (bar: Bar, now: number, whole: Span): Span => {
  const { begin, end } = timesOf(bar, now)
  const rim = Math.max(10, (end - begin) * 0.1)
  return zoomed({ begin: begin - rim, end: end + rim }, 1, 0.5, whole)
}

const timesOf = (bar: Bar, now: number): Span => {
  const begin = Date.parse(bar.started_at)
  return { begin, end: Math.max(begin, bar.ended_at === null ? now : Date.parse(bar.ended_at)) }
}

/** Where a time is, in % of the width. */
const percent = (time: number, { begin, end }: Span): number => ((time - begin) / (end - begin)) * 100

const isOpen = (lane: Lane | undefined): boolean => lane?.bars.some(({ ended_at }) => ended_at === null) ?? false

const Legend = () => (
  <ul className="timeline-legend" aria-label="What the bars mean">
    {["running", "COMPLETE", "refuted", "ERROR", "TIMEOUT", "INCOMPLETE", "cancelled", "LOST"].map((status) => (
      <li key={status}>
        <span className={`timeline-key tone-${toneOf(status)}`} aria-hidden="true">
          {signOf(status)}
        </span>
        {wordOf(status)}
      </li>
    ))}
    <li>
      <span className="timeline-refused timeline-refused-key" aria-hidden="true" />
      claims refused at its end
    </li>
  </ul>
)

const words: Readonly<Record<string, string>> = {
  running: "at work",
  COMPLETE: "complete",
  refuted: "not accepted",
  ERROR: "error",
  TIMEOUT: "timeout",
  INCOMPLETE: "incomplete",
  cancelled: "cancelled",
  LOST: "lost"
}
const wordOf = (status: string): string => words[status] ?? status

const Axis = ({ span, width }: { readonly span: Span; readonly width: number }) => {
  const { step, ticks } = ticksOf(span, width / 110)
  return (
    <div className="timeline-axis" aria-hidden="true">
      {ticks.map((tick) => (
        <span key={tick} style={{ left: `${percent(tick, span)}%` }}>
          {tickText(tick, step)}
        </span>
      ))}
    </div>
  )
}

interface Drawing extends Span {
  readonly runId: string
  /** Where bars end that are not over; 0 where there are none. */
  readonly now: number
  /** Of all that is in sight, in pixels. */
  readonly width: number
  readonly onZoom: (bar: Bar) => void
}

const LaneView = memo(function LaneView({ lane, ...drawing }: Drawing & { readonly lane: Lane | undefined }) {
  if (lane === undefined) return <p className="muted">…</p>
  const name = lane.worker_id === "" ? "Without a worker" : named(workerText(lane))
  const attempts = `${number(lane.attempts)} ${lane.attempts === 1 ? "attempt" : "attempts"}`
  const bars = lane.bars.filter((bar) => {
    const { begin, end } = timesOf(bar, drawing.now)
    return end >= drawing.begin && begin <= drawing.end
  })
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs
    <div role="group" aria-label={`${name}, ${attempts}`} onKeyDown={onLaneKey}>
      <p className="timeline-worker clip">
        {name} <span className="muted">{attempts}</span>
      </p>
      <div className="timeline-bars" style={{ height: lane.rows * barHeight }}>
        {bars.map((bar, i) => (
          <BarView key={`${bar.task_id} ${bar.attempt} ${bar.row}`} bar={bar} isFirst={i === 0} {...drawing} />
        ))}
      </div>
    </div>
  )
})

/** One bar of each lane is reached by Tab, the others by the arrow keys. */
const onLaneKey = (event: KeyboardEvent<HTMLElement>): void => {
  const bars = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-bar]")]
  const at = bars.indexOf(event.target as HTMLElement)
  if (at < 0) return
  press(event, {
    ArrowRight: () => bars[at + 1]?.focus(),
    ArrowLeft: () => bars[at - 1]?.focus(),
    Home: () => bars[0]?.focus(),
    End: () => bars.at(-1)?.focus()
  })
}

const BarView = ({
  bar,
  isFirst,
  now,
  onZoom,
  runId,
  width,
  ...span
}: Drawing & { readonly bar: Bar & { readonly row: number }; readonly isFirst: boolean }) => {
  const { begin, end } = timesOf(bar, now)
  const left = Math.max(0, percent(begin, span))
  const part = Math.max(0, Math.min(100, percent(end, span)) - left)
  const label = labelOf(bar, end - begin)
  const shared = {
    className: `timeline-bar tone-${toneOf(bar.status)}`,
    style: { left: `${left}%`, width: `${part}%`, top: bar.row * barHeight },
    title: label,
    "aria-label": label,
    "data-bar": bar.status,
    tabIndex: isFirst ? 0 : -1
  }
  const text =
    (part * width) / 100 < 20 ? null : (
      <span aria-hidden="true">
        {signOf(bar.status)} {bar.merged > 1 ? `${bar.merged} attempts` : named(bar.title)}
      </span>
    )
  // claims are refused when an attempt has ended
  const refused = bar.refusals === 0 ? null : <span className="timeline-refused" aria-hidden="true" />
  return bar.merged > 1 ? (
    <button type="button" {...shared} onClick={() => onZoom(bar)}>
      {text}
      {refused}
    </button>
  ) : (
    <a {...shared} href={taskHref(runId, bar.task_id, bar.attempt)}>
      {text}
      {refused}
    </a>
  )
}

const labelOf = (bar: Bar, ms: number): string => {
  const refused = bar.refusals === 0 ? "" : `, ${counted(bar.refusals, "claim")} refused`
  const when = `${timeText(bar.started_at)}, ${durationText(ms)}`
  return bar.merged > 1
    ? `${bar.merged} attempts, the worst ${wordOf(bar.status)}${refused}; ${when}. Zoom in.`
    : `${named(bar.title)}, attempt ${bar.attempt} by ${named(bar.agent)}: ${wordOf(bar.status)}${refused}; ${when}`
}

const useWidth = (box: RefObject<HTMLDivElement | null>): number => {
  const [width, setWidth] = useState(800)
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 800)))
    observer.observe(element)
    return () => observer.disconnect()
  })
  return width
}

/** With Ctrl the wheel zooms around the pointer, sideways it moves. */
const useZoomWheel = (
  box: RefObject<HTMLDivElement | null>,
  zoom: (factor: number, at: number) => void,
  move: (by: number) => void
): void => {
  const onWheel = useEffectEvent((event: WheelEvent) => {
    const { left, width } = (event.currentTarget as HTMLElement).getBoundingClientRect()
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault()
      zoom(event.deltaY > 0 ? 1.25 : 0.8, (event.clientX - left) / Math.max(1, width))
    } else if (event.deltaX !== 0) {
      event.preventDefault()
      move(event.deltaX / Math.max(1, width))
    }
  })
  useEffect(() => {
    const element = box.current
    if (element === null) return
    // a listener that React adds cannot keep the page from zooming
    element.addEventListener("wheel", onWheel, { passive: false })
    return () => element.removeEventListener("wheel", onWheel)
  })
}
