import { Effect } from "effect"
import { toolOfNamed } from "../audit/Box.ts"
import { fileNamed, isMissing, type ProjectPaths } from "../base/paths.ts"
import { exitCodes, stop } from "../base/problems.ts"
import { readText } from "../project/files.ts"
import { beadsDrafts } from "./beads.ts"
import { markdownDrafts } from "./markdown.ts"
import { taskmasterDrafts } from "./taskmaster.ts"
import { tasksFileOf } from "./tasksFile.ts"

/** A tasks.yaml of what is open in the list of another tool: Task Master, Beads, or Markdown with boxes. */
export const importedTasks = Effect.fnUntraced(function* (from: string, paths: ProjectPaths) {
  const { file } = fileNamed(from, paths)
  if (isMissing(file)) {
    return yield* stop(exitCodes.usage, {
      code: "list_missing",
      message: `There is no file ${from}.`,
      hint: "Name a task list of the project: .taskmaster/tasks/tasks.json, .beads/issues.jsonl, or Markdown with boxes."
    })
  }
  const text = yield* readText(file, from)
  const tool = toolOfNamed(from.replaceAll("\\", "/"))
  const drafts =
    tool === "taskmaster"
      ? taskmasterDrafts(text)
      : tool === "beads"
        ? beadsDrafts(text)
        : tool === null
          ? null
          : markdownDrafts(text)
  if (drafts === null) {
    return yield* stop(exitCodes.usage, {
      code: "list_unknown",
      message: `${from} is no task list that is known: neither Markdown, nor a tasks.json, nor an export of Beads (.jsonl).`,
      hint: "Name a Markdown file with boxes, .taskmaster/tasks/tasks.json or .beads/issues.jsonl."
    })
  }
  if (drafts.length === 0) {
    return yield* stop(exitCodes.usage, {
      code: "list_nothing_open",
      message: `Nothing is open in ${from}.`,
      hint: "See with `proofline audit` which of its ticks hold, and begin with a tasks.yaml of your own: leave --from out."
    })
  }
  return tasksFileOf(drafts, from)
})
