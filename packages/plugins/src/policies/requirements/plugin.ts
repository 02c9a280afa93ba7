import {
  ActivityFailed,
  awaitsBase,
  BaseChecked,
  baseWork,
  type Digest,
  definePlugin,
  FinishRun,
  type Intent,
  kinds,
  type Plugin,
  RunCancelled,
  RunFailed,
  RunIncomplete,
  RunResumed,
  RunStarted,
  type Snapshot,
  underway,
  userCommandsBeside
} from "@proofline/kernel"
import { Effect } from "effect"
import type {
  Baseline,
  BlobStore,
  CommandRunner,
  EscrowedChecks,
  OutputFiles,
  ProjectFiles,
  ScratchProjects,
  Syntax,
  TestReports
} from "../../port/index.ts"
import { type JudgeReceipts, makeExecute, makeFacts, type TasksText } from "./activities.ts"
import { Advance, commands } from "./decide.ts"
import {
  AnswerRefused,
  ConfirmationStarted,
  CriteriaChecked,
  events,
  IterationStarted,
  RequirementsLoaded,
  RequirementsMet,
  RequirementsUnmet,
  RequirementVerified,
  TaskRunEnded,
  TasksGenerated
} from "./events.ts"
import { awaits, begun, failed, resumed } from "./evolve.ts"
import { nextOf, withdrawn } from "./next.ts"
import { obligationsOf } from "./obligations.ts"
import { type Loop, noLoop, Requirements, type RequirementsView } from "./state.ts"

export type { JudgeReceipts, ReceiptFate, TasksText } from "./activities.ts"
export * from "./contract.ts"
export { ofRequirement as obligationsOfRequirement } from "./obligations.ts"

/** The loop of a requirements run; of any other, one that was never loaded. */
export const loopOf = ({ state }: Pick<Snapshot, "state">): Loop =>
  (state["requirements"] as Loop | undefined) ?? noLoop

type Intents = ReadonlyArray<Intent<"run" | "requirements">>

const next = (state: RequirementsView): Intents => {
  const { requirements, run } = state
  // what the check of a criterion shows depends on how it ended before the work
  if (requirements.stage._tag === "Verifying" && awaitsBase(state)) return []
  const needed = nextOf(requirements, run)
  switch (needed._tag) {
    case "Nothing":
      return []
    case "Start":
      return [needed]
    case "Advance":
      return [Advance({})]
    case "End":
      return [FinishRun({})]
  }
}

/** What was ordered for requirements that others have replaced: nobody waits for it any more. */
const withdrawReplaced = ({ requirements: { replaced }, run }: RequirementsView): Intents =>
  replaced === null
    ? []
    : [run.resumes, run.resumes - 1].flatMap((resumes) => withdrawn({ ...replaced, replaced: null }, run, resumes))

const reactions = [
  // an earlier order of a resumed run is none any more
  Requirements.react([RunResumed], (_, state) => [
    ...withdrawn(state.requirements, state.run, state.run.resumes - 1),
    ...withdrawReplaced(state),
    ...next(state)
  ]),
  Requirements.react([RequirementsLoaded], (_, state) => [
    ...withdrawReplaced(state),
    ...baseWork(state),
    ...next(state)
  ]),
  Requirements.react(
    [
      BaseChecked,
      ConfirmationStarted,
      IterationStarted,
      TasksGenerated,
      AnswerRefused,
      TaskRunEnded,
      CriteriaChecked,
      RequirementVerified,
      RequirementsMet,
      RequirementsUnmet,
      ActivityFailed
    ],
    (_, state) => next(state)
  ),
  // whoever ends the run takes back what was ordered
  Requirements.react([RunCancelled, RunFailed, RunIncomplete], (_, { requirements, run }) =>
    withdrawn(requirements, run, run.resumes)
  )
]

const follows = [
  Requirements.follow(RunStarted, begun),
  Requirements.follow(RunResumed, resumed),
  Requirements.follow(ActivityFailed, failed),
  Requirements.follow(BaseChecked, (loop, { checks }) => ({ ...loop, base_checks: [...loop.base_checks, ...checks] }))
]

const kind = Requirements.offer(kinds, "kind", {
  name: Requirements.name,
  hasBudget: true,
  begin: () => Requirements.tell([]),
  recall: () => ({ tasks: [] }),
  // its tasks are those of its task runs
  counts: () => ({ total: 0, completed: 0, failed: 0, skipped: 0 }),
  // not by anybody's word, but as its loop has ended
  ends: ({ requirements, run }) => {
    const needed = nextOf(requirements, run)
    return needed._tag === "End" ? needed.end : null
  },
  progress: () => ({}),
  obligations: ({ requirements }) => obligationsOf(requirements)
})

const ownUnderway = Requirements.offer(underway, "underway", {
  awaits: ({ requirements, run }, failure) => (run.kind === Requirements.name ? awaits(requirements, failure) : null)
})

const verifying = Requirements.offer(userCommandsBeside, "commands", {
  commands: ({ requirements: { definition } }) =>
    (definition?.requirements ?? []).flatMap(({ acceptance_criteria }) =>
      acceptance_criteria.flatMap(({ check }) => check ?? [])
    )
})

const version = "1"
const rules = [kind, verifying, ownUnderway, ...follows, ...reactions]

/** What the loop decides and how its logs are read, without what it does in the world. */
export const requirementsRules: Plugin = definePlugin(Requirements, {
  version,
  events,
  commands,
  parts: rules,
  ordersAny: true
})

/** Turns requirements into tasks, runs them, verifies, and goes on until all are met. */
export const requirements = (given: {
  readonly judge: JudgeReceipts
  readonly text: TasksText
}): Effect.Effect<
  Plugin,
  never,
  | Baseline
  | BlobStore
  | CommandRunner
  | Digest
  | EscrowedChecks
  | OutputFiles
  | ProjectFiles
  | ScratchProjects
  | Syntax
  | TestReports
> =>
  Effect.gen(function* () {
    const facts = yield* makeFacts(given.judge)
    const execute = yield* makeExecute(given.text, given.judge)
    return definePlugin(Requirements, { version, events, commands, parts: [...rules, facts, execute], ordersAny: true })
  })
