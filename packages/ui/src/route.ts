import { useSyncExternalStore } from "react"
import { type BaseLocationHook, useSearch } from "wouter"

/** What stands behind the `#`, with a `/` before it. */
export const whole = (): string => `/${location.hash.replace(/^#?\/?/, "")}`

// The router decodes what it is given: an id that holds `%` or `/` would be decoded twice. So it gets what it decodes
// to exactly what stands in the address, and the pages decode that, once.
const asItStands = (text: string): string => text.replaceAll("%", "%25")

const subscribe = (listener: () => void): (() => void) => {
  addEventListener("hashchange", listener)
  return () => removeEventListener("hashchange", listener)
}

const navigate = (to: string, { replace = false }: { readonly replace?: boolean } = {}): void => {
  history[replace ? "replaceState" : "pushState"](null, "", `#${to}`)
  dispatchEvent(new HashChangeEvent("hashchange"))
}

/**
 * Location and query for the router, both behind the `#`: an address that is copied, or opened in another tab, leads
 * to the same page with the same filters.
 */
export const useHash: BaseLocationHook = () => [
  useSyncExternalStore(subscribe, () => asItStands(whole().split("?", 1)[0] ?? "/")),
  navigate
]
useHash.hrefs = (href) => `#${href}`
useHash.searchHook = () =>
  useSyncExternalStore(subscribe, () => {
    const at = whole().indexOf("?")
    return at < 0 ? "" : asItStands(whole().slice(at + 1))
  })

/** The beginning of an address that names a project, as a server of several has it; empty: it names none. */
const baseIn = (address: string): string => /^\/projects\/[^/?]+/.exec(address)?.[0] ?? ""

/** The project that is shown, in the address of the page and of what it asks for. */
export const currentBase = (): string => baseIn(whole())

export const useBase = (): string => useSyncExternalStore(subscribe, currentBase)

/** Shows another address in the place of this one. */
export const moveTo = (address: string): void => navigate(address, { replace: true })

/** The `href` of a page of the project that is shown, where no `Link` makes it. */
export const hrefOf = (address: string): string => `#${currentBase()}${address}`

/** A part of an address as it was meant; one that nobody could have written stays as it is. */
export const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Takes this into the query of the address, or out of it (null); what stands there already stays. */
export const writeQuery = (fields: Readonly<Record<string, string | null>>): void => {
  const [path = "/", query = ""] = whole().split("?", 2)
  const written = new URLSearchParams(query)
  for (const [name, value] of Object.entries(fields)) {
    if (value === null || value === "") written.delete(name)
    else written.set(name, value)
  }
  const next = written.size === 0 ? path : `${path}?${written.toString()}`
  if (next !== whole()) navigate(next, { replace: true })
}

/** These fields as the query of an address; without any it is empty. */
export const queryOf = (fields: Readonly<Record<string, string>>): string => {
  const query = new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== "")).toString()
  return query === "" ? "" : `?${query}`
}

/** A field of the query, and how it is written; empty: it is not there. */
export const useField = (name: string): readonly [string, (value: string) => void] => {
  const value = new URLSearchParams(useSearch()).get(name) ?? ""
  return [value, (value) => writeQuery({ [name]: value })]
}

const part = encodeURIComponent

/** Addresses of the pages, for links. */
export const to = {
  runs: "/",
  start: "/start",
  approvals: "/approvals",
  stats: "/stats",
  run: (run: string) => `/runs/${part(run)}`,
  refusals: (run: string, event?: number) =>
    `/runs/${part(run)}/refusals${event === undefined ? "" : `?event=${event}`}`,
  /** Of one of its attempts where that is named. */
  task: (run: string, task: string, attempt: number | null = null) =>
    `/runs/${part(run)}/tasks/${part(task)}${attempt === null ? "" : `?attempt=${attempt}`}`,
  compare: (a: string, b: string) => `/compare/${part(a)}/${part(b)}`
} as const
