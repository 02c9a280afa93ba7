import {
  AnswerPerson,
  askedId,
  askedIn,
  Engine,
  type HasRun,
  type HasTasks,
  isLost,
  type PersonAnswer,
  type Rejection,
  type RunId,
  type RunSummary,
  reject,
  rejectConflict,
  type TaskState,
  tasksOf
} from "@proofline/kernel"
import { Clock, Effect } from "effect"
import { AnswerPhase, type AnyRun, phaseOf, questionId, runIn, type SessionsState } from "../sessions/contract.ts"

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
export const mayWaitForPerson = ({
  asked = [],
  kind,
  status
}: Pick<RunSummary, "asked" | "kind" | "status">): boolean =>
  asked.length > 0 || (kind === "session" ? status === "running" : status === "failed" || status === "incomplete")

/** What a person may answer about an item that an agent cannot do, with what follows. */
export const itemAnswers: Readonly<Record<PersonAnswer, string>> = {
  waive: "It is not needed: it counts as waived, by you.",
  continue: "It can be done, as you say in the comment: another attempt is told, and no retry is used up.",
  give_up: "The task fails, with this as the reason."
}

const isItemAnswer = (answer: string): answer is PersonAnswer => Object.hasOwn(itemAnswers, answer)

/** What an answer is about. */
export interface About {
  /** As the question is named, where one was shown; else the task and the item. */
  readonly question_id?: string | undefined
  readonly task_id?: string | undefined
  /** Of the item, from 0; left out: all that is asked about the task. */
  readonly index?: number | undefined
}

/**
 * Records a person's answer and returns the run after it. Refused when no question is open, the answer is not among
 * those allowed, or the question has changed.
 */
export const answerQuestion = Effect.fnUntraced(function* (
  run: RunId,
  answer: string,
  comment: string | null,
  about: About = {}
) {
  const engine = yield* Engine
  const at = new Date(yield* Clock.currentTimeMillis).toISOString()
  const state = runIn(yield* engine.load(run))
  const { question_id, task_id } = about
  const isOfPhase =
    question_id === undefined
      ? task_id === undefined && (questionOf(state) !== null || askedIn(state).length === 0)
      : !question_id.startsWith("cannot/")
  const payload = { answer, ...(comment === null ? {} : { comment }) }
  const command = isOfPhase
    ? AnswerPhase({ at, payload, ...(question_id === undefined ? {} : { question_id }) })
    : AnswerPerson({ ...(yield* meant(state, about)), answer: yield* itemAnswer(answer), text: comment ?? "", at })
  const { snapshot } = yield* engine.execute(run, command).pipe(Effect.catchTag("LeaseLost", Effect.die))
  return runIn(snapshot)
})

/** The items that are answered. */
const meant = (
  state: AnyRun,
  { index, question_id, task_id }: About
): Effect.Effect<{ readonly task_id: string; readonly index: number | null }, Rejection> => {
  const asked = askedIn(state)
  if (question_id !== undefined) {
    const one = asked.find((other) => askedId(other) === question_id)
    return one === undefined
      ? Effect.fail(
          rejectConflict(
            "question_changed",
            "What was asked then is answered already, or the task goes on without an answer.",
            "See `proofline status` for what waits for a person now."
          )
        )
      : Effect.succeed({ task_id: one.task_id, index: one.index })
  }
  const tasks = [...new Set(asked.map((one) => one.task_id))]
  const [only, ...more] = task_id === undefined ? tasks : [task_id]
  return only === undefined || more.length > 0
    ? Effect.fail(
        reject(
          "question_ambiguous",
          `Several tasks wait for a person: ${tasks.join(", ")}.`,
          "Name the task with --task, or `task_id`.",
          tasks
        )
      )
    : Effect.succeed({ task_id: only, index: index ?? null })
}

const itemAnswer = (answer: string): Effect.Effect<PersonAnswer, Rejection> => {
  const said = answer.trim().toLowerCase().replaceAll("-", "_")
  return isItemAnswer(said)
    ? Effect.succeed(said)
    : Effect.fail(
        reject(
          "answer_invalid",
          `${JSON.stringify(answer.slice(0, 60))} is no answer about an item that cannot be done.`,
          `Answer ${Object.keys(itemAnswers).join(", ")}; \`continue\` says in the comment how it can be done.`
        )
      )
}
