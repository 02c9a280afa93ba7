import { existsSync } from "node:fs"
import { worktreesOf } from "@proofline/plugins/adapters/git-workspaces"
import type { RunOverview } from "@proofline/plugins/adapters/sqlite-log/summary"
import type { ProjectPaths } from "../paths.ts"

/** A completed run that nobody drives, of which worktrees are there: whoever completed it may have died before they were removed. */
export const hasWorktreesLeft = (
  { away, driver, run_id, status }: Pick<RunOverview, "away" | "driver" | "run_id" | "status">,
  { state }: ProjectPaths
): boolean => status === "completed" && driver === null && away === null && existsSync(worktreesOf(state, run_id))
