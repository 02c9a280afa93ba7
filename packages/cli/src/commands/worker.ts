import { hostname } from "node:os"
import { Effect } from "effect"
import { workerDocument } from "../documents/workers.ts"
import { printLine, say } from "../output.ts"
import { logName, type Where } from "../paths.ts"
import { exitCodes, type Problem, stop } from "../problems.ts"
import { count } from "../render/lines.ts"
import { existingProject } from "./files.ts"
import { listOf } from "./whoWorks.ts"
import { workOn } from "./workOn.ts"

/** How a worker is to be, on the command line. */
export interface WorkerFlags {
  readonly slots?: number | undefined
  readonly labels?: string | undefined
  readonly setup?: string | undefined
}

export interface WorkerCommandOptions extends WorkerFlags, Where {
  readonly name?: string | undefined
  /** Whoever started it ends it by closing its standard input, also by ending itself. */
  readonly endsWithStdin: boolean
  readonly json: boolean
}

export const usualSlots = 4

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
