import type { Fact } from "../../core/contract.ts"
import { plannerOf } from "../run/state.ts"
import { type GateVerdict, gates, type Outcome, open, passed } from "../tasks/gates.ts"
import { retries, shownBy, wordings } from "../tasks/points.ts"
import { failFast, overtaken } from "../tasks/settle.ts"
import { isOver, type TaskState } from "../tasks/state.ts"
import { activities, activityKey, activityWork, agentKeys, agentWork } from "../tasks/work.ts"
import { SettleChunks, SkipChunking, StartChunking } from "./commands.ts"
import {
  ChunkingComplete,
  ReviewLoopEnd,
  ReviewLoopStart,
  SubtaskComplete,
  SubtaskFailed,
  SubtaskRetry,
  SubtaskStart
} from "./events.ts"
import { winnerOf } from "./report.ts"
import {
  acceptanceCriteria,
  analyzerActivity,
  analyzerInTurn,
  analyzersOf,
  failsFast,
  isItsTurn,
  isLooped,
  isOfChunking,
  isRaced,
  maxReviewRetries,
  needsCriteria,
  subtaskRef,
  subtaskResult,
  waitsForAggregation
} from "./rules.ts"
import { Chunking, type ChunkingView, chunkOf, iterationsUsed, loopOf, retriesOf, subtaskStateOf } from "./state.ts"

const aggregation = "aggregation"

/** The activity that puts the subtasks of a task together; `aggregation-custom` is a plugin's. */
export const aggregationActivity = ({ run: { config } }: Pick<ChunkingView, "run">): string =>
  config.chunking.aggregation_strategy.type === "custom" ? `${aggregation}-custom` : aggregation

/** That one, and who looks at what a plugin made of them. */
const aggregationActivities = (state: Pick<ChunkingView, "run">): ReadonlyArray<string> =>
  state.run.config.chunking.custom_looked_at === true
    ? [...new Set([aggregationActivity(state), aggregation])]
    : [aggregationActivity(state)]

/** One subtask after the other, where the plan says so. */
const turn = Chunking.offer(gates, "ready", {
  name: "turn",
  verdict: (state, task) => (isItsTurn(state, task) ? passed : open)
})

/** A parent is done when its subtasks are: nothing else is asked of it before. */
const parts = Chunking.offer(gates, "parts", {
  name: "parts",
  verdict: (state, task) => partsVerdict(state, task),
  wants: (state, task) => {
    const task_id = task.spec.id
    const chunk = chunkOf(state, task)
    if (chunk === null) return StartChunking({ task_id })
    if (chunk.stage === "executing") return afterSplit(state, task)
    const analyzer = analyzerInTurn(state, chunk)
    // nobody but who plans is ever asked to analyse
    return analyzer === null
      ? SkipChunking({ task_id })
      : agentWork(state, task, analyzerActivity(analyzer), plannerOf(state.run.config))
  },
  ordered: (state, task, resumes) =>
    chunkOf(state, task) === null
      ? []
      : [
          ...analyzersOf(state.run.config.chunking).flatMap((analyzer) =>
            agentKeys(state, task, analyzerActivity(analyzer), plannerOf(state.run.config), resumes)
          ),
          ...aggregationActivities(state).map((activity) => activityKey(task, activity, resumes))
        ],
  // a task that cannot be analysed is run in one piece
  survives: (state, task) => chunkOf(state, task)?.stage === "analysing"
})

const partsVerdict = (state: ChunkingView, task: TaskState): GateVerdict => {
  const chunk = chunkOf(state, task)
  if (chunk === null) {
    const isWhole = task.spec.chunk === "no" && !isRaced(state, task)
    return isWhole || task.status === "in_progress" ? passed : open
  }
  return chunk.stage === "skipped" || chunk.stage === "aggregated" ? passed : open
}

