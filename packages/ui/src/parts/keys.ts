import type { KeyboardEvent } from "react"

/** Does what stands for the key that was pressed; with Alt, Ctrl or Meta it is meant for the browser. */
export const press = (event: KeyboardEvent, acts: Readonly<Record<string, () => void>>): void => {
  const act = acts[event.key]
  if (act === undefined || event.altKey || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  act()
}
