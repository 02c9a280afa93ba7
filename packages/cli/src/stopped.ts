import type { RunState } from "@proofline/kernel"

/** Nothing failed: the budget of the run is used up, or one step was asked for, and a resume goes on. */
export interface Stopped {
  readonly by: "budget"
  readonly message: string
}

/** What a run is shown as: one that was stopped has not failed, whatever the event that ended it is called. */
export type ShownStatus = RunState["status"] | "stopped"

export const stoppedOf = ({ failed_by, message, status }: RunState): Stopped | null =>
  status === "failed" && failed_by === "budget" ? { by: "budget", message } : null

export const shownStatus = (run: RunState): ShownStatus => (stoppedOf(run) === null ? run.status : "stopped")

/** Beside a status in a document; nothing where the run was not stopped. */
export const stoppedData = (run: RunState): { readonly stopped?: Stopped } => {
  const stopped = stoppedOf(run)
  return stopped === null ? {} : { stopped }
}
