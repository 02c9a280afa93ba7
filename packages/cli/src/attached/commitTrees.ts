import type { Receipt } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { type CommitTreeOptions, commitTree } from "@proofline/plugins/adapters/project-tree"
import { layer as treeSitter } from "@proofline/plugins/adapters/tree-sitter"
import { type EvidenceKind, judgeReceipts } from "@proofline/plugins/policies/evidence"
import { Effect, Layer } from "effect"
import { exitCodes, stop } from "../base/problems.ts"
import { commitUnknown } from "./attachedRefs.ts"

/** The files of a commit, or a clear refusal. */
export const treeAt = (options: CommitTreeOptions) =>
  Effect.mapError(commitTree(options), ({ message, reason }) =>
    reason === "ref_unknown"
      ? commitUnknown(options.ref)
      : stop(exitCodes.usage, { code: reason, message, hint: hints[reason] })
  )

const hints = {
  git_missing: "Install git, or leave --ref out to compare with the files as they are.",
  not_a_repository: "Name the repository with --cwd, or leave --ref out to compare with the files as they are."
} as const

/** What receipts are judged with. */
export const judging = Layer.merge(nodeDigest, treeSitter())

/** How receipts stand in a commit. */
export const judgedAt = <Item extends { readonly receipt: Receipt }>(
  at: CommitTreeOptions,
  items: ReadonlyArray<Item>,
  kinds: ReadonlyArray<EvidenceKind>
) => Effect.flatMap(treeAt(at), ({ projectFiles }) => judgeReceipts(items, projectFiles, kinds))
