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
  const earlier = attemptsOf(history)
    .filter(({ ended_at, from_version, trees }) => {
      const isInProject = trees !== undefined && trees.worktree !== true && endTreeOf(trees) !== undefined
      return isInProject && from_version < of.from_version && ended_at !== null && ended_at <= of.started_at
    })
    .toSorted((a, b) => ((a.ended_at ?? "") < (b.ended_at ?? "") ? -1 : 1))
    .at(-1)?.trees
  const before = of.trees?.before ?? (earlier === undefined ? null : endTreeOf(earlier)) ?? state.run.base
  const left = of.trees === undefined ? undefined : endTreeOf(of.trees)
  return { before, after: of.ended_at === null ? null : (left ?? before) }
}
