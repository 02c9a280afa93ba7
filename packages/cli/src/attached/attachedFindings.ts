import { isLineReceipt, type Receipt, standingText } from "@proofline/kernel"
import { parseReference } from "@proofline/plugins/policies/evidence"
import { Result } from "effect"
import type { AttachedRun, Finding } from "../documents/attached.ts"
import type { AttachedEnvelope } from "./attachedLines.ts"

/** A finding about no file and no run, unless that is said. */
export const finding = (
  rule: Finding["rule"],
  level: Finding["level"],
  message: string,
  about: Partial<Finding> = {}
): Finding => ({
  rule,
  level,
  message,
  ...{ path: null, start: null, end: null, run_id: null, task_id: null, item_index: null },
  ...about
})

/** Whose it is, where nobody is known to have signed it. */
export const signerFinding = (
  { claimed, receipts: { run_id }, signer }: AttachedEnvelope,
  keys: ReadonlyArray<unknown>,
  isRequired: boolean
): ReadonlyArray<Finding> => {
  if (signer !== null) return []
  const level = isRequired ? "error" : "warning"
  if (claimed.length === 0) {
    const message = `The receipts of ${run_id} are not signed: nothing tells who wrote them.`
    return [finding("signature-none", level, message, { run_id })]
  }
  const whose = keys.length === 0 ? "no trusted key is known to check that with" : "none of them is trusted here"
  return [
    finding(
      "signer-unknown",
      level,
      `The receipts of ${run_id} say that ${claimed.join(", ")} signed them; ${whose}.`,
      {
        run_id
      }
    )
  ]
}

/** What is to be said of a run that was judged; `receipts` are its own, in order. */
export const findingsOf = (run: AttachedRun, receipts: ReadonlyArray<Receipt>): ReadonlyArray<Finding> => {
  const { project, run_id, run_status, whole } = run
  const lost: ReadonlyArray<Finding> = run.receipts.flatMap((one, i) => {
    if (one.status === "proven") return []
    const { item, item_index, reason, task_id } = one
    const about = { ...placeOf(one.now, receipts[i], project), run_id, task_id, item_index }
    const message = `${task_id}: ${item}: ${reason}`
    if (one.status === "re_anchored") return [finding("receipt-moved", "note", message, about)]
    return [finding(one.status === "stale" ? "receipt-stale" : "receipt-missing", "error", message, about)]
  })
  if (whole || lost.some(({ level }) => level === "error")) return lost
  const message = `${run_id} has not shown all that it requires: ${standingText(run_status, run)}.`
  return [...lost, finding("run-unproven", "error", message, { run_id })]
}

/** Where a receipt is now, or was when it is nowhere; from the top of the repository. */
const placeOf = (
  now: string | null,
  receipt: Receipt | undefined,
  folder: string
): Pick<Finding, "path" | "start" | "end"> => {
  const found = now === null ? null : Result.getOrNull(parseReference(now))
  const place = found ?? (receipt !== undefined && isLineReceipt(receipt) ? receipt : null)
  if (place !== null) return { path: under(folder, place.path), start: place.start, end: place.end }
  return { path: receipt === undefined ? null : under(folder, fileOf(receipt)), start: null, end: null }
}

const under = (folder: string, path: string): string => (folder === "" ? path : `${folder}/${path}`)

/** The file that a receipt speaks of, from the project. */
export const fileOf = (receipt: Receipt): string => (isLineReceipt(receipt) ? receipt.path : receipt.reference)

/** The files of which the receipts of a run that hold speak, from the top of the repository. */
export const filesOf = (run: AttachedRun, receipts: ReadonlyArray<Receipt>): ReadonlyArray<string> =>
  run.receipts.flatMap(({ now, status }, i) => {
    const { path } =
      status === "proven" || status === "re_anchored" ? placeOf(now, receipts[i], run.project) : { path: null }
    return path === null ? [] : [path]
  })

/** Rules that say that something was made up, or is not what it was. */
const broken: ReadonlySet<Finding["rule"]> = new Set([
  "attached-unreadable",
  "signature-broken",
  "signer-unknown",
  "signature-none"
])

/** Whether a finding says that what is attached is not to be trusted. */
export const isBroken = ({ level, rule }: Finding): boolean => level === "error" && broken.has(rule)
