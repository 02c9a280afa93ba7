import { type ReactNode, useId } from "react"
import "./disclosure.css"

export interface DisclosureProps {
  /** Of the heading that the button stands in; null: it stands in none. */
  readonly level: 3 | 4 | 5 | null
  readonly title: ReactNode
  /** Beside the title, not part of the button's name. */
  readonly aside?: ReactNode
  readonly isOpen: boolean
  readonly onToggle: (isOpen: boolean) => void
  /** Made only while it is open. */
  readonly children: () => ReactNode
}

/** A title that opens and closes what stands below it. */
export const Disclosure = ({ aside, children, isOpen, level, onToggle, title }: DisclosureProps) => {
  const id = useId()
  const Heading = level === null ? "div" : (`h${level}` as const)
  return (
    <div className="disclosure">
      <div className="disclosure-head">
        <Heading className="disclosure-title">
          <button type="button" aria-expanded={isOpen} aria-controls={id} onClick={() => onToggle(!isOpen)}>
            <span className="disclosure-sign" aria-hidden="true">
              {isOpen ? "▾" : "▸"}
            </span>
            <span>{title}</span>
          </button>
        </Heading>
        {aside}
      </div>
      <div id={id} className="disclosure-body" hidden={!isOpen}>
        {isOpen ? children() : null}
      </div>
    </div>
  )
}
