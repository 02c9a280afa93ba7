import { Engine } from "@proofline/kernel"
import type { PhaseContract } from "@proofline/plugins/policies/sessions"
import { Effect } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { exitCodes, stop } from "../base/problems.ts"
import { phaseProblems } from "../project/phaseProblems.ts"
import { checkContinued } from "../reading/oneRun.ts"
import { runningSession } from "./sessions.ts"

/**
 * Stops unless a session run can go on or begin here. One that goes on needs its log as it was written and every plugin it
 * was made with, for without its rules nothing is the same; a new one needs phases of plugins that fit its contract. null:
 * it could not be read, and is read again when a run begins.
 */
export const checkSessionPlugins = Effect.fnUntraced(function* (paths: ProjectPaths, contract: PhaseContract | null) {
  const run = yield* runningSession(paths)
  if (run !== undefined) return yield* checkContinued(run)
  const problems = contract === null ? [] : phaseProblems(contract, (yield* Engine).composition)
  if (problems.length > 0) return yield* stop(exitCodes.usage, ...problems)
})
