import { Worker } from "@proofline/kernel"
import { Effect } from "effect"
import type { ProjectPaths } from "../paths.ts"
import { projectConfig } from "./files.ts"
import { withKernel, withStorage } from "./shared.ts"

export interface WorkOnOptions {
  /** Under which the worker is known; recorded with every attempt, followed by the slot. */
  readonly name: string
  /** Work done at the same time. */
  readonly slots: number
  readonly labels: ReadonlyArray<string>
  /** Run in every new checkout; null: nothing is. */
  readonly setup: string | null
  /** Once the log is open, before any work is taken. */
  readonly begun: Effect.Effect<void>
}

/** Takes work of all runs of the log until interrupted. */
export const workOn = (paths: ProjectPaths, { begun, labels, name, slots }: WorkOnOptions) =>
  Effect.flatMap(projectConfig(paths), ({ agents }) =>
    withStorage(
      paths,
      withKernel(
        paths,
        agents,
        Effect.gen(function* () {
          const worker = yield* Worker
          yield* begun
          return yield* worker.run({ workerId: name, slots, labels })
        })
      )
    )
  )
