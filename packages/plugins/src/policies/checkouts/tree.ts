import { BlobRef, plugin, reject } from "@proofline/kernel"
import { Schema } from "effect"

/** The commit that the work of a run stands on; null: it is done in the project itself. */
export const Checkouts = plugin("checkouts", { state: { head: null as string | null } })

/** The content of TREE_RECORDED. Ids of commits as git writes them. */
export const treeFields = {
  /** The commit that was the run's before; null: this is its first. */
  onto: Schema.NullOr(Schema.String),
  /** What the run's work stands on from now on. */
  commit: Schema.String,
  /** From the top of the repository to the project, `/` separated; empty when they are the same. */
  prefix: Schema.String,
  /** Refs of subtasks that go with it. */
  refs: Schema.Array(Schema.Struct({ name: Schema.String, commit: Schema.String })),
  /** A git bundle of what neither the remote nor an earlier tree of the run has; null: nothing is new. */
  bundle: Schema.NullOr(BlobRef),
  /** Where the history comes from that is in no bundle; null: from nowhere else. */
  remote: Schema.NullOr(Schema.String),
  /** The work whose result it is; null: the project, as it was handed over. */
  by: Schema.NullOr(Schema.Struct({ item: Schema.String, lease: Schema.Int })),
  /** Folders with repositories of their own that git does not know, which no commit can hold. From the top, with a `/` at the end. */
  left_out: Schema.optionalKey(Schema.Array(Schema.String))
}

const Tree = Schema.Struct(treeFields)
export type RecordedTree = typeof Tree.Type

export const TreeRecorded = Checkouts.event("TREE_RECORDED", {
  schema: Tree,
  visibility: "full",
  evolve: (_, { commit }) => ({ head: commit }),
  sentence: ({ by, commit, left_out = [], onto }) => {
    const without = left_out.length === 0 ? "" : `, without the repositories ${left_out.join(", ")}`
    if (onto === null) return `The run begins with commit ${commit} of the project${without}.`
    const what =
      by === null ? "What was changed in the project was handed over" : `The work of item ${by.item} was merged`
    return `${what}${without}: the run stands on commit ${commit}.`
  }
})

export const treeRecorded = TreeRecorded.name

/** Code of the rejection: somebody else's work was merged meanwhile. */
export const treeMoved = "tree_moved"

/** Merges one piece of work: the run stands on another commit. One at a time, since each names the commit before it. */
export const RecordTree = Checkouts.command("RecordTree", {
  schema: Tree,
  accompanies: true,
  decide: (tree, { checkouts: { head } }) =>
    head === tree.onto
      ? [TreeRecorded(tree)]
      : reject(
          treeMoved,
          `The run stands on ${head ?? "no commit"}, not on ${tree.onto ?? "none"}.`,
          "Merge again onto what it stands on now."
        ),
  recall: { from: [TreeRecorded], args: (batch) => batch.first(TreeRecorded) }
})
