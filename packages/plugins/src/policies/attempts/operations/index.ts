import type { Operation } from "../../../operations/Operation.ts"
import type { Asking } from "../context.ts"
import { checkWriteTarget } from "./checkWriteTarget.ts"
import { completeTask } from "./completeTask.ts"
import { createTasks } from "./createTasks.ts"
import { getMyTask } from "./getMyTask.ts"
import { getMyTaskProgress } from "./getMyTaskProgress.ts"
import { getNextAction } from "./getNextAction.ts"
import { reportCompleted } from "./reportCompleted.ts"
import { submitPhase } from "./submitPhase.ts"
import { submitReview } from "./submitReview.ts"
import { submitVerification } from "./submitVerification.ts"
import { updateTaskStatus } from "./updateTaskStatus.ts"

/** What an agent of an attempt may ask for: its own operations, and those of a session in its own way. */
export const attemptOperations: ReadonlyArray<Operation<Asking>> = [
  getNextAction,
  getMyTask,
  getMyTaskProgress,
  checkWriteTarget,
  completeTask,
  submitPhase,
  createTasks,
  reportCompleted,
  updateTaskStatus,
  submitReview,
  submitVerification
]
