import type { RunSummary } from "@proofline/kernel"
import type { SummaryRow } from "./rows.ts"
import { shortSha256 } from "./sha256.ts"

/** Of a row of `run_summary`: what is shown of a run at a glance is in no hash chain. */
export const digestOf = (run: string, startedAt: string, summary: string): string =>
  sha256(`${run}\n${startedAt}\n${summary}`)

/** So many characters are sooner digested here than `node:crypto` is loaded: the summaries of a few runs. */
let fewLeft = 3_000

const sha256 = (text: string): string => {
  fewLeft -= text.length
  return fewLeft < 0 ? process.getBuiltinModule("node:crypto").hash("sha256", text) : shortSha256(text)
}

/** The summary in a row; null: it is not as it was written. Of one of an older Proofline nothing says that. */
export const summaryIn = ({ digest, run_id, started_at, summary }: SummaryRow): RunSummary | null => {
  if (digest !== null && digest !== digestOf(run_id, started_at, summary)) return null
  try {
    const read = JSON.parse(summary) as RunSummary
    return read.run_id === run_id ? read : null
  } catch {
    return null
  }
}
