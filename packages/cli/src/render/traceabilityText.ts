import { checkEnding, proofText } from "@proofline/kernel"
import type {
  Code,
  ReportView,
  TracedCheck,
  TracedCriterion,
  TracedEvidence,
  TracedItem,
  TracedRequirement,
  TracedTask
} from "@proofline/plugins/frontends/http/api"
import { count, messageLines } from "./lines.ts"
import { timeText, titleOf, verdictMark } from "./requirements.ts"
import { oneLine, plain, type Style, visible } from "./style.ts"

/** What the head of a report says in words: one fact a line. */
export const headFacts = (trace: ReportView): ReadonlyArray<readonly [name: string, value: string]> => {
  const { budget, counts, ended_at, head, input, iterations, run_id, run_status, spent, started_at, status } = trace
  const limit = (max: number | null) => (max === null ? "" : ` of ${max}`)
  return [
    ["Run", run_id],
    ["Status", `${status}${status === run_status ? "" : `; run ${run_status}`}`],
    ["Shown", proofText(trace)],
    ...(iterations === null ? [] : [["Iterations", `${iterations.current} of ${iterations.max}`] as const]),
    ...(input === null
      ? []
      : [["Input", `${input.path === "-" ? "the prompt" : input.path}, SHA-256 ${input.sha256}`] as const]),
    ["Time", `${timeText(started_at)}${ended_at === null ? "" : ` to ${timeText(ended_at)}`}`],
    [
      "Used",
      `${budget.max_attempts === null ? count(spent.attempts, "attempt") : `${spent.attempts}${limit(budget.max_attempts)} attempts`} since the last start or resume; ${
        spent.calls === 0
          ? "tokens and cost unknown"
          : `${spent.tokens}${limit(budget.max_tokens)} tokens and ${spent.cost_usd}${limit(budget.max_cost_usd)} US dollars in ${spent.calls}${limit(budget.max_calls)} calls that said so`
      }`
    ],
    [
      "Receipts",
      `${counts.receipts}: ${counts.holding} hold, ${counts.receipts - counts.holding - counts.missing} stale, ${counts.missing} missing, compared with the files as they are`
    ],
    ["Log", head === null ? "empty" : `${count(head.version, "event")}, head ${head.hash}`]
  ]
}

/** A task that does not count for a criterion any more. */
export const supersededSentence = ({ superseded_by, task_id }: TracedCriterion["tasks"][number]): string =>
  `Task ${task_id} no longer counts: ${superseded_by.join(", ")} ${superseded_by.length === 1 ? "shows" : "show"} it now.`

export const verdictSentence = (trace: ReportView): string =>
  trace.proven
    ? `Everything required ${trace.verdict === "proven" ? "is proven" : `counts as done: ${trace.verdict}`}${restingOnCommands(trace)}`
    : `Not everything required is proven.${trace.message === "" ? "" : ` ${trace.message}`}`

/** What no receipt shows cannot be said to hold without running it. */
const restingOnCommands = ({ requirements }: ReportView): string => {
  const commands = requirements.flatMap(({ criteria }) => criteria.filter(({ by }) => by === "check")).length
  return commands === 0
    ? " and still holds."
    : `. What rests on receipts still holds; ${count(commands, "criterion", "criteria")} ${commands === 1 ? "rests" : "rest"} on commands, which were not run again.`
}

/** The tasks that no criterion is met by: in a task run all of them. */
export const otherTasks = ({ requirements, tasks }: ReportView): ReadonlyArray<TracedTask> => {
  const named = new Set(
    requirements.flatMap(({ criteria }) =>
      criteria.flatMap((criterion) => criterion.tasks.map(({ run_id, task_id }) => `${run_id} ${task_id}`))
    )
  )
  return tasks.filter(({ run_id, task_id }) => !named.has(`${run_id} ${task_id}`))
}

/** The task of a criterion with the items that show it; undefined while it was not run. */
export const taskOfCriterion = (
  { tasks }: ReportView,
  { items, run_id, task_id }: TracedCriterion["tasks"][number]
): { readonly task: TracedTask; readonly items: ReadonlyArray<TracedItem> } | undefined => {
  const task = tasks.find((one) => one.run_id === run_id && one.task_id === task_id)
  return task === undefined ? undefined : { task, items: task.items.filter(({ index }) => items.includes(index)) }
}

export const itemId = (task: TracedTask, item: TracedItem): string => `${task.run_id}/${task.task_id}/${item.index}`

/** How and when a command ended, and what decided beside that, in words. */
export const checkOutcome = ({ at, why, ...end }: TracedCheck): string =>
  `${checkEnding(end)}${at === null ? "" : ` (${timeText(at)})`}${why === "" ? "" : `. ${why}`}`

