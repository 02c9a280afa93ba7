/** Tasks out of the answer of an agent: a tasks.yaml, alone or with prose around it. */
import type { GeneratedTask } from "../../policies/requirements/contract.ts"
import { maxBytes, normalised, readDocument } from "./document.ts"
import type { Entry } from "./Node.ts"
import { fileKeys, parseTasks, type TasksDocument, type TasksOptions } from "./tasks.ts"

/** Tasks that were made for requirements. */
export interface GeneratedTasks {
  /** Empty exactly when there are problems. */
  readonly tasks: ReadonlyArray<GeneratedTask>
  /** In sentences, each with its line of the answer where it has one. */
  readonly problems: ReadonlyArray<string>
}

/** The tasks of a tasks file, each with the acceptance criteria it covers. */
export const generatedTasksOf = ({ covers, tasks }: TasksDocument): ReadonlyArray<GeneratedTask> =>
  tasks.map((task) => ({ ...task, covers: covers.get(task.id) ?? [] }))

/** A part of the answer. */
interface Part {
  readonly text: string
  /** The line it begins on, from 0. */
  readonly start: number
  /** What the form of the answer makes doubtful: a sentence. */
  readonly doubt: string | null
}

/** How a part reads: `plan` a mapping with `tasks`, `broken` one that is no YAML but means to be a plan. */
type Kind = "plan" | "broken" | "other"

