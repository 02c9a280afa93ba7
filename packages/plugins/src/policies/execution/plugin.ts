import { type Agents, type Digest, definePlugin, type Plugin } from "@proofline/kernel"
import { Effect } from "effect"
import type {
  Baseline,
  BlobStore,
  CommandRunner,
  EscrowedChecks,
  ProjectFiles,
  ScratchCheckouts,
  ScratchProjects,
  Syntax,
  TestReports,
  Workspaces
} from "../../port/index.ts"
import { makeAttempt, makeChecks, makeReview } from "./activities.ts"
import { makeBaseChecks } from "./commands/base/activities.ts"
import { Execution } from "./state.ts"

export { modulesOf, programsOf } from "./commands/executed.ts"
export { refusals, reviewPrompt, workPrompt } from "./prompts.ts"
export { failedIn } from "./tests/failed.ts"

/** Carries out what the kernel orders: an attempt by an agent, the checks of a task, the review. */
export const execution: Effect.Effect<
  Plugin,
  never,
  | Agents
  | Baseline
  | BlobStore
  | CommandRunner
  | Digest
  | EscrowedChecks
  | Syntax
  | TestReports
  | Workspaces
  | ProjectFiles
  | ScratchCheckouts
  | ScratchProjects
> = Effect.gen(function* () {
  return definePlugin(Execution, {
    version: "5",
    parts: [yield* makeAttempt, yield* makeBaseChecks, yield* makeChecks, yield* makeReview]
  })
})
