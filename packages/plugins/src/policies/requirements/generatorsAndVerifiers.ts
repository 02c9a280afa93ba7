import {
  type ActivityFailure,
  type AgentCall,
  type Asking,
  type AskingBack,
  type BlobRef,
  definePlugin,
  type LineFact,
  type LogUnavailable,
  type Plugin,
  plugin,
  type Rejection,
  type Request,
  Run,
  recordCall,
  type Usage,
  withAskingBack
} from "@proofline/kernel"
import { Effect } from "effect"
import { Begin, RecordOpinion, RecordPlan } from "./decide.ts"
import type { GeneratedTask } from "./definition.ts"
import { GenerationRequest, generatorActivity, VerificationRequest, verifierActivity } from "./inputs.ts"
import { Requirements } from "./state.ts"

/** What a generator answers. With `problems` the answer cannot be used and `tasks` is empty. */
export interface Generated {
  /** Commands in them are the agent's where `usage` says that one was asked: they prove nothing by themselves. */
  readonly tasks: ReadonlyArray<GeneratedTask>
  readonly problems: ReadonlyArray<string>
  /** As it was given; null: nothing was. */
  readonly answer: string | null
  readonly output: BlobRef | null
  /** What the agent used that was asked, `unreportedUsage` where it did not say so; null: nobody was asked. */
  readonly usage: Usage | null
  /** Of the call, where it is recorded. */
  readonly exchange?: BlobRef
}

/** An agent was asked and did not end well. */
export interface AgentCallFailure extends ActivityFailure {
  /** What it used, `unreportedUsage` where it did not say so; left out: nobody was asked. */
  readonly usage?: Usage
  readonly exchange?: BlobRef
}

/**
 * Makes tasks of requirements. What it fails with is tried again as a task would be; `problems` are told to it once. `back` is
 * for the agent that it asks.
 */
export type Generator = (
  request: GenerationRequest,
  back: AskingBack
) => Effect.Effect<Generated, AgentCallFailure | LogUnavailable>

/** What a verifier answers. With `problems` the answer cannot be used, and `met` is false. */
export interface Verified {
  readonly met: boolean
  readonly evidence: string
  /** What the disk says of every `path:line` in the evidence. */
  readonly facts: ReadonlyArray<LineFact>
  readonly problems: ReadonlyArray<string>
  readonly answer: string | null
  readonly output: BlobRef | null
  /** What the agent used that was asked, `unreportedUsage` where it did not say so; null: nobody was asked. */
  readonly usage: Usage | null
  /** Of the call, where it is recorded. */
  readonly exchange?: BlobRef
}

/** Looks whether a requirement is met. Whatever it fails with, what nothing has proven stays unproven. */
export type Verifier = (
  request: VerificationRequest,
  back: AskingBack
) => Effect.Effect<Verified, AgentCallFailure | LogUnavailable>

/** A generator as a plugin: `generation.generator: <name>` in a requirements.yaml chooses it. */
export const defineGenerator = (name: string, version: string, generate: Generator): Plugin => {
  const header = plugin(generatorActivity(name), { state: null, after: [Run, Requirements] })
  const activity = header.activity(generatorActivity(name), {
    input: GenerationRequest,
    run: (request, context) => {
      const { agent, ask, iteration, round } = request
      const begin = Begin({ role: "generate", iteration, round, ask, requirement_id: null })
      const call = { agent, role: "generate", task_id: `iteration-${iteration}`, attempt: ask }
      return Effect.map(
        asked(context, begin, call, (back) => generate(request, back)),
        ({ exchange: _, tasks, usage, ...generated }) =>
          RecordPlan({ generator: name, iteration, round, ask, ...generated, tasks: writtenBy(usage, tasks) })
      )
    }
  })
  return definePlugin(header, { version, parts: [activity] })
}

/** The commands in a plan for which an agent was asked are the agent's; that something may have been there before only users say. */
const writtenBy = (usage: Usage | null, tasks: ReadonlyArray<GeneratedTask>): ReadonlyArray<GeneratedTask> =>
  usage === null
    ? tasks
    : tasks.map((task) => ({
        ...task,
        checklist: task.checklist.map(({ existing: _, ...item }) => item),
        commands_by: "agent"
      }))

/** A verifier as a plugin: `verification.verifier: <name>` in a requirements.yaml chooses it. */
export const defineVerifier = (name: string, version: string, verify: Verifier): Plugin => {
  const header = plugin(verifierActivity(name), { state: null, after: [Run, Requirements] })
  const activity = header.activity(verifierActivity(name), {
    input: VerificationRequest,
    run: (request, context) => {
      const { agent, ask, iteration, requirement_id, round } = request
      const begin = Begin({ role: "verify", iteration, round, ask, requirement_id })
      const call = { agent, role: "verify", task_id: requirement_id, attempt: ask }
      return Effect.map(
        asked(context, begin, call, (back) => verify(request, back)),
        ({ exchange: _, usage, ...verified }) =>
          RecordOpinion({ verifier: name, iteration, round, requirement_id, ask, ...verified })
      )
    }
  })
  return definePlugin(header, { version, parts: [activity] })
}

/** The work within which somebody is asked. */
interface AskingLoop extends Asking {
  readonly dispatch: (request: Request<"run" | "requirements">) => Effect.Effect<unknown, Rejection | LogUnavailable>
}

/**
 * Dispatches `begin`, which is refused when nobody waits for the answer, then asks the agent and records the call, also
 * one that failed.
 */
const asked = <A extends Pick<AgentCall, "usage" | "exchange">>(
  context: AskingLoop,
  begin: Request<"requirements">,
  call: Omit<AgentCall, "usage" | "exchange">,
  answer: (back: AskingBack) => Effect.Effect<A, AgentCallFailure | LogUnavailable>
) => Effect.andThen(context.dispatch(begin), counted(context, call, withAskingBack(context, call, answer)))

const counted = <A extends Pick<AgentCall, "usage" | "exchange">>(
  context: Asking,
  call: Omit<AgentCall, "usage" | "exchange">,
  asked: Effect.Effect<A, AgentCallFailure | LogUnavailable>
): Effect.Effect<A, AgentCallFailure | LogUnavailable> =>
  asked.pipe(
    Effect.tap(({ exchange, usage }) =>
      usage === null ? Effect.void : recordCall(context, { ...call, ...ended({ exchange, usage }) })
    ),
    Effect.tapError((error) =>
      error._tag === "ActivityFailure" && error.usage !== undefined
        ? recordCall(context, { ...call, ...ended({ exchange: error.exchange, usage: error.usage }) })
        : Effect.void
    )
  )

const ended = ({ exchange, usage }: { readonly exchange: BlobRef | undefined; readonly usage: Usage }) =>
  exchange === undefined ? { usage } : { usage, exchange }
