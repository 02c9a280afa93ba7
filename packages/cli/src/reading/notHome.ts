import { notBroughtHome } from "@proofline/plugins/adapters/git-workspaces"
import type { RunOverview } from "@proofline/plugins/adapters/sqlite-log/summary"
import { Effect, Schedule } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import type { Problem } from "../base/problems.ts"
import { commandFor, sayProblems } from "../process/output.ts"
import { isDrivenByNobody } from "../quick/listing.ts"
import { readRows } from "./rows.ts"

/** Completed runs of workers whose work is not in this project: whoever watched one may have died before it was over. */
export const notHome = Effect.fnUntraced(function* (
  rows: ReadonlyArray<RunOverview>,
  { databaseUrl, root, state }: ProjectPaths
) {
  // whoever still drives it brings it home
  const over = rows.filter((row) => row.status === "completed" && isDrivenByNobody(row))
  if (databaseUrl === undefined || over.length === 0) return []
  const found = notBroughtHome(
    { root, stateDir: state },
    over.map(({ run_id }) => run_id)
  )
  // a project that git cannot read has handed over nothing
  const runs = new Set(yield* Effect.orElseSucceed(found, () => []))
  return over.filter(({ run_id }) => runs.has(run_id))
})

/** What is to be said of one of them. */
export const workElsewhere = (
  { name, run_id }: RunOverview,
  paths: ProjectPaths
): Problem & { readonly hint: string } => ({
  code: "work_elsewhere",
  message: `The run ${run_id} (${name}) is completed, and its work is not in the project.`,
  hint: `${commandFor(paths)(`resume ${run_id}`)} writes it there.`
})

/** Who is shown a completed run looks for its work in the project. */
export const tellNotHome = (rows: ReadonlyArray<RunOverview>, paths: ProjectPaths) =>
  Effect.flatMap(notHome(rows, paths), (runs) =>
    sayProblems(
      runs.map((run) => workElsewhere(run, paths)),
      "warning"
    )
  )

/** How often it is looked whether the work has come, and how many times. */
const looks = { schedule: Schedule.spaced("200 millis"), times: 50 }

/** The same of a run that has ended just now: whoever watches it beside us is about to write its work into the project. */
export const tellNotComing = Effect.fnUntraced(function* (run: string, paths: ProjectPaths) {
  if (paths.databaseUrl === undefined) return
  const rows = (yield* readRows(paths)).filter(({ run_id, status }) => run_id === run && status === "completed")
  if (rows.length === 0) return
  const missing = Effect.orElseSucceed(notBroughtHome({ root: paths.root, stateDir: paths.state }, [run]), () => [])
  yield* Effect.repeat(missing, { ...looks, until: (runs) => runs.length === 0 })
  yield* tellNotHome(rows, paths)
})
