import { useMemo } from "react"
import "./code.css"
import { changedPart, diffLines, type Row } from "./diff.ts"
import { withoutReturn } from "./lines.ts"
import { useCitedInSight } from "./useCitedInSight.ts"
import { visible } from "./visible.ts"

export interface Lines {
  /** Number of the first line, from 1. */
  readonly from: number
  readonly lines: ReadonlyArray<string>
}

export interface DiffProps {
  readonly then: Lines
  readonly now: Lines
  /** First and last line of `then` that are marked. */
  readonly cited: readonly [start: number, end: number]
  readonly label: string
}

const words = { same: "", changed: "changed", removed: "removed", added: "added" } as const

/** Lines as they were beside the lines as they are; below each other where the page is narrow. */
export const Diff = ({ cited, label, now, then }: DiffProps) => {
  const rows = useMemo(() => diffLines(then.lines, now.lines), [then.lines, now.lines])
  const frame = useCitedInSight(rows)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be scrolled by keyboard too
    <section ref={frame} className="code diff" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col" className="code-number">
              <span className="visually-hidden">Line then</span>
            </th>
            <th scope="col">As accepted</th>
            <th scope="col" className="code-number">
              <span className="visually-hidden">Line now</span>
            </th>
            <th scope="col">Now</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place
            <tr key={i} className={`diff-${row.kind}`}>
              <Half row={row} of="was" from={then.from} cited={cited} />
              <Half row={row} of="is" from={now.from} cited={null} />
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const Half = ({
  cited,
  from,
  of,
  row
}: {
  readonly row: Row
  readonly of: "was" | "is"
  readonly from: number
  readonly cited: readonly [number, number] | null
}) => {
  const side = row[of]
  const other = row[of === "was" ? "is" : "was"]
  const number = side === null ? null : from + side.index
  const isCited = cited !== null && number !== null && number >= cited[0] && number <= cited[1]
  return (
    <>
      <td className={isCited ? "code-number code-cited" : "code-number"}>{number}</td>
      <td className={`diff-text diff-${of}`}>
        {side === null || row.kind === "same" ? null : (
          <>
            <span className="diff-sign" aria-hidden="true">
              {of === "was" ? "−" : "+"}
            </span>
            <span className="visually-hidden">{words[row.kind]} </span>
          </>
        )}
        {side === null ? null : <code>{textOf(row.kind, side.text, other?.text ?? "")}</code>}
      </td>
    </>
  )
}

const textOf = (kind: Row["kind"], text: string, other: string) => {
  const isSplit = kind === "changed" && text.endsWith("\r") !== other.endsWith("\r")
  // line ends are said only where they are what changed
  const shown = isSplit ? text : withoutReturn(text)
  if (shown === "") return <br />
  if (kind !== "changed") return visible(shown)
  const [before, part, after] = changedPart(shown, isSplit ? other : withoutReturn(other))
  return (
    <>
      {visible(before)}
      {part === "" ? null : <mark>{visible(part)}</mark>}
      {visible(after)}
    </>
  )
}
