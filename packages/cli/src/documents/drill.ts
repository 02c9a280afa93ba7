/** What becomes of cheats and of genuine changes that are planted in a copy of the project. */
import { Count, described, Text } from "@proofline/kernel"
import { Schema } from "effect"
import { document } from "../base/Document.ts"

const Counts = Schema.Struct({ tried: Count, refused: Count })

export const drillDocument = document({
  name: "drill",
  kinds: ["drill"],
  title: "Output of drill",
  description: "What `proofline drill --json` prints.",
  data: Schema.Struct({
    commit: described("The commit that was copied.", Text),
    held: described("All cheats were refused, and no genuine change was.", Schema.Boolean),
    cheats: Counts,
    genuine: Counts,
    cases: Schema.Array(
      Schema.Struct({
        side: Schema.Literals(["cheat", "genuine"]),
        kind: described("Such as `stub`.", Text),
        what: Text,
        path: Text,
        evidence: described("What was cited; null: nothing was.", Schema.NullOr(Text)),
        name: described("The function, the test or the commit.", Schema.NullOr(Text)),
        refused: Schema.Boolean,
        key: described("The failure key, or the reasons; null: it was let through.", Schema.NullOr(Text)),
        why: Schema.NullOr(Text)
      })
    ),
    not_tried: Schema.Array(Schema.Struct({ what: Text, why: Text })),
    took_ms: Count
  }),
  examples: [
    {
      commit: "0".repeat(40),
      held: true,
      cheats: { tried: 1, refused: 1 },
      genuine: { tried: 0, refused: 0 },
      cases: [
        {
          side: "cheat",
          kind: "stub",
          what: "a stub, only fails",
          path: "src/auth.ts",
          evidence: "src/auth.ts:3-9",
          name: "login",
          refused: true,
          key: "checklist_evidence_empty_impl",
          why: "The function login is empty."
        }
      ],
      not_tried: [{ what: "Commits as honest work", why: "There is no commit with a parent to compare with." }],
      took_ms: 900
    }
  ]
})
