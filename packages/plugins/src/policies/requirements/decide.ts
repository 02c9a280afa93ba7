import { type Decision, enumerated, NoFields, type Rejection, reject, rejectConflict } from "@proofline/kernel"
import { contents } from "./contents.ts"
import {
  AnswerRefused,
  CriteriaChecked,
  IntentChanged,
  RequirementsFileChanged,
  RequirementsLoaded,
  RequirementVerified,
  TaskRunEnded,
  TaskRunLinked,
  TasksGenerated
} from "./events.ts"
import { type IntentChange, intentChanges, intentChangeText } from "./intent.ts"
import { recordPlan } from "./plans.ts"
import { BeginArgs, FactsArgs, LoadArgs, OpinionArgs, PlanArgs } from "./requests.ts"
import { advance, recordOpinion } from "./rounds.ts"
import { isSameProof, type Loop, Requirements, type RequirementsView } from "./state.ts"
import { awaited, isAwaited, notWaitedFor } from "./waiting.ts"

type LoopDecision = Decision<"requirements">

/** Only a run with requirements is asked this. */
const ofLoop =
  <Args>(decide: (args: Args, loop: Loop, state: RequirementsView) => LoopDecision) =>
  (args: Args, state: RequirementsView): LoopDecision =>
    state.run.kind !== Requirements.name || state.run.status === "none"
      ? notRequirements(state)
      : decide(args, state.requirements, state)

const notRequirements = ({ run }: RequirementsView): Rejection =>
  reject("run_not_requirements", `Run ${run.run_id} has no requirements.`, "Start it from a requirements.yaml.")

/** Only while it runs. */
const whileRunning = <Args>(decide: (args: Args, loop: Loop) => LoopDecision) =>
  ofLoop<Args>((args, loop, { run }) => (run.status === "running" ? decide(args, loop) : notWaitedFor("anything")))

/** The requirements of a run, at its beginning or when their file has changed. */
export const Load = Requirements.command("requirements.Load", {
  schema: LoadArgs,
  decide: ofLoop((content, loop, { run }) => {
    if (run.status === "completed") {
      return reject("run_completed", `Run ${run.run_id} is completed; its requirements are met.`, "Start a new run.")
    }
    const isFirst = loop.definition === null
    const isSame =
      loop.sha256 === content.sha256 &&
      isSameProof(content.proof, loop) &&
      loop.max_iterations === content.max_iterations &&
      loop.tasks_output_dir === content.tasks_output_dir
    if (!isFirst && isSame) return []
    const { definition, intent, sha256 } = content
    const changes = loop.definition === null || intent === undefined ? [] : intentChanges(loop.definition, definition)
    if (changes.length > 0 && intent === "kept") return narrowed(run.run_id, changes)
    return [
      ...(changes.length === 0
        ? []
        : [IntentChanged({ sha256_before: loop.sha256, sha256, decided_by: "person", changes })]),
      RequirementsLoaded({ ...content, carried: isFirst ? content.carried : null, changed: !isFirst })
    ]
  }),
  recall: {
    from: [RequirementsLoaded],
    args: (batch) => {
      const loaded = batch.first(RequirementsLoaded)
      if (loaded === undefined) return undefined
      const { changed, ...args } = loaded
      return args
    }
  }
})

const maxNamed = 5

/** Less is asked for than before, and no person has said that this is meant. */
export const narrowed = (run: string, changes: ReadonlyArray<IntentChange>): Rejection => {
  return rejectConflict(
    "requirements_narrowed",
    `Less is required than when run ${run} began, or something else: ${enumerated(changes.map(intentChangeText), maxNamed, "; ")}.`,
    "If you mean it, go on with --take-over: your decision is recorded. Otherwise bring back what was required; what is added needs no decision."
  )
}

/** What its file says now, at the end of a drive: other than what was loaded, somebody changed it meanwhile. */
export const NoteFile = Requirements.command("requirements.NoteFile", {
  schema: contents.REQUIREMENTS_FILE_CHANGED,
  decide: ofLoop(({ sha256 }, loop) =>
    sha256 === loop.sha256 || sha256 === loop.changed_meanwhile ? [] : [RequirementsFileChanged({ sha256 })]
  ),
  recall: { from: [RequirementsFileChanged], args: (batch) => batch.first(RequirementsFileChanged) }
})

