/** `proofline history`: how runs are listed. It does not wait for the kernel either. */
import { proofFields, rowProof, rowVerdict, shownRowStatus } from "@proofline/kernel/standing"
import type { RunOverview } from "@proofline/plugins/adapters/sqlite-log/summary"
import type { LoopProgress } from "@proofline/plugins/policies/requirements"
import { present } from "../base/Document.ts"
import type { Listed } from "../documents/runs.ts"
import { summaryLine } from "../render/summaryLine.ts"

/** Whether no process is at a run, here or elsewhere. A task run is driven by the requirements run that has begun it. */
export const isDrivenByNobody = ({ away, driver, parent_run_id }: RunOverview): boolean =>
  driver === null && away == null && parent_run_id === null

/**
 * A run that goes on, and that nobody goes on with: a resume does. Agents come back to a session run by themselves, and so do
 * workers to one in a database that they share.
 */
export const isLeft = (row: RunOverview, isShared = false): boolean =>
  !isShared && row.status === "running" && row.kind !== "session" && isDrivenByNobody(row)

/** A line for each; `none`: what is said where there is no run. */
export const listText = (rows: ReadonlyArray<RunOverview>, isShared: boolean, none = "No run so far."): string =>
  rows.length === 0
    ? `${none}\n`
    : `${rows.map((row) => `${summaryLine(row)}${isLeft(row, isShared) ? "; driven by nobody" : ""}`).join("\n")}\n`

/** One in the document. `loop`: how far the loop of a requirements run is; null: it is none. */
export const listedRun = (row: RunOverview, loop: LoopProgress | null): Listed => ({
  run_id: row.run_id,
  kind: row.kind,
  name: row.name,
  ...standingOfRow(row),
  started_at: row.started_at,
  ...present({ ended_at: row.ended_at, parent_run_id: row.parent_run_id }),
  ...loop,
  ...(row.away == null ? {} : { away: { kind: row.away.kind, place: row.away.place, at: row.away.at } })
})

/** As far as it is known without the events of the run. */
const standingOfRow = (row: RunOverview) => {
  const proof = rowProof(row)
  const { asked, redacted, stopped } = row
  return {
    status: shownRowStatus(row),
    ...present({ asked, redacted, stopped }),
    ...(proof === null ? present({ verdict: rowVerdict(row) }) : proofFields(proof))
  }
}
