import { useEffect, useState } from "react"
import "./code.css"
import { visible } from "./visible.ts"

/** A hash or another id, with a button that puts it on the clipboard. */
export const Copied = ({ text, what }: { readonly text: string; readonly what: string }) => {
  const [state, setState] = useState<"" | "Copied" | "Not copied: select it and copy it by hand">("")
  useEffect(() => {
    if (state === "") return
    const timer = setTimeout(() => setState(""), 2_000)
    return () => clearTimeout(timer)
  }, [state])
  const copy = (): void => {
    // without a secure context there is no clipboard
    const done = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("no clipboard"))
    done.then(
      () => setState("Copied"),
      () => setState("Not copied: select it and copy it by hand")
    )
  }
  return (
    <span className="copied">
      <code>{visible(text)}</code>
      <button type="button" aria-label={`Copy ${what}`} onClick={copy}>
        Copy
      </button>
      <span className="muted" role="status">
        {state}
      </span>
    </span>
  )
}