/** Where evidence is and whether it holds, in words. */
export const evidencePlace = ({ evidence, now, status, why }: TracedEvidence): string =>
  `${evidence}${now === null || now === evidence ? "" : ` → ${now}`}${status === "proven" ? "" : ` [${status}]`}${why === "" ? "" : ` ${why}`}`

export const taskFacts = ({ agent, attempts, iteration, run_id }: TracedTask): string =>
  [
    ...(iteration === null ? [] : [`iteration ${iteration}`]),
    `run ${run_id}`,
    count(attempts, "attempt"),
    ...(agent === null ? [] : [`by ${agent}`])
  ].join(", ")

export const criterionBy = ({ by }: Pick<TracedCriterion, "by">): string =>
  by === null ? "" : by === "check" ? " by its check" : by === "tasks" ? " by tasks" : " by an agent's opinion"

/** For a failed command: the end of what it printed, a few lines. */
const tailOf = ({ output_tail }: TracedCheck, lines: number): ReadonlyArray<string> =>
  output_tail
    .trimEnd()
    .split("\n")
    .slice(-lines)
    .filter((line) => line !== "")

// --- terminal ---------------------------------------------------------------------------------------------------------

/** Lines of code below an item on a terminal. */
const codeMax = 12

/** On one line, and nothing in it steers the terminal. */
const flat = (text: string, width = 300): string => oneLine(visible(text.replaceAll(/\s+/g, " ")), width)

/** The report for a terminal. */
export const traceabilityText = (trace: ReportView, style: Style): string =>
  [...traceHead(trace, style), "", ...traceBody(trace, style), ""].join("\n")

/** What a run has shown, and what is known of it. */
export const traceHead = (trace: ReportView, style: Style): ReadonlyArray<string> => [
  `${style.bold(flat(trace.name, 100))}: ${(trace.proven ? style.green : style.red)(flat(verdictSentence(trace)))}`,
  ...headFacts(trace).map(([name, value]) => style.dim(`  ${name.padEnd(11)}${flat(value)}`))
]

/** Its requirements, its tasks and their items, with the evidence and its code. */
export const traceBody = (trace: ReportView, style: Style): ReadonlyArray<string> => {
  const shown = new Set<string>()
  return [
    ...trace.requirements.flatMap((requirement) => [...requirementText(trace, requirement, shown, style), ""]),
    ...otherTasks(trace).flatMap((task) => [...taskText(task, task.items, shown, style, ""), ""])
  ]
}

const requirementText = (
  trace: ReportView,
  requirement: TracedRequirement,
  shown: Set<string>,
  style: Style
): ReadonlyArray<string> => {
  const { criteria, id, opinion, priority, verdict } = requirement
  return [
    `${verdictMark(verdict, style)} ${style.bold(flat(id, 60))} ${verdict}  ${flat(titleOf(requirement), 100)}${priority === "optional" ? " (optional)" : ""}`,
    ...(opinion === null
      ? []
      : [
          `    ${style.yellow(`opinion of ${flat(opinion.verifier, 40)}`)}, no proof by itself: ${opinion.met ? "met" : "not met"}: ${flat(opinion.evidence, 200)}`,
          ...opinion.cited.map((cited) => `      ${evidenceText(cited, style)}`)
        ]),
    ...criteria.flatMap((criterion) => [
      `    ${verdictMark(criterion.verdict, style)} ${flat(criterion.id, 60)} ${criterion.verdict}${criterionBy(criterion)}  ${flat(criterion.criterion, 100)}`,
      ...(criterion.message === "" ? [] : [`      ${style.dim(flat(criterion.message))}`]),
      ...criterion.checks.flatMap((check) => checkText(check, style, "      ")),
      ...criterion.tasks.flatMap((one) => {
        const found = taskOfCriterion(trace, one)
        if (one.superseded_by.length > 0) return [style.dim(`      · ${flat(supersededSentence(one), 160)}`)]
        return found === undefined
          ? [`      · ${flat(one.task_id, 60)} was not run`]
          : taskText(found.task, found.items, shown, style, "      ")
      })
    ])
  ]
}

