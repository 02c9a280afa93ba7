import { useId, useState } from "react"
import { useLocation } from "wouter"
import { useProjects } from "../api/projects.ts"
import { labelOf, shownIn } from "../api/served.ts"
import { useApi } from "../api/useApi.ts"
import { decoded, to, useBase } from "../route.ts"
import { named } from "./code/visible.ts"
import { Dialog } from "./Dialog.tsx"
import { press } from "./keys.ts"
import { useSettled } from "./useSettled.ts"

/** Something that can be gone to or done. */
export interface Choice {
  readonly name: string
  readonly about: string
  readonly act: () => void
}

const most = 12

/** Those that are not shown, with what they are called. */
const useOtherProjects = () => {
  const { served } = useProjects()
  const base = useBase()
  if (served === null) return []
  const shown = shownIn(served, base)
  return served.projects.filter((one) => one !== shown).map((one) => ({ ...one, label: labelOf(one, served.projects) }))
}

/** Goes to any page, project, run or task that is named in part, or does something with what is shown. */
export const Palette = ({
  actions,
  onClose
}: {
  readonly actions: ReadonlyArray<Choice>
  readonly onClose: () => void
}) => {
  const [path, navigate] = useLocation()
  const [typed, setTyped] = useState("")
  const [active, setActive] = useState(0)
  const q = typed.trim()
  const asked = useSettled(q)
  const run = path.startsWith("/runs/") ? decoded(path.split("/")[2] ?? "") : ""
  const id = useId()
  const found = useApi(
    async (client) => {
      const [runs, tasks] = await Promise.all([
        client.runs.list({ query: { limit: most, q: asked } }),
        run === "" ? { tasks: [] } : client.tasks.list({ params: { run }, query: { limit: most, q: asked } })
      ])
      return { runs, tasks }
    },
    [asked, run],
    { keep: true }
  )
  const isLooking = found.loading || asked !== q
  const fits = ({ about, name }: Choice): boolean =>
    q
      .toLowerCase()
      .split(/\s+/)
      .every((word) => `${name} ${about}`.toLowerCase().includes(word))
  const go = (address: string) => () => navigate(address)
  const tasks = (found.data?.tasks.tasks ?? []).map(
    ({ task_id, title }): Choice => ({ name: title, about: `task ${task_id}`, act: go(to.task(run, task_id)) })
  )
  const runs = (found.data?.runs.runs ?? []).map(
    ({ name, run_id }): Choice => ({
      name: name === "" ? run_id : name,
      about: `run ${run_id}`,
      act: go(to.run(run_id))
    })
  )
  const projects = useOtherProjects().map(
    ({ label, path, root, waiting }): Choice => ({
      name: label,
      about: `project ${root}${waiting === null || waiting === 0 ? "" : `, ${waiting} waiting`}`,
      act: go(`~${path}/`)
    })
  )
  const choices = [
    ...actions.filter(fits),
    ...projects.filter(fits),
    ...tasks.filter(fits),
    ...runs.filter(fits)
  ].slice(0, most)
  const at = Math.min(active, choices.length - 1)
  const choose = (choice: Choice | undefined): void => {
    if (choice === undefined) return
    onClose()
    choice.act()
  }
  return (
    <Dialog title="Go to or do" onClose={onClose}>
      <input
        type="search"
        role="combobox"
        aria-label="Page, project, run, task or action"
        aria-expanded={true}
        aria-controls={id}
        aria-activedescendant={choices.length === 0 ? undefined : `${id}${at}`}
        value={typed}
        autoFocus
        onChange={(event) => {
          setTyped(event.target.value)
          setActive(0)
        }}
        onKeyDown={(event) =>
          press(event, {
            ArrowDown: () => setActive(Math.min(choices.length - 1, at + 1)),
            ArrowUp: () => setActive(Math.max(0, at - 1)),
            Enter: () => choose(choices[at])
          })
        }
      />
      <div id={id} role="listbox" aria-label="What fits" className="palette">
        {choices.map((choice, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys move in the field above
          <div
            key={`${choice.about} ${choice.name}`}
            id={`${id}${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === at}
            onClick={() => choose(choice)}
          >
            <span className="clip">{named(choice.name)}</span>
            <span className="muted clip">{named(choice.about)}</span>
          </div>
        ))}
      </div>
      {choices.length === 0 ? <p className="muted">{isLooking ? "Looking …" : "Nothing fits."}</p> : null}
    </Dialog>
  )
}
