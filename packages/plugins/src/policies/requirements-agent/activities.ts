import {
  type ActivityFailure,
  type AgentResult,
  type AgentRole,
  Agents,
  type AskingBack,
  type BlobRef,
  type LineFact,
  type LogUnavailable,
  type Usage,
  unreportedUsage
} from "@proofline/kernel"
import { Effect } from "effect"
import { BlobStore } from "../../port/index.ts"
import {
  type AgentCallFailure,
  earlierIds,
  type GeneratedTask,
  type GenerationRequest,
  type Generator,
  type VerificationRequest,
  type Verifier
} from "../requirements/contract.ts"
import { buildTaskGenerationPrompt } from "./generationPrompt.ts"
import { opinionIn } from "./opinion.ts"
import { buildRequirementVerificationPrompt } from "./verificationPrompt.ts"

/** Tasks in what an agent has said, or everything that is wrong with them; `tasks` is empty exactly then. */
export type ParsePlan = (
  output: string,
  options: { readonly completedElsewhere: ReadonlyArray<string>; readonly lostElsewhere: ReadonlyArray<string> }
) => { readonly tasks: ReadonlyArray<GeneratedTask>; readonly problems: ReadonlyArray<string> }

/** Asks the agent for a plan, once. An agent that does not end well gives none: `generation_failed`. */
export const makeGenerate = (parse: ParsePlan): Effect.Effect<Generator, never, Agents | BlobStore> =>
  Effect.gen(function* () {
    const ask = yield* makeAsk
    const keep = yield* makeKeep
    return Effect.fnUntraced(function* (request, back) {
      const { completed_tasks, iteration, previous_feedback, requirements } = request
      const { call, text } = yield* ask({
        request,
        back,
        role: "generate",
        task_id: `iteration-${iteration}`,
        prompt: buildTaskGenerationPrompt(requirements, completed_tasks, previous_feedback, request),
        failed: (why) => notPlanned(request.agent, why)
      })
      const { problems, tasks } = text.trim() === "" ? unanswered : parse(text, earlierIds(request))
      return { tasks, problems, ...(yield* keep(text)), ...call }
    })
  })

const unanswered: ReturnType<ParsePlan> = {
  tasks: [],
  problems: ["There was no answer: no report file, and nothing was printed."]
}

const notPlanned = (agent: string, why: string): ActivityFailure => ({
  _tag: "ActivityFailure",
  code: "generation_failed",
  message: `The agent ${agent} could not plan tasks for the requirements. ${why}`
})

/** What the disk says of `path:line` or `path:start-end`. */
export type ReadFact = (evidence: string) => Effect.Effect<LineFact>

/** Asks the agent about one requirement, once. An agent that does not end well has no opinion: `verification_failed`. */
export const makeVerify = (readFact: ReadFact): Effect.Effect<Verifier, never, Agents | BlobStore> =>
  Effect.gen(function* () {
    const ask = yield* makeAsk
    const keep = yield* makeKeep
    return Effect.fnUntraced(function* (request, back) {
      const { agent, completed_tasks, requirement_id, requirements } = request
      const { call, text } = yield* ask({
        request,
        back,
        role: "verify",
        task_id: requirement_id,
        prompt: buildRequirementVerificationPrompt(requirements, completed_tasks, request),
        failed: (why) => notVerified(agent, requirement_id, why)
      })
      const { cited, evidence, met, problems } = opinionIn(
        text,
        requirement_id,
        requirements.requirements.map(({ id }) => id)
      )
      const facts = yield* Effect.forEach(cited, (one, index) =>
        Effect.map(readFact(one), (fact): LineFact => ({ ...fact, index }))
      )
      return { met, evidence, facts, problems, ...(yield* keep(text)), ...call }
    })
  })

const notVerified = (agent: string, requirement_id: string, why: string): ActivityFailure => ({
  _tag: "ActivityFailure",
  code: "verification_failed",
  message: `The agent ${agent} could not look whether requirement ${requirement_id} is met. ${why}`
})

// --- asking ------------------------------------------------------------------------------------------------------------

/** What is asked of an agent, once. */
interface Question {
  readonly request: GenerationRequest | VerificationRequest
  readonly back: AskingBack
  readonly role: Extract<AgentRole, "generate" | "verify">
  readonly task_id: string
  readonly prompt: string
  /** Why it was not answered, as a failure; `why` is a sentence. */
  readonly failed: (why: string) => ActivityFailure
}

/** What an agent that ended well has said; blank: nothing. */
interface Said {
  readonly text: string
  readonly call: { readonly usage: Usage; readonly exchange?: BlobRef }
}

type Ask = (question: Question) => Effect.Effect<Said, AgentCallFailure | LogUnavailable>

/** One call of one agent. An agent that does not end well has said nothing, whatever it printed. */
const makeAsk: Effect.Effect<Ask, never, Agents> = Effect.map(
  Agents,
  (agents): Ask =>
    Effect.fnUntraced(function* (question) {
      const result = yield* call(agents, question)
      return result.outcome === "COMPLETE"
        ? { text: textOf(result), call: callOf(result) }
        : yield* Effect.fail(endedBadly(question, result))
    })
)

const call = (agents: Agents["Service"], { back, failed, prompt, request, role, task_id }: Question) => {
  const asked = {
    run_id: request.run_id,
    task_id,
    attempt: request.ask,
    role,
    prompt,
    directory: null,
    timeout_ms: request.timeout_ms,
    idle_timeout_ms: request.idle_timeout_ms
  }
  return agents
    .run(request.agent, asked, back)
    .pipe(Effect.catchTag("UnknownAgent", ({ message }) => Effect.fail(failed(message))))
}

const callOf = ({ exchange, usage }: AgentResult): Said["call"] => ({
  usage: usage ?? unreportedUsage,
  ...(exchange === undefined ? {} : { exchange })
})

const endedBadly = ({ failed, request }: Question, result: AgentResult): AgentCallFailure => ({
  ...failed(result.error?.message ?? (result.outcome === "TIMEOUT" ? "It ran out of time." : "It did not end well.")),
  ...(result.error?.terminal === true ? { terminalAgent: request.agent } : {}),
  ...callOf(result)
})

/** What was handed in. Of an answer that is a block of what was printed all of that: the block may be the wrong one. */
const textOf = ({ answer, stdout }: AgentResult): string => {
  const printed = new TextDecoder().decode(stdout).replaceAll("\r\n", "\n")
  return answer === null || printed.includes(answer) ? printed : answer
}

interface Kept {
  /** What an event holds of an answer; null: there was none. */
  readonly answer: string | null
  /** All of it. */
  readonly output: BlobRef | null
}

/** Keeps an answer for people: all of it as a blob, and its end, which counts, for the event. */
const makeKeep: Effect.Effect<(text: string) => Effect.Effect<Kept, LogUnavailable>, never, BlobStore> = Effect.map(
  BlobStore,
  (blobs) => (text: string) =>
    text.trim() === ""
      ? Effect.succeed({ answer: null, output: null })
      : Effect.map(blobs.put(text), (output) => ({ answer: text.slice(-maxAnswer).toWellFormed(), output }))
)

/** Characters. */
const maxAnswer = 200_000
