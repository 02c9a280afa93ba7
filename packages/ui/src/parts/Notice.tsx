import type { ReactNode } from "react"
import { visible } from "./code/visible.ts"

/** Something that has to be said: what is the matter, and what to do next. */
export const Notice = ({
  children,
  title,
  tone = "info"
}: {
  readonly tone?: "info" | "good" | "warn" | "bad"
  readonly title: string
  readonly children?: ReactNode
}) => (
  <div className={`notice tone-${tone}`} role={tone === "bad" || tone === "warn" ? "alert" : "status"}>
    <strong>{visible(title)}</strong>
    {children === undefined ? null : <div>{children}</div>}
  </div>
)

/** Where nothing is: why, and how something comes to be there. */
export const Empty = ({ children, title }: { readonly title: string; readonly children?: ReactNode }) => (
  <div className="card empty">
    <h2>{visible(title)}</h2>
    {children === undefined ? null : <div className="muted">{children}</div>}
  </div>
)
