import {
  type CheckRun,
  failedChecks,
  hasPassed,
  type ItemState,
  isFailedInWords,
  isShown,
  isUnanswered,
  isWaivedByPerson,
  type Obligation,
  type ProofCounts,
  type RunProof,
  type TaskState,
  verdictCounts
} from "@proofline/kernel"
import type { Body } from "./Answer.ts"

/** Characters of the output of all commands together. */
const maxOutput = 1_500

/** Characters of a payload that was handed in before. */
const maxPayload = 800

/** The end of a text, with an ellipsis before it where it is cut. */
export const endOf = (text: string, length: number): string =>
  text.length > length ? `…${text.slice(1 - length).toWellFormed()}` : text

/** What was handed in last; a long payload is cut, as text. */
export const payloadExcerpt = (payload: Body): unknown => {
  const text = JSON.stringify(payload)
  return text.length > maxPayload ? `${text.slice(0, maxPayload).toWellFormed()}…` : payload
}

/** The checklist of a task as an agent would report it: what was accepted, and what is still to be shown. */
export const checklistBody = ({ items }: TaskState): ReadonlyArray<Body> =>
  items.map((one) => ({
    item: one.item,
    status: reportedStatus(one),
    ...(isWaivedByPerson(one) ? { waived_by: "person" } : {}),
    ...(one.guidance === undefined ? {} : { person_said: one.guidance })
  }))

const reportedStatus = (one: ItemState): string => {
  if (isShown(one.verdict)) return "done"
  if (one.verdict === "waived") return "skipped"
  return isUnanswered(one) ? "cannot" : "pending"
}

/** Only what there is any of: agents pay for every byte. */
const countsBody = (counts: ProofCounts): Body =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))

/** What a run has shown, in few bytes. */
export const proofBody = ({ checks_failed, counts, reviewers, verdict, weak }: RunProof): Body => ({
  verdict,
  counts: countsBody(counts),
  ...(checks_failed === undefined ? {} : { checks_failed }),
  ...(reviewers.length === 0 ? {} : { reviewers }),
  ...(weak.length === 0 ? {} : { weak })
})

/** What shows that a task is done, in few bytes. */
export const shownBody = (verdict: ItemState["verdict"], all: ReadonlyArray<Obligation>): Body => {
  const by = [...new Set(all.flatMap(({ shown_by }) => shown_by ?? []))]
  const weak = [...new Set(all.flatMap((one) => (isShown(one.verdict) ? one.weak : [])))]
  return {
    verdict,
    counts: countsBody(verdictCounts(all)),
    ...(by.length === 0 ? {} : { shown_by: by }),
    ...(weak.length === 0 ? {} : { weak })
  }
}

/** How the commands of a phase ended. */
export interface PhaseVerification {
  readonly passed: boolean
  readonly checks: ReadonlyArray<CheckRun>
}

/** The commands that failed when the phase was verified, with the end of their output. */
export const verificationBody = ({ checks, passed }: PhaseVerification): Body => {
  const failed = checks.filter((check) => !hasPassed(check))
  const shown = failed.slice(0, 5)
  return {
    passed,
    commands: shown.map((check) => ({
      command: endOf(check.command, 200),
      exit_code: check.exit_code,
      timed_out: check.timed_out,
      ...(isFailedInWords(check) ? { why: failedChecks([check], []) } : {}),
      ...(check.failed_tests === undefined ? {} : { failed_tests: check.failed_tests }),
      output: endOf(check.output_tail, Math.floor(maxOutput / shown.length))
    })),
    ...(failed.length > shown.length ? { commands_left_out: failed.length - shown.length } : {})
  }
}

/** Evidence that was accepted and shows less than it seems to. */
export const weaknessesOf = (task: TaskState): ReadonlyArray<{ readonly code: string; readonly message: string }> =>
  task.items.flatMap(({ item, weak }) =>
    weak.map(({ message, reason }) => ({ code: `evidence_${reason}`, message: `'${item}': ${message}` }))
  )
