import type { Engine } from "@proofline/kernel"
import { answerQuestion } from "@proofline/plugins/policies/oversight"
import { Effect, FiberSet, type Scope } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { liveSteps } from "../reading/liveSteps.ts"
import type { Terminal } from "../render/progress.ts"

/**
 * The terminal that shows a run: what a person answers there is recorded, where nobody has answered elsewhere meanwhile,
 * and what the agents of this machine do is read there.
 */
export const terminal = ({ state }: ProjectPaths): Effect.Effect<Terminal, never, Engine | Scope.Scope> =>
  Effect.map(FiberSet.makeRuntime<Engine>(), (run) => ({
    take: ({ permission, run_id }, answer) => {
      run(Effect.ignore(answerQuestion(run_id, answer, null, { question_id: permission })))
    },
    look: (of) => Effect.runPromise(liveSteps(state, [of]))
  }))
