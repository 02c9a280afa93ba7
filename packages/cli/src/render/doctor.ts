import type { doctorDocument } from "../documents/doctor.ts"
import { count } from "./lines.ts"
import { oneLine, type Style } from "./style.ts"

type Data = typeof doctorDocument.data.Type

/** What a doctor has found, for people. */
export const doctorText = (
  { blobs, findings, healthy, log, programs, repair, runs }: Data,
  asked: { readonly fix: boolean; readonly repair: boolean },
  style: Style
): string => {
  const whole = runs.filter(({ state }) => state === "whole")
  const events = runs.reduce((sum, run) => sum + run.events, 0)
  return [
    `Proofline ${programs.proofline} with Node ${programs.node} and ${programs.git === null ? "no git" : `git ${programs.git}`}.`,
    // that there is none is a finding
    ...(runs.length === 0 && blobs === 0
      ? []
      : [
          `${log}: ${whole.length} of ${count(runs.length, "run")} whole, ${count(events, "event")} as written, ${count(blobs, "blob")} read.`
        ]),
    ...findings.flatMap((finding) => linesOf(finding, style)),
    ...(healthy ? [closing(findings, style)] : []),
    ...fixable(findings, asked.fix),
    ...repaired(repair, asked.repair),
    ""
  ].join("\n")
}

/** What follows from the findings where none is an error that is left. */
const closing = (findings: Data["findings"], style: Style): string => {
  const warnings = findings.filter(({ fixed, severity }) => !fixed && severity === "warning").length
  if (findings.length === 0) return style.green("Nothing is wrong.")
  // what is not there any more cannot be judged
  const nothing = findings.some(({ check, fixed }) => check === "log" && !fixed) ? "Nothing that is left" : "Nothing"
  return warnings === 0
    ? style.green(`${nothing} is damaged, and nothing keeps a run from working.`)
    : style.yellow(
        `${nothing} is damaged. ${warnings === 1 ? "The warning" : `The ${warnings} warnings`} above may get in the way of a run.`
      )
}

const linesOf = (
  { code, fix, fixed, message, place, severity }: Data["findings"][number],
  style: Style
): ReadonlyArray<string> => {
  const marks = { error: style.red("✘"), warning: style.yellow("!"), note: style.dim("·") }
  return [
    `${fixed ? style.green("✔") : marks[severity]} ${oneLine(message, 1_000)} [${code}]`,
    // what is missing there is said
    ...(place === "PATH" ? [] : [style.dim(`    ${place}`)]),
    `    ${fixed ? `Done: ${fix}` : fix}`
  ]
}

/** That something more could be done at once. */
const fixable = (findings: Data["findings"], isAsked: boolean): ReadonlyArray<string> => {
  const left = findings.filter((one) => one.fixable && !one.fixed).length
  return isAsked || left === 0 ? [] : [`--fix does ${left === 1 ? "one" : left} of this, and loses nothing.`]
}

const repaired = (repair: Data["repair"], isAsked: boolean): ReadonlyArray<string> =>
  repair === null
    ? isAsked
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
      ]
