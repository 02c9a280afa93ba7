/**
 * tasks.yaml:
 *
 *     name?: text
 *     defaults?: {agent, reviewer, workers, max_retries, …}      how to run
 *     common_validation?: [criterion]                           appended to every task's own
 *     common_checks?: [shell command]                           appended to every task's own
 *     completed?: [id]                                          completed before: tasks here may depend on them
 *     tasks:
 *       - id: text                                              letters, digits, _ . -, at most 100
 *         name: text
 *         instruction: text
 *         validation?: [criterion | {criterion, covers?}]       judged by the reviewer
 *         checks?: [shell command]                              all must exit 0
 *         depends_on?: [id]
 *         checklist?: [item | {item, check?, ablation?, covers?}]   at least one; `ablation: true` needs a check
 *         covers?: [id of an acceptance criterion]              of an item: instead of those of its task
 *         chunk?: boolean                                       true: is split; false: never; left out: as the run says
 *
 * Everywhere but for `tasks` and `checklist` a single text stands for a list of one.
 */
import type { ChecklistItemSpec, TaskSpec } from "@proofline/kernel"
import { cyclesOf } from "./cycles.ts"
import { readDocument, type Source } from "./document.ts"
import { headerFields } from "./header.ts"
import { shortId } from "./ids.ts"
import { tellOtherKind } from "./kind.ts"
import type { MappingNode, Node } from "./Node.ts"
import { type Finding, listProblems, type Problem, refuse, warn } from "./Problem.ts"
import { type RunDefaults, runDefaultsOf, runFields, runSynonyms } from "./runDefaults.ts"
import {
  type Located,
  list,
  listOrOne,
  located,
  type MappingRules,
  mapped,
  mapping,
  maxValues,
  nonEmpty,
  optional,
  type Read,
  type Reading,
  required,
  type Shape,
  type Subject,
  text,
  textOr,
  trimmed,
  trueOrFalse
} from "./shape.ts"
import { closest, quoted } from "./words.ts"

/** A tasks.yaml that holds together. */
export interface TasksDocument {
  readonly name: string | null
  /** In the order of the file, each with the common validation and checks. */
  readonly tasks: ReadonlyArray<TaskSpec>
  readonly defaults: RunDefaults
  /** By task: the acceptance criteria it says it covers, of the task and of its validation entries, each once. */
  readonly covers: ReadonlyMap<string, ReadonlyArray<string>>
}

export interface TasksResult {
  readonly problems: ReadonlyArray<Problem>
  readonly warnings: ReadonlyArray<Problem>
  /** Null exactly when there are problems. */
  readonly tasks: TasksDocument | null
}

export interface TasksOptions {
  /** Tasks completed in earlier runs: tasks of this file may depend on them, and none may have the id of one. */
  readonly completedElsewhere?: ReadonlyArray<string>
  /** Tasks of earlier runs that were not completed: none of this file may depend on one, or have the id of one. */
  readonly lostElsewhere?: ReadonlyArray<string>
}

/** Tasks of other files, by id. */
interface Elsewhere {
  readonly completed: ReadonlySet<string>
  readonly lost: ReadonlySet<string>
}

interface Criterion {
  readonly criterion: string
  readonly covers: ReadonlyArray<string>
}

const covered = listOrOne(trimmed("the id of an acceptance criterion"), "the ids of the acceptance criteria")

const criterion: Shape<Criterion> = textOr(
  mapped(trimmed("what must hold"), (value): Criterion => ({ criterion: value, covers: [] })),
  {
    fields: { criterion: required(trimmed("what must hold")), covers: optional(covered) },
    expects: "what must hold"
  },
  ({ criterion: value, covers }) => (value === undefined ? undefined : { criterion: value, covers: covers ?? [] })
)

const criteria = listOrOne(criterion, "the criteria")
const commands = listOrOne(text("a shell command"), "the shell commands")

const checklistItem: Shape<ChecklistItemSpec> = textOr(
  mapped(trimmed("what must be true"), (item): ChecklistItemSpec => ({ item })),
  {
    fields: {
      item: required(trimmed("what must be true")),
      check: optional(text("a shell command")),
      ablation: optional(trueOrFalse),
      covers: optional(covered)
    },
    expects: "what must be true",
    synonyms: {
      item: ["text", "name", "title", "description"],
      check: ["command", "run", "checks"],
      ablation: ["load_bearing"]
    }
  },
  ({ ablation, check, covers, item }) =>
    item === undefined
      ? undefined
      : {
          item,
          ...(check === undefined ? {} : { check }),
          ...(ablation === undefined ? {} : { ablation }),
          ...(covers === undefined ? {} : { covers: Array.from(new Set(covers)) })
        }
)

