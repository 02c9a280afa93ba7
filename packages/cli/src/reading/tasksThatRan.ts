import * as Path from "node:path"
import { Engine, outermostOf, type TaskState } from "@proofline/kernel"
import { Effect } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { stateOf } from "../project/state.ts"
import { withExistingStorage } from "../project/storage.ts"
import { withKernel } from "../project/withKernel.ts"
import { readRows } from "./rows.ts"

/** The tasks of the newest run of each of these files, by id. */
export const tasksThatRan = (files: ReadonlyArray<string>, paths: ProjectPaths) =>
  withExistingStorage(
    paths,
    Effect.succeed<ReadonlyMap<string, TaskState>>(new Map()),
    withKernel(
      paths,
      {},
      Effect.gen(function* () {
        const engine = yield* Engine
        const open = new Set(files.map((file) => Path.relative(paths.root, file).split(Path.sep).join("/")))
        const found = new Map<string, TaskState>()
        for (const { kind, run_id } of yield* readRows(paths)) {
          if (open.size === 0) break
          if (kind !== "tasks") continue
          const state = stateOf(yield* engine.load(run_id))
          if (state.run.input === null || !open.delete(state.run.input.path)) continue
          for (const task of outermostOf(state)) if (!found.has(task.spec.id)) found.set(task.spec.id, task)
        }
        return found
      })
    )
  )
