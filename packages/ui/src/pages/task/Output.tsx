import type { OutputStream } from "@proofline/plugins/frontends/http/api"
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react"
import { visible } from "../../parts/code/visible.ts"
import { FailureNotice } from "../../parts/FailureNotice.tsx"
import { plainText, printedPieces } from "./ansi.ts"
import type { Stretch } from "./output.ts"
import { type AttemptRef, sizeText } from "./Prompt.tsx"
import { StepList } from "./StepList.tsx"
import { type OutputNow, useOutput } from "./useOutput.ts"
import "./ansi.css"

export interface OutputProps extends AttemptRef {
  /** The end of what it printed, as the log keeps it. */
  readonly tail: string
  readonly isLive: boolean
  /** More may come. */
  readonly isAtWork: boolean
}

const names: Readonly<Record<OutputStream, string>> = { steps: "What it does", stdout: "stdout", stderr: "stderr" }

/** What the agent does and prints, while it works; follows the end as long as that is in sight. */
export const Output = ({ isAtWork, isLive, tail, ...at }: OutputProps) => {
  const [chosen, choose] = useState<OutputStream | null>(null)
  const steps = useOutput(at, "steps")
  const tellsSteps = (steps.stretch?.total ?? 0) > 0
  // not every agent tells what it does
  const stream = chosen ?? (tellsSteps ? "steps" : "stdout")
  const streams = tellsSteps ? (["steps", "stdout", "stderr"] as const) : (["stdout", "stderr"] as const)
  return (
    <div className="task-output">
      <div className="row">
        {streams.map((one) => (
          <button key={one} type="button" aria-pressed={one === stream} onClick={() => choose(one)}>
            {names[one]}
          </button>
        ))}
        {isLive ? null : <span className="muted">What was printed until now, not until the moment that is shown.</span>}
      </div>
      {stream === "steps" ? (
        <Shown {...at} stream="steps" tail="" isAtWork={isAtWork} now={steps} />
      ) : (
        <Stream key={stream} {...at} stream={stream} tail={stream === "stdout" ? tail : ""} isAtWork={isAtWork} />
      )}
    </div>
  )
}

interface StreamProps extends AttemptRef {
  readonly stream: OutputStream
  readonly tail: string
  readonly isAtWork: boolean
}

const Stream = (props: StreamProps) => <Shown {...props} now={useOutput(props, props.stream)} />

const Shown = ({ isAtWork, now, stream, tail, ...at }: StreamProps & { readonly now: OutputNow }) => {
  const { failure, isBusy, showEarlier, showEnd, stretch } = now
  const { follows, frame } = useFollowing(stretch)
  // while it works the frame has its size from the beginning, and keeps it, so that nothing below it moves
  const [wasAtWork] = useState(isAtWork)
  const text = stretch?.text ?? ""
  const shown = useMemo(
    () => (stream === "steps" ? <StepList text={text} /> : <Coloured text={text} />),
    [stream, text]
  )
  if (stretch === null && failure !== null) {
    return (
      <>
        <FailureNotice failure={failure} title="The output cannot be shown." />
        {tail === "" ? null : <pre className="task-tail">{visible(plainText(tail))}</pre>}
      </>
    )
  }
  const hasFrame = wasAtWork || isAtWork || stretch === null || stretch.total > 0
  return (
    <>
      {stretch === null || stretch.from === 0 ? null : (
        <button type="button" disabled={isBusy} onClick={showEarlier}>
          Show earlier ({sizeText(stretch.from)})
        </button>
      )}
      {!hasFrame ? (
        <p className="muted">It printed nothing.</p>
      ) : (
        <section
          ref={frame}
          className="code printed task-stream"
          aria-label={`${names[stream]} of attempt ${at.attempt}`}
          aria-live="off"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be scrolled by keyboard too
          tabIndex={0}
          onScroll={({ currentTarget: { clientHeight, scrollHeight, scrollTop } }) => {
            follows.current = scrollHeight - scrollTop - clientHeight < 24
          }}
        >
          {stretch === null || stretch.total === 0 ? (
            <p className="muted task-nothing">
              {stretch === null
                ? "Reading the output …"
                : isAtWork
                  ? "It has printed nothing so far."
                  : "It printed nothing."}
            </p>
          ) : (
            shown
          )}
        </section>
      )}
      {failure === null ? null : <FailureNotice failure={failure} title="What is new cannot be shown." />}
      {stretch === null ? (
        <p className="row muted">…</p>
      ) : (
        <Foot
          stretch={stretch}
          onEnd={() => {
            follows.current = true
            showEnd()
          }}
        />
      )}
    </>
  )
}

const Coloured = ({ text }: { readonly text: string }) => (
  <pre>
    {printedPieces(text).map(({ look, text }, i) =>
      look === "" ? (
        visible(text)
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other name
        <span key={i} className={look}>
          {visible(text)}
        </span>
      )
    )}
  </pre>
)

/** Keeps what is read in its place; `follows`: the end is in sight, and stays so. */
const useFollowing = (stretch: Stretch | null) => {
  const frame = useRef<HTMLElement>(null)
  const follows = useRef(true)
  const before = useRef({ from: 0, height: 0 })
  // what is read stays in its place: at the end, or where it was while something came before it
  useLayoutEffect(() => {
    const shown = frame.current
    if (shown === null || stretch === null) return
    if (stretch.from < before.current.from) shown.scrollTop += shown.scrollHeight - before.current.height
    else if (follows.current) shown.scrollTop = shown.scrollHeight
    before.current = { from: stretch.from, height: shown.scrollHeight }
  }, [stretch])
  // a frame that is not in sight yet has no height
  useEffect(() => {
    follows.current = true
  }, [])
  return { follows, frame }
}

const Foot = ({ onEnd, stretch }: { readonly stretch: Stretch; readonly onEnd: () => void }) => (
  <p className="row muted">
    {stretch.is_live && !stretch.is_cut ? (
      <span>
        <span className="task-pulse" aria-hidden="true">
          ●
        </span>{" "}
        It is at work; what it prints is added each second.
      </span>
    ) : null}
    {stretch.is_cut ? (
      <button type="button" onClick={onEnd}>
        Back to the end
      </button>
    ) : null}
    <span>{sizeText(stretch.total)}</span>
  </p>
)