const afterSplit = (state: ChunkingView, task: TaskState) => {
  const chunk = chunkOf(state, task)
  const settle = SettleChunks({ task_id: task.spec.id })
  if (chunk === null) return null
  if (chunk.is_race && winnerOf(state, task) !== undefined && chunk.open > 0) return settle
  if (chunk.failed > 0 && failsFast(state) && !chunk.is_race) return settle
  if (chunk.open > 0) return null
  if (chunk.failed === chunk.total || !waitsForAggregation(chunk)) return settle
  return activityWork(state, task, chunk.outcome === null ? aggregationActivity(state) : aggregation)
}

/** What was changed is judged by the built-in criteria before anybody reviews it. */
const criteria = Chunking.offer(gates, "criteria", {
  name: "criteria",
  verdict: (state, task) => {
    const { criteria: found = null, judgment = null } = task.current ?? {}
    return found === null && judgment === null && needsCriteria(state, task) ? open : passed
  },
  wants: (state, task) => activityWork(state, task, activities.criteria),
  ordered: (_, task, resumes) => [activityKey(task, activities.criteria, resumes)]
})

/** A reviewer that has asked for the same again too often counts as one that rejects. No loop has more iterations than it may. */
const goesOn = (state: ChunkingView, task: TaskState, reason: string): string | null => {
  const { max_iterations } = state.run.config.chunking
  const loop = loopOf(state, task)
  const { again, refused } = loop
  if (loop.countsAgain && iterationsUsed(loop) + 1 >= max_iterations) return null
  if (reason === "review_retry" && again < maxReviewRetries) return reason
  if (refused + 1 >= max_iterations) return null
  return reason === "review_retry" ? "review_retries_exhausted" : reason
}

const retry = Chunking.offer(retries, "retry", {
  goesOn: (state, task, { condition, reason }) =>
    // the loop of a task that was over has ended
    condition === "INCOMPLETE" && !isOver(task) && isLooped(state, task) ? goesOn(state, task, reason) : null,
  // what came of a splitting is tried again as that is configured
  config: (state, task) => (isOfChunking(state, task) && !task.alternative ? state.run.config.chunking.retry : null),
  reopensFrom: (state, task) => {
    const stage = chunkOf(state, task)?.stage ?? "skipped"
    if (stage === "skipped") return null
    return stage === "analysing" ? "start" : "parts"
  },
  // all parts are put together: what is missing is missing in the whole
  shownAgainBy: (state, task) => subtaskStateOf(state, task)?.parent_task_id ?? null
})

const shown = Chunking.offer(shownBy, "shown", {
  criteria: acceptanceCriteria,
  // what its subtasks have shown is what it was asked for
  verdict: (state, task) => (chunkOf(state, task)?.stage === "aggregated" ? "proven" : null)
})

/** What happens to a subtask is told in S4's words. */
const words = Chunking.offer(wordings, "wording", {
  before: (state, task, outcome) => Chunking.tell(factsBefore(state, task, outcome)),
  word: (state, task, outcome) => {
    if (subtaskStateOf(state, task) === null) {
      // a task that was analysed has been started before
      return outcome._tag === "Started" && chunkOf(state, task) !== null
        ? Chunking.tell(loopStart(state, task, outcome.attempt))
        : null
    }
    return Chunking.tell(partFacts(state, task, outcome))
  }
})

const factsBefore = (state: ChunkingView, task: TaskState, outcome: Outcome): ReadonlyArray<Fact<"chunking">> => {
  switch (outcome._tag) {
    case "Started":
      return []
    case "Completed":
      return [...loopEnd(state, task, "COMPLETE"), ...chunkingComplete(state, task)]
    case "Failed":
      return loopEnd(state, task, outcome.loop)
    case "Retrying":
      return loopEnd(state, task, outcome.condition === "INCOMPLETE" ? "INCOMPLETE" : "ERROR")
    case "GivenUp":
      return loopEnd(state, task, "ERROR")
  }
}

const loopStart = (state: ChunkingView, task: TaskState, attempt: number): ReadonlyArray<Fact<"chunking">> =>
  isLooped(state, task) && !loopOf(state, task).started
    ? [
        ReviewLoopStart({
          task_id: task.spec.id,
          attempt,
          retry_count: task.retry_count,
          max_iterations: state.run.config.chunking.max_iterations,
          counts_again: true
        })
      ]
    : []

