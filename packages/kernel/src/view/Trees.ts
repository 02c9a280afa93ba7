import type { KernelState } from "../composition.ts"
import type { Base, ProjectTree } from "../modules/run/schemas.ts"
import type { AttemptTrees } from "../modules/tasks/AttemptTrees.ts"
import { attemptsOf } from "./RunDetail.ts"
import type { RunHistory } from "./RunHistory.ts"
import type { AttemptView } from "./TaskShapes.ts"

/** The newest tree of an attempt; undefined: it left none. */
export const endTreeOf = ({ after, steps }: AttemptTrees): ProjectTree | undefined => after ?? steps?.at(-1)?.tree

/** What the files of the project were around an attempt, as far as somebody looked. */
export interface TreesAround {
  /** When it began; null: nobody looked at that time or before. */
  readonly before: Base | ProjectTree | null
  /** When it ended; null: it has not. */
  readonly after: Base | ProjectTree | null
}

/** A tree that an attempt did not leave is the newest before it, or what the run began with. */
export const treesAround = (state: KernelState, history: RunHistory, of: AttemptView): TreesAround => {
  const left = attemptsOf(history)
    .flatMap(({ ended_at, from_version, trees }) => {
      const tree = trees === undefined || trees.worktree === true ? undefined : endTreeOf(trees)
      return tree === undefined || ended_at === null ? [] : [{ ended_at, from_version, tree }]
    })
    .toSorted((a, b) => (a.ended_at < b.ended_at ? -1 : 1))
  const before =
    of.trees?.before ??
    left.findLast((one) => one.from_version < of.from_version && one.ended_at <= of.started_at)?.tree ??
    state.run.base
  if (of.ended_at === null) return { before, after: null }
  const own = of.trees === undefined ? undefined : endTreeOf(of.trees)
  if (own !== undefined || !hasChanged(of)) return { before, after: own ?? before }
  // one beside it that ended earlier has left a tree with its changes
  const ended = of.ended_at
  return { before, after: left.findLast((one) => one.ended_at <= ended)?.tree ?? before }
}

const hasChanged = ({ files_modified, files_undecided = [] }: AttemptView): boolean =>
  (files_modified ?? []).length + files_undecided.length > 0
