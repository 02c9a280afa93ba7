import { visible } from "./code/visible.ts"
/** A part of a bar: `tone` as of badges, or `open` for what is not done. */
export interface Segment {
  readonly tone: "good" | "warn" | "other" | "bad" | "info" | "open"
  readonly count: number
}

/** A bar in proportion; what it shows is said by `label`. Of nothing, it is empty. */
export const Progress = ({
  label,
  segments
}: {
  readonly label: string
  readonly segments: ReadonlyArray<Segment>
}) => {
  const whole = segments.reduce((sum, { count }) => sum + count, 0)
  return (
    <span className="progress" role="img" aria-label={visible(label)}>
      {segments
        .filter(({ count, tone }) => count > 0 && tone !== "open")
        .map(({ count, tone }) => (
          <span
            key={tone}
            className={`progress-part progress-${tone}`}
            style={{ width: `${(100 * count) / whole}%` }}
          />
        ))}
    </span>
  )
}
