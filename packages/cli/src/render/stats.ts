import { type Stats, type StatsTotal, statsCellTexts, statsColumns } from "@proofline/kernel"
import { count } from "./lines.ts"
import { oneLine, type Style } from "./style.ts"

/** Figures as a table, a group a line, and below it why things were refused. */
export const statsText = ({ by, groups, left_out, since, total }: Stats, style: Style): string => {
  const left = left_out.map(({ message, run_id }) => `Not counted: ${run_id}: ${message}`)
  if (total.runs === 0) return [`No run so far${since === null ? "" : ` since ${since}`}.`, ...left, ""].join("\n")
  const head = [...by, ...statsColumns.map(({ name }) => name)]
  const named = groups.map((group) => by.map((key) => oneLine(group[key] ?? "-", 40)))
  const rows = groups.map((group, i) => [...(named[i] ?? []), ...statsCellTexts(group)])
  const sum = [...by.map((_, i) => (i === 0 ? "together" : "")), ...statsCellTexts(total)]
  const all = [head, ...rows, ...(groups.length > 1 ? [sum] : [])]
  const widths = head.map((_, i) => Math.max(...all.map((row) => row[i]?.length ?? 0)))
  const line = (row: ReadonlyArray<string>): string =>
    row
      .map((text, i) => (i < by.length ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0)))
      .join("  ")
      .trimEnd()
  return [
    style.dim(line(head)),
    ...rows.map(line),
    ...(groups.length > 1 ? [style.bold(line(sum))] : []),
    "",
    `${count(total.runs, "run")}, ${count(total.tasks, "task")}, ${count(total.items, "item")}: ${total.items_proven} proven, ${total.items_weak} weak, ${total.items_waived} waived, ${total.items_open} open.`,
    ...groups.flatMap((group, i) =>
      group.refused === 0
        ? []
        : [`Refused${by.length === 0 ? "" : ` (${named[i]?.join(", ")})`}: ${reasonsText(group)}`]
    ),
    ...left,
    ""
  ].join("\n")
}

const reasonsText = ({ refusals }: StatsTotal): string =>
  Object.entries(refusals)
    .toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .map(([reason, times]) => `${reason} ${times}`)
    .join(", ")
