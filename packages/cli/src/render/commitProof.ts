import type { AttachedRun, CommitProof, Finding } from "../documents/attached.ts"
import { count } from "./lines.ts"
import { oneLine, plain, type Style } from "./style.ts"
import { verificationText } from "./verification.ts"

/** Changed files without a receipt that are named. */
const unknownMax = 20

/** What is attached to a commit, for people: every run with its receipts, then what speaks against it, and what nothing speaks of. */
export const commitProofText = (proof: CommitProof, style: Style): string => {
  const { findings, runs, unknown } = proof
  return [
    style.bold(`${proof.base === null ? "Commit" : `Commits from ${proof.base} to`} ${proof.commit}`),
    ...findings.filter(isAside).map((one) => findingLine(one, style)),
    "",
    ...runs.flatMap((run) => [runHead(run, style), verificationText(run, style)]),
    ...(unknown.length === 0
      ? []
      : [
          style.yellow(`Unknown: ${count(unknown.length, "changed file")} of which no receipt speaks.`),
          ...unknown.slice(0, unknownMax).map((path) => `  ${oneLine(path, 200)}`),
          ...(unknown.length > unknownMax ? [`  and ${unknown.length - unknownMax} more`] : [])
        ]),
    verdictLine(proof, style),
    ""
  ].join("\n")
}

const runHead = ({ claimed_by, commit, project, signature }: AttachedRun, style: Style): string => {
  const place = commit === null ? "Found by the name of its run" : `Attached to ${commit}`
  const signer =
    signature?.checked === true || claimed_by.length === 0 ? "" : `, said to be signed with ${claimed_by.join(", ")}`
  return style.dim(plain(`${place}${project === "" ? "" : `, of the project ${project}`}${signer}:`))
}

/** Those that are not said with a receipt or with the files. */
const isAside = ({ rule }: Finding): boolean => !/^receipt-|^file-|^run-/.test(rule)

const findingLine = ({ level, message }: Finding, style: Style): string => {
  const text = plain(message).replaceAll("\n", " ")
  return level === "error" ? style.red(`✘ ${text}`) : level === "warning" ? style.yellow(`! ${text}`) : `  ${text}`
}

const verdictLine = ({ findings, runs, whole }: CommitProof, style: Style): string => {
  if (whole) return style.green(`✔ Proven: ${count(runs.length, "run")}, and all receipts hold.`)
  return style.red(
    runs.length === 0
      ? "✘ Unknown: there are no receipts."
      : `✘ Not proven: ${count(findings.filter(({ level }) => level === "error").length, "fault")}.`
  )
}
