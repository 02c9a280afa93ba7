import type { ActivityFailure } from "@proofline/kernel"
import { Effect } from "effect"
import { type FileRefused, ProjectFiles } from "../../port/index.ts"
import { earlierIds, type GeneratedTask, type GenerationRequest, type Generator } from "../requirements/contract.ts"

/** Tasks in the text of a tasks file, or everything that is wrong with it; `tasks` is empty exactly then. */
export type ParsePlan = (
  content: string,
  options: { readonly completedElsewhere: ReadonlyArray<string>; readonly lostElsewhere: ReadonlyArray<string> }
) => { readonly tasks: ReadonlyArray<GeneratedTask>; readonly problems: ReadonlyArray<string> }

/**
 * Takes the tasks of each iteration from a file that was written before: `generation.tasks` of the requirements names
 * one for each. No agent is asked. Fails with `plan_missing` and `plan_unreadable`; what is wrong in a file are problems.
 */
export const makeGenerate = (parse: ParsePlan): Effect.Effect<Generator, never, ProjectFiles> =>
  Effect.map(
    ProjectFiles,
    (projectFiles): Generator =>
      Effect.fnUntraced(function* (request) {
        const path = request.requirements.generation.tasks[request.iteration - 1]
        if (path === undefined) return yield* Effect.fail(missing(request))
        const { text } = yield* Effect.mapError(projectFiles.readText(path), unreadable)
        const { problems, tasks } = parse(text, earlierIds(request))
        return {
          tasks,
          problems: problems.map((problem) => `${path}: ${problem}`),
          answer: text,
          output: null,
          usage: null
        }
      })
  )

const missing = ({ iteration, requirements }: GenerationRequest): ActivityFailure => {
  const count = requirements.generation.tasks.length
  const named = count === 0 ? "none" : count === 1 ? "one file" : `${count} files`
  return {
    _tag: "ActivityFailure",
    code: "plan_missing",
    message: `There is no tasks file for iteration ${iteration}: generation.tasks names ${named}. Add one for it, or choose another generator.`
  }
}

const unreadable = ({ message }: FileRefused): ActivityFailure => ({
  _tag: "ActivityFailure",
  code: "plan_unreadable",
  message: `The tasks file cannot be read. ${message}`
})
