import { useEffect } from "react"
import { projectName, useProject } from "../api/project.tsx"
import { named } from "./code/visible.ts"

/** Names the tab after what is shown, the special before the general; empty parts are left out. */
export const useTitle = (...parts: ReadonlyArray<string>): void => {
  const { about, approvals } = useProject()
  const waiting = approvals === null || approvals.length === 0 ? "" : `(${approvals.length}) `
  const title =
    waiting +
    [...parts.map(named), about === null ? "" : named(projectName(about)), "Proofline"]
      .filter((part) => part !== "")
      .join(" · ")
  useEffect(() => {
    document.title = title
  }, [title])
}
