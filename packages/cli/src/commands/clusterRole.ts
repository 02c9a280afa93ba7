import { EventLog } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { grantWorker, grantWorkerSql } from "@proofline/plugins/adapters/postgres-log/roles"
import { Effect, Layer } from "effect"
import { logName, type Where } from "../base/paths.ts"
import { exitCodes, type Problem, stop } from "../base/problems.ts"
import { clusterRoleDocument } from "../documents/workers.ts"
import { print, printDocument } from "../process/output.ts"
import { existingProject } from "../project/files.ts"
import { logOf } from "../project/storage.ts"

export interface ClusterRoleOptions extends Where {
  readonly role: string
  readonly sql: boolean
  readonly json: boolean
}

/** `proofline cluster role NAME`: what a worker needs on the log and no more, for a role of the database that is there. */
export const clusterRole = Effect.fnUntraced(function* ({ json, role, sql, ...where }: ClusterRoleOptions) {
  const paths = yield* existingProject(where)
  const { databaseUrl } = paths
  if (databaseUrl === undefined) return yield* stop(exitCodes.usage, databaseMissing)
  const statements = yield* grantWorkerSql(databaseUrl, role)
  if (!sql) {
    // what rights are given on must be there, in the shape of this version
    yield* Effect.provide(
      Effect.flatMap(EventLog, ({ check }) => check),
      Layer.provide(logOf(paths), nodeDigest)
    )
    yield* grantWorker(databaseUrl, role)
  }
  const done = `The role ${role} may work on ${logName(paths)}, and on nothing else there.\n`
  yield* json ? printDocument(clusterRoleDocument, { role, granted: !sql, statements }) : print(sql ? statements : done)
  return exitCodes.proven
})

const databaseMissing: Problem = {
  code: "database_url_missing",
  message: "A role has its rights on a log in a database, and no database was named.",
  hint: "Name it with --database-url or PROOFLINE_DATABASE_URL, as the role that made the log."
}
