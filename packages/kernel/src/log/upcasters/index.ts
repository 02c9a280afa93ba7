import type { Schema } from "effect"
import { evidenceChecked, itemAccepted, runResumed, runStarted, verificationRun } from "./version2.ts"
import { attemptEnded, configured, taskRegistered } from "./version3.ts"
import { widened } from "./version4.ts"
import { budgeted } from "./version5.ts"

/**
 * Steps from the first schema version of an event type to today's, oldest first: `upcasters[type][i]` lifts version
 * i + 1 to i + 2. A step is frozen once released.
 */
export const upcasters: Readonly<Record<string, ReadonlyArray<(content: Schema.Json) => Schema.Json>>> = {
  RUN_STARTED: [runStarted, configured, budgeted],
  RUN_RESUMED: [runResumed, configured, budgeted],
  TASK_REGISTERED: [taskRegistered],
  CHECKLIST_REGISTERED: [widened, widened],
  RUN_FAILED: [widened],
  TASK_STATUS_CHANGED: [widened],
  TASK_COMPLETED: [widened],
  ATTEMPT_ENDED: [attemptEnded],
  EVIDENCE_CHECKED: [evidenceChecked],
  CHECKLIST_ITEM_ACCEPTED: [itemAccepted],
  VERIFICATION_RUN: [verificationRun]
}
