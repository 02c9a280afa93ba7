import type { RunConfig } from "@proofline/kernel"
import type { RunDefaults } from "@proofline/plugins/options"
import { Effect, Struct } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { exitCodes, stop } from "../base/problems.ts"
import type { Agents, RunFlags } from "../project/settings.ts"
import { withExistingStorage } from "../project/storage.ts"
import { withKernel } from "../project/withKernel.ts"
import { runNamed } from "../reading/historyIds.ts"
import { loadRun, unknownRun } from "../reading/oneRun.ts"
import { readRows } from "../reading/rows.ts"

/** What is said of agents where those of an earlier run are played: each has its name and its place, whoever is named in files. */
export const withPlayed = Effect.fnUntraced(function* (
  named: string,
  flags: RunFlags,
  sources: ReadonlyArray<RunDefaults>,
  paths: ProjectPaths
) {
  const { config, run_id } = yield* recordedConfig(named, paths)
  const { reviewer, reviewer_named } = config
  const said: RunFlags = {
    ...flags,
    agent: config.agent,
    fallback: flags.fallback ?? config.fallback ?? [],
    planner: flags.planner ?? config.planner,
    reviewer: flags.reviewer ?? (reviewer_named ? (reviewer ?? "none") : undefined)
  }
  const agents: Agents = Object.fromEntries(
    Object.entries(config.agents as unknown as Agents).map(([name, spec]) => [
      name,
      // what was played itself is in the run before
      "replay" in spec ? spec : { replay: run_id }
    ])
  )
  return { flags: said, sources: sources.map((one) => Struct.omit(one, ["planner", "reviewer"])), agents }
})

const recordedConfig = Effect.fnUntraced(function* (named: string, paths: ProjectPaths) {
  const none = Effect.fail(unknownRun(named, paths))
  const { config, run_id } = yield* withExistingStorage(
    paths,
    none,
    Effect.gen(function* () {
      const run = yield* runNamed(named, yield* readRows(paths), paths)
      return (yield* withKernel(paths, {}, loadRun(run, paths))).run
    })
  )
  return isRecorded(config)
    ? { config, run_id }
    : yield* stop(exitCodes.usage, {
        code: "replay_not_recorded",
        message: `What the agents of ${run_id} did was not recorded.`,
        hint: "Run it with --record; then its agents can be played again."
      })
})

const isRecorded = ({ agents }: RunConfig): boolean =>
  Object.values(agents as unknown as Agents).some((spec) => "record" in spec || "replay" in spec)
