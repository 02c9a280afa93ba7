import type { diffDocument } from "../documents/log.ts"
import { count } from "./lines.ts"
import { oneLine, type Style } from "./style.ts"

type Data = typeof diffDocument.data.Type
type Standing = Data["tasks"][number]["a"]

const width = 60
const linesMax = 20

/** Two runs side by side, for people. */
export const diffText = ({ a, b, parted, settings, shared, summary, tasks }: Data, style: Style): string => {
  const column = Math.max(a.length, ...summary.map((line) => line.a.length), 10) + 2
  const row = (name: string, left: string, right: string, delta = "") =>
    `${name.padEnd(18)}${left.padEnd(column)}${right}${delta === "" ? "" : `  ${delta}`}`
  const differing = tasks.filter(({ differs }) => differs)
  return [
    style.bold(row("", a, b)),
    ...summary.map((line) => {
      const text = row(line.name, line.a, line.b, line.delta)
      return line.differs ? text : style.dim(text)
    }),
    "",
    ...(shared === 0 ? [] : [`Both share ${count(shared, "event")}.`]),
    ...partedLines(parted, style),
    ...listed("Settings that differ:", settings.map(sideLine)),
    "",
    differing.length === 0
      ? "Every task went the same in both."
      : `${differing.length} of ${count(tasks.length, "task")} went differently:`,
    ...differing.flatMap(({ a: left, b: right, b_task_id, items, task_id, title }) => [
      `  ${style.bold(oneLine(task_id, width))}: ${oneLine(title, width)}${b_task_id === undefined ? "" : ` (in B ${oneLine(b_task_id, width)})`}`,
      `    A ${standingText(left)}`,
      `    B ${standingText(right)}`,
      ...items.map((item) => `      ${oneLine(item.item, width)}: A ${item.a ?? "none"}, B ${item.b ?? "none"}`)
    ]),
    ""
  ].join("\n")
}

const partedLines = (parted: Data["parted"], style: Style): ReadonlyArray<string> => {
  if (parted === null) return ["The same happened in both."]
  const { a, b, differences } = parted
  const place = (one: typeof a) => (one === null ? "nothing more" : `version ${one.version}, ${one.type}`)
  return [
    style.yellow(`They part at: A ${place(a)}; B ${place(b)}.`),
    ...listed("", differences.map(sideLine)).slice(1)
  ]
}

const listed = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0
    ? []
    : [
        title,
        ...lines.slice(0, linesMax),
        ...(lines.length > linesMax ? [`  and ${lines.length - linesMax} more; --json shows them all.`] : [])
      ]

const sideLine = ({ a, b, path }: Data["settings"][number]): string => `  ${path}: A ${shown(a)}, B ${shown(b)}`

const shown = (value: unknown): string => (value === undefined ? "nothing" : oneLine(JSON.stringify(value), width))

const standingText = (one: Standing): string =>
  one === null
    ? "does not have it"
    : `${one.status}, ${one.verdict}: ${one.items_closed}/${count(one.items_total, "item")}, ${count(one.attempts, "attempt")}, ${one.refusals} refused`
