import { Semaphore } from "effect"

/**
 * Git makes and removes the folder of all worktrees along with the first and last one: two at once would collide. One
 * for the process, because it is the same folder whoever adds a worktree.
 */
export const alone: Semaphore.Semaphore = Semaphore.makeUnsafe(1)
