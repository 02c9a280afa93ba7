import {
  type AttemptState,
  acceptanceCriteria,
  type CheckRun,
  checkEnding,
  checksOf,
  failedChecks,
  failedNamed,
  firstOf,
  hasPassed,
  isFailedInWords,
  isWaivedByPerson,
  type KernelState,
  namedChecksOf,
  otherEvidence,
  parentOf,
  refusalMax,
  type SubtaskState,
  subtaskStateOf,
  subtasksOf,
  type TaskState,
  taskOf,
  tasksOf,
  withoutMiddle
} from "@proofline/kernel"
import { told } from "../../told/index.ts"

/**
 * The prompt of one attempt. Complete in itself: the agent knows nothing of earlier attempts but what stands here.
 * `directory` is where it works.
 */
export const workPrompt = (state: KernelState, task: TaskState, attempt: number, directory: string): string => {
  // an attempt beside others is told no more than if it were the only one
  const subtaskState = task.alternative ? null : subtaskStateOf(state, task)
  const asked = askedTask(state, task)
  const parent = subtaskState === null ? undefined : parentOf(state, task)
  const part =
    parent === undefined || subtaskState === null ? "" : ` Part ${subtaskState.index} of ${subtaskState.total} of it.`
  return join([
    `# Task ${asked.spec.id}: ${asked.spec.title}`,
    `Part of "${state.run.name}".${part} You work in ${directory}; relative paths start there. This is attempt ${attempt}.`,
    refusedSection(task.refused),
    saidSection(task),
    state.run.goal === null ? null : `## The whole, for context\n\n${quote(state.run.goal)}`,
    parent === undefined ? null : `## The whole task, for context\n\n${quote(parent.spec.instruction)}`,
    `## ${parent === undefined ? "What to do" : "Your part: what to do"}\n\n${task.spec.instruction.trim()}`,
    partsSection(state, task),
    dependencySection(state, asked),
    pathsSection(subtaskState),
    scopeSection(state, asked),
    criteriaSection(state, task),
    checksSection(state, task),
    checklistSection(task),
    reportSection(state, task)
  ])
}

/** The task that was asked for. */
const askedTask = (state: KernelState, task: TaskState): TaskState =>
  (task.alternative ? parentOf(state, task) : undefined) ?? task

const quote = (text: string): string =>
  text
    .trim()
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n")

/** The whole did not hold although its parts did. */
const partsSection = (state: KernelState, task: TaskState): string | null => {
  const parts = subtasksOf(state, task).filter(({ alternative }) => !alternative)
  return parts.length === 0
    ? null
    : `## What has been done\n\nIts parts are completed and accepted one by one; what is left is what does not hold for all of them together:\n\n${bullets(parts.map(outcomeOf))}`
}

const pathsSection = (subtaskState: SubtaskState | null): string | null =>
  subtaskState === null || subtaskState.paths.length === 0
    ? null
    : `## Files named for this part\n\n${bullets(subtaskState.paths)}`

const join = (sections: ReadonlyArray<string | null>): string =>
  `${sections.filter((section) => section !== null).join("\n\n")}\n`

const bullets = (lines: ReadonlyArray<string>): string => lines.map((line) => `- ${line}`).join("\n")

const refusedSection = (refused: AttemptState | null): string | null => {
  if (refused === null) return null
  const reasons = refusals(refused)
  return reasons.length === 0
    ? null
    : `## Attempt ${refused.attempt} was not accepted\n\nRepair every point below; what you report is checked again from the start.\n\n${reasons.join("\n")}`
}

/** What a person has said of the task when they had it tried again, and of items that could not be done. */
const saidSection = ({ guidance, items }: TaskState): string | null => {
  const said = items.flatMap(({ guidance = [], item }) => guidance.map((text) => `${item}: ${text}`))
  const parts = [
    ...(guidance.length === 0 ? [] : [`A person had this task tried again, and said:\n\n${bullets(guidance)}`]),
    ...(said.length === 0
      ? []
      : [`These items were reported as \`cannot\`, and a person has said how they can be done:\n\n${bullets(said)}`])
  ]
  return parts.length === 0 ? null : `## What a person said\n\n${parts.join("\n\n")}`
}

