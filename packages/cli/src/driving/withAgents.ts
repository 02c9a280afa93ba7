import type { RunConfig } from "@proofline/kernel"
import { beginStarter } from "@proofline/plugins/adapters/node-process"
import { Effect } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { exitCodes, type Problem, stop } from "../base/problems.ts"
import type { Agents } from "../project/settings.ts"
import { withKernel } from "../project/withKernel.ts"
import { type UiFlags, withUi } from "./ui.ts"

/** Does something over the kernel with the agents of a run, and serves the project meanwhile where that is asked for. */
export const withAgents = Effect.fnUntraced(function* <E, R>(
  paths: ProjectPaths,
  config: RunConfig,
  flags: UiFlags,
  use: Effect.Effect<number, E, R>
) {
  // what starts programs is there when the plugins are loaded
  void beginStarter()
  // where there is a database, other machines have the agents
  const missing = paths.databaseUrl === undefined ? yield* missingAgents(config, paths) : []
  if (missing.length > 0) return yield* stop(exitCodes.usage, ...missing)
  const served = Effect.gen(function* () {
    return yield* withUi(paths, flags, use)
  })
  return yield* withKernel(paths, config.agents as unknown as Agents, served)
})

/** Known agents that the run needs and that are not installed. What other commands start, only their shell knows. */
const missingAgents = Effect.fnUntraced(function* (config: RunConfig, { root }: ProjectPaths) {
  const { agent, fallback = [], planner, reviewer, reviewer_named } = config
  const agents = config.agents as unknown as Agents
  const presetOf = (name: string): string | null => {
    const spec = agents[name]
    return spec !== undefined && "preset" in spec ? spec.preset : null
  }
  const judges = [planner, reviewer_named ? reviewer : null].flatMap((name) => (name == null ? [] : [[name]]))
  const needed = [[agent, ...fallback], ...judges]
  // one of another kind may work
  const known = needed.filter((names) => names.every((name) => presetOf(name) !== null))
  if (known.length === 0) return []
  const { installed } = yield* Effect.promise(() => import("@proofline/plugins/adapters/command-agent"))
  const found = new Set(installed(root))
  return [
    ...new Set(known.flatMap((names) => (names.some((name) => found.has(presetOf(name) ?? "")) ? [] : names)))
  ].map(
    (name): Problem => ({
      code: "agent_program_missing",
      message: `The program of the agent ${name} is not on PATH: nothing was started.`,
      hint: "Install it and log in, or name another agent with --agent. `proofline agents` shows which are there."
    })
  )
})