/** An empty checklist is refused: nothing to prove must not look like everything proven. */
const checklist: Shape<ReadonlyArray<Located<ChecklistItemSpec>>> = nonEmpty(
  list(located(checklistItem), "the items"),
  (subject) => ({
    code: "checklist_empty",
    message: `${subject.name} has no items, so nothing would have to be proven.`,
    hint: "Name at least one item, or leave the key out."
  })
)

/** Who writes another word than true or false mostly means one of the two, or that nothing is asked. */
const chunk: Shape<TaskSpec["chunk"]> = {
  expects: "true or false",
  read: (node, subject, reading) => {
    if (node.kind === "text" && node.value.trim().toLowerCase() === "auto") {
      refuse(reading.findings, {
        code: "wrong_type",
        message: `${subject.name} must be true or false, not the text ${quoted(node.value)}.`,
        hint: "Leave the key out: then it is split where the run splits tasks by itself.",
        start: node.start,
        end: node.end
      })
      return undefined
    }
    return mapped(trueOrFalse, (wanted) => (wanted ? "asked" : "no")).read(node, subject, reading)
  }
}

const taskFields = {
  id: required(located(shortId)),
  name: required(trimmed("a short title")),
  instruction: required(text("what the agent shall do")),
  validation: optional(criteria),
  checks: optional(commands),
  depends_on: optional(listOrOne(located(text("the id of a task")), "the ids of the tasks it waits for")),
  checklist: optional(checklist),
  covers: optional(covered),
  chunk: optional(chunk)
}

/** A task in sentences: by its id where it has one, else by its place in the list. */
const taskName = (node: MappingNode, subject: Subject): string => {
  const id = node.entries.find((entry) => entry.key === "id")?.value
  return id?.kind === "text" && id.value.trim() !== "" ? `task ${quoted(id.value)}` : subject.name
}

const taskRules: MappingRules<typeof taskFields> = {
  fields: taskFields,
  expects: "a task with `id`, `name` and `instruction`",
  owner: taskName,
  synonyms: {
    id: ["key"],
    name: ["title"],
    instruction: ["prompt", "description", "instructions", "task"],
    validation: ["acceptance_criteria", "criteria", "validations"],
    checks: ["check", "commands", "verify"],
    depends_on: ["dependencies", "depends", "needs", "requires", "after"],
    checklist: ["items", "todo"],
    chunk: ["split", "chunked", "decompose"]
  },
  misplaced: { chunking: "Write `chunk: true` or `chunk: false` here; how tasks are split is said in proofline.yaml." }
}

/** A task as far as it could be read, with its place. */
type FoundTask = Located<Read<typeof taskFields>>

const fileFields = {
  name: optional(trimmed("a name")),
  defaults: optional(
    mapped(
      mapping({
        fields: runFields,
        expects: "settings such as `max_retries: 2`",
        synonyms: runSynonyms,
        misplaced: { chunk: "Write it in the tasks themselves.", chunking: "Write it in proofline.yaml." }
      }),
      runDefaultsOf
    )
  ),
  common_validation: optional(criteria),
  common_checks: optional(commands),
  completed: optional(listOrOne(shortId, "the ids of tasks that were completed before")),
  tasks: required(
    nonEmpty(
      list(located(mapping(taskRules)), "a list of tasks", (n) => `task ${n}`),
      () => ({
        code: "tasks_empty",
        message: "`tasks` holds no task.",
        hint: "Write at least one task with `id`, `name` and `instruction`."
      })
    )
  ),
  ...headerFields
}

/** Keys that a tasks file may have. */
export const fileKeys: ReadonlySet<string> = new Set(Object.keys(fileFields))

const fileShape = mapping({
  fields: fileFields,
  expects: "a mapping with the key `tasks`",
  owner: () => null,
  synonyms: { common_validation: ["common_validations"], defaults: ["config", "settings"] },
  misplaced: { chunk: "Write it in the tasks themselves.", chunking: "Write it in proofline.yaml." }
})

type FoundFile = Read<typeof fileFields>

/** Findings about how tasks refer to each other rest on the whole file. */
const wholeFile = Number.POSITIVE_INFINITY

/** Tasks by id; of an id that is there twice the first counts and the others are refused. */
const indexById = (
  tasks: ReadonlyArray<FoundTask>,
  elsewhere: Elsewhere,
  source: Source,
  reading: Reading
): ReadonlyMap<string, FoundTask> => {
  const byId = new Map<string, FoundTask>()
  for (const task of tasks) {
    const id = task.value.id
    if (id === undefined) continue
    const taken = takenBy(id.value, elsewhere)
    if (taken !== null) refuse(reading.findings, { ...taken, start: id.node.start, end: id.node.end })
    const first = byId.get(id.value)?.value.id
    if (first === undefined) {
      byId.set(id.value, task)
      continue
    }
    refuse(reading.findings, {
      code: "id_duplicate",
      message: `The id ${quoted(id.value)} is already taken by the task on line ${source.positions.lineOf(first.node.start)}.`,
      hint: "Give every task an id of its own.",
      start: id.node.start,
      end: id.node.end
    })
  }
  return byId
}

