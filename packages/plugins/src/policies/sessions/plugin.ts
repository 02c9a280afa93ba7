import type { Digest, Plugin } from "@proofline/kernel"
import { Effect } from "effect"
import type {
  Baseline,
  BlobStore,
  CommandRunner,
  EscrowedChecks,
  ProjectFiles,
  ScratchProjects,
  Syntax,
  TestReports
} from "../../port/index.ts"
import { sessionsWith } from "./rules/plugin.ts"
import { makeVerification } from "./verification.ts"

export type { SessionsOptions } from "./context.ts"
export * from "./contract.ts"
export { sessionsLayer } from "./layer.ts"

/** Session runs: their rules, and the activity that runs the commands of a phase. */
export const sessions: Effect.Effect<
  Plugin,
  never,
  Baseline | BlobStore | CommandRunner | Digest | EscrowedChecks | ProjectFiles | ScratchProjects | Syntax | TestReports
> = Effect.map(makeVerification, (verification) => sessionsWith([verification]))
