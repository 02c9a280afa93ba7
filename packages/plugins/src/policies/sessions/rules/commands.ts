import { NoFields, TaskStatusChanged } from "@proofline/kernel"
import { checkWriteTarget, closeASession, issueNextAction, openASession, reportCompleted } from "./access.ts"
import { updateTaskStatus } from "./assignment.ts"
import {
  CompletionReported,
  NextActionIssued,
  PhaseRejected,
  PhaseSubmitted,
  PhaseVerified,
  SessionClosed,
  SessionOpened,
  TasksCreated,
  WriteTargetChecked
} from "./events.ts"
import { leadsBack } from "./offers.ts"
import { createTasks } from "./planning.ts"
import {
  AnswerPhaseArgs,
  CheckWriteTargetArgs,
  CloseSessionArgs,
  CreateTasksArgs,
  IssueNextActionArgs,
  OpenSessionArgs,
  RecordPhaseChecksArgs,
  ReportCompletedArgs,
  SubmitPhaseArgs,
  UpdateTaskStatusArgs
} from "./requests.ts"
import { SessionRun } from "./state.ts"
import { advancePhase, answerPhase, recordPhaseChecks, submitPhase } from "./submit.ts"
import { enteredBy } from "./transitions.ts"

export const OpenSession = SessionRun.command("OpenSession", {
  schema: OpenSessionArgs,
  decide: openASession,
  recall: {
    from: [SessionOpened],
    args: (batch) => {
      const opened = batch.first(SessionOpened)
      return opened && { ...opened, gone: batch.all(SessionClosed).map(({ session_id }) => session_id) }
    }
  }
})

export const CloseSession = SessionRun.command("CloseSession", {
  schema: CloseSessionArgs,
  decide: closeASession,
  recall: { from: [SessionClosed], args: (batch) => batch.first(SessionClosed) }
})

/** An agent asks what to do next; what it is told is decided here. */
export const IssueNextAction = SessionRun.command("IssueNextAction", {
  schema: IssueNextActionArgs,
  decide: issueNextAction,
  recall: {
    from: [NextActionIssued],
    args: (batch) => {
      const issued = batch.first(NextActionIssued)
      return issued && { session_id: issued.session_id, at: issued.at, tool: issued.tool }
    }
  }
})

/** An agent hands in a phase, or the report of a task: `{task_id, summary?, checklist}`. */
export const SubmitPhase = SessionRun.command("SubmitPhase", {
  schema: SubmitPhaseArgs,
  decide: submitPhase,
  recall: {
    from: [PhaseSubmitted, PhaseRejected],
    args: (batch) => {
      const refused = batch.first(PhaseRejected)
      if (refused !== undefined) {
        const { at, looked, payload, report, session_id } = refused
        return { session_id, at, payload, prompt: null, isReport: report, looked }
      }
      const submitted = batch.first(PhaseSubmitted)
      if (submitted === undefined || submitted.session_id === null) return undefined
      const { at, looked, payload, prompt, report, session_id } = submitted
      return { session_id, at, payload, prompt, isReport: report, looked }
    }
  }
})

/** A person answers a phase that waits for one. */
export const AnswerPhase = SessionRun.command("AnswerPhase", {
  schema: AnswerPhaseArgs,
  decide: answerPhase,
  recall: {
    from: [PhaseSubmitted],
    args: (batch) => {
      const submitted = batch.first(PhaseSubmitted)
      return submitted?.session_id === null ? { at: submitted.at, payload: submitted.payload } : undefined
    }
  }
})

/** How the commands of a phase ended. */
export const RecordPhaseChecks = SessionRun.command("RecordPhaseChecks", {
  schema: RecordPhaseChecksArgs,
  decide: recordPhaseChecks,
  recall: {
    from: [PhaseVerified],
    args: (batch) => {
      const verified = batch.first(PhaseVerified)
      return verified && { phase: verified.phase, submission: verified.submission, checks: verified.checks }
    }
  }
})

export const CheckWriteTarget = SessionRun.command("CheckWriteTarget", {
  schema: CheckWriteTargetArgs,
  decide: checkWriteTarget,
  recall: {
    from: [WriteTargetChecked],
    args: (batch) => {
      const checked = batch.first(WriteTargetChecked)
      if (checked === undefined) return undefined
      const { allowed, code, writable, ...asked } = checked
      return asked
    }
  }
})

export const UpdateTaskStatus = SessionRun.command("UpdateTaskStatus", {
  schema: UpdateTaskStatusArgs,
  decide: updateTaskStatus,
  recall: {
    from: [TaskStatusChanged],
    args: (batch) => {
      const changed = batch.first(TaskStatusChanged)
      if (changed?.by === undefined) return undefined
      const { asked: status, ...by } = changed.by
      return { ...by, task_id: changed.task_id, status, reason: changed.reason }
    }
  }
})

export const CreateTasks = SessionRun.command("CreateTasks", {
  schema: CreateTasksArgs,
  decide: createTasks,
  recall: {
    from: [TasksCreated],
    args: (batch) => {
      const created = batch.first(TasksCreated)
      return created && { session_id: created.session_id, at: created.at, tasks: created.tasks }
    }
  }
})

export const ReportCompleted = SessionRun.command("ReportCompleted", {
  schema: ReportCompletedArgs,
  decide: reportCompleted,
  recall: {
    from: [CompletionReported],
    args: (batch) => {
      const reported = batch.first(CompletionReported)
      if (reported === undefined) return undefined
      const { open, ...report } = reported
      return report
    }
  }
})

/** Follows when the last task of a phase is over. */
export const AdvancePhase = SessionRun.command("AdvancePhase", {
  schema: NoFields,
  decide: (_, state) => advancePhase(state),
  recall: "follows"
})

/** Enters the phase of tasks again, for what does not hold any more at the end. Otherwise nothing. */
export const ReturnToWork = SessionRun.command("ReturnToWork", {
  schema: NoFields,
  decide: (_, state) => {
    const { phases } = state.sessions
    if (state.run.status !== "running" || phases?.worked == null || !leadsBack(state, phases)) return []
    return [enteredBy(phases, { to: phases.worked })]
  },
  recall: "follows"
})

export const commands = [
  ReturnToWork,
  OpenSession,
  CloseSession,
  IssueNextAction,
  SubmitPhase,
  AnswerPhase,
  RecordPhaseChecks,
  CheckWriteTarget,
  UpdateTaskStatus,
  CreateTasks,
  ReportCompleted,
  AdvancePhase
]
