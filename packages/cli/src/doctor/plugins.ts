import { Effect } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { pluginProblems } from "../project/checkedPlugins.ts"
import type { ProjectConfig } from "../project/files.ts"
import type { Finding } from "./Finding.ts"
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
    )
  )
