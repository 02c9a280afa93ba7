import { useEffect, useRef } from "react"
import { useQuery, useSeek } from "../../fold/hooks.tsx"
import { CopyButton } from "../../parts/CopyButton.tsx"
import { Copied } from "../../parts/code/Copied.tsx"
import { visible } from "../../parts/code/visible.ts"

/** One event as it was recorded. */
export const EventDetail = ({ onClose, version }: { readonly version: number; readonly onClose: () => void }) => {
  const event = useQuery("event", { version })
  const seek = useSeek()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const json = event === undefined || event === null ? "" : JSON.stringify(event, null, 2)
  return (
    <section className="events-detail card" aria-label={`Event ${version}`}>
      <div className="events-detail-head">
        <h3 ref={heading} tabIndex={-1}>
          Event {version}
        </h3>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      {event === undefined ? (
        <p className="muted">Looking it up …</p>
      ) : event === null ? (
        <p className="muted">It is not in the log any more.</p>
      ) : (
        <>
          <p className="events-detail-type">
            <code>{visible(event.event_type)}</code>
          </p>
          <p className="muted">
            <time dateTime={event.timestamp}>{event.timestamp}</time>, {event.visibility}, position {event.position}
          </p>
          <div className="row">
            <button type="button" onClick={() => seek(version)}>
              Show this moment
            </button>
            <CopyButton text={json} label="the event as JSON" />
          </div>
          <dl className="events-hashes">
            <dt>Hash</dt>
            <dd>
              <Copied text={event.hash} what="hash" />
            </dd>
            <dt>Hash of the event before it</dt>
            <dd>
              <Copied text={event.prev_hash} what="hash of the event before it" />
            </dd>
          </dl>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <section className="events-json" tabIndex={0} aria-label="Event as JSON">
            <pre>{visible(json)}</pre>
          </section>
        </>
      )}
    </section>
  )
}
