import { useEffect, useState } from "react"
import { named } from "./code/visible.ts"

/** Puts a text on the clipboard; what became of it, in words. Without a secure context there is no clipboard. */
export const copied = async (text: string): Promise<string> => {
  try {
    await navigator.clipboard.writeText(text)
    return "Copied"
  } catch {
    return "Not copied: select it and copy it by hand"
  }
}

/** Puts `text` on the clipboard and says for two seconds what became of it. `label` names what is copied. */
export const CopyButton = ({
  label,
  text,
  word = "Copy"
}: {
  /** What is copied, or what says it when it is. */
  readonly text: string | (() => string)
  readonly label: string
  readonly word?: string
}) => {
  const [said, setSaid] = useState("")
  useEffect(() => {
    if (said === "") return
    const timer = setTimeout(() => setSaid(""), 2_000)
    return () => clearTimeout(timer)
  }, [said])
  const copy = async (): Promise<void> => setSaid(await copied(typeof text === "string" ? text : text()))
  return (
    <span className="copying">
      <button type="button" className="copy" aria-label={`Copy ${named(label)}`} onClick={() => void copy()}>
        {word}
      </button>
      <span className="muted" role="status">
        {said}
      </span>
    </span>
  )
}
