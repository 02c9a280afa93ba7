import { useState } from "react"

const schemes = ["auto", "light", "dark"] as const
/** `auto`: as the system is set. */
export type Scheme = (typeof schemes)[number]

const key = "proofline.scheme"

const isScheme = (value: string | null): value is Scheme => schemes.some((scheme) => scheme === value)

const kept = (): Scheme => {
  try {
    const value = localStorage.getItem(key)
    return isScheme(value) ? value : "auto"
  } catch {
    return "auto"
  }
}

const apply = (scheme: Scheme): void => {
  const { dataset } = document.documentElement
  if (scheme === "auto") delete dataset["scheme"]
  else dataset["scheme"] = scheme
}

/** Before anything is drawn, so that nothing flashes. */
export const applyKeptScheme = (): void => apply(kept())

/** The scheme that was chosen, and how another one is. */
export const useScheme = (): readonly [Scheme, (scheme: Scheme) => void] => {
  const [scheme, setScheme] = useState(kept)
  return [
    scheme,
    (next) => {
      setScheme(next)
      apply(next)
      try {
        localStorage.setItem(key, next)
      } catch {
        // a browser may forbid storage: then it lasts as long as the page
      }
    }
  ]
}
