import type { RunConfig } from "@proofline/kernel"
import { beginStarter } from "@proofline/plugins/adapters/node-process"
import { Effect } from "effect"
import type { ProjectPaths } from "../paths.ts"
import type { Agents } from "../settings.ts"
import { withKernel } from "./shared.ts"
import { type UiFlags, withUi } from "./ui.ts"

/** Does something over the kernel with the agents of a run, and serves the project meanwhile where that is asked for. */
export const withAgents = Effect.fnUntraced(function* <E, R>(
  paths: ProjectPaths,
  { agents }: Pick<RunConfig, "agents">,
  flags: UiFlags,
  use: Effect.Effect<number, E, R>
) {
  // what starts programs is there when the plugins are loaded
  void beginStarter()
  const served = Effect.gen(function* () {
    return yield* withUi(paths, flags, use)
  })
  return yield* withKernel(paths, agents as unknown as Agents, served)
})
