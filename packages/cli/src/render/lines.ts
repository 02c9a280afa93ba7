import {
  budgetExceeded,
  type CheckRun,
  checkEnding,
  counted,
  enumerated,
  type Failure,
  failedChecks,
  failedNamed,
  hasEndedWell,
  hasPassed,
  isFailedInWords,
  type KernelEvent,
  type Recorded,
  type ReviewCheck,
  refusalMax,
  remarksOn,
  type Weakness,
  whySkipped,
  withoutMiddle
} from "@proofline/kernel"
import { oneLine, plain, type Style, withEnd } from "./style.ts"

/** What happened, as a line for people; null for events that only the full log shows. */
export const eventLine = (recorded: Recorded, style: Style): string | null => {
  const text = wording({ type: recorded.event_type, content: recorded.content } as unknown as KernelEvent, style)
  return text === null ? null : timed(recorded, text, style)
}

/** A line with the time of what happened in front, UTC. */
export const timed = ({ timestamp }: Pick<Recorded, "timestamp">, text: string, style: Style): string =>
  `${style.dim(timestamp.slice(11, 19))} ${text}`

/** Events stand here as they were written: before version 4 it was a list of ids. */
const reopenedIds = (reopened: ReadonlyArray<string | { readonly task_id: string }>): ReadonlyArray<string> =>
  reopened.map((one) => (typeof one === "string" ? one : one.task_id))

/** A refusal ends with what would do instead; `show` has all of it. */
const refusal = (message: string): string => withEnd(message, 800)

const wording = (event: KernelEvent, style: Style): string | null => {
  const { content, type } = event
  switch (type) {
    case "RUN_STARTED":
      return `${style.bold("run")} ${content.run_id} started: ${oneLine(content.name, 80)}`
    case "RUN_RESUMED":
      return `${style.bold("run")} resumed${content.only === undefined ? "" : ` for ${content.only.tasks.join(", ")} only`}${content.reopened.length > 0 ? `; taken up again: ${reopenedIds(content.reopened).join(", ")}` : ""}`
    case "RUN_COMPLETED":
      return style.green(
        style.bold(
          `run completed: ${counted(content.completed, "task")}, ${counted(content.proven, "item")} proven, ${content.waived} waived`
        )
      )
    case "RUN_INCOMPLETE":
      return style.yellow(style.bold(`run incomplete: ${content.reason}`))
    case "RUN_FAILED":
      return content.reason === "budget"
        ? style.yellow(style.bold(`run stopped: ${oneLine(content.message, 240)}`))
        : style.red(style.bold(`run failed: ${oneLine(content.message, 240)}`))
    case "RUN_CANCELLED":
      return style.yellow(style.bold(`run cancelled: ${content.reason}`))
    case "ACTIVITY_FAILED":
      return content.code === budgetExceeded
        ? `${style.yellow(`${content.name} waits for a resume`)}: ${oneLine(content.message, 240)}`
        : content.awaited_by?.consequence === "survived"
          ? `${style.yellow("warning: ")}${oneLine(content.message, 240)}`
          : `${style.red(`${content.name} could not be carried out`)}: ${oneLine(content.message, 240)}`
    default:
      return taskWording(event, style)
  }
}

/** Of one task. */
const taskWording = (event: KernelEvent, style: Style): string | null => {
  const { content, type } = event
  switch (type) {
    case "TASK_STARTED":
      return null
    case "TASK_STATUS_CHANGED":
      // why stands in the line of its attempt
      if (content.to === "pending" && content.from === "in_progress")
        return `${content.task_id}: ${style.yellow("waits")} for another agent, or a resume`
      return content.to === "retrying"
        ? againText(content.task_id, content, content.reason, style)
        : `${content.task_id}: ${style.yellow(content.to)} (${oneLine(content.reason, 160)})`
    case "TASK_COMPLETED":
      return `${content.task_id}: ${style.green("✔ completed")} after ${counted(content.attempts, "attempt")}${shownItems(content)}`
    case "TASK_FAILED":
      return content.verdict === "unproven"
        ? `${content.task_id}: ${style.yellow("! UNPROVEN")}: ${refusal(content.message)}`
        : `${content.task_id}: ${style.red("✘ failed")}${content.attempts === 0 ? "" : ` after ${counted(content.attempts, "attempt")}`}: ${refusal(content.message)}`
    case "TASK_SKIPPED":
      return `${content.task_id}: ${style.yellow("skipped")}: ${whySkipped(content)}`
    default:
      return attemptWording(event, style)
  }
}

/** What of a task is shown, by its own items; a task that was split may have none. */
const shownItems = ({
  proven,
  waived,
  weak = 0
}: {
  readonly proven: number
  readonly waived: number
  readonly weak?: number | undefined
}): string =>
  proven + waived + weak === 0
    ? ""
    : `: ${proven} proven, ${weak === 0 ? "" : `${weak} weak, as accepted, `}${waived} waived`

