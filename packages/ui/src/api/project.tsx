import type { AboutView, Approval } from "@proofline/plugins/frontends/http/api"
import { createContext, type ReactNode, useContext, useEffect } from "react"
import { useBase } from "../route.ts"
import type { Failure } from "./client.ts"
import { followEvents, useRevision } from "./live.ts"
import { useNotifications } from "./notify.ts"
import { useProjects } from "./projects.ts"
import { labelOf, shownIn } from "./served.ts"
import { useApi } from "./useApi.ts"

/** What every page needs: the project that is served, and what waits for a person in it. */
export interface ProjectNow {
  /** Null while it is asked for the first time, or cannot be. */
  readonly about: AboutView | null
  readonly error: Failure | null
  /** Null: not known yet. */
  readonly approvals: ReadonlyArray<Approval> | null
  readonly approvalsError: Failure | null
  readonly reloadApprovals: () => void
}

const Context = createContext<ProjectNow>({
  about: null,
  error: null,
  approvals: null,
  approvalsError: null,
  reloadApprovals: () => {}
})

export const useProject = (): ProjectNow => useContext(Context)

/** What the project is called that is shown; empty: that is not known. */
export const useProjectLabel = (): string => {
  const { about } = useProject()
  const { served } = useProjects()
  const base = useBase()
  const shown = served === null ? undefined : shownIn(served, base)
  if (served !== null && shown !== undefined) return labelOf(shown, served.projects)
  return about === null ? "" : labelOf({ id: "", root: about.root }, [])
}

/** Asks for them as long as it is shown, and follows the log meanwhile. */
export const ProjectProvider = ({ children }: { readonly children: ReactNode }) => {
  const revision = useRevision()
  const about = useApi((client) => client.about(), [], { again: revision })
  const approvals = useApi((client) => client.approvals(), [], {
    again: revision,
    isPartial: ({ approvals }) => approvals.some(({ asked_at }) => asked_at === null)
  })
  useNotifications(approvals.data?.approvals ?? null)
  useEffect(() => {
    const controller = new AbortController()
    void followEvents(controller.signal)
    return () => controller.abort()
  }, [])
  return (
    <Context
      value={{
        about: about.data,
        error: about.error,
        approvals: approvals.data?.approvals ?? null,
        approvalsError: approvals.error,
        reloadApprovals: approvals.reload
      }}
    >
      {children}
    </Context>
  )
}
