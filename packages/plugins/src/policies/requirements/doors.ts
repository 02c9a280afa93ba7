import type { Schema } from "effect"
import { Effect } from "effect"
import type { RecordUsage } from "../domain/Command.ts"
import type { EvidenceFact, Usage } from "../domain/Event.ts"
import type { RunId, TaskId } from "../domain/Ids.ts"
import type { LogUnavailable } from "../domain/LogUnavailable.ts"
import type { BlobRef } from "../domain/Report.ts"
import type { CompletedTask, CriterionVerdict, GeneratedTask, RequirementDefinition } from "../domain/Requirement.ts"
import { type Asking, recordCall } from "./askAgent.ts"
import { type Activity, type ActivityFailure, definePlugin, type Plugin, type PluginCommand } from "./Plugin.ts"

/** The activity of a generator. */
export const generatorActivity = (generator: string): string => `generator-${generator}`

/** The activity of a verifier. */
export const verifierActivity = (verifier: string): string => `verifier-${verifier}`

/** An answer that could not be used, and everything that is wrong with it. */
export interface FormerAnswer {
  readonly answer: string
  readonly problems: ReadonlyArray<string>
}

/** Tasks are wanted for what is not met. */
export interface GenerationRequest {
  readonly run_id: RunId
  /** From 1. */
  readonly iteration: number
  /** Which verification it follows, from 1; with `ask` it names what is asked. */
  readonly round: number
  /** How often it was asked in this iteration, this time included. */
  readonly ask: number
  readonly requirements: RequirementDefinition
  /** Ids of the criteria that are not met; those of required requirements must be covered. */
  readonly unmet: ReadonlyArray<string>
  /** Of all iterations. A new task may depend on them, none may have their ids. */
  readonly completed_tasks: ReadonlyArray<CompletedTask>
  /** Every id that is taken: of tasks that are completed and of those that are not. */
  readonly taken_ids: ReadonlyArray<TaskId>
  /** What the last verification found; null: there was none with tasks before it. */
  readonly previous_feedback: string | null
  readonly former: FormerAnswer | null
  /** Who works, as named in the configuration. */
  readonly agent: string
  /** Where the project is, absolute. */
  readonly root: string
  /** Hard limit in ms. */
  readonly timeout_ms: number
  /** Ends an agent after so many ms without output; null: never. */
  readonly idle_timeout_ms: number | null
}

/** What a generator answers. With `problems` the answer cannot be used and `tasks` is empty. */
export interface Generated {
  readonly tasks: ReadonlyArray<GeneratedTask>
  readonly problems: ReadonlyArray<string>
  /** As it was given; null: nothing was. */
  readonly answer: string | null
  readonly output: BlobRef | null
  /** What the agent used that was asked, `unsaid` where it did not say so; null: nobody was asked. */
  readonly usage: Usage | null
}

/** An agent was asked and did not end well. */
export interface AskedInVain extends ActivityFailure {
  /** What it used, `unsaid` where it did not say so; left out: nobody was asked. */
  readonly usage?: Usage
}

/** Makes tasks of requirements. What it fails with is tried again as a task would be; `problems` are told to it once. */
export type Generator = (request: GenerationRequest) => Effect.Effect<Generated, AskedInVain | LogUnavailable>

/** One requirement is to be looked at: nothing has proven some of its criteria. */
export interface VerificationRequest {
  readonly run_id: RunId
  readonly iteration: number
  /** Which verification it is part of, from 1. */
  readonly round: number
  readonly ask: number
  readonly requirements: RequirementDefinition
  readonly requirement_id: string
  /** What is known of its criteria without anybody's opinion. */
  readonly criteria: ReadonlyArray<CriterionVerdict>
  readonly completed_tasks: ReadonlyArray<CompletedTask>
  readonly former: FormerAnswer | null
  readonly agent: string
  readonly root: string
  readonly timeout_ms: number
  readonly idle_timeout_ms: number | null
}

/** What a verifier answers. With `problems` the answer cannot be used, and `met` is false. */
export interface Verified {
  readonly met: boolean
  readonly evidence: string
  /** What the disk says of every `path:line` in the evidence. */
  readonly facts: ReadonlyArray<EvidenceFact>
  readonly problems: ReadonlyArray<string>
  readonly answer: string | null
  readonly output: BlobRef | null
  /** What the agent used that was asked, `unsaid` where it did not say so; null: nobody was asked. */
  readonly usage: Usage | null
}

