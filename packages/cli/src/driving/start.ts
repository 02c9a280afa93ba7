import { Digest, Engine, IdGenerator, type RunConfig } from "@proofline/kernel"
import { Effect } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { commandFor, say } from "../process/output.ts"
import { type BaseFlags, baseOf } from "../project/base.ts"
import { workersOf } from "../project/settings.ts"
import { isDrivenByNobody } from "../quick/listing.ts"
import { readRows } from "../reading/rows.ts"
import { beginningOf, hasBeginning, overtakerOf } from "../reading/sameInput.ts"
import { driveToEnd } from "./drive.ts"
import { handedOver } from "./handOver.ts"
import { holdRun } from "./hold.ts"
import { checkAnalyzer, checkWorkspace, type Planned } from "./plan.ts"
import type { UiFlags } from "./ui.ts"
import { type ClusterFlags, labelsFor } from "./whoWorks.ts"
import { withAgents } from "./withAgents.ts"

export interface Input {
  readonly path: string
  readonly text: string
  /** Nobody else may run it at the same time. */
  readonly isHeld: boolean
}

/** Starts a run and drives it to its end. What it needs and cannot have is said before anything begins. */
export const startRun = Effect.fnUntraced(function* (
  planned: Planned,
  { isHeld, path, text }: Input,
  paths: ProjectPaths,
  json: boolean,
  flags: UiFlags & BaseFlags & ClusterFlags
) {
  return yield* withAgents(
    paths,
    planned.config,
    flags,
    Effect.gen(function* () {
      const { composition } = yield* Engine
      const base = yield* baseOf(flags)
      if (planned.tasks.some((task) => task.chunk !== "no")) {
        yield* checkAnalyzer(planned.config)
        yield* checkWorkspace(planned.config, base)
      }
      const run_id = yield* (yield* IdGenerator).runId
      const driver = yield* holdRun(run_id, isHeld ? path : null)
      if (isHeld) yield* tellOpen(path, paths, flags)
      const labels = labelsFor(run_id, paths, flags)
      const config: RunConfig = { ...planned.config, labels }
      const input = { path, sha256: (yield* Digest).sha256(text) }
      return yield* driveToEnd(
        run_id,
        { ...planned, run_id, input, config, plugins: composition.versions, driver, base },
        { paths, workers: workersOf(config), labels, json, handOver: yield* handedOver(run_id, paths, flags.remote) }
      )
    })
  )
})

/** Of so many runs whose summaries do not say what they began with the first event is read. */
const maxUnread = 20

/** Whoever means to go on with a run that is not completed would begin another one, which counts what is done as there before. */
const tellOpen = Effect.fnUntraced(function* (path: string, paths: ProjectPaths, { base }: BaseFlags) {
  const rows = yield* readRows(paths)
  let unread = 0
  for (const row of rows) {
    const { kind, redacted, run_id, status } = row
    if (status === "completed" || kind === "session" || !isDrivenByNobody(row) || redacted === true) continue
    if (!hasBeginning(row) && ++unread > maxUnread) return
    const { commit, path: file } = yield* beginningOf(row)
    if (file !== path || (yield* overtakerOf(row, rows)) !== null) continue
    const open = status === "running" ? "has not ended" : `is not completed (${status})`
    const counted = commit === null ? "" : ` unless \`--base ${commit.slice(0, 12)}\` is given, which it began with`
    yield* say(
      `NOTE: ${run_id} of ${path} ${open}. This is another one${base === undefined ? `, for which what was done there counts as there before${counted}` : ""}. Go on with that one by: ${commandFor(paths)(`resume ${run_id}`)}`
    )
    return
  }
})
