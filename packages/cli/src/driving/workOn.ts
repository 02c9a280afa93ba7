import { hostname } from "node:os"
import * as Path from "node:path"
import { Locations, Worker } from "@proofline/kernel"
import { Effect } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { withStorage } from "../project/storage.ts"
import { withKernel } from "../project/withKernel.ts"
import { notHanded } from "./handOver.ts"
import { makeLocations } from "./locations.ts"

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

/** Takes work of all runs of the log, each in a checkout of its project, until interrupted. */
export const workOn = (paths: ProjectPaths, { begun, labels, name, setup, slots }: WorkOnOptions) =>
  withStorage(
    paths,
    Effect.scoped(
      Effect.gen(function* () {
        const locations = yield* Effect.mapError(
          makeLocations(paths, { directory: Path.join(paths.state, "workers"), setup }),
          notHanded
        )
        const working = Effect.gen(function* () {
          const worker = yield* Worker
          yield* begun
          return yield* worker.run({ workerId: name, host: hostname(), slots, labels })
        })
        return yield* withKernel(paths, {}, Effect.provideService(working, Locations, locations))
      })
    )
  )
