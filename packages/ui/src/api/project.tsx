import type { AboutView, Approval } from "@proofline/plugins/frontends/http/api"
import { createContext, type ReactNode, useContext, useEffect } from "react"
import type { Failure } from "./client.ts"
import { followEvents, useRevision } from "./live.ts"
import { useNotifications } from "./notify.ts"
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

/** Last part of the project directory, whatever separates its parts. */
export const projectName = ({ root }: Pick<AboutView, "root">): string =>
  root.split(/[/\\]/).findLast((part) => part !== "") ?? root

/** Asks for them as long as it is shown, and follows the log meanwhile. */
export const ProjectProvider = ({ children }: { readonly children: ReactNode }) => {
  const revision = useRevision()
  const about = useApi((client) => client.about(), [], { again: revision })
  const approvals = useApi((client) => client.approvals(), [], { again: revision })
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
