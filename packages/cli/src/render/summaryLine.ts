import type { RunSummary } from "@proofline/kernel"
import { proofText, rowItems, rowProof, shownRowStatus } from "@proofline/kernel/standing"
import { askedNote } from "./asked.ts"
import { oneLine, plain } from "./style.ts"

type Row = RunSummary & Parameters<typeof awayPart>[0]

/** Characters of a name that are left on a narrow terminal. */
const leastName = 20

/** One run in one line: on a terminal that is narrower, its name is cut. */
export const summaryLine = (
  row: Row,
  width = (process.stdout.isTTY && process.stdout.columns) || Number.POSITIVE_INFINITY
): string => {
  const tooMuch = lineOf(row).length - width
  return tooMuch <= 0
    ? lineOf(row)
    : lineOf({ ...row, name: oneLine(row.name, Math.max(row.name.length - tooMuch, leastName)) })
}

const lineOf = (row: Row): string =>
  plain(
    [
      symbols[shownRowStatus(row)] ?? "?",
      row.run_id,
      shownRowStatus(row).padEnd(10),
      askedNote(row),
      ...(row["loop_status"] === undefined ? [tasksPart(row)] : loopParts(row)),
      row.started_at.slice(0, 19).replace("T", " "),
      row.name,
      row.redacted === true ? "· redacted: it shows nothing" : proofPart(row),
      row.active.length === 0 ? "" : `@ ${row.active.join(", ")}`,
      row.stopped === undefined ? "" : `(${row.stopped.message})`,
      awayPart(row)
    ]
      .filter((part) => part !== "")
      .join(" ")
  ).replaceAll("\n", " ")

/** What the run has shown, where that is known without its events. */
const proofPart = (row: RunSummary): string => {
  const proof = rowProof(row)
  return proof === null ? "" : `· ${proofText(proof)}`
}

/** Where it is, when it is not here. */
const awayPart = ({ away }: { readonly away?: { readonly kind: string; readonly place: string } | null }): string =>
  away == null ? "" : `${placed[away.kind] ?? "archived in"} ${away.place}`

const placed: Readonly<Record<string, string>> = {
  arriving: "arriving from",
  moved: "moved to",
  cut: "cut off, from the damaged"
}

const tasksPart = (row: RunSummary): string => {
  const { items_closed, items_total } = rowItems(row)
  return `[${row.tasks_completed}/${row.tasks_total} tasks, ${row.subtasks_total === undefined || row.subtasks_total === 0 ? "" : `${row.subtasks_completed}/${row.subtasks_total} subtasks, `}${items_closed}/${items_total} items]`
}

/** What the loop of a requirements run adds. Read as it is: who asks for it often waits for no schema. */
const loopParts = (row: RunSummary): ReadonlyArray<string> => [
  `[iter:${row["iteration"]}/${row["max_iterations"]}]`,
  `[met:${row["requirements_met"]}/${row["requirements_total"]}]`,
  `[tasks:${row.tasks_total}]`,
  `${row["loop_status"]}`
]

const symbols: Readonly<Record<string, string>> = {
  running: "▶",
  completed: "✔",
  incomplete: "~",
  failed: "✘",
  stopped: "■",
  cancelled: "-"
}
