import type { Recorded } from "@proofline/kernel"
import {
  type ContentOf,
  isMetBy,
  type Loop,
  type LoopEvent,
  obligationsOfRequirement
} from "@proofline/plugins/policies/requirements"
import { count } from "./lines.ts"
import { oneLine, type Style, withEnd } from "./style.ts"

/** What happened in the loop of a requirements run, in words; null for what is no news. `loop`: as it is after that. */
export const loopWording = ({ content, event_type }: Recorded, loop: Loop, style: Style): string | null => {
  const event = { type: event_type, content } as unknown as LoopEvent
  switch (event.type) {
    case "REQUIREMENTS_LOADED":
      return `${event.content.changed ? style.yellow("requirements changed") : "requirements"}: ${count(event.content.definition.requirements.length, "requirement")} of ${oneLine(event.content.requirements_path, 100)}`
    case "ITERATION_STARTED":
      return style.bold(
        `iteration ${event.content.iteration}: ${count(event.content.unmet.length, "criterion", "criteria")} to meet`
      )
    case "TASKS_GENERATED":
      return `${count(event.content.tasks.length, "task")} by ${event.content.generator}: ${oneLine(event.content.tasks_yaml_path, 120)}${gap(event.content, style)}`
    case "ANSWER_REFUSED":
      return `${style.red("✘ answer refused")} (${event.content.by}, ${event.content.role}${event.content.requirement_id === null ? "" : ` ${event.content.requirement_id}`}): ${oneLine(event.content.problems.join(" "), 240)}`
    case "REQUIREMENT_VERIFIED":
      return verified(event.content, loop, style)
    case "REQUIREMENTS_MET":
      return `${style.green(style.bold("all required requirements are met"))}${event.content.unmet.length === 0 ? "" : style.yellow(`; optional and not met: ${event.content.unmet.join(", ")}`)}`
    case "REQUIREMENTS_UNMET":
      return style.red(style.bold(oneLine(event.content.message, 240)))
    default:
      return null
  }
}

const gap = ({ uncovered }: ContentOf<"TASKS_GENERATED">, style: Style): string =>
  uncovered.length === 0 ? "" : style.yellow(` warning: no task covers ${uncovered.join(", ")}`)

/** As the end of the run counts it: what is proven may rest on what was accepted though it is weak. */
const acceptedWeak = (requirement: string, loop: Loop): ReadonlyArray<string> => {
  const found = loop.definition?.requirements.find(({ id }) => id === requirement)
  if (found === undefined) return []
  const shown = obligationsOfRequirement(loop, found)
  return [...new Set(shown.flatMap(({ verdict, weak }) => (verdict === "weak" ? weak : [])))]
}

const verified = (
  { criteria, requirement_id, verdict }: ContentOf<"REQUIREMENT_VERIFIED">,
  loop: Loop,
  style: Style
): string => {
  const weak = verdict === "proven" ? acceptedWeak(requirement_id, loop) : []
  // first what decided the verdict
  const open = criteria
    .filter((one) => !isMetBy(one))
    .toSorted((a, b) => Number(b.verdict === verdict) - Number(a.verdict === verdict))
  const word =
    verdict === "proven"
      ? style.green(weak.length === 0 ? "✔ proven" : `✔ weak, as accepted (${weak.join(", ")})`)
      : verdict === "waived"
        ? style.dim("− waived: it was true before")
        : verdict === "unproven"
          ? style.yellow("! unproven")
          : style.red(`✘ ${verdict}`)
  const [first] = open
  return `requirement ${requirement_id}: ${word}${first === undefined ? "" : `  ${first.id}: ${withEnd(first.message, 300)}${open.length > 1 ? ` (and ${open.length - 1} more)` : ""}`}`
}
