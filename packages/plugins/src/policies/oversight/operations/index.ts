import type { Operation } from "../../../operations/Operation.ts"
import type { Asking } from "../context.ts"
import { answerApproval } from "./answerApproval.ts"
import { getEvents } from "./getEvents.ts"
import { getRun } from "./getRun.ts"
import { getSubtasks } from "./getSubtasks.ts"
import { listApprovals } from "./listApprovals.ts"
import { listRuns } from "./listRuns.ts"
import { verifyRun } from "./verifyRun.ts"

/** What whoever looks after the project may ask for, in the order in which it is shown. */
export const oversightOperations: ReadonlyArray<Operation<Asking>> = [
  listRuns,
  getRun,
  getSubtasks,
  getEvents,
  verifyRun,
  listApprovals,
  answerApproval
]
