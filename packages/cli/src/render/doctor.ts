import type { doctorDocument } from "../documents/doctor.ts"
import { count } from "./lines.ts"
import { oneLine, type Style } from "./style.ts"

/** What a doctor has found, for people. */
export const doctorText = (
  { blobs, findings, healthy, log, repair, runs }: typeof doctorDocument.data.Type,
  askedToRepair: boolean,
  style: Style
): string => {
  const whole = runs.filter(({ state }) => state === "whole")
  const events = runs.reduce((sum, run) => sum + run.events, 0)
  const marks = { error: style.red("✘"), warning: style.yellow("!"), note: style.dim("·") }
  return [
    `${log}: ${whole.length} of ${count(runs.length, "run")} whole, ${count(events, "event")} as written, ${count(blobs, "blob")} read.`,
    ...findings.flatMap(({ code, fix, message, place, severity }) => [
      `${marks[severity]} ${oneLine(message, 1_000)} [${code}]`,
      style.dim(`    ${place}`),
      ...(fix === "" ? [] : [`    ${fix}`])
    ]),
    ...(healthy ? [style.green("Nothing is damaged.")] : []),
    ...(repair === null
      ? askedToRepair
        ? ["There is nothing that --repair could mend."]
        : []
      : [
          "",
          `${repair.file} is a new log:`,
          ...repair.runs.map(
            ({ kept, lost, run_id, state }) =>
              `  ${run_id}  ${state === "whole" ? `all ${count(kept, "event")}` : state === "lost" ? "nothing" : `the first ${count(kept, "event")}, cut off there`}${lost === 0 ? "" : `; ${lost} lost at least`}`
          ),
          "The damaged one was left as it is. To put the new one in its place, while nothing works on it:",
          ...repair.steps.map((step) => `  ${step}`)
        ]),
    ""
  ].join("\n")
}
