import { activities, analyzerActivity, analyzersOf, isOver, type KernelState, taskOf } from "@proofline/kernel"
import { outstandingOf } from "../../operations/outstanding.ts"
import type { AgentCall } from "./AttemptTokens.ts"

/** The log says that the agent is still asked. */
export const isUnderWay = (state: KernelState, { attempt, role, task_id }: AgentCall): boolean => {
  if (state.run.status !== "running") return false
  const task = taskOf(state, task_id)
  const current = task?.current
  const outstanding = (task === undefined ? null : outstandingOf(state, task))?.activity ?? null
  switch (role) {
    case "work":
      return current?.attempt === attempt && current.outcome === null && outstanding === activities.attempt
    case "review":
      return current?.attempt === attempt && outstanding === activities.review
    case "analyze":
      // the first one may be an agent; those after it are asked when it has ended
      return analyzersOf(state.run.config.chunking)
        .slice(0, 1)
        .map(analyzerActivity)
        .some((name) => name === outstanding)
    case "generate":
    case "verify":
      // they are asked about the whole of a run
      return task === undefined || !isOver(task)
  }
}