/** How long is waited; nobody counts in milliseconds. */
const waitText = (ms: number): string =>
  ms < 120_000
    ? `${Math.round(ms / 100) / 10} s`
    : ms < 7_200_000
      ? `${Math.round(ms / 60_000)} min`
      : `${Math.round(ms / 360_000) / 10} h`

/** What is tried again: when, which retry it is unless none is spent, and why. */
const againText = (
  id: string,
  { delay_ms, retry_count }: { readonly delay_ms: number; readonly retry_count: number },
  reason: string,
  style: Style
): string => {
  const when = delay_ms === 0 ? "again at once" : `again in ${waitText(delay_ms)}`
  const which = delay_ms === 0 || retry_count === 0 ? "" : `retry ${retry_count}: `
  return `${id}: ${style.yellow(when)} (${which}${reasonText(reason)})`
}

const reasonWords: Readonly<Record<string, string>> = {
  attempt_lost: "its attempt was lost",
  payload_mismatch: "its report was refused"
}

/** The code of a reason in words. */
const reasonText = (reason: string): string => reasonWords[reason] ?? oneLine(reason.replaceAll("_", " "), 160)

/** Of one attempt, and of what it claims. */
const attemptWording = (event: KernelEvent, style: Style): string | null => {
  const { content, type } = event
  switch (type) {
    case "ATTEMPT_STARTED":
      return `${content.task_id}: attempt ${content.attempt} (${content.agent})`
    case "ATTEMPT_ENDED":
      return content.outcome === "COMPLETE"
        ? null
        : `${content.task_id}: ${style.red(`attempt ${content.attempt} ended as ${content.outcome}`)}${content.error === null ? "" : `: ${refusal(content.error.message)}`}`
    case "CHECKLIST_ITEM_ACCEPTED":
      return content.verdict !== "waived"
        ? `${content.task_id}: ${style.green(`✔ ${content.verdict}`)}  ${oneLine(content.item, 80)} ${style.dim(content.evidence ?? "")} ${style.yellow(weakness(content.weak ?? []))}`.trimEnd()
        : `${content.task_id}: ${style.yellow("~ waived")}  ${oneLine(content.item, 80)} ${style.dim(oneLine(content.reason ?? "", 80))}`
    case "CHECKLIST_ITEM_REJECTED":
      return `${content.task_id}: ${style.red("✘ refused")} ${content.item === null ? "" : `${oneLine(content.item, 80)}: `}${refusal(refusedBecause(content))} ${style.dim(`[${content.key}]`)}`
    case "CHECKLIST_ITEM_CANNOT":
      return `${content.task_id}: ${style.yellow("? cannot be done")}  ${oneLine(content.item, 80)}: ${oneLine(content.reason, 200)} ${style.dim(content.evidence ?? "")}`.trimEnd()
    case "PERSON_ASKED":
      return `${content.task_id}: ${style.yellow("waits for a person")} (${counted(content.items.length, "item")})`
    case "PERSON_ANSWERED":
      return `${content.task_id}: a person answered ${style.bold(content.answer)}: ${oneLine(content.item, 80)}${content.text === "" ? "" : `: ${oneLine(content.text, 200)}`}`
    case "PERMISSION_ASKED":
      return `${content.task_id}: ${style.yellow(`? ${oneLine(content.agent, 60)} asks whether it may`)}: ${oneLine(content.title, 200)} ${style.dim(`[${content.permission}]`)}`
    case "PERMISSION_ANSWERED":
      return `${content.task_id}: a person answered ${style.bold(content.answer)} ${style.dim(`[${content.permission}]`)}${content.text === "" ? "" : `: ${oneLine(content.text, 200)}`}`
    case "PERMISSION_WITHDRAWN":
      return `${content.task_id}: nobody waits for an answer any more ${style.dim(`[${content.permission}]`)}`
    case "GATE_REFUSED":
      return `${content.task_id}: ${style.red("✘ refused")} by the gate ${oneLine(content.gate, 80)}: ${refusal(content.message)} ${style.dim(`[${content.reason}]`)}`
    case "VERIFICATION_RUN": {
      const failed = content.checks.filter((check) => !hasPassed(check))
      return content.passed
        ? `${content.task_id}: ${style.green(`✔ checks passed`)} (${content.checks.length}) ${style.yellow(oneLine(remarks(content.checks), 300))}`.trimEnd()
        : `${content.task_id}: ${notCounted(failed, style)}`
    }
    case "QUALITY_JUDGMENT":
      return `${content.task_id}: review by ${content.reviewer}: ${content.judgment === "PASS" ? style.green("PASS") : style.red(content.judgment)}${content.judgment === "PASS" ? "" : ` ${oneLine(objection(content), 160)}`}${changedBy(content.changed_files ?? [], style)}`
    default:
      return chunkingWording(event, style)
  }
}