/** Why no task may have this id; null: one may. */
const takenBy = (id: string, { completed, lost }: Elsewhere): Pick<Finding, "code" | "message" | "hint"> | null => {
  if (completed.has(id)) {
    return {
      code: "id_taken",
      message: `The id ${quoted(id)} belongs to a task that is completed already.`,
      hint: "Give the new task an id of its own; what is completed is never run again."
    }
  }
  return lost.has(id)
    ? {
        code: "id_of_failed_task",
        message: `The id ${quoted(id)} belongs to a task of an earlier iteration that was not completed.`,
        hint: "Plan what is left of it as a new task with an id that no task has had."
      }
    : null
}

const checkDependencies = (
  task: FoundTask,
  byId: ReadonlyMap<string, FoundTask>,
  elsewhere: Elsewhere,
  reading: Reading
): void => {
  const own = task.value.id?.value
  const owner = own === undefined ? "A task" : `Task ${quoted(own)}`
  const seen = new Set<string>()
  for (const { value: id, node } of task.value.depends_on ?? []) {
    const tell = (finding: Pick<Finding, "code" | "message" | "hint">, end: number) =>
      refuse(reading.findings, { ...finding, start: node.start, end })
    if (seen.has(id)) {
      const message = `${owner} names its dependency ${quoted(id)} twice.`
      tell({ code: "dependency_duplicate", message, hint: "Remove one of them." }, node.end)
      continue
    }
    seen.add(id)
    if (id === own) {
      const message = `${owner} depends on itself.`
      tell({ code: "dependency_self", message, hint: "Remove the id from `depends_on`." }, node.end)
    } else if (!byId.has(id) && elsewhere.lost.has(id)) {
      const message = `${owner} depends on ${quoted(id)} of an earlier iteration, which was not completed.`
      const hint = "Plan its work anew, with an id of its own, or remove the id from `depends_on`."
      tell({ code: "dependency_not_completed", message, hint }, node.end)
    } else if (!byId.has(id) && !elsewhere.completed.has(id)) {
      const message = `${owner} depends on ${quoted(id)}, but no task has that id.`
      tell({ code: "dependency_unknown", message, hint: () => unknownHint(id, byId, elsewhere.completed) }, wholeFile)
    }
  }
}

const unknownHint = (id: string, byId: ReadonlyMap<string, FoundTask>, elsewhere: ReadonlySet<string>): string => {
  if (id.includes(",")) return "Write several ids as a list, e.g. `[first, second]`."
  const near = closest(id, [...byId.keys(), ...elsewhere])
  return near === undefined ? "Add the task, or remove the id from `depends_on`." : `Did you mean \`${near}\`?`
}

const maxShownIds = 20

const shownCycle = (cycle: ReadonlyArray<string>): string => {
  const ids = [...cycle, ...cycle.slice(0, 1)]
  if (ids.length <= maxShownIds) return ids.join(" → ")
  const half = maxShownIds / 2
  return `${ids.slice(0, half).join(" → ")} → … (${cycle.length} tasks) … → ${ids.slice(-half).join(" → ")}`
}

const checkCycles = (byId: ReadonlyMap<string, FoundTask>, reading: Reading): void => {
  const graph = new Map(
    Array.from(byId, ([id, task]): [string, ReadonlyArray<string>] => [
      id,
      (task.value.depends_on ?? []).map((entry) => entry.value).filter((target) => target !== id && byId.has(target))
    ])
  )
  for (const cycle of cyclesOf(graph)) {
    const [first = "", second] = cycle
    const entry = byId.get(first)?.value.depends_on?.find(({ value }) => value === second)
    refuse(reading.findings, {
      code: "dependency_cycle",
      message: `Tasks wait for each other in a circle: ${shownCycle(cycle)}.`,
      hint: "Remove one of these dependencies.",
      start: entry?.node.start ?? 0,
      end: wholeFile
    })
  }
}

/** Only a check can be tried without the lines. */
const checkAblation = (task: FoundTask, reading: Reading): void => {
  for (const { node, value } of task.value.checklist ?? []) {
    const entries = node.kind === "mapping" ? node.entries : []
    const asked = entries.find(({ key }) => key === "ablation")
    if (value.ablation !== true || asked === undefined || entries.some(({ key }) => key === "check")) continue
    refuse(reading.findings, {
      code: "ablation_without_check",
      message: `The checklist item ${quoted(value.item)} has \`ablation: true\` but no \`check\`, so there is nothing that could fail without its lines.`,
      hint: "Add `check:` with a shell command, or remove `ablation`.",
      start: asked.keyStart,
      end: node.end
    })
  }
}

