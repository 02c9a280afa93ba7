import { useState } from "react"
import "./code.css"
import { visible } from "./visible.ts"

/** What a program printed, as it is, in a frame that scrolls. */
export const Printed = ({ label, text }: { readonly text: string; readonly label: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be scrolled by keyboard too
  <section className="code printed" aria-label={visible(label)} tabIndex={0}>
    <pre>{visible(text)}</pre>
  </section>
)

/** From so many lines or characters on a text is folded. */
const manyLines = 8
const manyCharacters = 700

/** A text in words: its beginning, and the whole of it on demand. */
export const Folded = ({
  text,
  most = manyLines,
  what
}: {
  readonly text: string
  readonly what: string
  /** Lines that are shown of a folded text. */
  readonly most?: number
}) => {
  const [isWhole, setWhole] = useState(false)
  const lines = text.split("\n")
  const isLong = lines.length > most + 2 || text.length > manyCharacters * 1.25
  const shown = isLong && !isWhole ? lines.slice(0, most).join("\n").slice(0, manyCharacters).trimEnd() : text
  return (
    <div className="folded">
      <p className="folded-text">
        {visible(shown)}
        {isLong && !isWhole ? " …" : null}
      </p>
      {isLong ? (
        <button type="button" className="folded-more" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? `Fold the ${what}` : `Show the whole ${what}`}
        </button>
      ) : null}
    </div>
  )
}
