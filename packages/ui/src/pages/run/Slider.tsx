import { type KeyboardEvent, useEffect, useEffectEvent, useId, useRef, useState } from "react"
import { useLocation } from "wouter"
import { useMoment, useSeek } from "../../fold/hooks.tsx"
import type { RunNow } from "../../fold/protocol.ts"
import { useAct } from "../../parts/acts.ts"
import { press } from "../../parts/keys.ts"
import { number } from "../../parts/number.ts"
import { timeText } from "../../parts/when.ts"
import { to } from "../../route.ts"
import "./slider.css"

/** Moves everything on the page to any event of the run. */
export const Slider = ({ run }: { readonly run: RunNow }) => {
  const { head } = run
  const seek = useSeek()
  const field = useId()
  // while the worker folds, the handle is already where it was moved
  const moment = useMoment()
  const at = Math.min(moment ?? head, head)
  const go = (version: number): void => {
    const next = Math.min(head, Math.max(0, Math.round(version)))
    // the head moves on: to be there is to follow it
    seek(next === head ? null : next)
  }
  const [, navigate] = useLocation()
  const open = (version: number): void => {
    go(version)
    navigate(to.refusals(run.run_id, version))
  }
  const { next_refusal } = run
  useAct("live", moment === null ? null : () => seek(null))
  useAct("next refusal", next_refusal === null ? null : () => open(next_refusal))
  const [isPlaying, setPlaying] = usePlaying(at, head, go)
  const page = Math.max(1, Math.round(head / 100))
  const onKeyDown = (event: KeyboardEvent) => {
    // as wide as the keys of browsers differ: always by about 1 %
    press(event, { PageUp: () => go(at + page), PageDown: () => go(at - page) })
  }
  const what = at === 0 ? "before the first event" : (run.event_type ?? "")
  return (
    <section className="slider" aria-label="Replay" data-past={!run.is_live}>
      <Buttons
        at={at}
        head={head}
        isPlaying={isPlaying}
        isLive={moment === null}
        onGo={go}
        onPlay={() => {
          if (!isPlaying && at === head) go(0)
          setPlaying(!isPlaying)
        }}
      />
      <span className="slider-track">
        <Marks run={run} />
        <input
          className="slider-range"
          type="range"
          min={0}
          max={head}
          step={1}
          value={at}
          aria-label="Event that is shown"
          aria-valuetext={`Event ${at} of ${head}: ${what}`}
          onChange={(event) => {
            setPlaying(false)
            go(event.target.valueAsNumber)
          }}
          onKeyDown={onKeyDown}
        />
      </span>
      <span className="slider-version">
        <label htmlFor={field}>Event</label> <Version id={field} at={at} head={head} onGo={go} />{" "}
        <span className="slider-head">of {number(head)}</span>
      </span>
      <span className="slider-jumps">
        <Jump label="Previous refusal" to={run.previous_refusal} onGo={open} />
        <Jump label="Next refusal" to={run.next_refusal} onGo={open} />
      </span>
      <p className="slider-what">
        {/* what is of any length stands last: nothing is pushed by it */}
        <time className="muted slider-time" dateTime={run.at ?? undefined} title={run.at ?? undefined}>
          {timeText(run.at)}
        </time>
        <code className="slider-type clip">{what}</code>
        {run.is_live ? null : (
          <strong>
            You see event {number(run.version)} of {number(head)}
          </strong>
        )}
      </p>
    </section>
  )
}

interface ButtonsProps {
  /** Version that is shown. */
  readonly at: number
  readonly head: number
  readonly isPlaying: boolean
  /** What is shown follows the run. */
  readonly isLive: boolean
  readonly onGo: (version: number) => void
  readonly onPlay: () => void
}

