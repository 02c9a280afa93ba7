import { lazy, Suspense, useEffect, useEffectEvent, useRef, useState } from "react"
import { useLocation } from "wouter"
import { to } from "../route.ts"
import { type Act, act, canAct } from "./acts.ts"
import { copied } from "./CopyButton.tsx"
import { Dialog } from "./Dialog.tsx"
import type { Choice } from "./Palette.tsx"

const Palette = lazy(async () => ({ default: (await import("./Palette.tsx")).Palette }))

const keys: ReadonlyArray<readonly [keys: string, what: string]> = [
  ["Ctrl K", "go to any page, project, run or task, or do something"],
  ["/", "filter the list that is shown"],
  ["Ctrl F", "the same while rows of a long list are not drawn; once more: find on the page"],
  ["j, k", "next and previous row"],
  [".", "back to live, from a moment of the past"],
  ["r", "try the task that is shown again"],
  ["g r, g w, g s, g c", "runs, what waits for you, figures, compare"],
  ["g p", "another project, where the server has several"],
  ["g t, g x, g l, g e", "of a run: tasks, refusals, timeline, events"],
  ["?", "these keys"]
]

/** Served beside the page. */
const docs = "docs/"

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null

const seen = (selector: string): HTMLElement | undefined =>
  [...document.querySelectorAll<HTMLElement>(`main ${selector}`)].find((one) => one.checkVisibility())

/** Where rows stand one after the other without a list that has the focus. */
const stops = ":is(.runs-link, .refusal, .approval-question)"

const step = (by: 1 | -1): void => {
  const list = seen(":is([role=tree], [role=listbox])")
  if (list !== undefined) {
    list.focus()
    list.dispatchEvent(
      new KeyboardEvent("keydown", { key: by === 1 ? "ArrowDown" : "ArrowUp", bubbles: true, cancelable: true })
    )
    return
  }
  const all = [...document.querySelectorAll<HTMLElement>(`main ${stops}`)].filter((one) => one.checkVisibility())
  const at = all.indexOf(document.activeElement as HTMLElement)
  const next = all[at < 0 ? (by === 1 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + by))]
  next?.focus()
  next?.scrollIntoView({ block: "nearest" })
}

const focusFilter = (): boolean => {
  const field = seen("input[type=search]") as HTMLInputElement | undefined
  field?.focus()
  field?.select()
  return field !== undefined
}

/** Rows that are not in the page are not found by the browser. */
const hasHiddenRows = (): boolean => {
  const list = seen(".list-box")
  return list !== undefined && list.scrollHeight > list.clientHeight
}

/** A second key of two counts for so long. */
const together = 1_500
const never = Number.NEGATIVE_INFINITY

const openSwitcher = (): void => document.querySelector<HTMLElement>(".switcher-menu")?.showPopover()

/** Keys that are good everywhere, and the palette. */
export const Keys = () => {
  const [path, navigate] = useLocation()
  const [shown, setShown] = useState<"keys" | "palette" | null>(null)
  const begun = useRef(never)
  const base = path.startsWith("/runs/") ? path.split("/").slice(0, 3).join("/") : null
  const views: Readonly<Record<string, string | null>> = {
    r: to.runs,
    w: to.approvals,
    s: to.stats,
    c: "/compare",
    t: base === null ? null : `${base}/tasks`,
    x: base === null ? null : `${base}/refusals`,
    l: base === null ? null : `${base}/timeline`,
    e: base === null ? null : `${base}/events`
  }
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const done = (act: () => void): void => {
      event.preventDefault()
      act()
    }
    const { altKey, ctrlKey, key, metaKey, target } = event
    // what is asked stands before everything else
    if (shown === null && document.querySelector("dialog[open], :popover-open") !== null) return
    if ((ctrlKey || metaKey) && !altKey) {
      if (key === "k") return done(() => setShown(shown === "palette" ? null : "palette"))
      const isInFilter = document.activeElement === seen("input[type=search]")
      if (key === "f" && shown === null && hasHiddenRows() && !isInFilter) done(focusFilter)
      return
    }
    if (altKey || ctrlKey || metaKey || shown !== null || isTyping(target)) return
    const isSecond = event.timeStamp - begun.current < together
    begun.current = never
    if (isSecond) {
      const address = views[key] ?? null
      if (key === "p") done(openSwitcher)
      else if (address !== null) done(() => navigate(address))
      return
    }
    if (key === "g") begun.current = event.timeStamp
    if (key === "/") done(focusFilter)
    if (key === "?") done(() => setShown("keys"))
    if (key === "j") done(() => step(1))
    if (key === "k") done(() => step(-1))
    if (key === "." && canAct("live")) done(() => act("live"))
    if (key === "r" && canAct("try again")) done(() => act("try again"))
  })
  useEffect(() => {
    addEventListener("keydown", onKey)
    return () => removeEventListener("keydown", onKey)
  }, [])
  const action = (name: string, does: Act, about: string): ReadonlyArray<Choice> =>
    canAct(does) ? [{ name, about, act: () => act(does) }] : []
  const page = (name: string, key: string): ReadonlyArray<Choice> => {
    const address = views[key] ?? null
    return address === null ? [] : [{ name, about: `page, g ${key}`, act: () => navigate(address) }]
  }
  const actions: ReadonlyArray<Choice> = [
    ...page("Tasks", "t"),
    ...page("Refusals", "x"),
    ...page("Timeline", "l"),
    ...page("Events", "e"),
    ...action("Next refusal", "next refusal", "of the run"),
    ...action("Back to live", "live", "of the run, ."),
    ...action("Try this task again …", "try again", "of the task, r"),
    { name: "Copy a link to this view", about: "action", act: () => void copied(location.href) },
    ...page("Runs", "r"),
    ...page("Waiting for you", "w"),
    ...page("Figures", "s"),
    ...page("Compare", "c"),
    { name: "Keys", about: "help, ?", act: () => setShown("keys") },
    { name: "Documentation", about: "help, another tab", act: () => void open(docs, "_blank", "noreferrer") }
  ]
  return shown === "palette" ? (
    <Suspense fallback={null}>
      <Palette actions={actions} onClose={() => setShown(null)} />
    </Suspense>
  ) : shown === "keys" ? (
    <Dialog title="Keys" onClose={() => setShown(null)}>
      <dl className="keys">
        {keys.map(([pressed, what]) => (
          <div key={pressed}>
            <dt>
              <kbd>{pressed}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p>
        <a href={docs} target="_blank" rel="noreferrer">
          Documentation
        </a>{" "}
        of this version, in another tab.
      </p>
    </Dialog>
  ) : null
}
