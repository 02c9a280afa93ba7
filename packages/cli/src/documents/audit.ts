/** Ticked boxes of task lists without evidence that holds. */
import { Count, described, Text } from "@proofline/kernel"
import { Schema } from "effect"
import { findingCodes } from "../audit/findings.ts"
import { document } from "../base/Document.ts"

const Tool = Schema.Literals(["spec-kit", "openspec", "kiro", "backlog.md", "taskmaster", "beads", "markdown"])

export const auditDocument = document({
  name: "audit",
  kinds: ["audit"],
  title: "Output of audit",
  description: "What `proofline audit --json` prints.",
  data: Schema.Struct({
    lists: described(
      "Files with boxes, or with tasks that have a status.",
      Schema.Array(
        Schema.Struct({
          file: described("Relative to the project, `/` separated.", Text),
          tool: Tool,
          items: described("Boxes, or tasks and subtasks.", Count),
          ticked: described("Those that are said to be done.", Count),
          names_nothing: described("Ticked ones that name nothing that can be looked at: not accused.", Count),
          unclear: described(
            "Ticked ones of whose files nobody can tell: ignored by git, deleted after the tick, several of the name.",
            Count
          )
        })
      )
    ),
    findings: described(
      "Ticked boxes without evidence that holds, by list and line.",
      Schema.Array(
        Schema.Struct({
          file: described("The list.", Text),
          line: described("Of the tick.", Count),
          column: Count,
          item: Text,
          code: Schema.Literals(findingCodes),
          message: Text,
          path: described("The file that the box names.", Text),
          tool: Tool
        })
      )
    ),
    not_judged: described(
      "What could not be looked at, and why.",
      Schema.Array(Schema.Struct({ what: Text, why: Text }))
    )
  }),
  examples: [
    {
      lists: [
        { file: "specs/001-login/tasks.md", tool: "spec-kit", items: 2, ticked: 2, names_nothing: 1, unclear: 0 }
      ],
      findings: [
        {
          file: "specs/001-login/tasks.md",
          line: 7,
          column: 3,
          item: "T004 Create src/auth/login.ts",
          code: "missing_path",
          message: "src/auth/login.ts is not there, and no commit ever had it.",
          path: "src/auth/login.ts",
          tool: "spec-kit"
        }
      ],
      not_judged: []
    }
  ]
})

export type AuditData = (typeof auditDocument)["data"]["Type"]
