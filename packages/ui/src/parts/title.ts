import { useEffect } from "react"
import { useProject, useProjectLabel } from "../api/project.tsx"
import { useProjects } from "../api/projects.ts"
import { waitingElsewhere } from "../api/served.ts"
import { useBase } from "../route.ts"
import { named } from "./code/visible.ts"

/** Names the tab after what is shown, the special before the general; empty parts are left out. What waits anywhere stands before. */
export const useTitle = (...parts: ReadonlyArray<string>): void => {
  const { approvals } = useProject()
  const label = useProjectLabel()
  const count = (approvals?.length ?? 0) + waitingElsewhere(useProjects().served, useBase())
  const title =
    (count === 0 ? "" : `(${count}) `) +
    [...parts.map(named), named(label), "Proofline"].filter((part) => part !== "").join(" · ")
  useEffect(() => {
    document.title = title
  }, [title])
}
