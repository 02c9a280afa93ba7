import { type Agents, definePlugin, type Plugin } from "@proofline/kernel"
import { Effect } from "effect"
import type { BlobStore, CommandRunner, ProjectFiles, ScratchCheckouts, Syntax, Workspaces } from "../../port/index.ts"
import { makeAttempt, makeChecks, makeReview } from "./activities.ts"
import { Execution } from "./state.ts"

export { refusals, reviewPrompt, workPrompt } from "./prompts.ts"

/** Carries out what the kernel orders: an attempt by an agent, the checks of a task, the review. */
export const execution: Effect.Effect<
  Plugin,
  never,
  Agents | BlobStore | CommandRunner | Syntax | Workspaces | ProjectFiles | ScratchCheckouts
> = Effect.gen(function* () {
  return definePlugin(Execution, {
    version: "4",
    parts: [yield* makeAttempt, yield* makeChecks, yield* makeReview]
  })
})