const taskText = (
  task: TracedTask,
  items: ReadonlyArray<TracedItem>,
  shown: Set<string>,
  style: Style,
  indent: string
): ReadonlyArray<string> => [
  `${indent}${flat(task.task_id, 60)} ${task.status}  ${flat(task.title, 80)} ${style.dim(`(${flat(taskFacts(task), 120)})`)}`,
  ...(task.status === "completed" ? [] : messageLines(task.message).map((line) => `${indent}  ${style.dim(line)}`)),
  ...task.checks.flatMap((check) => checkText(check, style, `${indent}  `)),
  ...(task.review === null
    ? []
    : [`${indent}  review by ${flat(task.review.reviewer, 40)}: ${flat(task.review.judgment, 20)}`]),
  ...items.flatMap((item) => {
    const head = `${indent}  ${itemMark(item, style)} ${item.verdict}  ${flat(item.item, 100)}`
    const id = itemId(task, item)
    if (shown.has(id)) return [`${head} ${style.dim("(shown above)")}`]
    shown.add(id)
    const below = `${indent}      `
    return [
      head,
      ...(item.reason === null ? [] : [`${below}left out: ${flat(item.reason)}`]),
      ...item.weaknesses.map((weak) => `${below}${style.yellow(`weak: ${flat(weak)}`)}`),
      ...item.checks.flatMap((check) => checkText(check, style, below)),
      ...(item.evidence === null
        ? []
        : [`${below}${evidenceText(item.evidence, style)}`, ...codeText(item.evidence.code, style, below)])
    ]
  })
]

const itemMark = ({ verdict }: TracedItem, style: Style): string =>
  verdictMark(verdict === "missing" ? "stale" : verdict, style)

const evidenceText = (evidence: TracedEvidence, style: Style): string =>
  evidence.status === "proven" ? style.dim(flat(evidencePlace(evidence))) : style.yellow(flat(evidencePlace(evidence)))

const checkText = (check: TracedCheck, style: Style, indent: string): ReadonlyArray<string> => [
  `${indent}${(check.passed ? style.green : style.red)(check.passed ? "✔" : "✘")} \`${flat(check.command, 100)}\` ${checkOutcome(check)}`,
  ...(check.passed ? [] : tailOf(check, 5).map((line) => `${indent}    ${style.dim(flat(line, 160))}`))
]

const codeText = (code: Code | null, style: Style, indent: string): ReadonlyArray<string> => {
  if (code === null) return []
  const [first, last] = code.cited
  const isCited = (i: number) => code.start + i >= first && code.start + i <= last
  const skipped = (many: number) =>
    many === 0 ? [] : [`${indent}${style.dim(`       … ${count(many, "more line")}`)}`]
  const shown = shownLines(code)
  return [
    ...shown.flatMap((i, nth) => [
      ...skipped(i - (shown[nth - 1] ?? -1) - 1),
      `${indent}${style.dim(`${String(code.start + i).padStart(6)} ${isCited(i) ? "┃" : "│"}`)} ${oneLineKept(code.lines[i] ?? "")}`
    ]),
    ...skipped(code.lines.length - 1 - (shown.at(-1) ?? -1) + code.more)
  ]
}

/** Which lines of a declaration are shown: all of a short one; else how it begins, and what is cited. */
const shownLines = ({ cited: [first, last], lines, start }: Code): ReadonlyArray<number> => {
  const all = [...lines.keys()]
  const from = first - start
  return lines.length <= codeMax || from <= 0 || last - start < codeMax
    ? all.slice(0, codeMax)
    : [0, ...all.slice(from, from + codeMax - 1)]
}

/** With its indentation. */
const oneLineKept = (line: string): string => plain(visible(line)).slice(0, 200).toWellFormed()

// --- Markdown ---------------------------------------------------------------------------------------------------------

/** The report as Markdown of GitHub's kind. */
export const traceabilityMarkdown = (trace: ReportView): string => {
  const shown = new Set<string>()
  const others = otherTasks(trace)
  return [
    `# ${escaped(trace.name)}`,
    "",
    `**${escaped(verdictSentence(trace))}**`,
    "",
    "| | |",
    "|---|---|",
    ...headFacts(trace).map(([name, value]) => `| ${name} | ${escaped(value)} |`),
    "",
    ...trace.requirements.flatMap((requirement) => requirementMarkdown(trace, requirement, shown)),
    ...(others.length === 0 ? [] : [trace.requirements.length === 0 ? "## Tasks" : "## Other tasks", ""]),
    ...others.flatMap((task) => taskMarkdown(task, task.items, shown, "###"))
  ]
    .join("\n")
    .replace(/\n*$/, "\n")
}

