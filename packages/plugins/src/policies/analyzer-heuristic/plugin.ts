import { defineAnalyzer, type Plugin } from "@proofline/kernel"
import { Effect } from "effect"

/** Plans by the words of the task alone, without any model. The reader of Markdown is loaded when it is wanted. */
export const analyzerHeuristic: Plugin = defineAnalyzer("heuristic", "1", (request) =>
  Effect.map(
    Effect.promise(() => import("./analyze.ts")),
    ({ analyze }) => analyze(request)
  )
)
