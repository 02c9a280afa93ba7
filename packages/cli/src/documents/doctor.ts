import { Count, described, Text } from "@proofline/kernel"
import { Schema } from "effect"
import { document } from "../base/Document.ts"

const Finding = Schema.Struct({
  check: described("The check that has found it, one of `checks`.", Text),
  code: Text,
  severity: described(
    "`error`: something is damaged or does not work; `warning`: it soon may not; `note`: good to know.",
    Schema.Literals(["error", "warning", "note"])
  ),
  message: Text,
  place: described(
    "The file, with line and column where they are known, the directory, program, variable or run that it is about.",
    Text
  ),
  fix: described("What to do about it: a command, or a change.", Text),
  fixable: described("Whether --fix can do so.", Schema.Boolean),
  fixed: described("Whether --fix, or --repair, has done so.", Schema.Boolean)
}).annotate({ identifier: "Finding" })

const state = described(
  "`cut`: its end is damaged or gone; `lost`: so is its first event, and with it all of it.",
  Schema.Literals(["whole", "cut", "lost"])
)

const CheckedRun = Schema.Struct({
  run_id: Text,
  events: described("From the first on, those of which every hash is right.", Count),
  known: described("So many it had at least.", Count),
  state
}).annotate({ identifier: "CheckedRun" })

const aDatabase = "/project/.proofline/state/proofline.db"
const aRun = { run_id: "run_20260101_100000_k3x9q2", events: 22, known: 53, state: "cut" } as const

/** What is looked at, in the order in which it is told. */
export const checks = [
  "program",
  "git",
  "settings",
  "plugins",
  "agents",
  "verifiers",
  "variables",
  "clients",
  "state",
  "log",
  "blobs"
] as const

export const doctorDocument = document({
  name: "doctor",
  kinds: ["doctor"],
  title: "Output of doctor",
  description: "What `proofline doctor --json` prints.",
  data: Schema.Struct({
    log: described("The file of the log, or host, port and name of its database.", Text),
    programs: described(
      "Versions of what Proofline stands on; null: there is none, or it does not say.",
      Schema.Struct({ proofline: Text, node: Text, git: Schema.NullOr(Text) })
    ),
    healthy: described("There is no finding of the severity `error` that was not fixed.", Schema.Boolean),
    checks: described("Names of the checks that were made.", Schema.Array(Text)),
    findings: Schema.Array(Finding),
    runs: described("Every run of which there is anything, or a head outside of the log.", Schema.Array(CheckedRun)),
    blobs: described("Blobs that were read, with every digest computed again.", Count),
    repair: described(
      "What --repair has written; null: it was not asked for, or there was nothing to repair.",
      Schema.NullOr(
        Schema.Struct({
          file: described("The new log, absolute. The old one is as it was.", Text),
          runs: Schema.Array(Schema.Struct({ run_id: Text, kept: Count, lost: described("At least.", Count), state })),
          steps: described("Shell commands that put it in the place of the old one.", Schema.Array(Text))
        })
      )
    )
  }),
  examples: [
    {
      log: aDatabase,
      programs: { proofline: "1.0.0", node: "24.1.0", git: "2.47.1" },
      healthy: false,
      checks: [...checks],
      findings: [
        {
          check: "log",
          code: "run_damaged",
          severity: "error",
          message: `Of ${aRun.run_id} the first 22 events are as written; what came behind is damaged or gone, and there were 53 at least.`,
          place: `${aDatabase}, ${aRun.run_id}`,
          fix: "`proofline doctor --repair` keeps these events in a new file; `proofline log copy` brings the rest from a backup.",
          fixable: false,
          fixed: false
        }
      ],
      runs: [aRun],
      blobs: 12,
      repair: {
        file: "/project/.proofline/state/proofline-20260102T100000Z.db",
        runs: [{ run_id: aRun.run_id, kept: 22, lost: 31, state: "cut" }],
        steps: [
          `mv ${aDatabase} ${aDatabase}.damaged`,
          `mv /project/.proofline/state/proofline-20260102T100000Z.db ${aDatabase}`
        ]
      }
    }
  ]
})