/** Everything that spoke against an attempt, as Markdown list items. */
export const refusals = (attempt: AttemptState): ReadonlyArray<string> => [
  ...(attempt.error === null ? [] : [`- ${attempt.error.code}: ${attempt.error.message}`]),
  ...firstOf([
    ...(attempt.report?.problems ?? []).map((problem) => `report: ${problem}`),
    ...attempt.failures.map(({ item, key, message }) => `${key}${item === null ? "" : ` (${item})`}: ${message}`)
  ]).map((problem) => `- ${withoutMiddle(problem, refusalMax)}`),
  ...(attempt.verification?.checks ?? []).filter((check) => !hasPassed(check)).map(failedCheck),
  ...(attempt.judgment?.checks ?? [])
    .filter((check) => !check.passed)
    .map(({ criterion, details }) => `- review: not met: ${criterion}${details === undefined ? "" : ` (${details})`}`),
  ...(attempt.judgment === null || attempt.judgment.judgment === "PASS" || attempt.judgment.modification_prompt === null
    ? []
    : [`- review: ${attempt.judgment.modification_prompt}`])
]

const failedCheck = (check: CheckRun): string => {
  if (isFailedInWords(check)) return `- checks_failed: ${failedChecks([check], [])}`
  const named = failedNamed(check)
  return `- checks_failed: \`${check.command}\` ${checkEnding(check)}${named === "" ? "" : `; ${named}`}. The end of its output:\n\n${indent(check.output_tail)}`
}

const indent = (text: string): string =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => `      ${line}`)
    .join("\n")

const dependencySection = (state: KernelState, task: TaskState): string | null => {
  const done = task.spec.depends_on.map((id) => {
    const dependency = taskOf(state, id)
    if (dependency !== undefined) return outcomeOf(dependency)
    const earlier = state.tasks.earlier.find((one) => one.task_id === id)
    return earlier === undefined ? id : outcomeText({ id, ...earlier })
  })
  return done.length === 0 ? null : `## What it builds on, already completed\n\n${bullets(done)}`
}

const outcomeOf = ({ current, files, spec }: TaskState): string =>
  outcomeText({ id: spec.id, title: spec.title, summary: current?.report?.summary.trim() ?? "", files })

const outcomeText = ({
  files,
  id,
  summary,
  title
}: {
  readonly id: string
  readonly title: string
  readonly summary: string
  readonly files: ReadonlyArray<string>
}): string => {
  const said = `${id}: ${title}${summary === "" ? "" : `. Reported: ${summary}`}`
  return files.length === 0 ? said : `${said.replace(/\.$/, "")}. Files: ${files.slice(0, 20).join(", ")}`
}

/** What is somebody else's, done or not. What the task builds on is told with what came of it. */
const scopeSection = (state: KernelState, task: TaskState): string | null => {
  const parent = subtaskStateOf(state, task)?.parent_task_id
  const others = tasksOf(state).filter(
    (other) =>
      other !== task &&
      !other.alternative &&
      !(other.status === "completed" && task.spec.depends_on.includes(other.spec.id)) &&
      subtaskStateOf(state, other)?.parent_task_id === parent
  )
  if (others.length === 0) return null
  const head = parent === undefined ? "## Not part of this task\n\nOther tasks" : "## Not your part\n\nOther subtasks"
  const [done, open] = [true, false].map((isDone) => others.filter(({ status }) => (status === "completed") === isDone))
  const lines = [
    ...(open ?? []).map(({ spec }) => `${spec.id}: ${spec.title}`),
    ...(done ?? []).map(({ spec }) => `${spec.id}, completed: ${spec.title}`)
  ]
  return `${head} take care of:\n\n${bullets(firstOf(lines))}`
}

/** Criteria that are items too are said once, where they are owed. */
const criteriaSection = (state: KernelState, task: TaskState): string | null => {
  const items = new Set(task.items.map(({ item }) => item))
  const criteria = task.spec.validation.filter((criterion) => !items.has(criterion))
  const who = state.run.config.reviewer_named
    ? "A reviewer judges the result by these"
    : "The result is judged by these"
  return criteria.length === 0 ? null : `## Criteria\n\n${who}:\n\n${bullets(criteria)}`
}

const checksSection = (state: KernelState, task: TaskState): string | null => {
  const checks = checksOf(state, task)
  const named = namedChecksOf(state, task).map(({ criterion }) => criterion)
  const hidden =
    named.length === 0
      ? null
      : `## Also checked\n\nWhen all else holds, the user's own checks decide whether this is so. They are not shown; do what was asked for in every case:\n\n${bullets(named)}`
  if (checks.length === 0) return hidden
  const tried = checks.flatMap(({ ablation, command }) => (ablation ? [command] : []))
  return join([
    `## Checks\n\nAfter your report these commands are run; every one must exit with 0:\n\n${listed(checks.map(({ command }) => command))}`,
    tried.length === 0
      ? null
      : `Of these, some must rest on the work. In copies of the project they must fail as it was before this run, pass as it is then, and fail again when the lines that you cite for their item are disabled:\n\n${listed(tried)}`,
    hidden
  ]).trimEnd()
}

