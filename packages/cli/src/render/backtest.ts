import type { Scores } from "@proofline/kernel"
import type { BacktestData } from "../documents/backtest.ts"
import { count } from "./lines.ts"
import { oneLine, type Style } from "./style.ts"

type Changed = BacktestData["changed"][number]

/** Decisions that would change, and how right refusals were and would be. */
export const backtestText = (data: BacktestData, style: Style): string => {
  const { attempts, changed, integrity, items, left_out, not_judgeable, runs } = data
  const decisions = items.decisions + attempts.decisions
  return [
    ...changed.map((one) => changedLine(one, style)),
    ...(changed.length === 0 ? [] : [""]),
    `${count(runs, "run")}, ${count(decisions, "decision")}: ${changed.length} would change.`,
    ...(not_judgeable === 0
      ? []
      : [
          style.yellow(
            `Not judgeable: ${count(not_judgeable, "decision")}. The log does not hold what these rules would look at.`
          )
        ]),
    ...scoreLines("Items", items),
    ...scoreLines("Attempts", attempts),
    ...(changed.length === 0
      ? []
      : ["Each decision is judged on the run as it was recorded; what would have followed is in no log."]),
    ...left_out.map(({ message, run_id }) => style.yellow(`Not judged: ${run_id}: ${message}`)),
    ...integrity.map(({ message, run_id }) => style.red(`${run_id}: ${message}`)),
    ""
  ].join("\n")
}

const changedLine = (one: Changed, { bold, dim }: Style): string => {
  const { attempt, changed_by, evidence, item, policy, recorded, run_id, task_id, truth, version } = one
  const what =
    item === null ? "the attempt" : `"${oneLine(item, 60)}"${evidence === null ? "" : ` (${oneLine(evidence, 60)})`}`
  const later = truth === "unknown" ? "" : truth === "held" ? "; it held" : "; it did not hold"
  const by = changed_by === "version" ? "; by the rules of this version already" : ""
  return `${run_id} ${task_id}, attempt ${attempt}: ${what}: ${sideText(recorded)} → ${bold(sideText(policy))}${later}${by} ${dim(`[${version}]`)}`
}

const sideText = ({ outcome, reasons }: Changed["recorded"]): string =>
  reasons.length === 0 ? outcome : `${outcome} (${reasons.join(", ")})`

const scoreLines = (
  name: string,
  { decisions, did_not_hold, few, known, policy, recorded }: Scores
): ReadonlyArray<string> => {
  if (decisions === 0) return []
  if (known === 0) return [`${name}: the log does not say later of any of ${decisions} whether it was right.`]
  const line = (who: string, { precision, recall, refused, right }: Scores["policy"]): string =>
    `  ${who.padEnd(8)} precision ${share(precision, right, refused)}, recall ${share(recall, right, did_not_hold)}`
  return [
    `${name}: of ${known} of ${decisions} the log says later whether they held; ${did_not_hold} did not.${few ? " These are few: the figures say little." : ""}`,
    line("then", recorded),
    line("policy", policy)
  ]
}

const share = (rate: number | null, part: number, whole: number): string =>
  rate === null ? "-" : `${Math.round(rate * 100)} % (${part}/${whole})`
