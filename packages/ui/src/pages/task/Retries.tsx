import type { RetryView } from "@proofline/kernel"
import { visible } from "../../parts/code/visible.ts"
import { durationText, timeText } from "../../parts/when.ts"

/**
 * Every time it was tried again: why, and how long was waited before it. What a review or a session sends back is not
 * counted as a retry.
 */
export const Retries = ({ retries }: { readonly retries: ReadonlyArray<RetryView> }) => (
  <section className="card" aria-labelledby="task-retries">
    <h3 id="task-retries">Retries</h3>
    <ol className="task-retries">
      {retries.map(({ at, delay_ms, reason, retry_count }, i) => (
        <li key={`${at} ${retry_count} ${reason}`}>
          <span className="row">
            <strong>{retry_count > (retries[i - 1]?.retry_count ?? 0) ? `Retry ${retry_count}` : "Sent back"}</strong>
            <span>{delay_ms === 0 ? "at once" : `after ${durationText(delay_ms)}`}</span>
            <time className="muted" dateTime={at} title={at}>
              decided {timeText(at)}
            </time>
          </span>
          <p>
            {/* a bare code, or a sentence */}
            {/^\w+$/.test(reason) ? <code className="task-code">{reason}</code> : visible(reason)}
          </p>
        </li>
      ))}
    </ol>
  </section>
)
