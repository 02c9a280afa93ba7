import {
  AnswerPermission,
  AnswerPerson,
  type AnyEvent,
  askedId,
  askedIn,
  Engine,
  type EventOf,
  type HasTasks,
  isLost,
  itemAnswers,
  type KernelEvent,
  mayBeOfOneRun,
  type PermissionAnswer,
  type PersonAnswer,
  permissionAnswers,
  permissionsIn,
  type Recorded,
  type Rejection,
  type RunId,
  type RunSummary,
  reject,
  rejectConflict,
  type TaskState,
  tasksOf
} from "@proofline/kernel"
import { Clock, Effect, HashMap } from "effect"
import {
  AnswerPhase,
  type AnyRun,
  type PersonAnswers,
  type PhaseEntered,
  personAnswersOf,
  phaseOf,
  questionId,
  runIn
} from "../sessions/contract.ts"

/** What a session run asks a person. */
export interface Question {
  /** Names this question, and no later one of the same phase. */
  readonly id: string
  readonly phase: string
  readonly question: string
  /** By field name: its notation. */
  readonly expected: Readonly<Record<string, string>>
  /** Which answers lead where. */
  readonly answers: PersonAnswers["named"]
  /** Where any other text leads; null: none is taken. */
  readonly other_leads_to: string | null
}

/** Null: nobody is asked anything. */
export const questionOf = (state: AnyRun): Question | null => {
  const { phases } = state.sessions
  const phase = phases === null ? undefined : phaseOf(phases, phases.phase)
  if (phases === null || state.run.status !== "running" || phase?.kind !== "person") return null
  const { named, other } = personAnswersOf(state, phases, phase)
  return {
    id: questionId(phases),
    phase: phases.phase,
    question: phase.instruction,
    expected: phase.expected_payload,
    answers: named,
    other_leads_to: other
  }
}

/** Tasks that ended because somebody must decide between changes to the same file. */
export const undecidedTasks = (state: HasTasks): ReadonlyArray<TaskState> =>
  tasksOf(state).filter((task) => isLost(task) && task.reason === "needs_person")

/** Whether it can be that the run waits for a person, which only its state tells: most runs need not be read for that. */
export const mayWaitForPerson = ({
  asked = [],
  kind,
  permissions = [],
  status,
  subtasks_total = 0
}: Pick<RunSummary, "asked" | "kind" | "permissions" | "status" | "subtasks_total">): boolean =>
  asked.length > 0 ||
  permissions.length > 0 ||
  (kind === "session"
    ? status === "running"
    : // only what several did beside each other has to be decided between
      subtasks_total > 0 && (status === "failed" || status === "incomplete"))

/** So many of the newest runs are looked at for what waits for a person. */
export const maxLookedAt = 20

/** So many of them are read at once. */
const readAtOnce = 4

/** It takes no events in this log: what it asks cannot be answered here. */
export const isAway = (run: RunSummary): boolean => (run["away"] ?? null) !== null

/**
 * What waits for a person in the newest of these runs, as `of` says it of each. `unseen`: so many may wait for one as well and
 * were not looked at, or cannot be read here.
 */
export const waitingIn = Effect.fnUntraced(function* <A>(
  engine: Engine["Service"],
  runs: ReadonlyArray<RunSummary>,
  of: (state: AnyRun) => ReadonlyArray<A>
) {
  const waiting = runs.filter((run) => mayWaitForPerson(run) && !isAway(run))
  const found = yield* Effect.forEach(
    waiting.slice(0, maxLookedAt),
    ({ run_id }) =>
      engine.load(run_id).pipe(
        Effect.map((snapshot) => of(runIn(snapshot))),
        Effect.catchIf(mayBeOfOneRun, () => Effect.succeed(null))
      ),
    { concurrency: readAtOnce }
  )
  const read = found.filter((one) => one !== null)
  return { found: read.flat(), unseen: waiting.length - read.length }
})

/** When people were asked, by the name of the question. Of an item that cannot be done, its attempt says when. */
export type AskedAt = HashMap.HashMap<string, string>

/** Folds one event of a run; `event` is what the manifest makes of it. */
export const foldAskedAt = (asked: AskedAt, { timestamp }: Pick<Recorded, "timestamp">, event: AnyEvent): AskedAt => {
  const question = askedBy(event)
  return question === null ? asked : HashMap.set(asked, question, timestamp)
}

/** The name of what is asked with this event; null: nothing. */
const askedBy = (event: AnyEvent): string | null => {
  const asking = event as KernelEvent | EventOf<typeof PhaseEntered>
  switch (asking.type) {
    case "PERMISSION_ASKED":
      return asking.content.permission
    case "PHASE_ENTERED": {
      const { phase, visit } = asking.content
      return questionId({ phase, visits: { [phase]: visit } })
    }
    default:
      return null
  }
}

const isPermissionAnswer = (answer: string): answer is PermissionAnswer => Object.hasOwn(permissionAnswers, answer)

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
  const permission = yield* permissionMeant(state, answer, about)
  if (permission !== null) {
    const command = AnswerPermission({ ...permission, text: comment ?? "", at })
    const { snapshot } = yield* engine.execute(run, command).pipe(Effect.catchTag("LeaseLost", Effect.die))
    return runIn(snapshot)
  }
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

/** The permission that is given or denied; null: the answer is about something else. */
const permissionMeant = (
  state: AnyRun,
  answer: string,
  { index, question_id, task_id }: About
): Effect.Effect<{ readonly permission: string; readonly answer: PermissionAnswer } | null, Rejection> => {
  const said = answer.trim().toLowerCase()
  const open = permissionsIn(state)
  const isNamed = question_id?.startsWith("permission/") === true
  if (!isNamed) {
    const isElse = question_id !== undefined || index !== undefined || open.length === 0
    const isOnly = askedIn(state).length === 0 && questionOf(state) === null
    if (isElse || !(isOnly || isPermissionAnswer(said))) return Effect.succeed(null)
  }
  const meant = open.filter((one) =>
    isNamed ? one.permission === question_id : task_id === undefined || one.task_id === task_id
  )
  const [only, ...more] = meant
  if (only === undefined) {
    return Effect.fail(
      rejectConflict(
        "question_changed",
        "What was asked then is answered already, or its agent does not wait any more.",
        "See `proofline status` for what waits for a person now."
      )
    )
  }
  if (more.length > 0) {
    const ids = meant.map(({ permission }) => permission)
    return Effect.fail(
      reject(
        "question_ambiguous",
        `Several questions wait for a person: ${ids.join(", ")}.`,
        "Name the question with --question, or `question_id`.",
        ids
      )
    )
  }
  return isPermissionAnswer(said)
    ? Effect.succeed({ permission: only.permission, answer: said })
    : Effect.fail(
        reject(
          "answer_invalid",
          `${JSON.stringify(answer.slice(0, 60))} is no answer to an agent that asks leave for something.`,
          `Answer ${Object.keys(permissionAnswers).join(", ")}.`
        )
      )
}

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
