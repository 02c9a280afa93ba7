import { fenced } from "../../text/fenced.ts"
import type {
  CompletedTask,
  CriterionVerdict,
  RequirementDefinition,
  VerificationRequest
} from "../requirements/contract.ts"
import { constraintsSection, contextSection, outcomeText, provenText, requirementText } from "./requirementText.ts"
import { bullets, formerSection, handIn, inOneLine, join, section } from "./text.ts"
import { exampleEvidence } from "./verification.ts"

/** What the loop knows beside the requirements, and the one that it asks about. */
export type VerificationPromptMore = Pick<VerificationRequest, "criteria" | "former" | "requirement_id" | "root">

/**
 * What an agent is asked in the role `verify`: about one requirement when `more` names it, else about all. Complete in
 * itself. Source: requirements loop, phase 2.
 */
export const buildRequirementVerificationPrompt = (
  requirements: RequirementDefinition,
  completed_tasks: ReadonlyArray<CompletedTask>,
  more?: VerificationPromptMore
): string => {
  const asked = requirements.requirements.filter(({ id }) => more === undefined || id === more.requirement_id)
  const known = new Map((more?.criteria ?? []).map((verdict) => [verdict.id, verdict]))
  return join([
    more === undefined
      ? "# Verify: which requirements are met?"
      : `# Verify: is requirement ${more.requirement_id} met?`,
    `Find out whether ${more === undefined ? "each requirement" : "the requirement"} below is met by the project as it is now. Run what shows it and read the code; change nothing. Do not repair what you find.`,
    more === undefined ? null : `The project is in ${more.root}; relative paths start there.`,
    formerSection(more?.former),
    contextSection(requirements),
    section(
      more === undefined ? "The requirements" : "The requirement",
      ...asked.map((requirement) => requirementText(requirement, ({ id }) => knownText(known.get(id))))
    ),
    constraintsSection(requirements),
    tasksSection(
      completed_tasks,
      asked.flatMap(({ acceptance_criteria }) => acceptance_criteria.map(({ id }) => id))
    ),
    rulesSection,
    answerSection(asked.map(({ id }) => id))
  ])
}

const knownText = (verdict: CriterionVerdict | undefined): string | null =>
  verdict === undefined ? null : `known so far: ${verdict.verdict}. ${inOneLine(verdict.message)}`.trim()

/** Tasks of the requirement with what shows them, of the others that they were there. */
const tasksSection = (completed: ReadonlyArray<CompletedTask>, criteria: ReadonlyArray<string>): string | null => {
  if (completed.length === 0) return section("What was done for it", "No task is completed so far.")
  const bears = ({ covers, items }: CompletedTask) =>
    [...covers, ...items.flatMap((item) => item.covers ?? [])].some((id) => criteria.includes(id))
  const own = completed.filter(bears)
  const others = completed.filter((task) => !bears(task))
  return section(
    "What was done for it",
    own.length === 0
      ? "No completed task says that it covers one of these criteria."
      : `The words are those of the agents that did it. They are claims, not evidence.\n\n${bullets(own.map(provenText))}`,
    others.length === 0 ? null : `Completed beside it:\n\n${bullets(others.map(outcomeText))}`
  )
}

const rulesSection = section(
  "Rules",
  bullets([
    "A requirement is met only when every one of its acceptance criteria is, and you have seen it yourself. When in doubt it is not met.",
    "Where a criterion says how to see it, do that. Prefer a run to reading.",
    "Evidence is a run: a line `$ <command>`, and below it what that printed. Or it is code that does it: `<file_path>:<line>` or `<file_path>:<start>-<end>`, relative to the project, a path with blanks in double quotes. Give one for each criterion.",
    "A sentence is no evidence, yours or that of a task. What you cite is looked up on disk.",
    "When it is not met, `evidence` says what is missing, so that new tasks can be made of it."
  ])
)

const answerSection = (ids: ReadonlyArray<string>): string => {
  const example = {
    all_requirements_met: true,
    requirement_status: ids.map((requirement_id) => ({ requirement_id, met: true, evidence: exampleEvidence }))
  }
  return section(
    "How to answer",
    `${handIn("submit_verification")} It is JSON:`,
    fenced(JSON.stringify(example, null, 2), "json"),
    bullets([
      "This is only an example. `all_requirements_met` and every `met` are true or false, without quotes; `all_requirements_met` is true exactly when every `met` is.",
      `\`requirement_status\` names ${ids.length === 1 ? `${ids[0]} and nothing else` : "every requirement above once, and no other"}.`,
      "The last JSON of your answer counts: print none after it."
    ])
  )
}
