import { type HTMLAttributes, type KeyboardEvent, type UIEventHandler, useId } from "react"
import { press } from "./keys.ts"
import type { Rows } from "./useRows.ts"
import "./rowList.css"

const itemRoles = { listbox: "option", tree: "treeitem" } as const

interface RowListProps {
  readonly role: keyof typeof itemRoles
  readonly label: string
  readonly className: string
  readonly rows: Rows
  /** Index of the row that keys move from. */
  readonly active: number
  /** A key has moved there. */
  readonly onMove: (index: number) => void
  /** What other keys do, or the same ones instead of moving. */
  readonly acts: (at: number, move: (index: number) => void) => Readonly<Record<string, () => void>>
  readonly row: (index: number, isActive: boolean) => HTMLAttributes<HTMLDivElement>
  readonly onScroll?: UIEventHandler<HTMLDivElement>
}

/** Rows of which one is active: the list has the focus, and keys move from row to row. */
export const RowList = ({ active, acts, className, label, onMove, onScroll, role, row, rows }: RowListProps) => {
  const { box, count, heightOf, items, virtual } = rows
  const id = useId()
  const at = Math.max(0, Math.min(active, count - 1))
  const move = (index: number): void => {
    const next = Math.min(count - 1, Math.max(0, index))
    onMove(next)
    virtual.scrollToIndex(next)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor((box.current?.clientHeight ?? 0) / heightOf(at)) - 1)
    press(event, {
      ArrowDown: () => move(at + 1),
      ArrowUp: () => move(at - 1),
      Home: () => move(0),
      End: () => move(count - 1),
      PageDown: () => move(at + page),
      PageUp: () => move(at - page),
      ...acts(at, move)
    })
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: its role is one of those above
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: the same
    <div
      ref={box}
      className={`list-box card ${className}`}
      role={role}
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={`${id}${at}`}
      onKeyDown={onKeyDown}
      onScroll={onScroll}
    >
      <div role="presentation" className="list-rows" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, size, start }) => {
          const { className = "", ...more } = row(index, index === at)
          return (
            <div
              key={index}
              id={`${id}${index}`}
              role={itemRoles[role]}
              tabIndex={-1}
              className={`list-row ${className}${index === at ? " list-active" : ""}`}
              style={{ height: size, transform: `translateY(${start}px)` }}
              {...more}
            />
          )
        })}
      </div>
    </div>
  )
}
