import { fenced } from "../../text/fenced.ts"
import type { CompletedTask, GenerationRequest, RequirementDefinition } from "../requirements/contract.ts"
import { constraintsSection, contextSection, outcomeText, requirementText } from "./requirementText.ts"
import { bullets, formerSection, handIn, inOneLine, join, section } from "./text.ts"

/** What the loop knows beside the requirements. */
export type GenerationPromptMore = Pick<GenerationRequest, "former" | "iteration" | "root" | "taken_ids" | "unmet">

/** What an agent is asked in the role `generate`. Complete in itself. Source: requirements loop, phase 2. */
export const buildTaskGenerationPrompt = (
  requirements: RequirementDefinition,
  completed_tasks: ReadonlyArray<CompletedTask> = [],
  previous_feedback: string | null = null,
  more?: GenerationPromptMore
): string =>
  join([
    `# Plan: tasks for "${inOneLine(requirements.name)}"${more === undefined ? "" : `, iteration ${more.iteration}`}`,
    "Plan the tasks by which other agents meet the requirements below. Look into the project as far as that helps. Only plan: change nothing, and do not begin with the work.",
    more === undefined ? null : `The project is in ${more.root}; relative paths start there.`,
    formerSection(more?.former),
    contextSection(requirements),
    requirementsSection(requirements, more?.unmet),
    constraintsSection(requirements),
    completedSection(completed_tasks, more?.taken_ids ?? []),
    previous_feedback === null || previous_feedback.trim() === ""
      ? null
      : section("What the last verification found", fenced(previous_feedback.trim())),
    rulesSection(completed_tasks.length > 0),
    strategySection,
    answerSection
  ])

const requirementsSection = (
  { requirements }: RequirementDefinition,
  unmet: ReadonlyArray<string> | undefined
): string => {
  const texts = requirements.map((requirement) =>
    requirementText(requirement, ({ id }) => {
      if (unmet === undefined) return null
      return unmet.includes(id)
        ? "not met"
        : "met already: plan nothing for it, unless your task changes the code that shows it; then cover it too"
    })
  )
  return section("Requirements", ...texts, unmet === undefined ? null : unmetText(requirements, unmet))
}

const unmetText = (
  requirements: RequirementDefinition["requirements"],
  unmet: ReadonlyArray<string>
): string | null => {
  const of = (priority: "required" | "optional") =>
    requirements
      .filter((requirement) => requirement.priority === priority)
      .flatMap(({ acceptance_criteria }) => acceptance_criteria.map(({ id }) => id))
      .filter((id) => unmet.includes(id))
  const required = of("required")
  const optional = of("optional")
  const lines = [
    ...(required.length === 0 ? [] : [`Must be covered by your tasks: ${required.join(", ")}.`]),
    ...(optional.length === 0 ? [] : [`Should be covered too, and may be left out: ${optional.join(", ")}.`])
  ]
  return lines.length === 0 ? null : lines.join("\n")
}

const completedSection = (completed: ReadonlyArray<CompletedTask>, taken: ReadonlyArray<string>): string | null => {
  const done = new Set(completed.map(({ id }) => id))
  const others = taken.filter((id) => !done.has(id))
  if (completed.length === 0 && others.length === 0) return null
  return section(
    "Tasks that there were already",
    completed.length === 0
      ? null
      : `Completed. Their work stands: a new task may depend on them by their ids, and none may do them again.\n\n${bullets(completed.map(outcomeText))}`,
    others.length === 0
      ? null
      : `Not completed. Nothing may depend on them; what is left of them needs new tasks: ${others.join(", ")}.`,
    "All these ids are taken."
  )
}

const rulesSection = (hasCompleted: boolean): string =>
  section(
    "Rules",
    bullets([
      "Every unmet acceptance criterion is covered: `covers` of a task names the ids of the criteria that it meets when it is proven. Name only what it really meets.",
      "Every task can be proven: it has a `checklist`, and `checks` where a command can tell. An item of the checklist is one fact about the result that lines of code will be shown for; a check is a shell command that exits with 0 exactly when the work is done. A command that you write finds faults and proves nothing by itself: without items it shows no criterion. The checks that stand beside criteria above are the user's, and count.",
      "An instruction is understood without the others: what is to be done, in which files, and what must stay as it is.",
      `\`depends_on\` names tasks of your plan${hasCompleted ? " or completed ones" : ""} whose result is needed, or that edit the same file. Tasks without such a tie run at the same time. No circles.`,
      ...(hasCompleted ? ["Output new tasks only. The tasks above stay as they are."] : []),
      "Invent nothing that no requirement asks for."
    ])
  )

const strategySection = section(
  "Strategy",
  bullets([
    "Producers before consumers: what makes an interface, a format or data comes before what uses it.",
    "Setup apart from use: what installs, configures or lays out is a task of its own before the work that needs it.",
    "Merge small similar edits into one task.",
    "No task only writes unit tests, types or fixes lint: that belongs to the task whose work it is."
  ])
)

/** The ids in it are none, so that a prompt that is printed back is no plan. */
const example = `tasks:
  - id: "<a new id: letters, digits, _ . ->"
    name: "a short title"
    depends_on: ["<id of a task>"]
    covers: ["<id of an acceptance criterion>"]
    instruction: |
      What is to be done, in full.
    checks:
      - "a shell command that must exit with 0"
    checklist:
      - "a fact about the result that code can be shown for"
      - {item: "another one", check: "a shell command that shows it"}`

const answerSection = section(
  "How to answer",
  `${handIn("create_tasks")} In the file and in the block it is YAML:`,
  fenced(example, "yaml"),
  bullets([
    "`id`, `name`, `instruction` and `covers` must be there, and `checklist` or `checks`; `depends_on` may be left out.",
    "`validation`, a list of criteria that a reviewer judges, may be added; by itself it proves less.",
    "Write texts with `: `, `#` or quotes in quotes or as a block after `|`."
  ])
)