/** Equal items are allowed, since reports are matched one to one, but hard to tell apart for whoever reports. */
const warnOfEqualItems = (task: FoundTask, source: Source, reading: Reading): void => {
  const first = new Map<string, Node>()
  for (const { value, node } of task.value.checklist ?? []) {
    const earlier = first.get(value.item)
    if (earlier === undefined) {
      first.set(value.item, node)
      continue
    }
    warn(reading.findings, {
      code: "item_duplicate",
      message: `The checklist item ${quoted(value.item)} is already on line ${source.positions.lineOf(earlier.start)}.`,
      hint: "Remove it, or say what is different; as it is, each of the two must be reported.",
      start: node.start,
      end: node.end
    })
  }
}

const toSpec = (task: FoundTask, file: FoundFile): TaskSpec | undefined => {
  const { id, name, instruction } = task.value
  if (id === undefined || name === undefined || instruction === undefined) return undefined
  return {
    id: id.value,
    title: name,
    instruction,
    validation: [...(task.value.validation ?? []), ...(file.common_validation ?? [])].map((entry) => entry.criterion),
    checks: [...(task.value.checks ?? []), ...(file.common_checks ?? [])],
    depends_on: (task.value.depends_on ?? []).map((entry) => entry.value),
    checklist: (task.value.checklist ?? []).map((entry) => entry.value),
    chunk: task.value.chunk ?? "auto"
  }
}

const isUnprovable = (spec: TaskSpec): boolean =>
  spec.checklist.length === 0 && spec.checks.length === 0 && spec.validation.length === 0

const warnOfUnprovable = (tasks: ReadonlyArray<FoundTask>, file: FoundFile, reading: Reading): void => {
  for (const task of tasks) {
    const spec = toSpec(task, file)
    if (spec === undefined || !isUnprovable(spec)) continue
    warn(reading.findings, {
      code: "task_unprovable",
      message: `Nothing could prove that task ${quoted(spec.id)} is done.`,
      hint: "Give it a `checklist`, `checks` or `validation`.",
      start: task.node.start,
      end: task.node.end
    })
  }
}

const coversOf = (task: FoundTask, file: FoundFile): ReadonlyArray<string> => {
  const entries = [...(task.value.validation ?? []), ...(file.common_validation ?? [])]
  return Array.from(new Set([...(task.value.covers ?? []), ...entries.flatMap((entry) => entry.covers)]))
}

const toDocument = (file: FoundFile): TasksDocument => ({
  name: file.name ?? null,
  tasks: (file.tasks ?? []).flatMap((task) => toSpec(task, file) ?? []),
  defaults: file.defaults ?? {},
  covers: new Map(
    (file.tasks ?? []).flatMap(
      (task): ReadonlyArray<[string, ReadonlyArray<string>]> =>
        task.value.id === undefined ? [] : [[task.value.id.value, coversOf(task, file)]]
    )
  )
})

const readFile = (root: Node, source: Source, options: TasksOptions): FoundFile => {
  const reading: Reading = { findings: source.findings, budget: maxValues, syntax: "yaml" }
  const file = fileShape.read(root, { name: "the file", otherwise: "" }, reading) ?? {}
  const tasks = file.tasks ?? []
  const completed = new Set([...(options.completedElsewhere ?? []), ...(file.completed ?? [])])
  const lost = new Set((options.lostElsewhere ?? []).filter((id) => !completed.has(id)))
  const elsewhere: Elsewhere = { completed, lost }
  const byId = indexById(tasks, elsewhere, source, reading)
  for (const task of tasks) checkDependencies(task, byId, elsewhere, reading)
  for (const task of tasks) checkAblation(task, reading)
  checkCycles(byId, reading)
  for (const task of tasks) warnOfEqualItems(task, source, reading)
  warnOfUnprovable(tasks, file, reading)
  return file
}

/**
 * Reads the text of a tasks.yaml and tells everything that is wrong with it at once, in the order of the file.
 * Behind a syntax error only what was certainly read right is told. Never throws.
 */
export const parseTasks = (content: string, file: string, options: TasksOptions = {}): TasksResult => {
  const source = readDocument(content)
  if (source.root === null && source.findings.problems.length === 0) {
    refuse(source.findings, {
      code: "file_empty",
      message: "The file is empty.",
      hint: "Write a list of tasks under the key `tasks`.",
      start: 0,
      end: 0
    })
  }
  const found = source.root === null || tellOtherKind(source, "tasks") ? {} : readFile(source.root, source, options)
  const { problems, warnings } = listProblems(source, file)
  return { problems, warnings, tasks: problems.length === 0 ? toDocument(found) : null }
}
