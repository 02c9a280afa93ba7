import { type WorkerOverview, Workers } from "@proofline/kernel"
import { Effect } from "effect"
import { logName, pathsOf, type Where } from "../base/paths.ts"
import { exitCodes } from "../base/problems.ts"
import { workersDocument } from "../documents/workers.ts"
import { print, printDocument, say } from "../process/output.ts"
import { storage } from "../project/storage.ts"
import { count } from "../render/lines.ts"
import { oneLine } from "../render/style.ts"

/** `proofline status --workers`: who takes work of the log, and what each is at. */
export const statusOfWorkers = Effect.fnUntraced(function* (options: Where & { readonly json: boolean }) {
  const paths = pathsOf(options)
  const isShared = paths.databaseUrl !== undefined
  const workers = isShared
    ? yield* Effect.provide(
        Effect.flatMap(Workers, ({ list }) => list),
        storage(paths)
      )
    : []
  if (!isShared) {
    yield* say(
      "Workers belong to a database, and none was named: name it with --database-url or PROOFLINE_DATABASE_URL. Without one, whoever starts a run works on it."
    )
  }
  if (options.json) yield* printDocument(workersDocument, { workers })
  else if (workers.length > 0) yield* print(workers.flatMap(linesOf).join(""))
  else if (isShared) yield* print(`No worker takes work of ${logName(paths)}.\n`)
  return exitCodes.proven
})

const clock = (at: string): string => at.slice(11, 19)

const linesOf = (worker: WorkerOverview) => [
  `${oneLine(worker.name, 80)}  on ${oneLine(worker.host, 80)}, process ${worker.pid}; ${[stateOf(worker), ...moreOf(worker)].join("; ")}\n`,
  ...worker.leases.map(
    ({ key, lease, run, since, task_id }) =>
      `  ${run}  ${task_id === null ? "" : `task ${oneLine(task_id, 80)}, `}${oneLine(key, 120)}, lease ${lease}, since ${clock(since)}\n`
  )
]

const stateOf = ({ holding, lost, silent_ms, slots }: WorkerOverview): string =>
  lost
    ? `LOST, no sign for ${Math.round(silent_ms / 1_000)} s: what it was at is handed to others`
    : `${holding} of ${count(slots, "slot")} in use`

const moreOf = ({ deadline, labels, seen_at, version }: WorkerOverview): ReadonlyArray<string> => [
  ...(labels.length === 0 ? [] : [`labels ${oneLine(labels.join(", "), 200)}`]),
  `heard at ${clock(seen_at)}, until ${clock(deadline)}`,
  ...(version === "" ? [] : [`Proofline ${version}`])
]
