import { useNow } from "./now.ts"
import { agoText, timeText } from "./when.ts"

/** A time, and beside it how long ago that is. */
export const When = ({ at }: { readonly at: string }) => (
  <>
    <time dateTime={at} title={at}>
      {timeText(at)}
    </time>{" "}
    <Ago at={at} />
  </>
)

/** How long ago; it stands at the end of a line, for it grows. */
export const Ago = ({ at }: { readonly at: string }) => (
  <span className="muted">({agoText(at, useNow(true, 30_000))})</span>
)
