import { existsSync } from "node:fs"
import { worktreesOf } from "@proofline/plugins/adapters/git-workspaces"
import type { RunOverview } from "@proofline/plugins/adapters/sqlite-log/summary"
import type { ProjectPaths } from "../base/paths.ts"

/** A run that nobody drives, with a place for worktrees. */
export const hasWorktrees = (
  { away, driver, run_id }: Pick<RunOverview, "away" | "driver" | "run_id">,
  { state }: ProjectPaths
): boolean => driver === null && away === null && existsSync(worktreesOf(state, run_id))

/** A completed run of which worktrees are there: whoever completed it may have died before they were removed. */
export const hasWorktreesLeft = (
  row: Pick<RunOverview, "away" | "driver" | "run_id" | "status">,
  paths: ProjectPaths
): boolean => row.status === "completed" && hasWorktrees(row, paths)