/** Looks whether a requirement is met. Whatever it fails with, what nothing has proven stays unproven. */
export type Verifier = (request: VerificationRequest) => Effect.Effect<Verified, AskedInVain | LogUnavailable>

/** What a generator or verifier has answered; decided by the plugin that runs the loop. */
export interface RecordPlan extends PluginCommand, Omit<Generated, "usage"> {
  readonly _tag: "requirements.RecordPlan"
  readonly generator: string
  readonly iteration: number
  readonly round: number
  readonly ask: number
}

export interface RecordOpinion extends PluginCommand, Omit<Verified, "usage"> {
  readonly _tag: "requirements.RecordOpinion"
  readonly verifier: string
  readonly iteration: number
  readonly round: number
  readonly requirement_id: string
  readonly ask: number
}

/** A generator as a plugin: `generation.generator: <name>` in a requirements.yaml chooses it. */
export const defineGenerator = (name: string, version: string, generate: Generator): Plugin => {
  const activity: Activity = ({ dispatch, item, state }) => {
    const request = item.input as unknown as GenerationRequest
    const { agent, ask, iteration, round } = request
    const begin: Begin = { _tag: "requirements.Begin", role: "generate", iteration, round, ask, requirement_id: null }
    const call = { agent, role: "generate", task_id: `iteration-${iteration}`, attempt: ask }
    return Effect.map(
      asked({ dispatch, state }, begin, call, generate(request)),
      ({ usage: _usage, ...generated }): RecordPlan => ({
        _tag: "requirements.RecordPlan",
        generator: name,
        iteration,
        round,
        ask,
        ...generated
      })
    )
  }
  return asPlugin(generatorActivity(name), version, activity)
}

/** A verifier as a plugin: `verification.verifier: <name>` in a requirements.yaml chooses it. */
export const defineVerifier = (name: string, version: string, verify: Verifier): Plugin => {
  const activity: Activity = ({ dispatch, item, state }) => {
    const request = item.input as unknown as VerificationRequest
    const { agent, ask, iteration, requirement_id, round } = request
    const begin: Begin = { _tag: "requirements.Begin", role: "verify", iteration, round, ask, requirement_id }
    const call = { agent, role: "verify", task_id: requirement_id, attempt: ask }
    return Effect.map(
      asked({ dispatch, state }, begin, call, verify(request)),
      ({ usage: _usage, ...verified }): RecordOpinion => ({
        _tag: "requirements.RecordOpinion",
        verifier: name,
        iteration,
        round,
        requirement_id,
        ask,
        ...verified
      })
    )
  }
  return asPlugin(verifierActivity(name), version, activity)
}

/** Whether an answer is waited for; decided by the plugin that runs the loop, which refuses what is overtaken. */
export interface Begin extends PluginCommand {
  readonly _tag: "requirements.Begin"
  /** `look`: the machine does, and nobody is asked. */
  readonly role: "generate" | "verify" | "look"
  readonly iteration: number
  readonly round: number
  readonly ask: number
  /** Null for tasks. */
  readonly requirement_id: string | null
}

/** Asks, if it is still wanted, and records the call of an agent, if there was one, whatever came of it. */
const asked = <A extends { readonly usage: Usage | null }>(
  context: Asking,
  begin: Begin,
  call: Omit<RecordUsage, "_tag" | "usage">,
  answer: Effect.Effect<A, AskedInVain | LogUnavailable>
) => Effect.andThen(context.dispatch(begin), counted(context, call, answer))

const counted = <A extends { readonly usage: Usage | null }>(
  context: Asking,
  call: Omit<RecordUsage, "_tag" | "usage">,
  asked: Effect.Effect<A, AskedInVain | LogUnavailable>
): Effect.Effect<A, AskedInVain | LogUnavailable> =>
  asked.pipe(
    Effect.tap(({ usage }) => (usage === null ? Effect.void : recordCall(context, { ...call, usage }))),
    Effect.tapError((error) =>
      error._tag === "ActivityFailure" && error.usage !== undefined
        ? recordCall(context, { ...call, usage: error.usage })
        : Effect.void
    )
  )

const asPlugin = (name: string, version: string, activity: Activity): Plugin =>
  definePlugin({ name, version, initial: null, activities: { [name]: activity } })

/** A request as the input of a piece of work. */
export const asInput = (request: GenerationRequest | VerificationRequest): Schema.Json =>
  request as unknown as Schema.Json
