import { Effect } from "effect"
import { answersWithinMs } from "../base/answersWithin.ts"
import { logName, type ProjectPaths } from "../base/paths.ts"
import { notHome, workElsewhere } from "../reading/notHome.ts"
import { readRows } from "../reading/rows.ts"
import type { Finding } from "./Finding.ts"

/** Whether the database that is to hold the log answers, and what it has that should be in the project. */
export const lookAtDatabase = (paths: ProjectPaths): Effect.Effect<ReadonlyArray<Finding>> =>
  readRows(paths).pipe(
    Effect.flatMap((rows) => notHome(rows, paths)),
    Effect.map((runs) =>
      runs.map((run): Finding => {
        const { code, hint, message } = workElsewhere(run, paths)
        return { code, severity: "warning", message, place: run.run_id, fix: hint }
      })
    ),
    Effect.catch(({ problems }) =>
      Effect.succeed(
        problems.map(
          ({ code, hint, message }): Finding => ({ code, severity: "error", message, place: logName(paths), fix: hint })
        )
      )
    ),
    Effect.timeoutOrElse({
      duration: answersWithinMs,
      orElse: () =>
        Effect.succeed([
          {
            code: "database_silent",
            severity: "error" as const,
            message: `The database has not answered within ${answersWithinMs / 1_000} s.`,
            place: logName(paths),
            fix: "See whether its server runs, and whether this machine may reach it."
          }
        ])
    })
  )
