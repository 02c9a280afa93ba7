/** An analyzer: splits a task at its headings. `chunking: { analyzer: by-heading }` */
import { defineAnalyzer } from "@proofline/kernel/plugin"
import { Effect } from "effect"

export default defineAnalyzer("by-heading", "1", ({ prompt }) => {
  const parts = prompt.split(/^## /m).slice(1)
  return Effect.succeed({
    is_decomposable: parts.length > 1,
    decomposition_reason: `It has ${parts.length} headings.`,
    criteria: [],
    subtasks: parts.map((part) => ({
      title: part.split("\n")[0] ?? "",
      prompt: part,
      dependencies: [],
      acceptance_criteria: [`What stands under "${part.split("\n")[0]}" is done.`],
      checklist: [],
      paths: [],
      changes_files: true
    }))
  })
})
