import type { Recorded } from "@proofline/kernel"
import { lineOf } from "./sizeLimit.ts"

// biome-ignore lint/suspicious/noExplicitAny: what was appended fits the schema of its type
type Fields = Readonly<Record<string, any>>

/** An event as a log shows it. */
export const eventLine = (event: Recorded) => ({
  version: event.version,
  at: event.timestamp,
  type: event.event_type,
  text: eventText(event)
})

/** An event in one line for a reader, without control characters. */
export const eventText = ({ content, event_type }: Pick<Recorded, "content" | "event_type">): string =>
  lineOf(sentenceOf(event_type, content as Fields), maxLine)

const maxLine = 200

const sentenceOf = (type: string, content: Fields): string => {
  const task = content["task_id"] ?? content["subtask_id"] ?? content["parent_task_id"]
  switch (type) {
    case "RUN_STARTED":
      return `The run ${content["name"]} began.`
    case "RUN_RESUMED":
      return "The run was taken up again."
    case "RUN_COMPLETED":
      return `The run is completed: ${content["completed"]} of ${content["total"]} tasks, ${content["proven"]} items proven.`
    case "RUN_INCOMPLETE":
    case "RUN_CANCELLED":
      return `The run ended: ${content["reason"]}.`
    case "RUN_FAILED":
      return `The run failed: ${content["message"] || content["reason"]}.`
    case "PHASE_ENTERED":
      return `Phase ${content["phase"]} was entered.`
    case "PHASE_SUBMITTED":
      return `${content["by"] === "person" ? "A person answered in" : "An agent handed in"} ${content["phase"]}.`
    case "PHASE_REJECTED":
      return `What was handed in for ${content["phase"]} was refused: ${sentences(content["failures"])}`
    case "PHASE_VERIFIED":
      return `The commands that verify ${content["phase"]} ${content["passed"] ? "passed" : "failed"}.`
    case "SESSION_OPENED":
      return `A session of ${content["agent"]} was opened.`
    case "SESSION_CLOSED":
      return `The session ended: ${content["reason"]}.`
    case "NEXT_ACTION_ISSUED":
      return `Told to ${content["action"]}${content["task_id"] === null ? "" : ` ${content["task_id"]}`}.`
    case "COMPLETION_REPORTED":
      return `Completion was reported: ${content["result"]}.`
    case "WRITE_TARGET_CHECKED":
      return `Writing ${content["file_path"]} was ${content["allowed"] ? "allowed" : `refused: ${content["code"]}`}.`
    case "TASKS_CREATED":
      return `Tasks were created: ${(content["ids"] as ReadonlyArray<string>).join(", ")}.`
    case "TASK_REGISTERED":
      return `Task ${task}: ${content["title"]}`
    case "TASK_ASSIGNED":
      return `Task ${task} belongs to ${content["assignee"] ?? "nobody"}.`
    case "TASK_STATUS_CHANGED":
      return `Task ${task} went from ${content["from"]} to ${content["to"]}${content["reason"] === "" ? "" : `: ${content["reason"]}`}.`
    case "TASK_COMPLETED":
      return `Task ${task} is completed: ${content["proven"]} items proven, ${content["waived"]} waived.`
    case "TASK_FAILED":
      return `Task ${task} failed: ${content["message"] || content["reason"]}`
    case "CHECKLIST_REPORTED":
      return `Task ${task} was reported: ${content["summary"]}`
    case "CHECKLIST_ITEM_ACCEPTED":
      return `Task ${task}, '${content["item"]}': ${content["verdict"]}${content["evidence"] === null ? "" : ` by ${content["evidence"]}`}.`
    case "CHECKLIST_ITEM_REJECTED":
      return `Task ${task} was refused: ${content["message"]}`
    case "CHECKLIST_ITEM_CANNOT":
      return `Task ${task}, '${content["item"]}' cannot be done: ${content["reason"]}`
    case "PERSON_ASKED":
      return `Task ${task} waits for a person.`
    case "PERSON_ANSWERED":
      return `A person answered of task ${task}, '${content["item"]}': ${content["answer"]}${content["text"] === "" ? "" : `: ${content["text"]}`}`
    case "GATE_REFUSED":
      return `Task ${task} was refused by the gate ${content["gate"]}: ${content["message"]}`
    case "ATTEMPT_STARTED":
      return `Attempt ${content["attempt"]} at task ${task} began, by ${content["agent"]}.`
    case "ATTEMPT_ENDED":
      return `Attempt ${content["attempt"]} at task ${task} ended: ${content["outcome"]}.`
    case "VERIFICATION_RUN":
      return `The checks of task ${task} ${content["passed"] ? "passed" : "failed"}.`
    case "QUALITY_JUDGMENT":
      return `Task ${task} was judged: ${content["judgment"]}.`
    default:
      return typeof task === "string" ? `Task ${task}: ${words(type)}.` : `${words(type)}.`
  }
}

const words = (type: string): string => type.toLowerCase().replaceAll("_", " ")

const sentences = (failures: ReadonlyArray<{ readonly message: string }>): string =>
  failures.map(({ message }) => message).join(" ")
