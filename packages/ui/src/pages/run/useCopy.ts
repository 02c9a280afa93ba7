import { useEffect, useState } from "react"

/** Puts a text on the clipboard; what became of it is said for two seconds. */
export const useCopy = (): readonly [said: string, copy: (text: string) => void] => {
  const [said, setSaid] = useState("")
  useEffect(() => {
    if (said === "") return
    const timer = setTimeout(() => setSaid(""), 2_000)
    return () => clearTimeout(timer)
  }, [said])
  const copy = (text: string): void => {
    // without a secure context there is no clipboard
    const done = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("no clipboard"))
    done.then(
      () => setSaid("Copied"),
      () => setSaid("Not copied: select it and copy it by hand")
    )
  }
  return [said, copy]
}
