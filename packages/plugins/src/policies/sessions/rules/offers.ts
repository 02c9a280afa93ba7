import {
  beginTasks,
  gates,
  giveUpAll,
  type Json,
  kinds,
  notes,
  open,
  passed,
  Rejection,
  type RunConfig,
  type RunEnd,
  recallTasks,
  reject,
  retries,
  shownBy,
  taskCountsOf,
  tasksOf,
  underway,
  userCommandsBeside,
  verdictCounts,
  type Worded,
  waitsForPerson
} from "@proofline/kernel"
import { Result, Schema } from "effect"
import { byWord } from "./assignment.ts"
import { contractProblem } from "./contractProblem.ts"
import { beginning, ContractAdopted } from "./events.ts"
import { isHeld } from "./held.ts"
import { isProven } from "./missing.ts"
import { SessionRunSetup } from "./PhaseContract.ts"
import { isAtEnd, isStopped } from "./phase.ts"
import { assignmentOf, type PhasesState, SessionRun, type SessionsView } from "./state.ts"
import { firstPhase } from "./submit.ts"
import { allTaskTrees } from "./taskTree.ts"
import { obligationsOf, verifyingCommands } from "./verifiers.ts"

const decodeSetup = Schema.decodeUnknownResult(Schema.Struct({ pull: SessionRunSetup }))

/** The contract of a session run, the phase it begins in, and tasks that are there from the beginning. */
const begin = (
  state: SessionsView,
  args: Readonly<Record<string, Json>>,
  earlier: ReadonlySet<string>,
  config: RunConfig
): Worded | Rejection => {
  const decoded = decodeSetup(args)
  if (Result.isFailure(decoded)) {
    const message = decoded.failure.message.split("\n").join(" ")
    return reject("arguments_invalid", `StartRun: ${message}`, "Send what its schema asks for.")
  }
  const { pull } = decoded.success
  const tasks = beginTasks(args, earlier, config, true)
  const problem = contractProblem(pull.contract) ?? (tasks instanceof Rejection ? tasks : null)
  if (problem !== null || tasks instanceof Rejection) return problem ?? tasks
  return SessionRun.tell([ContractAdopted(pull), ...firstPhase(state, beginning(pull)), tasks])
}

/** It ends with its phases, whatever its tasks are; it is completed when all of them are shown to be done. */
const ends = (state: SessionsView): RunEnd | null => {
  const { phases } = state.sessions
  if (phases === null || !isAtEnd(phases) || isHeld(state, phases) || leadsBack(state, phases)) return null
  const tasks = tasksOf(state)
  const counts = taskCountsOf(tasks, true)
  const byWordOnly = tasks.filter(({ status, verdict }) => status === "completed" && verdict === "unproven").length
  if (isProven(state, phases)) {
    const { proven, waived } = verdictCounts(obligationsOf(state))
    return { outcome: "completed", counts, proven, waived }
  }
  const stopped = isStopped(phases) ? "It was stopped. " : ""
  const what =
    counts.total === 0
      ? "No task was registered: there was nothing to prove."
      : `${counts.completed} of ${counts.total} tasks are completed, ${byWordOnly} of them by word alone; ${counts.skipped} were withdrawn or given up.`
  return { outcome: "incomplete", counts, reason: `${stopped}${what}`, before: giveUpAll(state, "run_ended") }
}

/** At its end it was found that something does not hold any more: the work on it goes on. */
export const leadsBack = ({ tasks }: SessionsView, phases: PhasesState): boolean =>
  tasks.revisits.isFresh && tasks.open_count > 0 && isAtEnd(phases) && !isStopped(phases) && phases.worked !== null

const sessionKind = SessionRun.offer(kinds, "kind", {
  name: "session",
  hasBudget: false,
  begin,
  recall: (_, batch) => {
    const pull = batch.first(ContractAdopted)
    return { ...recallTasks(batch), ...(pull && { pull }) } as Readonly<Record<string, Json>>
  },
  counts: (state, isEnding) => taskCountsOf(tasksOf(state), isEnding),
  ends,
  obligations: obligationsOf,
  progress: (state) =>
    state.sessions.phases === null
      ? {}
      : ({ phase: state.sessions.phases.phase, tasks: allTaskTrees(state) } as unknown as Readonly<
          Record<string, Json>
        >)
})

/** Agents come for such a task by themselves; what they report is looked at. */
const asked = SessionRun.offer(gates, "asked", {
  name: "handed_in",
  verdict: (state, task) =>
    // one that waits for a person goes on when that one has answered
    assignmentOf(state, task) !== null &&
    !waitsForPerson(task) &&
    (task.status !== "in_progress" || task.current?.outcome == null)
      ? open
      : passed
})

/** It stays with the agent that came for it, until it holds. */
const stays = SessionRun.offer(retries, "retry", {
  goesOn: (state, task, { reason }) => (assignmentOf(state, task) === null ? null : reason),
  config: () => null,
  reopensFrom: () => null
})

const shown = SessionRun.offer(shownBy, "shown", {
  criteria: () => [],
  verdict: (state, task) => (assignmentOf(state, task) === null ? null : (byWord(state, task).verdict ?? "proven"))
})

const said = SessionRun.offer(notes, "note", {
  assignee: (state, task) => assignmentOf(state, task)?.assignee ?? null,
  reason: (state, task) => assignmentOf(state, task)?.reason ?? ""
})

/** The activity that runs the commands of a phase. */
export const verification = "verification"

/** The commands that verify the phase that was handed in, while they are waited for. */
export const verificationKey = ({ sessions: { phases } }: Pick<SessionsView, "sessions">): string | null =>
  phases === null || phases.verifying === null ? null : `${verification}/${phases.phase}/${phases.submissions}`

const ownUnderway = SessionRun.offer(underway, "underway", {
  awaits: (state, { key, name }) => (name === verification && key === verificationKey(state) ? phaseWaits : null)
})

const phaseWaits = { plugin: "sessions", task_id: null, consequence: "survived" } as const

const verifying = SessionRun.offer(userCommandsBeside, "commands", {
  commands: ({ sessions: { phases } }) => (phases === null ? [] : verifyingCommands(phases.setup))
})

export const offers = [sessionKind, asked, stays, shown, said, ownUnderway, verifying]
