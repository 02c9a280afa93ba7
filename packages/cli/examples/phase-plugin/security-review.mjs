/**
 * A phase of your own, in any contract: before the whole is verified, the agent reviews what it wrote for weaknesses.
 *
 *     cp node_modules/proofline/examples/phase-plugin/security-review.mjs .
 *
 * and in proofline.yaml: `plugins: [./security-review.mjs]`. Every field is explained in docs/pull-mode.md.
 */
import { definePlugin, plugin, Run, Tasks, tasksOf } from "@proofline/kernel"
import { phases, SessionRun } from "@proofline/plugins/policies/sessions"

const Review = plugin("security-review", { state: null, after: [Run, Tasks, SessionRun] })

/** Files that the work is shown by: lines in them were accepted as evidence. */
const filesOf = (state) =>
  new Set(
    tasksOf(state).flatMap(({ items }) =>
      items.flatMap(({ receipt }) => (receipt?.kind === "lines" ? [receipt.path] : []))
    )
  )

/** What else must be so. Pure: a replay asks it again, with the state of that moment and without any file. */
const validate = (state, { findings, reviewed_files, verdict }) => {
  const reviewed = new Set(reviewed_files)
  return [
    ...[...filesOf(state)]
      .filter((file) => !reviewed.has(file))
      .map((file_path) => ({
        key: "file_not_reviewed",
        fields: { file_path },
        message: `${file_path} was written for this work and not reviewed.`
      })),
    ...findings
      .filter(({ mitigation, risk }) => verdict === "clear" && risk === "high" && (mitigation ?? "").trim().length < 10)
      .map(({ weakness }) => ({
        key: "risk_open",
        fields: { weakness },
        message: `The weakness "${weakness}" is of high risk, and nothing is done about it.`
      })),
    ...(verdict === "mend" && findings.length === 0
      ? [{ key: "nothing_to_mend", message: "The verdict is `mend`, but no weakness is named." }]
      : [])
  ]
}

const instruction = `Review what was written for weaknesses, as somebody would who wants to break in: input that nobody checks, secrets in code or logs, missing authorisation, paths and commands made of what users send.
- reviewed_files: every file that was written. Those that the evidence names must be among them.
- findings: what you found, e.g. {"file": "src/login.js", "weakness": "The password is logged", "risk": "high"}. A list that is empty says that there is nothing.
- verdict: "mend" when something must be changed first; you are then asked for a plan. "clear" when nothing has to be; of each finding of high risk say in mitigation what keeps it from doing harm (min 10 characters).
Submit via submit_phase(data={"verdict": "clear", "reviewed_files": ["src/login.js"], "findings": []}).`

export default definePlugin(Review, {
  version: "1",
  parts: [
    Review.offer(phases, "phase", {
      name: "SECURITY_REVIEW",
      // comes before what follows READY_COMPLETE otherwise; in the contract `full` a flag can say that nothing is verified
      enters: [{ from: "READY_COMPLETE", unless: { flags: ["no_verify"] } }],
      phase: {
        kind: "submit",
        expected_payload: {
          verdict: "clear|mend",
          reviewed_files: "list[str]",
          findings: "list[{file: str, weakness: str, risk: low|high, mitigation?: str}]"
        },
        instruction,
        not_empty: ["reviewed_files"],
        min_chars: {},
        writes: false,
        explores: [],
        also: [],
        checks: [],
        transitions: [{ to: "READY_PLAN", when: { payload: { verdict: "mend" } } }, { to: "POST_IMPL_VERIFY" }]
      },
      failures: {
        file_not_reviewed: {
          error: "payload_mismatch",
          message: "{file_path} is cited as evidence, so it was written. Review it too, and name it in reviewed_files."
        },
        risk_open: {
          error: "payload_mismatch",
          message:
            'The weakness "{weakness}" is of high risk. Say in mitigation what keeps it from doing harm, or answer "mend".'
        }
      },
      validate
    })
  ]
})
