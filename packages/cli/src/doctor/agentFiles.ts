import { Effect } from "effect"
import { type ProjectPaths, projectPaths } from "../base/paths.ts"
import { problemText } from "../base/problems.ts"
import { changesOfOldBlocks } from "../clients/agentFiles.ts"
import { positionOf } from "../clients/changes.ts"
import { writeAll } from "../clients/files.ts"
import { blockIn } from "../clients/markdown.ts"
import { commandFor } from "../process/output.ts"
import type { Finding } from "./Finding.ts"

/** Whether the lines for agents in AGENTS.md and the like are those of this Proofline. */
export const lookAtAgentFiles = ({ root }: ProjectPaths): Effect.Effect<ReadonlyArray<Finding>> =>
  changesOfOldBlocks(root).pipe(
    Effect.map((changes) =>
      changes.map((change): Finding => {
        const text = change.text ?? ""
        const { line } = positionOf(text, blockIn(text)?.start ?? 0)
        return {
          code: "agent_lines_old",
          severity: "warning",
          message:
            "The lines for agents between `<!-- proofline:begin -->` and `<!-- proofline:end -->` are not those of this Proofline.",
          place: `${change.path}:${line}`,
          fix: `${commandFor(projectPaths(root))("init --yes")} writes them anew; nothing else in the file is changed.`,
          mend: Effect.mapError(writeAll([change]), ({ problems }) => problems.map(problemText).join(" "))
        }
      })
    ),
    Effect.catch(({ problems }) =>
      Effect.succeed(
        problems.map(
          ({ code, column, file, hint, line, message }): Finding => ({
            code,
            severity: "warning",
            message: `Agents are not told of Proofline as they should be: ${message}`,
            place: [file ?? root, line, column].filter((part) => part !== undefined).join(":"),
            fix: hint
          })
        )
      )
    )
  )
