import type { Engine } from "@proofline/kernel"
import { answerQuestion } from "@proofline/plugins/policies/oversight"
import { Effect, FiberSet, type Scope } from "effect"
import type { TakeAnswer } from "../render/progress.ts"

/** Records what a person answers at the terminal that shows a run. What was answered elsewhere meanwhile stays as it is. */
export const answerHere: Effect.Effect<TakeAnswer, never, Engine | Scope.Scope> = Effect.map(
  FiberSet.makeRuntime<Engine>(),
  (run) =>
    ({ permission, run_id }, answer) => {
      run(Effect.ignore(answerQuestion(run_id, answer, null, { question_id: permission })))
    }
)