/** The end of the review loop that a task is in. */
const loopEnd = (
  state: ChunkingView,
  task: TaskState,
  final_status: "COMPLETE" | "INCOMPLETE" | "ERROR"
): ReadonlyArray<Fact<"chunking">> => {
  const { current, spec, status } = task
  const loop = loopOf(state, task)
  if (!loop.reviewed || current === null) return []
  // a lost attempt was not judged, and an attempt that waits for its retry is counted already
  const total_iterations = iterationsUsed(loop) + Number(status === "in_progress" && current.outcome !== "LOST")
  return [ReviewLoopEnd({ task_id: spec.id, attempt: current.attempt, final_status, total_iterations })]
}

/** The end of a task whose parts are all completed and hold together. */
const chunkingComplete = (state: ChunkingView, task: TaskState): ReadonlyArray<Fact<"chunking">> => {
  const chunk = chunkOf(state, task)
  // of attempts beside each other only one is completed
  return chunk?.stage !== "aggregated" || chunk.is_race
    ? []
    : [
        ChunkingComplete({
          parent_task_id: task.spec.id,
          total_subtasks: chunk.total,
          completed_subtasks: chunk.total - chunk.failed - chunk.open,
          failed_subtasks: chunk.failed,
          total_retries: retriesOf(state, task),
          total_duration_ms: chunk.duration_ms
        })
      ]
}

const partFacts = (state: ChunkingView, task: TaskState, outcome: Outcome): ReadonlyArray<Fact<"chunking">> => {
  const ref = subtaskRef(task)
  const { attempts, retry_count, spec } = task
  switch (outcome._tag) {
    case "Started": {
      const { attempt, worker_id } = outcome
      const start = SubtaskStart({ ...ref, prompt: spec.instruction, retry_count, worker_id })
      return [...(loopOf(state, task).started ? [] : [start]), ...loopStart(state, task, attempt)]
    }
    case "Completed": {
      const { _tag, ...shown } = outcome
      const subtask_result = subtaskResult(state, task, "COMPLETE")
      return [SubtaskComplete({ ...ref, subtask_result, retry_count, attempts, ...shown })]
    }
    case "Failed":
      return [subtaskFailed(state, task, outcome.verdict, outcome.reason, outcome.message)]
    case "Retrying": {
      const { condition, delay_ms, message, reason: failure_reason } = outcome
      const retries = outcome.retry_count
      return [SubtaskRetry({ ...ref, retry_count: retries, reason: condition, failure_reason, message, delay_ms })]
    }
    case "GivenUp":
      return [subtaskFailed(state, task, null, outcome.reason, givenUpBecause(outcome))]
  }
}

const subtaskFailed = (
  state: ChunkingView,
  task: TaskState,
  verdict: "refuted" | "unproven" | null,
  failure_reason: string,
  message: string
): Fact<"chunking"> =>
  SubtaskFailed({
    ...subtaskRef(task),
    failure_reason,
    message,
    retry_count: task.retry_count,
    attempts: task.attempts,
    verdict,
    subtask_result: subtaskResult(state, task, task.current?.outcome === "COMPLETE" ? "INCOMPLETE" : "ERROR")
  })

/** Why a subtask is given up that nothing spoke against. */
const givenUpBecause = ({
  reason,
  waiting_for
}: {
  readonly reason: string
  readonly waiting_for: ReadonlyArray<string>
}): string => {
  if (waiting_for.length > 0) return `It depends on what is not completed: ${waiting_for.join(", ")}.`
  if (reason === failFast) return "Another subtask failed, and the task stops at the first failure."
  if (reason === overtaken) return "Another attempt was proven first."
  return reason === "run_cancelled" ? "The run was cancelled." : "It was given up."
}

export const offers = [turn, parts, criteria, retry, shown, words]
