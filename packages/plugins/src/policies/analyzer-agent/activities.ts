import {
  type ActivityFailure,
  type AgentResult,
  Agents,
  type AnalysisRequest,
  type Analyzer,
  type Asking,
  askAgent,
  checkBudget,
  type LogUnavailable
} from "@proofline/kernel"
import { Effect, Result } from "effect"
import { analysisOf } from "./analysis.ts"
import { readAnswer } from "./answer.ts"
import { analysisPrompt, type FormerAnswer } from "./prompt.ts"

/**
 * Asks the agent for a plan. An answer that cannot be used is asked for once more with everything that is wrong with it,
 * and then the analysis fails: `analysis_invalid`. An agent that does not end well is not asked again: `analysis_failed`.
 */
export const makeAnalyze: Effect.Effect<Analyzer, never, Agents> = Effect.gen(function* () {
  const agents = yield* Agents
  return Effect.fnUntraced(function* (request, context) {
    // one that has begun is carried to its end: what it had learnt would be lost
    yield* checkBudget(context)
    let former: FormerAnswer | null = null
    for (let asked = 0; asked < timesAsked; asked++) {
      const text: string | null = yield* ask(context, agents, request, asked, former)
      const read = readAnswer(text, request)
      if (Result.isSuccess(read)) return analysisOf(request, read.success)
      former = { text: text ?? "", problems: read.failure }
    }
    return yield* Effect.fail(invalid(request.agent, former?.problems ?? []))
  })
})

const timesAsked = 2

/** The answer of the agent; null: it gave none. */
const ask = Effect.fnUntraced(function* (
  context: Asking,
  agents: Agents["Service"],
  request: AnalysisRequest,
  attempt: number,
  former: FormerAnswer | null
): Effect.fn.Return<string | null, ActivityFailure | LogUnavailable> {
  const { agent, idle_timeout_ms, run_id, task_id, timeout_ms } = request
  const result = yield* askAgent(context, agents, agent, {
    run_id,
    task_id,
    attempt,
    role: "analyze",
    prompt: analysisPrompt(request, former),
    directory: null,
    timeout_ms,
    idle_timeout_ms
  }).pipe(Effect.catchTag("UnknownAgent", ({ message }) => Effect.fail(failed(agent, message))))
  return result.outcome === "COMPLETE" ? result.answer : yield* Effect.fail(endedBadly(agent, result))
})

const failed = (agent: string, why: string): ActivityFailure => ({
  _tag: "ActivityFailure",
  code: "analysis_failed",
  message: `The agent ${agent} could not plan how to split the task. ${why}`
})

const endedBadly = (agent: string, { error, outcome }: AgentResult): ActivityFailure => ({
  ...failed(agent, error?.message ?? (outcome === "TIMEOUT" ? "It ran out of time." : "It did not end well.")),
  ...(error?.terminal === true ? { terminalAgent: agent } : {})
})

const invalid = (agent: string, problems: ReadonlyArray<string>): ActivityFailure => ({
  _tag: "ActivityFailure",
  code: "analysis_invalid",
  message: `The agent ${agent} was asked twice how to split the task and gave no plan that can be used: ${problems.join(" ")}`
})
