/** Agents of this machine. */
import { described, Text } from "@proofline/kernel"
import { supportable } from "@proofline/plugins/adapters/command-agent"
import { Schema } from "effect"
import { document } from "../base/Document.ts"

export const agentsDocument = document({
  name: "agents",
  kinds: ["agents"],
  title: "Output of agents",
  description: "What `proofline agents --json` prints.",
  data: Schema.Struct({
    agents: Schema.Array(
      Schema.Struct({
        name: Text,
        kind: Schema.Literals(["preset", "acp", "command", "judge", "model"]),
        driven_by: described("The command line that starts it; of a model how and at which host it is asked.", Text),
        path: described("Where its program is; null: it was not found, or only the shell knows.", Schema.NullOr(Text)),
        version: described("As its program says it; null: unknown.", Schema.NullOr(Text)),
        supports: Schema.Array(Schema.Literals(supportable)),
        roles: described(
          "What it can be asked for.",
          Schema.Array(Schema.Literals(["work", "review", "analyze", "generate", "verify"]))
        ),
        problem: described("Why it cannot be used; null: nothing is known to be wrong.", Schema.NullOr(Text)),
        answers: described("It has answered a question; null: it was not asked.", Schema.NullOr(Schema.Boolean))
      })
    )
  }),
  examples: [
    {
      agents: [
        {
          name: "codex",
          kind: "preset",
          driven_by: "codex exec --json --skip-git-repo-check -",
          path: "/usr/local/bin/codex",
          version: "0.145.0",
          supports: ["model", "mcp", "steps", "tokens"],
          roles: ["work", "review", "analyze", "generate", "verify"],
          problem: null,
          answers: null
        }
      ]
    }
  ]
})
