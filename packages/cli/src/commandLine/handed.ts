/** Commands that others end in. No command knows the file of another: each is handed over, and loaded when its turn comes. */
import { Effect } from "effect"
import type { DemoCommands } from "../commands/demo.ts"
import type { RunOptions } from "../commands/run.ts"
import type { RunRequirementsOptions } from "../commands/runRequirements.ts"
import type { Handed } from "../process/handle.ts"

const later =
  <Handlers, Options>(load: () => Promise<Handlers>, use: (handlers: Handlers) => Handed<Options>): Handed<Options> =>
  (options) =>
    Effect.flatMap(Effect.promise(load), (handlers) => use(handlers)(options))

export const resumed = later(
  () => import("../commands/resume.ts"),
  ({ resume }) => resume
)

export const requirementsRun = later(
  () => import("../commands/runRequirements.ts"),
  ({ runRequirements }) =>
    (options: RunRequirementsOptions) =>
      runRequirements(options, resumed)
)

/** What the demos show. */
export const demoCommands: DemoCommands = {
  chunk: later(
    () => import("../commands/chunk.ts"),
    ({ chunk }) => chunk
  ),
  history: later(
    () => import("../commands/history.ts"),
    ({ history }) => history
  ),
  report: later(
    () => import("../commands/show.ts"),
    ({ report }) => report
  ),
  run: later(
    () => import("../commands/run.ts"),
    ({ run }) =>
      (options: RunOptions) =>
        run(options, requirementsRun)
  ),
  runRequirements: requirementsRun,
  verify: later(
    () => import("../commands/verify.ts"),
    ({ verify }) => verify
  )
}
