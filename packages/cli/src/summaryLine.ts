import type { RunSummary } from "@proofline/kernel"

/** One run in one line. */
export const summaryLine = (row: RunSummary): string =>
  [
    marks[row.status] ?? "?",
    row.run_id,
    row.status.padEnd(10),
    ...(row.loop_status === undefined
      ? [tasksPart(row)]
      : [
          `[iter:${row.iteration}/${row.max_iterations}]`,
          `[met:${row.requirements_met}/${row.requirements_total}]`,
          `[tasks:${row.tasks_total}]`,
          row.loop_status
        ]),
    row.started_at.slice(0, 19).replace("T", " "),
    row.name,
    row.active.length === 0 ? "" : `@ ${row.active.join(", ")}`
  ]
    .filter((part) => part !== "")
    .join(" ")

const tasksPart = (row: RunSummary): string =>
  `[${row.tasks_completed}/${row.tasks_total} tasks, ${row.subtasks_total === undefined || row.subtasks_total === 0 ? "" : `${row.subtasks_completed}/${row.subtasks_total} subtasks, `}${row.items_closed}/${row.items_total} items]`

const marks: Readonly<Record<string, string>> = {
  running: "▶",
  completed: "✔",
  incomplete: "~",
  failed: "✘",
  cancelled: "-"
}
