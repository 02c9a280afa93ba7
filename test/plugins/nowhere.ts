import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import {
  Baseline,
  EscrowedChecks,
  FileRefused,
  ProjectFiles,
  ScratchProjects,
  Syntax,
  TestReports,
  Workspaces
} from "@proofline/plugins/ports"
import { Effect, Layer } from "effect"

/** Nobody writes a report. */
export const noReports = Layer.succeed(TestReports, {
  around: (_, run) => Effect.map(run, (result) => [result, []] as const),
  named: () => Effect.succeed([])
})

/** No checks that agents do not see. */
export const noChecks = Layer.mock(EscrowedChecks, {})

/** No project, and no file in it: what is asked of anything else ends the test. */
export const nowhere = Layer.mergeAll(
  nodeDigest,
  Layer.mock(ProjectFiles, {
    root: "/nowhere",
    at: () => {
      throw new Error("There is no other directory.")
    },
    entryAt: () => Effect.succeed("missing"),
    paths: Effect.succeed([]),
    readText: (path) => Effect.fail(new FileRefused({ path, reason: "not_found", message: "" }))
  }),
  Layer.mock(ScratchProjects, {}),
  Layer.mock(Workspaces, {}),
  Layer.mock(Syntax, {}),
  Layer.mock(Baseline, {}),
  noReports,
  noChecks
)
