import type { Approval } from "@proofline/plugins/frontends/http/api"
import { useEffect, useRef, useState } from "react"
import { named } from "../parts/code/visible.ts"
import { currentBase, to } from "../route.ts"
import { keyOf } from "./approval.ts"

const key = "proofline.notify"

const kept = (): boolean => {
  try {
    return localStorage.getItem(key) === "yes"
  } catch {
    return false
  }
}

let isOn = kept()

const isPossible = (): boolean => "Notification" in globalThis

/** Somebody wants to be told of what waits, and the browser lets us. */
export const isNotifying = (): boolean => isOn && isPossible() && Notification.permission === "granted"

/** What was not asked before; at first nothing is new. */
export const newlyAsked = (
  before: ReadonlyArray<Approval> | null,
  now: ReadonlyArray<Approval>
): ReadonlyArray<Approval> => {
  const known = new Set(before?.map(keyOf))
  return before === null ? [] : now.filter((one) => !known.has(keyOf(one)))
}

/** Tells on the desktop of what is asked while nobody looks at the page. */
export const useNotifications = (approvals: ReadonlyArray<Approval> | null): void => {
  const before = useRef<ReadonlyArray<Approval> | null>(null)
  useEffect(() => {
    if (approvals === null) return
    const asked = newlyAsked(before.current, approvals)
    before.current = approvals
    if (asked.length === 0 || !isNotifying() || !document.hidden) return
    const [first] = asked
    const title = asked.length === 1 ? "A run waits for you" : `${asked.length} questions wait for you`
    tell(title, first?.question ?? "", currentBase())
  }, [approvals])
}

/** Tells on the desktop of what waits in a project: one of each stands there at a time, and leads to it. */
export const tell = (title: string, body: string, base: string): void => {
  const notification = new Notification(title, { body: named(body), tag: `${key}${base}` })
  notification.onclick = () => {
    focus()
    location.hash = `#${base}${to.approvals}`
  }
}

/** Whether it is told, and how that is changed; null: this browser cannot, or was told not to. */
export const useNotify = (): readonly [boolean, (wanted: boolean) => void] | null => {
  const [isWanted, setWanted] = useState(isNotifying())
  const [isDenied, setDenied] = useState(!isPossible() || Notification.permission === "denied")
  if (isDenied) return null
  const set = async (wanted: boolean): Promise<void> => {
    const given = wanted ? await Notification.requestPermission() : "default"
    isOn = wanted && given === "granted"
    setWanted(isOn)
    setDenied(given === "denied")
    try {
      localStorage.setItem(key, isOn ? "yes" : "no")
    } catch {
      // a browser may forbid storage: then it lasts as long as the page
    }
  }
  return [isWanted, (wanted) => void set(wanted)]
}
