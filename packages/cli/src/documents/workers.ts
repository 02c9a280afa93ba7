/** Workers of a log that several machines share. */
import { described, Text, WorkerOverview } from "@proofline/kernel"
import { Schema } from "effect"
import { document } from "../base/Document.ts"

const Started = Schema.Struct({ name: Text, pid: Schema.Int })

export const workerDocument = document({
  name: "worker",
  kinds: ["worker"],
  title: "Output of worker",
  description: "What `proofline worker --json` prints, on one line, once it takes work.",
  data: Started,
  examples: [{ name: "box:4711", pid: 4711 }]
})

export const clusterDocument = document({
  name: "cluster",
  kinds: ["cluster"],
  title: "Output of cluster up",
  description: "What `proofline cluster up --json` prints, on one line, once its workers take work.",
  data: Schema.Struct({
    database_url: described("With the password where it has one: whoever has it may do all that you may.", Text),
    workers: Schema.Array(Started)
  }),
  examples: [
    {
      database_url: "postgresql://proofline:4f1c@127.0.0.1:40123/postgres",
      workers: [{ name: "box:4711", pid: 4711 }]
    }
  ]
})

export const clusterRoleDocument = document({
  name: "cluster-role",
  kinds: ["cluster-role"],
  title: "Output of cluster role",
  description: "What `proofline cluster role NAME --json` prints.",
  data: Schema.Struct({
    role: Text,
    granted: described("False with `--sql`: nothing was changed.", Schema.Boolean),
    statements: described("SQL that gives the role its rights.", Text)
  }),
  examples: [{ role: "builder", granted: true, statements: 'grant usage on schema proofline to "builder";\n' }]
})

export const workersDocument = document({
  name: "workers",
  kinds: ["workers"],
  title: "Output of status --workers",
  description: "What `proofline status --workers --json` prints.",
  data: Schema.Struct({ workers: Schema.Array(WorkerOverview) }),
  examples: [
    {
      workers: [
        {
          name: "box:4711",
          host: "box",
          pid: 4711,
          slots: 4,
          holding: 1,
          labels: ["claude"],
          version: "1.0.0",
          seen_at: "2026-01-01T10:00:00.000Z",
          deadline: "2026-01-01T10:00:03.000Z",
          lost: false,
          silent_ms: 400,
          leases: [
            {
              item: "4f1c6f0e-2f55-5f5f-9d9d-0d5f6f0e2f55",
              run: "run_01",
              task_id: "login",
              key: "attempt:login",
              lease: 1,
              since: "2026-01-01T09:59:00.000Z"
            }
          ]
        }
      ]
    }
  ]
})
