import {
  type AgentRequest,
  type AgentResult,
  Agents,
  type AttemptError,
  failedWith,
  TimedStep
} from "@proofline/kernel"
import { Clock, Effect, Layer, type Redacted, Schema } from "effect"
import type { AiError, LanguageModel } from "effect/ai"
import { answerOf } from "../../agents/answer.ts"
import { attemptError } from "../../agents/failure.ts"
import { usageOf } from "../../agents/usage.ts"
import { errorOf } from "./failed.ts"
import { type KeyPlace, keyOf } from "./key.ts"
import { makeModel } from "./model.ts"
import { makeRedact } from "./redact.ts"
import { type ModelSpec, modelRoles } from "./spec.ts"

export { lookAt, type ModelFound, modelSupports } from "./look.ts"
export { type ModelOptions, makeModel } from "./model.ts"
export { type ModelSpec, modelRoles } from "./spec.ts"

export interface LanguageModelsOptions extends KeyPlace {
  readonly models: Readonly<Record<string, ModelSpec>>
}

/** Agents that are models and nothing else: one prompt, one answer. All others are passed on as they are. */
export const layer = (options: LanguageModelsOptions): Layer.Layer<Agents, never, Agents> =>
  Layer.effect(
    Agents,
    Effect.map(Agents, (inner) => ({
      names: [...new Set([...inner.names, ...Object.keys(options.models)])],
      run: (agent, request, back) => {
        const spec = Object.hasOwn(options.models, agent) ? options.models[agent] : undefined
        return spec === undefined ? inner.run(agent, request, back) : run(options, agent, spec, request)
      }
    }))
  )

const isAsked = ({ role }: AgentRequest): boolean => (modelRoles as ReadonlyArray<string>).includes(role)

const run = Effect.fn("language-models.run")(function* (
  place: KeyPlace,
  agent: string,
  spec: ModelSpec,
  request: AgentRequest
) {
  const since = yield* Clock.currentTimeMillis
  const ended = isAsked(request)
    ? yield* Effect.match(keyOf(agent, spec, place), {
        onFailure: ({ code, message }) => Effect.succeed(failed({ code, message, terminal: true })),
        onSuccess: (key) => asked(agent, spec, key, request)
      }).pipe(Effect.flatten)
    : failed(worksNot(agent))
  return { ...ended, duration_ms: (yield* Clock.currentTimeMillis) - since }
})

const worksNot = (agent: string): AttemptError => ({
  code: "agent_invalid",
  message: `Agent "${agent}" is a model without tools: it can change no file. Name another one as the agent that works.`,
  terminal: true
})

type Ending =
  | { readonly by: "itself"; readonly answer: LanguageModel.GenerateTextResponse<Record<never, never>> }
  | { readonly by: "error"; readonly error: AiError.AiError }
  | { readonly by: "timeout" | "idle" }

const asked = Effect.fnUntraced(function* (
  agent: string,
  spec: ModelSpec,
  key: Redacted.Redacted | null,
  request: AgentRequest
) {
  const clock = yield* Clock.Clock
  let last = clock.currentTimeMillisUnsafe()
  const heard = () => {
    last = clock.currentTimeMillisUnsafe()
  }
  const model = yield* makeModel({ spec, key, heard })
  const answering: Effect.Effect<Ending> = Effect.match(model.generateText({ prompt: request.prompt }), {
    onFailure: (error): Ending => ({ by: "error", error }),
    onSuccess: (answer): Ending => ({ by: "itself", answer })
  })
  const { idle_timeout_ms } = request
  const silence: Effect.Effect<Ending> =
    idle_timeout_ms === null
      ? Effect.never
      : Effect.gen(function* () {
          for (let left = idle_timeout_ms; left > 0; left = last + idle_timeout_ms - (yield* Clock.currentTimeMillis))
            yield* Effect.sleep(left)
          return { by: "idle" }
        })
  const limit = Effect.as(Effect.sleep(request.timeout_ms), { by: "timeout" } as const)
  const ending = yield* Effect.raceAllFirst([answering, silence, limit])
  return resultOf(agent, spec, key, request, ending, yield* Clock.currentTimeMillis)
})

type Ended = Omit<AgentResult, "duration_ms">

const resultOf = (
  agent: string,
  spec: ModelSpec,
  key: Redacted.Redacted | null,
  request: AgentRequest,
  ending: Ending,
  now: number
): Ended => {
  if (ending.by === "error") return failed(errorOf(agent, ending.error, now), saidOf(ending.error, makeRedact(key)))
  if (ending.by !== "itself") return { ...failed(outOfTime(agent, request, ending.by, now)), outcome: "TIMEOUT" }
  const { finishReason, text, usage } = ending.answer
  const said = {
    ...failed(cutShort(agent, spec, finishReason)),
    stdout: new TextEncoder().encode(text),
    steps: stepOf(text, now),
    usage: usageOf(usage.inputTokens.total ?? null, usage.outputTokens.total ?? null, null)
  }
  if (said.error !== null) return said
  // without a report file all of the text is handed in
  return { ...said, outcome: "COMPLETE", answer: answerOf(null, text) ?? text }
}

/** An answer that is not whole proves less than none. Null: it is. */
const cutShort = (agent: string, { max_tokens }: ModelSpec, reason: string): AttemptError | null => {
  const told = (message: string): AttemptError => ({
    code: "agent_protocol",
    message: `Agent "${agent}": ${message}`,
    terminal: false
  })
  if (reason === "length")
    return told(
      `Its answer is cut off${max_tokens === undefined ? "" : ` after ${max_tokens} tokens`}. Set \`max_tokens\` higher, or ask for less.`
    )
  return reason === "content-filter" ? told("Its provider holds the answer back.") : null
}

const outOfTime = (
  agent: string,
  { idle_timeout_ms, timeout_ms }: AgentRequest,
  ended_by: "timeout" | "idle",
  now: number
) =>
  attemptError({
    agent,
    ended_by,
    timeout_ms,
    idle_timeout_ms,
    exit_code: null,
    signal: null,
    has_answer: false,
    stdout: "",
    stderr: "",
    client: null,
    now
  })

const encodeStep = Schema.encodeSync(TimedStep)

const stepOf = (text: string, now: number): Uint8Array =>
  text.trim() === ""
    ? new Uint8Array()
    : Buffer.from(`${encodeStep({ at: new Date(now).toISOString(), step: { type: "text", text } })}\n`)

/** What is known of an error, for people: the kind of it, and what the provider said. */
const saidOf = ({ reason }: AiError.AiError, redact: (text: string) => string): string => {
  const where = reason._tag === "NetworkError" ? [`${reason.method} ${reason.url}: ${reason.description ?? ""}`] : []
  const body = "http" in reason && reason.http?.body !== undefined ? [reason.http.body] : []
  return redact([reason._tag, ...where, ...body].join("\n"))
}

const failed = (error: AttemptError | null, stderr = ""): Ended => ({
  ...failedWith(error),
  stderr: new TextEncoder().encode(stderr)
})