const tasksKey = /^[ \t]*(?:["']?tasks["']?[ \t]*:|[{[].*["']?tasks["']?[ \t]*:)/m

/** "Here is the plan:" and "Note: two tasks" read as keys. */
const isSentence = ({ key, value }: Entry): boolean =>
  !fileKeys.has(key) && (value.kind === "null" || /\s|^\p{Lu}/u.test(key))

const kindOf = (text: string): Kind => {
  const { findings, root } = readDocument(text)
  const broken = findings.problems.some(({ code }) => code !== "yaml_duplicate_key" && code !== "control_character")
  const entries = root?.kind === "mapping" ? root.entries : []
  if (entries.some(({ key }) => key === "tasks")) {
    return broken || entries.some(isSentence) ? "broken" : "plan"
  }
  return broken && tasksKey.test(text) ? "broken" : "other"
}

/** A fenced block. Lines count from 0; `end` is that of the closing fence, or where the answer ends. */
interface Block {
  readonly start: number
  readonly end: number
  readonly closed: boolean
  readonly indent: number
  /** In lower case; empty: none is named. */
  readonly language: string
}

const opening = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})[ \t]*([^\s{`]*)/
const closing = /^( *)(`{3,}|~{3,})[ \t]*$/

/**
 * Fenced blocks as CommonMark has them, but for one thing: a fence that is indented deeper than the one that opened the
 * block does not close it. It stands in the text of an instruction.
 */
const blocksOf = (lines: ReadonlyArray<string>): ReadonlyArray<Block> => {
  const blocks: Array<Block> = []
  let open: (Pick<Block, "start" | "indent" | "language"> & { readonly fence: string }) | undefined
  for (const [at, line] of lines.entries()) {
    if (open === undefined) {
      const [, blanks = "", fence, language = ""] = opening.exec(line) ?? []
      if (fence !== undefined) open = { start: at, indent: blanks.length, language: language.toLowerCase(), fence }
      continue
    }
    const [, blanks = "", fence] = closing.exec(line) ?? []
    if (fence === undefined || blanks.length > open.indent) continue
    if (fence[0] !== open.fence[0] || fence.length < open.fence.length) continue
    const { indent, language, start } = open
    blocks.push({ start, end: at, closed: true, indent, language })
    open = undefined
  }
  if (open === undefined) return blocks
  const { indent, language, start } = open
  return [...blocks, { start, end: lines.length, closed: false, indent, language }]
}

/** A line of a task that stands behind the end of the plan. */
const ofTask =
  /^(?:[ \t]+(?:- +)?|- +)["']?(?:id|instruction|validation|checks|depends_on|checklist|covers|chunk)["']?[ \t]*:/

const beginsIndented = (lines: ReadonlyArray<string>, { end, indent, start }: Block): boolean => {
  const first = lines.slice(start + 1, end).find((line) => line.trim() !== "")
  return first !== undefined && /^[ \t]/.test(first.slice(indent))
}

/** The first line behind the plan that belongs to a task; blocks that begin a text of their own are another matter. */
const leftover = (lines: ReadonlyArray<string>, from: number, later: ReadonlyArray<Block>): number | undefined => {
  const own = new Set<number>()
  for (const block of later) {
    if (beginsIndented(lines, block)) continue
    for (let at = block.start; at <= block.end; at += 1) own.add(at)
  }
  const at = lines.findIndex((line, index) => index >= from && ofTask.test(line) && !own.has(index))
  return at === -1 ? undefined : at
}

const isCutOff = (end: number, at: number): string =>
  `Line ${end + 1}: The plan ends here, but line ${at + 1} seems to belong to it. Indent every line of an instruction, and put more backticks around the plan than stand in it.`

const contentOf = (lines: ReadonlyArray<string>, { end, indent, start }: Block): string =>
  lines
    .slice(start + 1, end)
    .map((line) => line.slice(Math.min(indent, line.search(/[^ ]|$/))))
    .join("\n")

const doubtOf = (lines: ReadonlyArray<string>, block: Block, later: ReadonlyArray<Block>): string | null => {
  if (!block.closed) {
    return `Line ${block.start + 1}: The fenced block that begins here is never closed, so the plan may be cut off. Hand in the whole of it.`
  }
  const behind = leftover(lines, block.end + 1, later)
  return behind === undefined ? null : isCutOff(block.end, behind)
}

/** What a fenced plan may be called. */
const languages = new Set(["", "yaml", "yml", "json", "jsonc", "text", "txt"])

/** The last fenced block that is, or means to be, a plan. */
const fencedPart = (lines: ReadonlyArray<string>): Part | undefined => {
  const blocks = blocksOf(lines)
  const at = blocks.findLastIndex((block) => {
    if (!languages.has(block.language)) return false
    const text = contentOf(lines, block)
    return tasksKey.test(text) && kindOf(text) !== "other"
  })
  const block = blocks[at]
  if (block === undefined) return undefined
  const doubt = doubtOf(lines, block, blocks.slice(at + 1))
  return { text: contentOf(lines, block), start: block.start + 1, doubt }
}

const keyLine = new RegExp(`^["']?(?:${Array.from(fileKeys, (key) => key.replace("$", "\\$")).join("|")})["']?[ \\t]*:`)
const tasksLine = /^["']?tasks["']?[ \t]*:/
/** What may stand at the start of a line in a file of tasks: keys, items, comments, and what is indented. */
const ofFile = /^(?:$|[ \t]|#|-[ \t]|-$|["']?[a-z_$][\w$-]*["']?[ \t]*:(?:[ \t]|$))/

/** What ends a document, or is left of a fence around it. */
const isMarker = (lines: ReadonlyArray<string>, at: number): boolean =>
  /^(?:---|\.\.\.)(?:\s|$)/.test(lines[at] ?? "") ||
  (closing.test(lines[at] ?? "") && lines.slice(at + 1).every((line) => line.trim() === ""))

/** From the first line that begins with `tasks:`, with the keys of the file that stand right above it, to where prose begins. */
const bareParts = (lines: ReadonlyArray<string>): ReadonlyArray<Part> => {
  const start = lines.findIndex((line) => tasksLine.test(line))
  if (start === -1) return []
  const key = lines.findIndex((line) => keyLine.test(line))
  const prose = lines.findIndex((line, at) => at > start && !ofFile.test(line))
  const part = (from: number, to: number, doubt: string | null): Part => ({
    text: lines.slice(from, to).join("\n"),
    start: from,
    doubt
  })
  const parts = (from: number): ReadonlyArray<Part> => {
    const whole = part(from, lines.length, null)
    if (prose === -1) return [whole]
    // what stands right below the plan, without a blank line, is hardly prose
    const isApart = lines[prose - 1]?.trim() === "" || isMarker(lines, prose)
    const behind = isApart ? leftover(lines, prose, []) : prose
    return [whole, part(from, prose, behind === undefined ? null : isCutOff(prose - 1, behind))]
  }
  return key < start ? [...parts(key), ...parts(start)] : parts(start)
}

/** From the first line that begins with a brace to the last that ends with one. */
const jsonPart = (lines: ReadonlyArray<string>): ReadonlyArray<Part> => {
  const start = lines.findIndex((line) => line.startsWith("{"))
  const end = lines.findLastIndex((line) => line.trimEnd().endsWith("}"))
  return start === -1 || end < start ? [] : [{ text: lines.slice(start, end + 1).join("\n"), start, doubt: null }]
}

/** The part that holds the plan, or the one that means to; the whole answer first. */
const partOf = (answer: string): Part | undefined => {
  const whole: Part = { text: answer, start: 0, doubt: null }
  if (kindOf(answer) === "plan") return whole
  const lines = answer.split(/\r?\n/)
  const fenced = fencedPart(lines)
  if (fenced !== undefined) return fenced
  const parts = [...bareParts(lines), ...jsonPart(lines)].map((part) => ({ part, kind: kindOf(part.text) }))
  const found = parts.find(({ kind }) => kind === "plan") ?? parts.find(({ kind }) => kind === "broken")
  return found?.part ?? (tasksKey.test(answer) ? whole : undefined)
}

const maxTold = 50

const shown = (sentences: ReadonlyArray<string>): ReadonlyArray<string> =>
  sentences.length <= maxTold
    ? sentences
    : [...sentences.slice(0, maxTold), `There are ${sentences.length - maxTold} more problems.`]

const refused = (...sentences: ReadonlyArray<string>): GeneratedTasks => ({ tasks: [], problems: shown(sentences) })

/** What no look at the plan alone shows. */
const ofEarlier: ReadonlySet<string> = new Set(["id_taken", "id_of_failed_task", "dependency_not_completed"])

const form = "Hand it in as YAML: a list of tasks under the key `tasks`."

/**
 * The tasks in the answer of an agent: the text of a tasks file, or prose around one. Taken is the whole answer where it
 * is a plan, else the last fenced block that is one or means to be, else what follows the first line that begins with
 * `tasks:`. The rules are those of a tasks file, and every task must be provable. An answer in which no task is found, or
 * whose plan may be cut off, has a problem. Never throws.
 */
export const parseGeneratedTasks = (output: string, options: TasksOptions = {}): GeneratedTasks => {
  const answer = normalised(output)
  if (answer.trim() === "") return refused(`The answer is empty. ${form}`)
  if (Buffer.byteLength(answer) > maxBytes) return refused("The answer is larger than 5 MiB. Make fewer tasks.")
  const part = partOf(answer)
  if (part === undefined) return refused(`The answer holds no plan. ${form}`)
  // blank lines in its place, so that its lines have the numbers they have in the answer
  const { problems, tasks, warnings } = parseTasks("\n".repeat(part.start) + part.text, "", options)
  const unprovable = warnings.filter(({ code }) => code === "task_unprovable")
  const told = [...problems, ...unprovable].toSorted((a, b) => a.line - b.line)
  const sentences = told.map(({ code, hint, line, message }) =>
    `Line ${line}: ${message} ${hint}${ofEarlier.has(code) ? ` [${code}]` : ""}`.trimEnd()
  )
  const all = part.doubt === null ? sentences : [part.doubt, ...sentences]
  return all.length > 0 || tasks === null ? refused(...all) : { tasks: generatedTasksOf(tasks), problems: [] }
}
