import { visible } from "./visible.ts"
import "./code.css"
import { useCitedInSight } from "./useCitedInSight.ts"
import { useColours } from "./useColours.ts"

export interface CodeProps {
  /** Tells the language. */
  readonly path: string
  /** Number of the first line, from 1. */
  readonly from: number
  readonly lines: ReadonlyArray<string>
  /** First and last line that are marked, by their numbers; null: none. */
  readonly cited?: readonly [start: number, end: number] | null
  /** Says which code this is, for those who do not see it: different for each on the page. */
  readonly label: string
}

/** Lines of a file with their numbers, in the colours of their language. */
export const Code = ({ cited = null, from, label, lines, path }: CodeProps) => {
  const frame = useCitedInSight(lines)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be scrolled by keyboard too
    <section ref={frame} className="code" aria-label={visible(label)} tabIndex={0}>
      <pre className="code-lines">
        {useColours(path, lines).map((line, i) => {
          const number = from + i
          const isCited = cited !== null && number >= cited[0] && number <= cited[1]
          return (
            <span key={number} className={isCited ? "code-line code-cited" : "code-line"}>
              <span className="code-number">{number}</span>
              <code className="code-text">
                {line.length === 0 ? <br /> : null}
                {line.map(({ name, text }, j) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line have no other name, and do not move
                  <span key={j} className={name}>
                    {text}
                  </span>
                ))}
              </code>
            </span>
          )
        })}
      </pre>
    </section>
  )
}
