import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { evidence } from "@proofline/plugins/policies/evidence"
import { Baseline, FileRefused, ProjectFiles, Syntax, Workspaces } from "@proofline/plugins/ports"
import { Effect, Layer } from "effect"

/** The policy `evidence` where there is no project: only evidence of other kinds than lines can hold. */
export const evidenceInTheOpen = Effect.provide(
  evidence,
  Layer.mergeAll(
    nodeDigest,
    Layer.mock(ProjectFiles, {
      root: "/nowhere",
      at: () => {
        throw new Error("There is no other directory.")
      },
      readText: (path) => Effect.fail(new FileRefused({ path, reason: "not_found", message: "" }))
    }),
    Layer.mock(Workspaces, {}),
    Layer.mock(Syntax, {}),
    Layer.mock(Baseline, {})
  )
)
