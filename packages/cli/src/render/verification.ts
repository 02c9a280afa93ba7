import { type ReceiptStatus, standingText, type VerificationView } from "@proofline/kernel"
import { count } from "./lines.ts"
import { oneLine, plain, type Style } from "./style.ts"

type Head = VerificationView["kept_head"]

/** What `verify` found, for people: a line for every receipt, and what has none. */
export const verificationText = (found: VerificationView, style: Style): string => {
  const { counts, receipts, run_status } = found
  const of = (status: ReceiptStatus) => receipts.filter((one) => one.status === status).length
  return [
    ...headline(found, style),
    ...receipts.map((one) => receiptLine(one, style)),
    "",
    receipts.length === 0
      ? style.red(
          found.whole || counts.proven > 0
            ? "No receipts: there is nothing to compare. What commands have shown is shown by running them again."
            : "No receipts: nothing of this run is proven."
        )
      : `${count(receipts.length, "receipt")}: ${of("proven")} proven, ${of("re_anchored")} re-anchored, ${of("stale")} stale, ${of("missing")} missing.`,
    ...(counts.waived + counts.open === 0
      ? []
      : [style.yellow(`Without proof: ${count(counts.waived, "item")} waived, ${count(counts.open, "item")} open.`)]),
    ...(run_status === "completed" ? [] : [style.yellow(`The run is not completed: ${run_status}.`)]),
    plain(standingText(run_status, found)),
    ""
  ].join("\n")
}

const headline = (
  { chain, kept_head, name, ref, run_id, run_status, signature }: VerificationView,
  style: Style
): ReadonlyArray<string> => [
  `${style.bold(plain(run_id))} ${oneLine(name, 80)}, compared with ${ref === null ? "the files as they are" : `commit ${ref}`}`,
  ...(chain === null
    ? []
    : [
        `The hash chain is intact over ${count(chain.events, "event")}, head ${chain.head?.hash ?? "none"}.`,
        ...(run_status === "running" ? [] : [keptLine(kept_head, style)])
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

const receiptLine = (receipt: VerificationView["receipts"][number], style: Style): string => {
  const { evidence, item, now, reason, status, task_completed, task_id, weak } = receipt
  const position = now === null || now === evidence ? evidence : `${evidence} → ${now}`
  const remarks = [reason, ...weak.map((one) => `Weak: ${one}.`), task_completed ? "" : "The task was not completed."]
  return `  ${symbols[status](style)} ${plain(task_id)}: ${oneLine(item, 80)}  ${style.dim(plain(position))}${remarks
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
