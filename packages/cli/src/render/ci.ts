/** What `proofline ci` says to code hosts: annotations, a summary, SARIF. */
import type { CommitProof, Finding, FindingRule } from "../documents/attached.ts"
import { count } from "./lines.ts"
import { type SarifRule, sarif } from "./sarif.ts"
import { oneLine, plain } from "./style.ts"
import { escaped } from "./traceabilityText.ts"

const rules: Readonly<Record<FindingRule, readonly [name: string, description: string]>> = {
  "receipt-stale": [
    "Stale receipt",
    "The lines that proved an item have changed since. Prove it again, or undo the change."
  ],
  "receipt-missing": ["Missing lines", "The lines that proved an item are gone. Prove it again, or bring them back."],
  "receipt-moved": ["Moved receipt", "The lines that proved an item are the same, at another place."],
  "run-unproven": ["Unproven run", "A run whose receipts are attached has not shown all that it requires."],
  "receipts-none": ["No receipts", "No receipts are attached to the change, or they were not fetched."],
  "receipts-inherited": ["Receipts of an earlier commit", "Receipts are attached to a commit before this one alone."],
  "receipts-by-content": [
    "Receipts of another commit",
    "Receipts were found by what they show: their commit was rebased or squashed."
  ],
  "receipts-elsewhere": [
    "Receipts of another project",
    "Receipts are attached for projects in other folders of the repository."
  ],
  "file-unknown": ["File without receipts", "A changed file of which no receipt that holds speaks."],
  "attached-unreadable": [
    "Unreadable receipts",
    "Something attached is no envelope of receipts, was cut off, or is larger than what is read."
  ],
  "signature-broken": ["Broken signature", "Receipts say that a trusted key signed them, and it did not sign this."],
  "signer-unknown": ["Unknown signer", "No key that is trusted here signed the receipts."],
  "signature-none": ["No signature", "The receipts are not signed: nothing tells who wrote them."]
}

/** Findings that somebody is to do something about. */
const told = ({ findings }: CommitProof): ReadonlyArray<Finding> => [
  ...findings.filter(({ level }) => level === "error"),
  ...findings.filter(({ level }) => level === "warning")
]

/** A file that a finding can be shown at, where it is about none: one of its run, or any of the change. */
const placeFor = ({ runs, unknown }: CommitProof, { run_id }: Finding): string => {
  const run = runs.find((one) => one.run_id === run_id) ?? runs[0]
  const [, path] = /^"?(.+?)"?:\d+(?:-\d+)?$/.exec(run?.receipts[0]?.evidence ?? "") ?? []
  return path === undefined ? (unknown[0] ?? ".") : `${run?.project ? `${run.project}/` : ""}${path}`
}

export const proofSarif = (proof: CommitProof): string => {
  const log = sarif({
    rules: Object.entries(rules).map(([id, [name, description]]): SarifRule => ({ id, name, description })),
    results: told(proof).map((finding) => ({
      ruleId: finding.rule,
      level: finding.level,
      message: plain(finding.message),
      file: finding.path ?? placeFor(proof, finding),
      ...(finding.start === null ? {} : { line: finding.start, endLine: finding.end ?? finding.start }),
      ...(finding.task_id === null ? {} : { fingerprint: `${finding.task_id} ${finding.item_index}` })
    }))
  })
  return `${JSON.stringify(log, null, 2)}\n`
}

/** Commands of the runner of GitHub Actions, which shows them at the lines of the change. */
export const annotations = (proof: CommitProof): ReadonlyArray<string> =>
  told(proof).map((finding) => {
    const { end, level, message, path, rule, start } = finding
    const properties = [
      ...(path === null ? [] : [`file=${property(path)}`]),
      ...(path === null || start === null ? [] : [`line=${start}`, `endLine=${end ?? start}`]),
      `title=${property(`Proofline: ${rules[rule][0]}`)}`
    ]
    return `::${level} ${properties.join(",")}::${data(plain(message))}`
  })

const data = (text: string): string => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")

const property = (text: string): string => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C")

/** Rows of a table that are shown at most; a summary holds 1 MiB. */
const rowsMax = 100

/** The summary of a job, for people. */
export const summaryMarkdown = (proof: CommitProof): string => {
  const { commit, runs, unknown, whole } = proof
  const found = told(proof)
  return [
    `## Proofline: ${whole ? "✔ proven" : runs.length === 0 ? "✘ unknown" : "✘ not proven"}`,
    "",
    `${count(runs.length, "run")} for commit \`${commit}\`${unknown.length === 0 ? "" : `; no receipt speaks of ${count(unknown.length, "changed file")}`}.`,
    "",
    ...table(
      ["run", "proven", "moved", "stale", "missing", "signed"],
      runs.map(({ counts, receipts, run_id, signature }) => [
        run_id,
        `${receipts.filter(({ status }) => status === "proven").length}`,
        `${counts.re_anchored}`,
        `${receipts.filter(({ status }) => status === "stale").length}`,
        `${counts.missing}`,
        signature?.checked === true
          ? `by ${signature.keyid?.slice(0, 12)}`
          : signature?.signed === true
            ? "not checked"
            : "no"
      ])
    ),
    ...table(
      ["", "what", "where"],
      found.map(({ level, message, path, start }) => [
        level,
        message,
        path === null ? "" : `${path}${start === null ? "" : `:${start}`}`
      ])
    ),
    ...(unknown.length === 0
      ? []
      : [
          "Changed files without receipts:",
          "",
          ...unknown.slice(0, rowsMax).map((path) => `- ${escaped(oneLine(path, 300))}`),
          ""
        ]),
    ""
  ].join("\n")
}

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  if (rows.length === 0) return []
  const row = (cells: ReadonlyArray<string>) => `| ${cells.map((cell) => escaped(oneLine(cell, 400))).join(" | ")} |`
  return [
    row(head),
    `|${head.map(() => " --- |").join("")}`,
    ...rows.slice(0, rowsMax).map(row),
    ...(rows.length > rowsMax ? [row([`and ${rows.length - rowsMax} more`, ...head.slice(1).map(() => "")])] : []),
    ""
  ]
}
