import type { ServedProjects } from "@proofline/plugins/frontends/http/api"
import { useSyncExternalStore } from "react"
import { currentBase } from "../route.ts"
import { ask, type Failure, failureOf, onUnnamed } from "./client.ts"
import { isNotifying } from "./notify.ts"
import { notifyOfOthers } from "./others.ts"

/** The projects of the server, as it said last. */
interface ProjectsNow {
  /** Null: not known yet. */
  readonly served: ServedProjects | null
  /** Why it could not be asked just now; null: it could. */
  readonly failure: Failure | null
}

/** How often a server of several is asked, ms. */
const everyMs = 2_000

let now: ProjectsNow = { served: null, failure: null }
let text = ""
const listeners = new Set<() => void>()

/** Nobody is told of what is as it was. */
const become = (next: ProjectsNow): void => {
  const nextText = JSON.stringify(next)
  if (nextText === text) return
  text = nextText
  now = next
  for (const listener of listeners) listener()
}

let hurry: () => void = () => {}

// an address that names no project, on a server that had one alone when it was asked last
onUnnamed(() => hurry())

const wait = (ms: number | null, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = ms === null ? undefined : setTimeout(resolve, ms)
    hurry = () => {
      clearTimeout(timer)
      resolve()
    }
    signal.addEventListener("abort", hurry, { once: true })
  })

const isSeen = (): boolean => !document.hidden || isNotifying()

document.addEventListener("visibilitychange", () => isSeen() && hurry())

/** Asks which projects there are until `signal`; where there is one alone, once. */
export const followProjects = async (signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    try {
      const served = await ask((client) => client.projects(), signal, "")
      notifyOfOthers(now.served, served, currentBase())
      become({ served, failure: null })
    } catch (error) {
      if (signal.aborted) return
      become({ ...now, failure: failureOf(error) })
    }
    const isAlone = now.failure === null && (now.served?.projects.length ?? 0) < 2
    do await wait(isAlone ? null : everyMs, signal)
    while (!signal.aborted && !isSeen())
  }
}

export const useProjects = (): ProjectsNow =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => now
  )
