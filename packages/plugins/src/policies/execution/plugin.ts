import {
  type Agents,
  type BlobStore,
  type CommandRunner,
  definePlugin,
  type Plugin,
  type Syntax,
  type Workplaces,
  type Workspace,
  type Worktrees
} from "@proofline/kernel"
import { Effect } from "effect"
import { makeAttempt, makeChecks, makeReview, makeVerification } from "./activities.ts"

export { refusals, reviewPrompt, workPrompt } from "./prompts.ts"

/** Carries out what the kernel orders: an attempt by an agent, the checks of a task or a phase, the review. */
export const tasks: Effect.Effect<
  Plugin,
  never,
  Agents | BlobStore | CommandRunner | Syntax | Workplaces | Workspace | Worktrees
> = Effect.gen(function* () {
  return definePlugin({
    name: "tasks",
    version: "3",
    initial: null,
    activities: {
      attempt: yield* makeAttempt,
      checks: yield* makeChecks,
      review: yield* makeReview,
      verification: yield* makeVerification
    }
  })
})
