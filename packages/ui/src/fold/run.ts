import {
  asItStands,
  begunStatus,
  conflictFlag,
  failuresOf,
  isWorkedOn,
  proofOf,
  shownAs,
  tasksOf,
  waitsIn,
  workOf
} from "@proofline/kernel"
import type { Checkpoint, Fault } from "./checkpoints.ts"
import { manifest, type State, stateOf } from "./compose.ts"
import { refusalsAround } from "./events.ts"
import type { RunLog } from "./log.ts"
import type { LoopNow, RunNow } from "./protocol.ts"
import { marksOf } from "./refusals.ts"

/** The run at a moment. */
export const runAnswer = (
  run: string,
  log: RunLog,
  { history, snapshot, version }: Checkpoint,
  chosen: number | null,
  fault: Fault | null
): RunNow => {
  const state = stateOf(snapshot)
  const { run: now } = state
  const proof = proofOf(state)
  const status = begunStatus(now)
  const around = refusalsAround(log, version)
  return {
    run_id: run,
    kind: now.kind,
    name: now.name === "" ? run : now.name,
    status,
    shown_as: shownAs({ ...proof, status, waits: waitsIn(state) }),
    proof,
    message: now.message,
    version,
    head: log.head,
    at: history.updated_at,
    event_type: version === 0 ? null : log.typeOf(version),
    previous_refusal: around.previous,
    next_refusal: around.next,
    refused: log.refusals.upTo(version),
    marks: marksOf(log),
    is_live: chosen === null,
    chosen,
    started_at: history.started_at,
    ended_at: history.ended_at,
    ...workOf(state),
    tasks_active: tasksOf(state).filter((task) => isWorkedOn(asItStands(state.run, task))).length,
    refusals: log.versionsOf("CHECKLIST_ITEM_REJECTED").upTo(version),
    attempts: log.versionsOf("ATTEMPT_STARTED").upTo(version),
    spent: now.spent,
    failures: failuresOf(state, history),
    resume_flag: conflictFlag(state),
    phase: state.sessions.phases?.phase ?? null,
    loop: loopNow(state),
    unknown_types: log.types.filter((type) => !manifest.types.has(type)),
    fault: fault === null ? null : fault.message
  }
}

const loopNow = ({ requirements: loop, run }: State): LoopNow | null => {
  if (run.kind !== "requirements") return null
  const planned = new Map<string, Set<string>>()
  for (const { covers, id } of loop.planned) {
    for (const covered of covers) {
      const tasks = planned.get(covered.id)
      if (tasks === undefined) planned.set(covered.id, new Set([id]))
      else tasks.add(id)
    }
  }
  return {
    status: loop.status,
    iteration: loop.iteration,
    max_iterations: loop.limit,
    requirements: (loop.definition?.requirements ?? []).map(
      ({ acceptance_criteria, description, id, name, priority }) => {
        const found = loop.requirements.get(id)
        return {
          id,
          name,
          description,
          priority,
          verdict: found?.verdict ?? "unproven",
          criteria: acceptance_criteria.map(({ criterion, id: criterion_id }) => {
            const judged = found?.criteria.find((one) => one.id === criterion_id)
            return {
              id: criterion_id,
              criterion,
              verdict: judged?.verdict ?? "unproven",
              message: judged?.message ?? "",
              tasks: [...new Set([...(planned.get(criterion_id) ?? []), ...(judged?.tasks ?? [])])]
            }
          })
        }
      }
    ),
    task_runs: loop.iterations.flatMap(({ ended, iteration_number, loop_c_history_id }) =>
      loop_c_history_id === null
        ? []
        : // its end is not in this log where both were stopped
          [{ run_id: loop_c_history_id, iteration: iteration_number, status: ended?.status ?? run.status }]
    )
  }
}
