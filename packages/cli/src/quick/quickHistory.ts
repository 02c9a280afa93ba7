import { knownHeads } from "@proofline/plugins/adapters/run-heads/known"
import { runOverviews } from "@proofline/plugins/adapters/sqlite-log/summary"
import { documentText } from "../base/Document.ts"
import { pathsOf, type Where } from "../base/paths.ts"
import { listedRun, listText } from "./listing.ts"
import { quickFlags } from "./quickFlags.ts"

export interface ListOptions extends Where {
  readonly json: boolean
  readonly kind: string | undefined
}

/** Of `history`, for the file beside the project and flags that stand for themselves; null: the command line is to read it. */
export const listOptions = (args: ReadonlyArray<string>): ListOptions | null =>
  quickFlags("history", args, { json: "asked", kind: "text", cwd: "text", state: "text" })

/** What `history` prints; null: that takes git, the kernel, or words about what is wrong. */
export const quickHistory = ({ json, kind, ...where }: ListOptions): string | null => {
  const paths = pathsOf(where)
  try {
    const areAll = knownHeads({ root: paths.root, directory: paths.heads })
    if (areAll === null) return null
    let isNewer = false
    const rows = runOverviews(paths.database, () => {
      isNewer = true
    })
    if (isNewer) return null
    if (!areAll(rows.map(({ run_id }) => run_id))) return null
    const shown = kind === undefined ? rows : rows.filter((row) => row.kind === kind)
    // there may be no such kind
    if (kind !== undefined && shown.length === 0) return null
    if (!json) return listText(shown, false)
    // what the loop of a requirements run adds is read by its schema
    if (shown.some((row) => row["loop_status"] !== undefined)) return null
    return documentText("history", { runs: shown.map((row) => listedRun(row, null)) })
  } catch {
    return null
  }
}
