import { hostname } from "node:os"
import { Effect } from "effect"
import { logName, type Where } from "../base/paths.ts"
import { exitCodes, type Problem, stop } from "../base/problems.ts"
import { workerDocument } from "../documents/workers.ts"
import { listOf } from "../driving/whoWorks.ts"
import { usualSlots, type WorkerFlags } from "../driving/workerFlags.ts"
import { workOn } from "../driving/workOn.ts"
import { printLine, say } from "../process/output.ts"
import { existingProject } from "../project/files.ts"
import { count } from "../render/lines.ts"

export interface WorkerCommandOptions extends WorkerFlags, Where {
  readonly name?: string | undefined
  /** Whoever started it ends it by closing its standard input, also by ending itself. */
  readonly endsWithStdin: boolean
  readonly json: boolean
}

/** `proofline worker`: takes work of the runs in a shared log, until it is told to end; agents are ended first. */
export const worker = Effect.fnUntraced(function* (options: WorkerCommandOptions) {
  const paths = yield* existingProject(options)
  if (paths.databaseUrl === undefined) return yield* stop(exitCodes.usage, databaseMissing)
  const { json, name = `${hostname()}:${process.pid}`, setup = null, slots = usualSlots } = options
  const labels = listOf(options.labels)
  if (options.endsWithStdin) process.stdin.once("close", () => process.kill(process.pid, "SIGTERM")).resume()
  // whoever started it tells of it
  const tell = (text: string) => (options.endsWithStdin ? Effect.void : say(text))
  const begun = Effect.andThen(
    json ? printLine(workerDocument, { name, pid: process.pid }) : Effect.void,
    tell(
      `Worker ${name} takes work of ${logName(paths)}: ${count(slots, "slot")}${labels.length === 0 ? "" : `, labels ${labels.join(", ")}`}. Stop with Ctrl-C.`
    )
  )
  return yield* workOn({ ...paths, worker: name }, { name, slots, labels, setup, begun }).pipe(
    Effect.onInterrupt(() => tell(`Worker ${name} has ended; what it was at is handed to others.`))
  )
})

const databaseMissing: Problem = {
  code: "database_url_missing",
  message: "A worker takes work of a log that several machines share, and no database was named.",
  hint: "Name it with --database-url or PROOFLINE_DATABASE_URL; `proofline cluster up` starts one on this machine, with workers."
}
