import { type Agents, defineAnalyzer, type Plugin } from "@proofline/kernel"
import { Effect } from "effect"
import type { ScratchCheckouts, ScratchProjects } from "../../port/index.ts"
import { makeAnalyze } from "./activities.ts"

/** Lets the configured agent plan how a task is split; its plan is checked before anything follows from it. */
export const analyzerAgent: Effect.Effect<Plugin, never, Agents | ScratchCheckouts | ScratchProjects> = Effect.map(
  makeAnalyze,
  (analyze) => defineAnalyzer("agent", "1", analyze)
)
