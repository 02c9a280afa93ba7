import {
  type Baseline,
  type BlobStore,
  type Command,
  type CommandRunner,
  type Composition,
  canonicalJson,
  type Digest,
  definePlugin,
  type OutputFiles,
  type Plugin,
  type PluginCommand,
  type RecordOpinion,
  type RecordPlan,
  reject,
  type State
} from "@proofline/kernel"
import { Effect, Result } from "effect"
import { type JudgeReceipts, makeExecute, makeFacts, type TasksText } from "./activities.ts"
import { commandTags, decideLoop, type Load, type RecordFacts } from "./decide.ts"
import { type ContentOf, definitions } from "./events.ts"
import { nextOf, reactLoop } from "./next.ts"
import { evolveLoop, type Loop, names, noLoop } from "./state.ts"

export { hasEnded, type JudgeReceipts, type ReceiptFate, type TasksText } from "./activities.ts"
export type { Load, LoopCommand, NoteFile } from "./decide.ts"
export { type Carried, type ContentOf, definitions, type LoopEvent } from "./events.ts"
export { childId, gateOf, spentOf } from "./next.ts"
export { needsPerson, outcomeOf } from "./outcome.ts"
export { evolveLoop, type Loop, type LoopBIteration, noLoop, type RequirementState } from "./state.ts"
export { coveredIds, linkedItems } from "./verdict.ts"

const name = "requirements"

/** The loop of a requirements run; of any other, one that was never loaded. */
export const loopOf = (
  { slices }: { readonly slices: ReadonlyArray<unknown> },
  { plugins }: Pick<Composition, "plugins">
): Loop => (slices[plugins.findIndex((plugin) => plugin.name === name)] as Loop | undefined) ?? noLoop

/** A run is not ended by anybody's word, but as its loop has ended. */
const guard = (command: Command | PluginCommand, state: State, loop: Loop) => {
  if (command._tag !== "ConcludeRun" || state.kind !== "requirements") return Result.succeed(undefined)
  const next = nextOf(loop, state)
  return next._tag === "ConcludeRun" && canonicalJson(next as never) === canonicalJson(command as never)
    ? Result.succeed(undefined)
    : Result.fail(
        reject(
          "run_not_concluded",
          `Run ${state.run_id} has not come to this end.`,
          "It ends when its requirements are met, or its iterations are used up."
        )
      )
}

/** Turns requirements into tasks, runs them, verifies, and goes on until all are met. */
export const requirements = (given: {
  readonly judge: JudgeReceipts
  readonly text: TasksText
}): Effect.Effect<Plugin, never, Baseline | BlobStore | CommandRunner | Digest | OutputFiles> =>
  Effect.gen(function* () {
    return definePlugin<Loop>({
      name,
      version: "1",
      initial: noLoop,
      commands: commandTags,
      events: definitions,
      decide: decideLoop,
      evolve: evolveLoop,
      react: reactLoop,
      guard,
      recall: {
        REQUIREMENTS_LOADED: (batch): Load => {
          const { changed, ...content } = batch[0].content as ContentOf<"REQUIREMENTS_LOADED">
          return { _tag: "requirements.Load", ...content }
        },
        REQUIREMENTS_FILE_CHANGED: (batch) => ({
          _tag: "requirements.NoteFile",
          ...(batch[0].content as ContentOf<"REQUIREMENTS_FILE_CHANGED">)
        }),
        ANSWER_REFUSED: (batch) => refusedAnswer(batch[0].content as ContentOf<"ANSWER_REFUSED">),
        TASKS_GENERATED: (batch): RecordPlan => {
          const { ask, generator, iteration, output, round, tasks } = batch[0].content as ContentOf<"TASKS_GENERATED">
          return {
            _tag: "requirements.RecordPlan",
            generator,
            iteration,
            round,
            ask,
            tasks,
            problems: [],
            answer: null,
            output
          }
        },
        TASK_RUN_LINKED: (batch) => ({
          _tag: "requirements.LinkRun",
          ...(batch[0].content as ContentOf<"TASK_RUN_LINKED">)
        }),
        TASK_RUN_ENDED: (batch) => ({
          _tag: "requirements.RecordRun",
          ...(batch[0].content as ContentOf<"TASK_RUN_ENDED">)
        }),
        CRITERIA_CHECKED: (batch): RecordFacts => ({
          _tag: "requirements.RecordFacts",
          ...(batch[0].content as ContentOf<"CRITERIA_CHECKED">)
        }),
        REQUIREMENT_VERIFIED: (batch): RecordOpinion | { readonly _tag: "requirements.Advance" } => {
          const { ask, iteration, opinion, requirement_id, round } = batch[0]
            .content as ContentOf<"REQUIREMENT_VERIFIED">
          return opinion === null
            ? { _tag: "requirements.Advance" }
            : {
                _tag: "requirements.RecordOpinion",
                iteration,
                round,
                requirement_id,
                ask,
                problems: [],
                answer: null,
                ...opinion
              }
        }
      },
      activities: {
        [names.facts]: yield* makeFacts(given.judge),
        [names.execute]: yield* makeExecute(given.text)
      }
    })
  })

const refusedAnswer = (content: ContentOf<"ANSWER_REFUSED">): RecordPlan | RecordOpinion => {
  const { answer, ask, by, iteration, output, problems, reason, requirement_id, role, round, tasks } = content
  const told = reason === "unreadable" ? problems : []
  return role === "generate"
    ? { _tag: "requirements.RecordPlan", generator: by, iteration, round, ask, tasks, problems: told, answer, output }
    : {
        _tag: "requirements.RecordOpinion",
        verifier: by,
        iteration,
        round,
        requirement_id: requirement_id ?? "",
        ask,
        met: false,
        evidence: "",
        facts: [],
        problems: told,
        answer,
        output
      }
}
