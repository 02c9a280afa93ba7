import {
  Engine,
  type HasRun,
  type HasTasks,
  isLost,
  type RunId,
  type RunSummary,
  type TaskState,
  tasksOf
} from "@proofline/kernel"
import { Clock, Effect } from "effect"
import { AnswerPhase, phaseOf, questionId, runIn, type SessionsState } from "../sessions/contract.ts"

/** What a session run asks a person. */
export interface Question {
  /** Names this question, and no later one of the same phase. */
  readonly id: string
  readonly phase: string
  readonly question: string
  /** By field name: its notation. */
  readonly expected: Readonly<Record<string, string>>
  /** Which answers lead where, as far as the contract says it of the answer alone. */
  readonly answers: ReadonlyArray<{ readonly answer: ReadonlyArray<string>; readonly goes_on_with: string }>
}

/** Null: nobody is asked anything. */
export const questionOf = ({
  run: { status },
  sessions: { phases }
}: HasRun & { readonly sessions: SessionsState }): Question | null => {
  const phase = phases === null ? undefined : phaseOf(phases, phases.phase)
  if (phases === null || status !== "running" || phase?.kind !== "person") return null
  return {
    id: questionId(phases),
    phase: phases.phase,
    question: phase.instruction,
    expected: phase.expected_payload,
    answers: phase.transitions.flatMap(({ to, when }) => {
      const expectedAnswer = when?.payload?.["answer"]
      return expectedAnswer === undefined ? [] : [{ answer: [expectedAnswer].flat().map(String), goes_on_with: to }]
    })
  }
}

/** Tasks that ended because somebody must decide between changes to the same file. */
export const undecidedTasks = (state: HasTasks): ReadonlyArray<TaskState> =>
  tasksOf(state).filter((task) => isLost(task) && task.reason === "needs_person")

/** Whether it can be that the run waits for a person, which only its state tells. */
export const mayWaitForPerson = ({ kind, status }: Pick<RunSummary, "kind" | "status">): boolean =>
  kind === "session" ? status === "running" : status === "failed" || status === "incomplete"

/**
 * Records a person's answer and returns the run after it. Refused when no question is open, the answer is not among
 * those allowed, or the question has changed.
 */
export const answerQuestion = Effect.fnUntraced(function* (
  run: RunId,
  answer: string,
  comment: string | null,
  question_id?: string
) {
  const engine = yield* Engine
  const at = new Date(yield* Clock.currentTimeMillis).toISOString()
  const payload = { answer, ...(comment === null ? {} : { comment }) }
  const { snapshot } = yield* engine
    .execute(run, AnswerPhase({ at, payload, ...(question_id === undefined ? {} : { question_id }) }))
    .pipe(Effect.catchTag("LeaseLost", Effect.die))
  return runIn(snapshot)
})
