import type { Operation } from "../../../operations/Operation.ts"
import type { Asking } from "../asking.ts"
import { checkWriteTarget } from "./checkWriteTarget.ts"
import { completeTask } from "./completeTask.ts"
import { createTasks } from "./createTasks.ts"
import { getMyTask } from "./getMyTask.ts"
import { getMyTaskProgress } from "./getMyTaskProgress.ts"
import { getNextAction } from "./getNextAction.ts"
import { reportCompleted } from "./reportCompleted.ts"
import { submitPhase } from "./submitPhase.ts"
import { updateTaskStatus } from "./updateTaskStatus.ts"

/** What an agent may ask for in its session, in the order in which it is shown. */
export const sessionOperations: ReadonlyArray<Operation<Asking>> = [
  getNextAction,
  submitPhase,
  checkWriteTarget,
  completeTask,
  updateTaskStatus,
  getMyTask,
  getMyTaskProgress,
  reportCompleted,
  createTasks
]
