import { isLineReceipt, type KindReceipt, type Receipt } from "@proofline/kernel"
import type { EvidenceKind } from "@proofline/plugins/policies/evidence"
import { Effect } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { sayProblems } from "../process/output.ts"
import { projectConfig } from "./files.ts"
import { kindsOf } from "./kindsOf.ts"

/** Kinds that Proofline brings; whoever compares receipts has them anyway. */
const own: ReadonlyArray<string> = ["file", "absent"]

/** Whether only a plugin can look at evidence of the kind of a receipt. */
export const isOfPlugin = (receipt: Receipt): receipt is KindReceipt =>
  !isLineReceipt(receipt) && !own.includes(receipt.scheme)

/**
 * The kinds of evidence of a project, for whoever compares receipts without a run. Its plugins are loaded only where a
 * receipt is of a kind that is theirs; those that cannot be used are told, and nothing is known of what they declare.
 */
export const projectKinds = Effect.fnUntraced(function* (
  paths: ProjectPaths,
  items: ReadonlyArray<{ readonly receipt: Receipt }>
): Effect.fn.Return<ReadonlyArray<EvidenceKind>> {
  return items.some(({ receipt }) => isOfPlugin(receipt)) ? yield* kindsOfPlugins(paths) : []
})

/** The same where a receipt is of a kind that is theirs. */
export const kindsOfPlugins = Effect.fnUntraced(function* (
  paths: ProjectPaths
): Effect.fn.Return<ReadonlyArray<EvidenceKind>> {
  const config = yield* projectConfig(paths).pipe(
    Effect.catchTag("Stop", ({ problems }) => Effect.as(sayProblems(problems, "warning"), { plugins: [] }))
  )
  const { compositionOf } = yield* Effect.promise(() => import("./compose.ts"))
  const { composition, problems } = yield* compositionOf(paths, config.plugins)
  yield* sayProblems(problems, "warning")
  return kindsOf(composition)
})
