import { Effect } from "effect"
import type { ProjectConfig } from "../commands/files.ts"
import { pluginProblems } from "../commands/plugins.ts"
import type { ProjectPaths } from "../paths.ts"
import { answersWithinMs, type Finding } from "./Finding.ts"
import { findingOf } from "./settings.ts"

/** Whether the plugins of a project can be loaded and fit, as every run needs them. `told` is not told once more. */
export const lookAtPlugins = (
  config: ProjectConfig,
  paths: ProjectPaths,
  told: ReadonlyArray<Finding>
): Effect.Effect<ReadonlyArray<Finding>> =>
  pluginProblems(paths, config).pipe(
    Effect.map((problems) => problems.map((problem) => findingOf(problem, "error", paths))),
    Effect.map((found) =>
      found.filter(({ code, place }) => !told.some((one) => one.code === code && one.place === place))
    ),
    Effect.timeoutOrElse({
      duration: answersWithinMs,
      orElse: () =>
        Effect.succeed([
          {
            code: "plugins_silent",
            severity: "error" as const,
            message: `The plugins are not loaded within ${answersWithinMs / 1_000} s.`,
            place: "proofline.yaml",
            fix: "Remove them one by one under `plugins:`, and see with `proofline plugins check` which of them waits."
          }
        ])
    })
  )
