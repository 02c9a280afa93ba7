import type { Approval } from "@proofline/plugins/frontends/http/api"
import { useEffect, useRef, useState, useSyncExternalStore } from "react"
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
const listeners = new Set<() => void>()

const become = (wanted: boolean): void => {
  isOn = wanted
  for (const listener of listeners) listener()
}

// what is chosen in one tab holds in all of them
globalThis.addEventListener?.("storage", (event) => {
  if (event.key === key) become(event.newValue === "yes")
})

const isPossible = (): boolean => "Notification" in globalThis

/** Somebody wants to be told of what waits, and the browser lets us. */
export const isNotifying = (): boolean => isOn && isPossible() && Notification.permission === "granted"

/** Nobody looks at the page: its tab is hidden, or something else has the focus. */
export const isUnseen = (): boolean => document.hidden || !document.hasFocus()

/** What was not asked before; at first nothing is new. */
export const newlyAsked = (
  before: ReadonlyArray<Approval> | null,
  now: ReadonlyArray<Approval>
): ReadonlyArray<Approval> => {
  const known = new Set(before?.map(keyOf))
  return before === null ? [] : now.filter((one) => !known.has(keyOf(one)))
}

/** Tells on the desktop of what is asked while nobody looks at the page; what is not asked any more is taken back. */
export const useNotifications = (approvals: ReadonlyArray<Approval> | null): void => {
  const before = useRef<ReadonlyArray<Approval> | null>(null)
  useEffect(() => {
    if (approvals === null) return
    const asked = newlyAsked(before.current, approvals)
    before.current = approvals
    const still = new Set(approvals.map(keyOf))
    for (const [questions, notification] of told) if (!questions.some((one) => still.has(one))) notification.close()
    const [first, ...more] = asked
    if (first === undefined || !isNotifying() || !isUnseen()) return
    const questions = asked.map(keyOf)
    const isOne = more.length === 0
    const run = first.run_name === "" ? "A run" : named(first.run_name)
    const notification = tell(isOne ? `${run} waits for you` : `${asked.length} questions wait for you`, {
      body: first.question,
      address: `${currentBase()}${isOne ? to.run(first.run_id) : to.approvals}`,
      tag: questions.join()
    })
    if (notification === null) return
    told.set(questions, notification)
    notification.addEventListener("close", () => told.delete(questions))
  }, [approvals])
}

/** What stands on the desktop, by the questions it is about. */
const told = new Map<ReadonlyArray<string>, Notification>()

interface Telling {
  readonly body: string
  /** Of the page that it leads to, with the project in it. */
  readonly address: string
  /** Names what it is about: several tabs tell it once, and something else is told anew. */
  readonly tag: string
}

/** Tells on the desktop of what waits, which leads to it; null: this browser does not let a page do it by itself. */
export const tell = (title: string, { address, body, tag }: Telling): Notification | null => {
  try {
    const notification = new Notification(title, { body: named(body), tag: `${key} ${tag}` })
    notification.addEventListener("click", () => {
      focus()
      location.hash = `#${address}`
      notification.close()
    })
    return notification
  } catch {
    return null
  }
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Whether it is told, and how that is changed; null: this browser cannot, or was told not to. */
export const useNotify = (): readonly [boolean, (wanted: boolean) => void] | null => {
  const isWanted = useSyncExternalStore(subscribe, isNotifying)
  // until the browser has asked, the choice stands as it was made
  const [isAsking, setAsking] = useState(false)
  if (!isPossible() || Notification.permission === "denied") return null
  const set = async (wanted: boolean): Promise<void> => {
    setAsking(wanted)
    const given = wanted ? await Notification.requestPermission() : "default"
    const isGiven = given === "granted"
    try {
      localStorage.setItem(key, isGiven ? "yes" : "no")
    } catch {
      // a browser may forbid storage: then it lasts as long as the page
    }
    become(isGiven)
    setAsking(false)
  }
  return [isWanted || isAsking, (wanted) => void set(wanted)]
}
