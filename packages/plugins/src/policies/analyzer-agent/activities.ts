import {
  type ActivityFailure,
  type AgentResult,
  Agents,
  type AnalysisRequest,
  type Analyzer,
  type Asking,
  askAgent,
  type Base,
  checkBudget,
  type LogUnavailable
} from "@proofline/kernel"
import { Effect, Result } from "effect"
import { ScratchCheckouts, ScratchProjects } from "../../port/index.ts"
import { analysisOf } from "./analysis.ts"
import { readAnswer } from "./answer.ts"
import { analysisPrompt, type FormerAnswer } from "./prompt.ts"

/**
 * Asks the agent for a plan. An answer that cannot be used is asked for once more with everything that is wrong with it,
 * and then the analysis fails: `analysis_invalid`. An agent that does not end well is not asked again: `analysis_failed`.
 *
 * Where nobody named the agent as the analyzer (`auto`), it may be one that does not know of this role and begins with the
 * work: it is asked in a copy of the project that is thrown away, and once.
 */
export const makeAnalyze: Effect.Effect<Analyzer, never, Agents | ScratchCheckouts | ScratchProjects> = Effect.gen(
  function* () {
    const agents = yield* Agents
    const inCopy = yield* copyOfProject
    return Effect.fnUntraced(function* (request, context) {
      // one that has begun is carried to its end: what it had learnt would be lost
      yield* checkBudget(context)
      const { config, base } = context.state.run
      const isNamed = config.chunking.analyzer !== "auto"
      const timesAsked = isNamed ? 2 : 1
      let former: FormerAnswer | null = null
      for (let asked = 0; asked < timesAsked; asked++) {
        const askIn = (directory: string | null) => ask(context, agents, request, { asked, directory, former })
        const text: string | null = yield* isNamed ? askIn(null) : inCopy(request.agent, base, askIn)
        const read = readAnswer(text, request)
        if (Result.isSuccess(read)) return analysisOf(request, read.success)
        former = { text: text ?? "", problems: read.failure }
      }
      return yield* Effect.fail(invalid(request.agent, timesAsked, former?.problems ?? []))
    })
  }
)

type Asks = (directory: string) => Effect.Effect<string | null, ActivityFailure | LogUnavailable>

/** A checkout where the project is a repository: what git ignores is not copied with it. */
const copyOfProject = Effect.gen(function* () {
  const checkouts = yield* ScratchCheckouts
  const projects = yield* ScratchProjects
  return (agent: string, base: Base | null, asks: Asks) => {
    const commit = base?.commit ?? null
    const copy = commit === null ? projects.make({ at: "now" }) : checkouts.make({ commit, overlay: true })
    return Effect.scoped(
      Effect.flatMap(copy, ({ directory }) => asks(directory)).pipe(
        Effect.catchTag("CheckoutRefused", ({ message }) => Effect.fail(failed(agent, message)))
      )
    )
  }
})

interface How {
  /** How often it was asked before. */
  readonly asked: number
  /** Null: in the project. */
  readonly directory: string | null
  readonly former: FormerAnswer | null
}

/** The answer of the agent; null: it gave none. */
const ask = Effect.fnUntraced(function* (
  context: Asking,
  agents: Agents["Service"],
  request: AnalysisRequest,
  { asked, directory, former }: How
): Effect.fn.Return<string | null, ActivityFailure | LogUnavailable> {
  const { agent, idle_timeout_ms, run_id, task_id, timeout_ms } = request
  const result = yield* askAgent(context, agents, agent, {
    run_id,
    task_id,
    attempt: asked,
    role: "analyze",
    prompt: analysisPrompt(request, former),
    directory,
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

const invalid = (agent: string, timesAsked: number, problems: ReadonlyArray<string>): ActivityFailure => ({
  _tag: "ActivityFailure",
  code: "analysis_invalid",
  message: `The agent ${agent} was asked${timesAsked === 2 ? " twice" : ""} how to split the task and gave no plan that can be used: ${problems.join(" ")}`
})
