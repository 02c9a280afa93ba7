import { activities, analyzerActivity, isOver, nextStep, type State, taskOf } from "@proofline/kernel"
import type { AgentCall } from "./AttemptTokens.ts"

/** The log says that the agent is still asked. */
export const isUnderWay = (state: State, { attempt, role, task_id }: AgentCall): boolean => {
  if (state.status !== "running") return false
  const task = taskOf(state, task_id)
  const current = task?.current
  const next = task === undefined ? null : nextStep(state, task)
  const outstanding = next?._tag === "Start" ? next.activity : null
  switch (role) {
    case "work":
      return current?.attempt === attempt && current.outcome === null && outstanding === activities.attempt
    case "review":
      return current?.attempt === attempt && outstanding === activities.review
    case "analyze":
      return outstanding === analyzerActivity(state.config.chunking.analyzer)
    case "generate":
    case "verify":
      // they are asked about the whole of a run
      return task === undefined || !isOver(task)
  }
}
