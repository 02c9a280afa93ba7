import type { LogFault, RunReceipts } from "@proofline/kernel"
import type { JudgedReceipt, ReceiptStatus } from "@proofline/plugins/policies/evidence"
import { count } from "./lines.ts"
import { oneLine, plain, type Style } from "./style.ts"

type Head = RunReceipts["head"]

interface Chain {
  readonly events: number
  readonly head: Head
}

/** What `verify` found. */
export interface Verification {
  readonly receipts: RunReceipts
  /** The log's hash chain; null: there was no log, only what was exported from it. */
  readonly chain: ({ readonly ok: true } & Chain) | ({ readonly ok: false } & LogFault & Chain) | null
  /** Where the log ended when the run did, as it was kept outside of it; null: nothing was kept, or there is no log. */
  readonly keptHead: Head
  /** Of the envelope; null: the receipts are from the log. */
  readonly signature: { readonly signed: boolean; readonly checked: boolean; readonly keyid: string | null } | null
  /** The commit they were compared with; null: the files as they are. */
  readonly ref: string | null
  readonly judged: ReadonlyArray<JudgedReceipt>
}

/** `data` of `verify`. */
export const verificationData = ({ chain, judged, keptHead, receipts, ref, signature }: Verification) => ({
  run_id: receipts.run_id,
  run_status: receipts.status,
  ref,
  chain,
  kept_head: keptHead,
  signature,
  receipts: judged.map(({ item, now, reason, status }) => ({
    task_id: item.task_id,
    task_completed: item.task_completed,
    item_index: item.item_index,
    item: item.item,
    evidence: item.evidence,
    status,
    now,
    reason,
    weak: item.weak.map((weakness) => weakness.reason)
  })),
  counts: countsOf(judged, receipts)
})

const countsOf = (judged: ReadonlyArray<JudgedReceipt>, { open, waived }: RunReceipts) => {
  const by = (status: ReceiptStatus) => judged.filter((one) => one.status === status).length
  return {
    receipts: judged.length,
    proven: by("proven"),
    re_anchored: by("re_anchored"),
    stale: by("stale"),
    missing: by("missing"),
    waived: waived.length,
    open: open.length
  }
}

/** The same for people: a line for every receipt, and what has none. */
export const verificationText = (verification: Verification, style: Style): string => {
  const { judged, receipts } = verification
  const counts = countsOf(judged, receipts)
  return [
    ...headline(verification, style),
    ...judged.map((one) => receiptLine(one, style)),
    "",
    judged.length === 0
      ? style.red(
          receipts.status === "completed"
            ? "No receipts: there is nothing to compare. What commands have shown is shown by running them again."
            : "No receipts: nothing of this run is proven."
        )
      : `${count(judged.length, "receipt")}: ${counts.proven} proven, ${counts.re_anchored} re-anchored, ${counts.stale} stale, ${counts.missing} missing.`,
    ...(counts.waived + counts.open === 0
      ? []
      : [style.yellow(`Without proof: ${count(counts.waived, "item")} waived, ${count(counts.open, "item")} open.`)]),
    ...(receipts.status === "completed" ? [] : [style.yellow(`The run is not completed: ${receipts.status}.`)]),
    ""
  ].join("\n")
}

const headline = ({ chain, keptHead, receipts, ref, signature }: Verification, style: Style): ReadonlyArray<string> => [
  `${style.bold(plain(receipts.run_id))} ${oneLine(receipts.name, 80)}, compared with ${ref === null ? "the files as they are" : `commit ${ref}`}`,
  ...(chain === null
    ? []
    : [
        `The hash chain is intact over ${count(chain.events, "event")}, head ${chain.head?.hash ?? "none"}.`,
        ...(receipts.status === "running" ? [] : [keptLine(keptHead, style)])
      ]),
  ...(signature === null
    ? []
    : [
        signature.checked
          ? `Signed with the key ${signature.keyid}.`
          : style.yellow(signature.signed ? "Signature not checked." : "Not signed.")
      ])
]

const keptLine = (kept: Head, style: Style): string =>
  kept === null
    ? style.yellow("No head of it was kept outside of the log: nobody could tell if its end had been cut off.")
    : `It goes on from the head that was kept outside of the log when the run ended, event ${kept.version}.`

const receiptLine = ({ item, now, reason, status }: JudgedReceipt, style: Style): string => {
  const position = now === null || now === item.evidence ? item.evidence : `${item.evidence} → ${now}`
  const remarks = [
    reason,
    ...item.weak.map((weakness) => `Weak: ${weakness.reason}.`),
    item.task_completed ? "" : "The task was not completed."
  ]
  return `  ${symbols[status](style)} ${plain(item.task_id)}: ${oneLine(item.item, 80)}  ${style.dim(plain(position))}${remarks
    .filter((remark) => remark !== "")
    .map((remark) => ` ${plain(remark)}`)
    .join("")}`
}

const symbols: Readonly<Record<ReceiptStatus, (style: Style) => string>> = {
  proven: (style) => style.green("✔ proven     "),
  re_anchored: (style) => style.green("↷ re-anchored"),
  stale: (style) => style.red("✘ stale      "),
  missing: (style) => style.red("✘ missing    ")
}
