import { useEffect } from "react"
import { projectName, useProject } from "../api/project.tsx"

/** Names the tab after what is shown, the special before the general; empty parts are left out. */
export const useTitle = (...parts: ReadonlyArray<string>): void => {
  const { about } = useProject()
  const title = [...parts, about === null ? "" : projectName(about), "Proofline"]
    .filter((part) => part !== "")
    .join(" · ")
  useEffect(() => {
    document.title = title
  }, [title])
}