const listed = (commands: ReadonlyArray<string>): string =>
  bullets([...new Set(commands)].map((command) => `\`${command}\``))

const checklistSection = (task: TaskState): string | null => {
  if (task.items.length === 0) return null
  const list = bullets(
    task.items.map((one) => (isWaivedByPerson(one) ? `${one.item} (a person has waived it: leave it out)` : one.item))
  )
  // the text of an item is reported word for word: nothing is added to it
  const existing = task.items.filter((one) => one.existing === true && !isWaivedByPerson(one))
  const shownBefore =
    existing.length === 0
      ? ""
      : `\n\nLines that were there before may show ${existing.length === task.items.length ? "them" : `these: ${existing.map(({ item }) => `"${item}"`).join(", ")}`}.`
  return `## Checklist\n\n${list}${shownBefore}`
}

/** Its client may offer our server. */
const byTool = (tool: string): string =>
  `If you have the tool ${tool} of proofline, hand this in with it: it is checked at once.`

const reportSection = (state: KernelState, task: TaskState): string => {
  const head = `## How to report\n\n${byTool("complete_task")} Otherwise, when you have finished, write this JSON to the file named by the environment variable PROOFLINE_REPORT_FILE; if you cannot write it, print it as the last fenced code block of your answer.`
  const owed = new Set(task.items.map(({ item }) => item))
  const criteria = acceptanceCriteria(state, task).filter((criterion) => !owed.has(criterion))
  if (task.items.length === 0 && criteria.length === 0)
    return `${head}\n\n\`\`\`json\n${JSON.stringify({ summary: "what you did, in a few sentences" }, null, 2)}\n\`\`\``
  const others = otherEvidence(state)
  const example = {
    summary: "what you did, in a few sentences",
    checklist: [
      { item: "the text of a checklist item, word for word", status: "done", evidence: "src/auth.py:42-58" },
      { item: "the text of another one", status: "skipped", reason: "why it is not needed, at least 10 characters" }
    ]
  }
  return `${head}\n\n\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\`\n\n${bullets([
    criteria.length === 0
      ? told.whole
      : `Report every ${task.items.length === 0 ? "criterion" : "item of the checklist and every criterion"} exactly once as an item, with its text unchanged.`,
    told.done,
    ...(others.length === 0 ? [] : [`It may be of another kind instead: ${others.join("; ")}.`]),
    told.read,
    told.own,
    told.skipped,
    told.cannot,
    told.honest
  ])}`
}

/** What a reviewer is asked about an attempt whose checklist and checks hold. */
export const reviewPrompt = (state: KernelState, task: TaskState, directory: string): string =>
  join([
    `# Review of task ${task.spec.id}: ${task.spec.title}`,
    `Part of "${state.run.name}". The project is in ${directory}; relative paths start there. Judge the work of another agent. Read the code, run what helps; change nothing.`,
    `## What was asked\n\n${task.spec.instruction.trim()}`,
    `## Criteria\n\nEvery one must be met:\n\n${bullets(task.spec.validation)}`,
    claimedSection(task),
    `## How to answer\n\n${byTool("submit_review")} Otherwise write this JSON to the file named by the environment variable PROOFLINE_REPORT_FILE; if you cannot write it, print it as the last fenced code block of your answer.\n\n\`\`\`json\n${JSON.stringify(
      {
        judgment: "PASS | REJECT | RETRY",
        checks: [{ criterion: "the criterion, word for word", passed: true, details: "what you saw" }],
        modification_prompt: "for REJECT: what must be changed"
      },
      null,
      2
    )}\n\`\`\`\n\n${bullets([
      "PASS only if every criterion is met and you have seen it yourself.",
      "REJECT when something must be changed; say what.",
      "RETRY when the attempt failed for a passing reason and the same task should be done again."
    ])}`
  ])

const claimedSection = (task: TaskState): string | null => {
  const report = task.current?.report
  const summary = report?.summary.trim() ?? ""
  const items = task.items.map(
    (item) => `${item.item}: ${item.evidence ?? `${item.status}${item.reason === null ? "" : `, ${item.reason}`}`}`
  )
  return summary === "" && items.length === 0
    ? null
    : `## What was reported\n\n${[summary, bullets(items)].filter((part) => part !== "").join("\n\n")}`
}
