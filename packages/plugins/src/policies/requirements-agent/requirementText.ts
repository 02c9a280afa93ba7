import { enumerated } from "@proofline/kernel"
import { fenced } from "../../text/fenced.ts"
import type {
  AcceptanceCriterion,
  CompletedTask,
  Requirement,
  RequirementDefinition
} from "../requirements/contract.ts"
import { bullets, code, inOneLine, quoted, section, shortened } from "./text.ts"

export const contextSection = ({ context }: RequirementDefinition): string | null =>
  context.trim() === "" ? null : section("Context", fenced(context.trim()))

export const constraintsSection = ({ constraints }: RequirementDefinition): string | null =>
  constraints.length === 0 ? null : section("Constraints", `All of them always hold:\n\n${bullets(constraints)}`)

/** A requirement with all its criteria; `standing` says what is known of one, null: nothing. */
export const requirementText = (
  requirement: Requirement,
  standing: (criterion: AcceptanceCriterion) => string | null
): string => {
  const { acceptance_criteria, description, id, name, priority } = requirement
  const head = `### ${id}${name === null ? "" : `: ${inOneLine(name)}`} (${priority})`
  return [
    head,
    description.trim() === "" ? null : quoted(description),
    "Acceptance criteria:",
    bullets(acceptance_criteria.map((criterion) => criterionText(criterion, standing(criterion))))
  ]
    .filter((part) => part !== null)
    .join("\n\n")
}

const criterionText = ({ check, criterion, id, verify }: AcceptanceCriterion, known: string | null): string =>
  [
    `${id}: ${criterion.trim()}`,
    check === null ? null : `check, must exit 0: ${code(check.trim())}`,
    verify === null ? null : `how to see it: ${verify.trim()}`,
    known
  ]
    .filter((line) => line !== null)
    .join("\n")

/** Characters of what an agent said at its end. */
const maxSummary = 500

/** In a line or two: what it was and what came of it. */
export const outcomeText = ({ covers, id, status, summary, title }: CompletedTask): string =>
  [
    `${id}: ${inOneLine(title)} (${status})${covers.length === 0 ? "" : `, covers ${covers.join(", ")}`}`,
    summary.trim() === "" ? null : `said: ${shortened(inOneLine(summary), maxSummary)}`
  ]
    .filter((line) => line !== null)
    .join("\n")

/** The same with what shows it. */
export const provenText = (task: CompletedTask): string =>
  [
    outcomeText(task),
    task.files.length === 0 ? null : `changed: ${enumerated(task.files, maxFiles)}`,
    ...task.checks.map((check) => `check: ${code(check)}`),
    ...task.items.map(({ evidence, item, reason, verdict }) => {
      const why = evidence ?? reason
      return `item, ${verdict}: ${inOneLine(item)}${why === null ? "" : ` (${inOneLine(why)})`}`
    })
  ]
    .filter((line) => line !== null)
    .join("\n")

const maxFiles = 20
