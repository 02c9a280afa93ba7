import type { Plugin } from "../../core/contract.ts"
import { definePlugin } from "../../core/define.ts"
import { FinishRun } from "../run/commands.ts"
import {
  ActivityFailed,
  RunCancelled,
  RunCompleted,
  RunFailed,
  RunIncomplete,
  RunResumed,
  RunStarted
} from "../run/events.ts"
import { askingEvents, PersonAnswered, PersonAsked } from "./asking.ts"
import { baseWork, withdrawBase } from "./baseChecks.ts"
import { changes, completed, failed, skipped } from "./changes.ts"
import { commands } from "./commands.ts"
import {
  AttemptCancelled,
  AttemptEnded,
  AttemptStarted,
  BaseChecked,
  ChecklistReported,
  EvidenceChecked,
  EvidenceRevisited,
  events,
  QualityJudgment,
  TaskStatusChanged,
  VerificationRun,
  withEarlier
} from "./events.ts"
import { dropAttempt, nextFor, nextForDependents, nextWork, withdrawRest, withdrawWork } from "./flow.ts"
import { gates } from "./gates.ts"
import { ownKinds } from "./kinds.ts"
import { ownGates } from "./ownGates.ts"
import { judges, notes, retries, shownBy, userCommandsBeside, wordings } from "./points.ts"
import { RecordRevisit, stillHolds } from "./revisit.ts"
import { Tasks, type TasksView, tasksOf } from "./state.ts"
import { ownUnderway, withFailure, withReopened } from "./underway.ts"
import { activities } from "./work.ts"

const follows = [
  Tasks.follow(RunStarted, withEarlier),
  Tasks.follow(RunResumed, withReopened),
  Tasks.follow(ActivityFailed, withFailure)
]

/** The commands of all tasks have waited for it. */
const afterBase = (state: TasksView) => [...tasksOf(state).flatMap((task) => nextWork(state, task)), FinishRun({})]

const reactions = [
  Tasks.react([RunStarted, RunResumed], (_, state) => {
    const { resumes } = state.run
    const all = tasksOf(state)
    return [
      ...(resumes === 0 ? [] : [withdrawBase(state, resumes - 1)]),
      ...baseWork(state),
      ...all.flatMap((task) => (resumes === 0 ? [] : withdrawWork(state, task, resumes - 1))),
      ...all.flatMap((task) => nextWork(state, task)),
      FinishRun({})
    ]
  }),
  Tasks.react(
    [
      TaskStatusChanged,
      PersonAsked,
      PersonAnswered,
      ChecklistReported,
      EvidenceChecked,
      VerificationRun,
      QualityJudgment
    ],
    ({ task_id }, state) => nextFor(state, task_id)
  ),
  Tasks.react([AttemptEnded], ({ outcome, task_id }, state) => [
    ...(outcome === "LOST" ? dropAttempt(state, task_id) : []),
    ...nextFor(state, task_id)
  ]),
  Tasks.react([AttemptStarted], (_, state) => baseWork(state)),
  Tasks.react([BaseChecked], (_, state) => afterBase(state)),
  Tasks.react([EvidenceRevisited], () => [FinishRun({})]),
  Tasks.react([ActivityFailed], ({ awaited_by, name }, state) => [
    ...(name === activities.base ? afterBase(state) : []),
    ...(awaited_by === null || awaited_by.task_id === null ? [] : nextFor(state, awaited_by.task_id)),
    FinishRun({})
  ]),
  Tasks.react([completed, failed, skipped], ({ task_id }, state) => [
    ...withdrawRest(state, task_id),
    ...nextForDependents(state, task_id),
    FinishRun({})
  ]),
  Tasks.react([AttemptCancelled], ({ task_id }, state) => dropAttempt(state, task_id)),
  Tasks.react([RunCancelled, RunFailed, RunCompleted, RunIncomplete], (_, state) => [
    withdrawBase(state, state.run.resumes)
  ]),
  Tasks.react([RunCancelled, RunFailed], (_, state) =>
    tasksOf(state).flatMap((task) => withdrawWork(state, task, state.run.resumes))
  )
]

/** Tasks, their attempts, checklists and reviews; the gates that decide "done". */
export const tasks: Plugin = definePlugin(Tasks, {
  version: "4",
  events: [...events, ...askingEvents],
  changes,
  commands: [...commands, RecordRevisit],
  points: [gates, wordings, retries, shownBy, userCommandsBeside, notes, judges],
  ordersAny: true,
  parts: [...ownGates, ...ownKinds, ownUnderway, stillHolds, ...follows, ...reactions]
})
