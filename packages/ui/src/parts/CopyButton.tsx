import { useEffect, useState } from "react"

/** Puts `text` on the clipboard and says so for a moment. `label` names what is copied. */
export const CopyButton = ({ label, text }: { readonly text: string; readonly label: string }) => {
  const [became, setBecame] = useState<"copied" | "failed" | null>(null)
  useEffect(() => {
    if (became === null) return
    const timer = setTimeout(() => setBecame(null), 2_000)
    return () => clearTimeout(timer)
  }, [became])
  // the clipboard is missing where the page is not served from this machine without encryption
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setBecame("copied")
    } catch {
      setBecame("failed")
    }
  }
  return (
    <button type="button" className="copy" aria-label={`Copy ${label}`} onClick={() => void copy()}>
      <span role="status">{became === null ? "Copy" : became === "copied" ? "Copied" : "Not allowed"}</span>
    </button>
  )
}
