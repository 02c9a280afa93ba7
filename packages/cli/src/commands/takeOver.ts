import { existsSync } from "node:fs"
import * as Path from "node:path"
import { Digest, Engine, type State } from "@proofline/kernel"
import { removeRunFiles } from "@proofline/plugins/adapters/command-agent"
import { killLeftovers } from "@proofline/plugins/adapters/node-process"
import { type Load, loopOf } from "@proofline/plugins/policies/requirements"
import { Effect } from "effect"
import { say } from "../output.ts"
import type { ProjectPaths } from "../paths.ts"
import { carriedTo, checkStrategies, loadOf, readRequirements } from "./requirementsFile.ts"
import { checkChain } from "./shared.ts"

export interface TakeOverOptions {
  readonly maxIterations?: number | undefined
  readonly tasksOutputDir?: string | undefined
}

/**
 * Before a requirements run goes on: its task run is as safe to go on with as the run itself, and what its file says now
 * is taken over. A file that is gone changes nothing; one that cannot be read stops before anything is written.
 */
export const takeOver = Effect.fnUntraced(function* (before: State, options: TakeOverOptions, paths: ProjectPaths) {
  const { run_id } = before
  const engine = yield* Engine
  const loop = loopOf(yield* engine.load(run_id), engine.composition)
  const child = loop.iterations.at(-1)?.loop_c_history_id ?? null
  if (child !== null) {
    yield* checkChain(child)
    yield* killLeftovers({ run_id: child })
    yield* removeRunFiles(paths.state, child)
  }
  const path = before.input?.path ?? loop.requirements_path
  const file = Path.resolve(paths.root, path)
  const { maxIterations = loop.max_iterations, tasksOutputDir } = options
  const isFirst = loop.definition === null
  if (!existsSync(file) && !isFirst) {
    yield* say(`warning: ${path} is gone; going on with what it said before.`)
    if (maxIterations === loop.max_iterations) return
    const { chunk, definition, feature, sha256, tasks_output_dir } = loop
    const kept = { _tag: "requirements.Load", definition, requirements_path: path, sha256, tasks_output_dir, feature }
    yield* engine.execute(run_id, { ...kept, max_iterations: maxIterations, chunk, carried: null } as Load)
    return
  }
  const input = yield* readRequirements({ file }, paths)
  yield* checkStrategies(input.definition)
  const { sha256 } = yield* Digest
  const carried = isFirst ? yield* carriedTo(path, run_id, paths) : null
  const fresh = loadOf(input, sha256, { maxIterations, tasksOutputDir }, paths, { chunk: loop.chunk, carried })
  const load = tasksOutputDir === undefined && !isFirst ? { ...fresh, tasks_output_dir: loop.tasks_output_dir } : fresh
  if (!isFirst && load.sha256 !== loop.sha256) {
    yield* say(
      `NOTE: ${path} was changed since this run read it. What it says now is taken over, and every requirement is verified again.`
    )
  }
  yield* engine.execute(run_id, load)
})