/** Of a task that is split, and of its subtasks. */
const chunkingWording = (event: KernelEvent, style: Style): string | null => {
  const { content, type } = event
  switch (type) {
    case "CHUNKING_START":
      return `${content.parent_task_id}: looking whether it can be split`
    case "CHUNKING_ANALYSIS":
      return content.execution_mode === null
        ? null
        : `${content.parent_task_id}: ${style.bold(`split into ${content.subtask_count} subtasks`)}, ${content.execution_mode}: ${oneLine(content.decomposition_reason, 160)}`
    case "CHUNKING_SKIPPED":
      return `${content.parent_task_id}: ${quiet.has(content.reason) ? "" : style.yellow("warning: ")}run in one piece: ${oneLine(content.message, 240)}`
    case "SUBTASK_START":
      return null
    case "SUBTASK_COMPLETE":
      return `${content.subtask_id}: ${style.green("✔ completed")} after ${counted(content.attempts, "attempt")}${shownItems(content)}`
    case "PARALLEL_ATTEMPTS_START":
      return `${content.parent_task_id}: ${style.bold(`${content.attempts} attempts beside each other`)}, the first that is proven wins`
    case "PARALLEL_ATTEMPT_WON":
      return `${content.parent_task_id}: ${style.green(content.subtask_id)} is proven first, the others are ended`
    case "SUBTASK_FAILED":
      if (content.failure_reason === "overtaken") return `${content.subtask_id}: ${style.dim("overtaken")}`
      return `${content.subtask_id}: ${style.red("✘ failed")} (${content.failure_reason}) after ${counted(content.attempts, "attempt")}${content.message === "" ? "" : `: ${refusal(content.message)}`}`
    case "SUBTASK_RETRY":
      return againText(content.subtask_id, content, content.failure_reason, style)
    case "CHUNKING_AGGREGATION": {
      const { conflicts, given_up = [], outcome, total_files_modified } = content.aggregation_result
      const overwritten = given_up.length === 0 ? "" : `, ${given_up.length} of them as the later one left them`
      const what = `${counted(total_files_modified, "file")} changed, ${counted(conflicts.length, "conflict")}${overwritten}`
      return `${content.parent_task_id}: subtasks put together: ${outcome === "merged" ? what : style.red(what)}`
    }
    default:
      return null
  }
}

const changedBy = (files: ReadonlyArray<string>, style: Style): string =>
  files.length === 0
    ? ""
    : ` ${style.yellow("warning:")} while it judged, these files were changed: ${oneLine(enumerated(files, 5), 240)}`

/** What a reviewer found: the criteria that are not met, where it says them, else what must be changed. */
export const objection = ({
  checks,
  modification_prompt
}: {
  readonly checks: ReadonlyArray<ReviewCheck>
  readonly modification_prompt: string | null
}): string => {
  const failed = checks.filter(({ passed }) => !passed)
  return failed.length === 0
    ? (modification_prompt ?? "")
    : failed.map(({ criterion, details }) => `${criterion}${details === undefined ? "" : `: ${details}`}`).join("; ")
}

/** Reasons to run a task in one piece that are no news. */
const quiet: ReadonlySet<string> = new Set(["disabled", "auto_detect_off", "not_decomposable"])

/**
 * Why a claim was refused. Where no report could be read, that is all that there is to say: its items are missing because of
 * that. Events stand here as they were written.
 */
export const refusedBecause = ({ fields = {}, message }: Partial<Failure> & Pick<Failure, "message">): string =>
  fields["problems"] === undefined || fields["unknown"] !== undefined || fields["repeated"] !== undefined
    ? message
    : String(fields["problems"])

/** Checks of several items are one command. */
const remarks = (checks: ReadonlyArray<CheckRun>): string =>
  [...new Set(checks.flatMap((check) => remarksOn(check).map((remark) => `\`${check.command}\`: ${remark}`)))].join(" ")

/** Checks that failed, and those that passed and do not count all the same; a sentence names its command itself. */
const notCounted = (checks: ReadonlyArray<CheckRun>, style: Style): string => {
  const said = (isWell: boolean) =>
    checks
      .filter((check) => hasEndedWell(check) === isWell)
      .map((check) =>
        isFailedInWords(check)
          ? refusal(failedChecks([check], []))
          : `\`${oneLine(check.command, 80)}\` (${[checkEnding(check), failedNamed(check, 3)].filter((part) => part !== "").join("; ")})`
      )
  const [failed, passed] = [said(false), said(true)]
  return [
    ...(failed.length === 0 ? [] : [`${style.red("✘ check failed")} ${failed.join(", ")}`]),
    ...(passed.length === 0 ? [] : [`${style.red("✘ check passed, and does not count:")} ${passed.join(" ")}`])
  ].join("; ")
}

/** Why evidence that was accepted is weak, in words; empty when it is not. */
export const weakness = (weak: ReadonlyArray<Weakness>): string =>
  weak.length === 0 ? "" : `weak: ${oneLine(weak.map(({ message }) => message).join(" "), 200)}`

/** A message of a task whole: where it asks a person for something, its last lines are what to type. */
export const messageLines = (message: string): ReadonlyArray<string> =>
  message === "" ? [] : withoutMiddle(plain(message), refusalMax).split("\n")

export { counted as count }