const requirementMarkdown = (
  trace: ReportView,
  requirement: TracedRequirement,
  shown: Set<string>
): ReadonlyArray<string> => {
  const { criteria, description, id, name, opinion, priority, verdict } = requirement
  return [
    `## ${symbols[verdict]} ${escaped(id)}: ${escaped(titleOf(requirement))}`,
    "",
    `${verdict}, ${priority}`,
    "",
    ...(name === null || description === name ? [] : [escaped(description), ""]),
    ...(opinion === null
      ? []
      : [
          `> Opinion of ${escaped(opinion.verifier)}, no proof by itself: **${opinion.met ? "met" : "not met"}**. ${escaped(opinion.evidence)}`,
          ""
        ]),
    ...(opinion?.cited ?? []).flatMap((cited) => evidenceMarkdown(cited)),
    ...criteria.flatMap((criterion) => [
      `### ${symbols[criterion.verdict]} ${escaped(criterion.id)}: ${escaped(criterion.criterion)}`,
      "",
      `${criterion.verdict}${criterionBy(criterion)}${criterion.message === "" ? "" : `: ${escaped(criterion.message)}`}`,
      "",
      ...checksMarkdown(criterion.checks),
      ...criterion.tasks.flatMap((one) => {
        const found = taskOfCriterion(trace, one)
        return found === undefined
          ? [`Task ${escaped(one.task_id)} was not run.`, ""]
          : one.superseded_by.length > 0
            ? [escaped(supersededSentence(one)), ""]
            : taskMarkdown(found.task, found.items, shown, "####")
      })
    ])
  ]
}

const taskMarkdown = (
  task: TracedTask,
  items: ReadonlyArray<TracedItem>,
  shown: Set<string>,
  level: string
): ReadonlyArray<string> => [
  `${level} Task ${escaped(task.task_id)}: ${escaped(task.title)}`,
  "",
  `${task.status} (${escaped(taskFacts(task))})${task.status === "completed" || task.message === "" ? "" : `: ${escaped(task.message)}`}`,
  "",
  ...checksMarkdown(task.checks),
  ...(task.review === null ? [] : [`Review by ${escaped(task.review.reviewer)}: ${escaped(task.review.judgment)}`, ""]),
  ...items.flatMap((item) => {
    const id = itemId(task, item)
    const head = `**${item.verdict}** ${escaped(item.item)}`
    if (shown.has(id)) return [`${head} (shown above)`, ""]
    shown.add(id)
    return [
      head,
      "",
      ...(item.reason === null ? [] : [`Left out: ${escaped(item.reason)}`, ""]),
      ...item.weaknesses.flatMap((weak) => [`Weak: ${escaped(weak)}`, ""]),
      ...checksMarkdown(item.checks),
      ...(item.evidence === null ? [] : evidenceMarkdown(item.evidence))
    ]
  })
]

const evidenceMarkdown = (evidence: TracedEvidence): ReadonlyArray<string> => [
  `${codeSpan(evidence.evidence)} ${escaped(evidencePlace(evidence).slice(evidence.evidence.length).trim())}`.trimEnd(),
  "",
  ...(evidence.code === null
    ? []
    : fenced([
        ...evidence.code.lines.map(
          (line, i) => `${String((evidence.code?.start ?? 1) + i).padStart(5)}  ${visible(line)}`
        ),
        ...(evidence.code.more === 0 ? [] : [`… ${count(evidence.code.more, "more line")}`])
      ]))
]

const checksMarkdown = (checks: ReadonlyArray<TracedCheck>): ReadonlyArray<string> =>
  checks.flatMap((check) => [
    `${check.passed ? "✔" : "✘"} ${codeSpan(check.command)} ${checkOutcome(check)}`,
    "",
    ...(tailOf(check, 20).length === 0 ? [] : fenced(tailOf(check, 20).map(visible)))
  ])

const symbols = { proven: "✔", waived: "−", refuted: "✘", stale: "✘", unproven: "!" } as const

/** Text that is no markup, on one line. */
export const escaped = (text: string): string =>
  visible(text.replaceAll(/\s+/g, " ")).replaceAll(/[\\`*_{}[\]#|~<>&]/g, (character) =>
    character === "<" ? "&lt;" : character === ">" ? "&gt;" : character === "&" ? "&amp;" : `\\${character}`
  )

const longestBackticks = (text: string): number =>
  Math.max(0, ...[...text.matchAll(/`+/g)].map(([backticks]) => backticks.length))

const codeSpan = (text: string): string => {
  const line = visible(text.replaceAll(/\s+/g, " "))
  const backticks = "`".repeat(longestBackticks(line) + 1)
  return backticks.length === 1 ? `${backticks}${line}${backticks}` : `${backticks} ${line} ${backticks}`
}

const fenced = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const fence = "`".repeat(Math.max(3, longestBackticks(lines.join("\n")) + 1))
  return [`${fence}text`, ...lines, fence, ""]
}
