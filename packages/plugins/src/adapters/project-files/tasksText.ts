/** The text of a tasks.yaml, for people to read and for `parseTasks` to read back without a loss. */
import type { ChecklistItemSpec } from "@proofline/kernel"
import type { GeneratedTask } from "../../policies/requirements/contract.ts"
import { isId } from "./fileSchema.ts"

/** What a generated tasks file holds. */
export interface TasksTextInput {
  /** Name of the run; a blank one is left out. */
  readonly name: string
  /** Comments at the start of the file; one of several lines becomes several comments. */
  readonly header: ReadonlyArray<string>
  readonly tasks: ReadonlyArray<GeneratedTask>
}

/** Characters that cannot stand in a YAML file as they are, or that readers take for the end of a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unprintable = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/** In double quotes: YAML takes every string of JSON. */
const inQuotes = (value: string): string => JSON.stringify(value).replaceAll(unprintable, escaped)

const isPrintable = (value: string): boolean => value.isWellFormed() && value.search(unprintable) === -1

/** Begins with a letter, so it is no number and no sign of YAML; holds nothing that ends a text without quotes. */
const isPlain = (value: string): boolean =>
  /^\p{L}[^\r\n\t]*$/u.test(value) &&
  !/: |:$| #|\s$/.test(value) &&
  !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(value) &&
  isPrintable(value)

/** As a literal block: lines stay lines. Not for texts whose blanks or line ends an editor could change unseen. */
const isBlock = (value: string): boolean =>
  value.includes("\n") &&
  !value.includes("\r") &&
  !/^[ \t]+$/m.test(value) &&
  !/^\n*$/.test(value) &&
  isPrintable(value)

const chomping = (value: string): string => (value.endsWith("\n\n") ? "+" : value.endsWith("\n") ? "" : "-")

/** Lines of a value that stands behind a key or dash; `depth`: blanks before the lines of a block. */
const textLines = (value: string, depth: number): readonly [string, ...Array<string>] => {
  if (!isBlock(value)) return [isPlain(value) ? value : inQuotes(value)]
  // else the first line would set how deep the block is
  const indicator = /^[ \t\n]/.test(value) ? "2" : ""
  const lines = (value.endsWith("\n") ? value.slice(0, -1) : value).split("\n")
  const block = lines.map((line) => (line === "" ? "" : " ".repeat(depth) + line))
  return [`|${indicator}${chomping(value)}`, ...block]
}

const pair = (key: string, value: string, indent: number): ReadonlyArray<string> => {
  const [first, ...rest] = textLines(value, indent + 2)
  return [`${" ".repeat(indent)}${key}: ${first}`, ...rest]
}

const list = (key: string, values: ReadonlyArray<string>, indent: number): ReadonlyArray<string> =>
  values.length === 0
    ? []
    : [
        `${" ".repeat(indent)}${key}:`,
        ...values.flatMap((value) => {
          const [first, ...rest] = textLines(value, indent + 4)
          return [`${" ".repeat(indent + 2)}- ${first}`, ...rest]
        })
      ]

const ids = (key: string, values: ReadonlyArray<string>, indent: number): string =>
  `${" ".repeat(indent)}${key}: [${values.map((id) => (isPlain(id) && !/[:,[\]{}]/.test(id) ? id : inQuotes(id))).join(", ")}]`

const someIds = (key: string, values: ReadonlyArray<string>, indent: number): ReadonlyArray<string> =>
  values.length === 0 ? [] : [ids(key, values, indent)]

/** The first of these lines, which are indented, as an item of a list. */
const dashed = (lines: ReadonlyArray<string>, indent: number): ReadonlyArray<string> =>
  lines.map((line, at) => (at === 0 ? `${" ".repeat(indent)}- ${line.slice(indent + 2)}` : line))

const itemLines = ({ ablation, check, covers, existing, item }: ChecklistItemSpec): ReadonlyArray<string> => {
  if ([ablation, check, covers, existing].every((one) => one === undefined)) {
    const [first, ...rest] = textLines(item, 8)
    return [`      - ${first}`, ...rest]
  }
  const lines = [
    ...pair("item", item, 8),
    ...(check === undefined ? [] : pair("check", check, 8)),
    ...(existing === undefined ? [] : [`        existing: ${existing}`]),
    ...(ablation === undefined ? [] : [`        ablation: ${ablation}`]),
    // an empty list means something: not even what the task covers
    ...(covers === undefined ? [] : [ids("covers", covers, 8)])
  ]
  return dashed(lines, 6)
}

const taskLines = (task: GeneratedTask): ReadonlyArray<string> => {
  const lines = [
    ...pair("id", task.id, 4),
    ...pair("name", task.title, 4),
    ...someIds("depends_on", task.depends_on, 4),
    ...someIds("covers", task.covers, 4),
    ...pair("instruction", task.instruction, 4),
    ...list("validation", task.validation, 4),
    ...list("checks", task.checks, 4),
    ...(task.checklist.length === 0 ? [] : ["    checklist:", ...task.checklist.flatMap(itemLines)]),
    ...(task.chunk === "auto" ? [] : [`    chunk: ${task.chunk === "asked"}`])
  ]
  return dashed(lines, 2)
}

const comment = (text: string): ReadonlyArray<string> =>
  text
    .toWellFormed()
    .split(/\r\n|[\r\n]/)
    .map((line) => `# ${line.replaceAll(unprintable, " ")}`.trimEnd())

/**
 * The YAML of a tasks file: `parseTasks` reads exactly these tasks and what they cover, provided that it would take them
 * at all (names, items and criteria without blanks around them, no text that is blank or holds U+0000).
 */
export const tasksText = ({ header, name, tasks }: TasksTextInput): string => {
  const comments = header.flatMap(comment)
  const own = new Set(tasks.map(({ id }) => id))
  // so that the file can be read by itself
  const completed = [...new Set(tasks.flatMap(({ depends_on }) => depends_on))].filter((id) => !own.has(id) && isId(id))
  return [
    ...comments,
    ...(comments.length === 0 ? [] : [""]),
    ...(name.trim() === "" ? [] : [...pair("name", name.trim(), 0), ""]),
    ...(completed.length === 0 ? [] : [ids("completed", completed, 0), ""]),
    tasks.length === 0 ? "tasks: []" : "tasks:",
    ...tasks.map(taskLines).flatMap((lines, at, all) =>
      // a text that ends with empty lines would take one more for its own
      at === 0 || all[at - 1]?.at(-1) === "" ? lines : ["", ...lines]
    ),
    ""
  ].join("\n")
}