const Buttons = ({ at, head, isLive, isPlaying, onGo, onPlay }: ButtonsProps) => (
  <fieldset className="run-group slider-buttons" aria-label="Move to an event">
    <Step icon="first" label="Before the first event" isOff={at === 0} onClick={() => onGo(0)} />
    <Step icon="back" label="One event back" isOff={at === 0} onClick={() => onGo(at - 1)} />
    <button
      type="button"
      className="slider-step"
      aria-label={isPlaying ? "Stop" : "Play"}
      title={isPlaying ? "Stop" : "Play"}
      disabled={head === 0}
      onClick={onPlay}
    >
      <Icon name={isPlaying ? "stop" : "play"} />
    </button>
    <Step icon="forward" label="One event forward" isOff={at === head} onClick={() => onGo(at + 1)} />
    <button
      type="button"
      className="slider-step slider-live"
      aria-pressed={isLive}
      aria-label={isLive ? "Live" : "Back to live"}
      onClick={() => onGo(head)}
    >
      Live
    </button>
  </fieldset>
)

/** Where something was refused. */
const Marks = ({ run: { head, marks } }: { readonly run: RunNow }) => (
  <span className="slider-marks" aria-hidden="true">
    {marks.map((version) => (
      <span key={version} style={{ left: `${(100 * version) / Math.max(1, head)}%` }} />
    ))}
  </span>
)

/** Drawn, not written: fonts do not agree on these signs. */
const icons = {
  first: "M3 3v10M13 3 6 8l7 5z",
  back: "M11 3 4 8l7 5z",
  play: "M4 2.5 13 8l-9 5.5z",
  stop: "M4 3h3v10H4zM9 3h3v10H9z",
  forward: "M5 3l7 5-7 5z"
} as const

const Icon = ({ name }: { readonly name: keyof typeof icons }) => (
  <svg className="slider-icon" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
    <path d={icons[name]} />
  </svg>
)

const Step = ({
  icon,
  isOff,
  label,
  onClick
}: {
  readonly icon: keyof typeof icons
  readonly label: string
  readonly isOff: boolean
  readonly onClick: () => void
}) => (
  <button type="button" className="slider-step" aria-label={label} title={label} disabled={isOff} onClick={onClick}>
    <Icon name={icon} />
  </button>
)

const Jump = ({
  label,
  onGo,
  to: version
}: {
  readonly label: string
  readonly to: number | null
  readonly onGo: (version: number) => void
}) => (
  <button
    type="button"
    className="slider-step slider-jump"
    aria-label={label}
    title={label}
    disabled={version === null}
    onClick={() => version !== null && onGo(version)}
  >
    {label.startsWith("Prev") ? "‹ ✗" : "✗ ›"}
  </button>
)

/** A version to type; it counts when it is entered or left. */
const Version = ({
  at,
  head,
  id,
  onGo
}: {
  readonly id: string
  readonly at: number
  readonly head: number
  readonly onGo: (version: number) => void
}) => {
  const [typed, setTyped] = useState<string | null>(null)
  const enter = (): void => {
    const version = Number.parseInt(typed ?? "", 10)
    setTyped(null)
    if (Number.isFinite(version)) onGo(version)
  }
  return (
    <input
      id={id}
      type="number"
      inputMode="numeric"
      min={0}
      max={head}
      value={typed ?? at}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={enter}
      onKeyDown={(event) => {
        if (event.key === "Enter") enter()
        if (event.key === "Escape") setTyped(null)
      }}
    />
  )
}

/** Half a minute for a whole log, and no faster than can be followed where it is short. */
const longestPlay = 30_000

const usePlaying = (
  at: number,
  head: number,
  go: (version: number) => void
): readonly [boolean, (isPlaying: boolean) => void] => {
  const [isPlaying, setPlaying] = useState(false)
  const next = useRef(at)
  next.current = at
  const pause = Math.min(400, Math.max(100, longestPlay / Math.max(1, head)))
  const step = useEffectEvent(() => {
    const to = next.current + Math.max(1, Math.round((head * pause) / longestPlay))
    go(to)
    if (to >= head) setPlaying(false)
  })
  useEffect(() => {
    if (!isPlaying) return
    const timer = setInterval(step, pause)
    return () => clearInterval(timer)
  }, [isPlaying, pause])
  return [isPlaying, setPlaying]
}