/** Whether an answer is waited for: what is overtaken is refused. It records nothing. */
export const Begin = Requirements.command("requirements.Begin", {
  schema: BeginArgs,
  decide: whileRunning((args, loop) => (isAwaited(args, loop) ? [] : notWaitedFor("this answer"))),
  recall: { from: [], args: () => undefined }
})

/** The task run of an iteration is about to be driven. */
export const LinkRun = Requirements.command("requirements.LinkRun", {
  schema: contents.TASK_RUN_LINKED,
  decide: whileRunning((content, loop) => {
    if (loop.stage._tag !== "Executing" || content.iteration !== loop.iteration) return notWaitedFor("this task run")
    const known = loop.iterations.find(({ iteration_number }) => iteration_number === content.iteration)
    return known?.loop_c_history_id === content.run_id ? [] : [TaskRunLinked(content)]
  }),
  recall: { from: [TaskRunLinked], args: (batch) => batch.first(TaskRunLinked) }
})

/** What came of the task run of an iteration. */
export const RecordRun = Requirements.command("requirements.RecordRun", {
  schema: contents.TASK_RUN_ENDED,
  decide: whileRunning((content, loop) =>
    loop.stage._tag === "Executing" && content.iteration === loop.iteration && loop.halted === null
      ? [TaskRunEnded(content)]
      : notWaitedFor("the end of this task run")
  ),
  recall: { from: [TaskRunEnded], args: (batch) => batch.first(TaskRunEnded) }
})

/** What the machine has seen of a requirement. */
export const RecordFacts = Requirements.command("requirements.RecordFacts", {
  schema: FactsArgs,
  decide: whileRunning((content, loop) =>
    awaited(loop, content, false) ? [CriteriaChecked(content)] : notWaitedFor("a look at this requirement")
  ),
  recall: { from: [CriteriaChecked], args: (batch) => batch.first(CriteriaChecked) }
})

/** What a generator has answered. */
export const RecordPlan = Requirements.command("requirements.RecordPlan", {
  schema: PlanArgs,
  decide: whileRunning(recordPlan),
  recall: {
    from: [AnswerRefused, TasksGenerated],
    args: (batch) => {
      const refused = batch.first(AnswerRefused)
      if (refused !== undefined) return refused.role === "generate" ? refusedPlan(refused) : undefined
      const planned = batch.first(TasksGenerated)
      if (planned === undefined) return undefined
      const { ask, generator, iteration, output, round, tasks } = planned
      return { generator, iteration, round, ask, tasks, problems: [], answer: null, output }
    }
  }
})

type Refused = Parameters<typeof AnswerRefused>[0]

/** The problems that came with the answer; any other follow from it. */
const ownProblems = ({ problems, reason }: Refused): ReadonlyArray<string> => (reason === "unreadable" ? problems : [])

const refusedPlan = (refused: Refused): PlanArgs => {
  const { answer, ask, by, iteration, output, round, tasks } = refused
  return { generator: by, iteration, round, ask, tasks, problems: ownProblems(refused), answer, output }
}

/** What a verifier has answered. */
export const RecordOpinion = Requirements.command("requirements.RecordOpinion", {
  schema: OpinionArgs,
  decide: whileRunning(recordOpinion),
  recall: {
    from: [AnswerRefused, RequirementVerified],
    args: (batch) => {
      const refused = batch.first(AnswerRefused)
      if (refused !== undefined) return refused.role === "verify" ? refusedOpinion(refused) : undefined
      const verified = batch.first(RequirementVerified)
      if (verified === undefined || verified.opinion === null) return undefined
      const { ask, iteration, opinion, requirement_id, round } = verified
      return { iteration, round, requirement_id, ask, problems: [], answer: null, ...opinion }
    }
  }
})

const refusedOpinion = (refused: Refused): OpinionArgs => {
  const { answer, ask, by, iteration, output, requirement_id, round } = refused
  return {
    verifier: by,
    iteration,
    round,
    requirement_id: requirement_id ?? "",
    ask,
    met: false,
    evidence: "",
    facts: [],
    problems: ownProblems(refused),
    answer,
    output
  }
}

/** Decides what follows from what is known. */
export const Advance = Requirements.command("requirements.Advance", {
  schema: NoFields,
  decide: (_, { requirements, run }) => advance(run, requirements),
  recall: "follows"
})

export const commands = [
  Load,
  NoteFile,
  Begin,
  LinkRun,
  RecordRun,
  RecordFacts,
  RecordPlan,
  RecordOpinion,
  Advance
] as const
