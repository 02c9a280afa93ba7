/** tasks.yaml: tasks, what each depends on, and what proves that it is done. What it may say is in `TasksFile`. */
import type { ChecklistItemSpec, TaskSpec } from "@proofline/kernel"
import { type RunDefaults, runDefaultsOf, runOptions } from "../../options/index.ts"
import { closest, quoted } from "../../options/words.ts"
import { cyclesOf } from "./cycles.ts"
import { asList, type Decoded, decodeFile, eachOf, type Found } from "./decodeFile.ts"
import { readDocument, type Source } from "./document.ts"
import {
  command,
  type Fault,
  fullList,
  headerFields,
  listOrOne,
  mapping,
  optional,
  ownId,
  required,
  rule,
  shortId,
  shortTitle,
  text,
  textOr,
  trueOrFalse
} from "./fileSchema.ts"
import { tellOtherKind } from "./kind.ts"
import type { Node } from "./Node.ts"
import { type Finding, listProblems, type Problem, refuse, warn } from "./Problem.ts"
import { refuseTakenIds, warnOfEqual, warnOfIdsOfParts } from "./repeats.ts"
import { runFields, runSynonyms } from "./settings.ts"

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

const Covers = listOrOne(text("the id of an acceptance criterion"), "the ids of the acceptance criteria")
const aboutCovers = {
  title: "Covered criteria",
  description: "Ids of the acceptance criteria this covers, `<requirement>.<n>`.",
  examples: [["req_1.1"]]
}

const Criterion = textOr(
  text("what must hold"),
  mapping(
    {
      criterion: required(text("what must hold"), { description: "What the reviewer judges." }),
      covers: optional(Covers, aboutCovers)
    },
    "what must hold"
  )
).annotate({ identifier: "criterion", title: "Criterion", description: "What the reviewer judges." })

const Criteria = listOrOne(Criterion, "the criteria")

const Commands = listOrOne(command, "the shell commands")

/** Only a check can be tried without the lines. */
const ablationNeedsCheck = rule(
  ({
    ablation,
    check,
    item
  }: {
    readonly ablation?: unknown
    readonly check?: unknown
    readonly item?: unknown
  }): Fault | undefined =>
    ablation !== true || check !== undefined
      ? undefined
      : {
          code: "ablation_without_check",
          message: `The checklist item ${quoted(String(item))} has \`ablation: true\` but no \`check\`, so there is nothing that could fail without its lines.`,
          hint: "Add `check:` with a shell command, or remove `ablation`.",
          at: "ablation"
        },
  { anyOf: [{ required: ["check"] }, { properties: { ablation: { const: false } } }] }
)

const Item = textOr(
  text("what must be true"),
  mapping(
    {
      item: required(text("what must be true"), { description: "What must be true." }),
      check: optional(command, { description: "A shell command that must exit 0 for the item to hold." }),
      existing: optional(trueOrFalse, {
        title: "There before",
        description:
          "true: lines that were there before the run may show it too. In a plan that an agent has made it says nothing."
      }),
      ablation: optional(trueOrFalse, {
        title: "Load-bearing check",
        description:
          "true: the check must also fail before the work and without the lines that are cited, tried in throw-away git worktrees. false: it need not, whatever proofline.yaml says. Left out: as `evidence.ablation` of proofline.yaml says."
      }),
      covers: optional(Covers, {
        ...aboutCovers,
        description: "Ids of the acceptance criteria this item shows, instead of those that its task covers."
      })
    },
    "what must be true",
    {
      synonyms: {
        item: ["text", "name", "title", "description", "task", "criterion"],
        check: ["command", "run", "checks"],
        ablation: ["load_bearing"]
      }
    }
  ).check(ablationNeedsCheck)
).annotate({
  identifier: "item",
  title: "Checklist item",
  description: "What must be true. The agent must give evidence (`path:line`) or a reason for leaving it out.",
  examples: [
    "Add the function login to src/login.ts",
    { item: "The tests pass", check: "npm test" },
    { item: "login refuses a wrong password", check: "node --test test/login.test.js", ablation: true },
    { item: "login answers 401 to a wrong password", check: "npm test -- login", covers: ["req_1.2"] },
    { item: "Passwords are never logged: see the filter in src/log.ts", existing: true }
  ]
})

const Task = mapping(
  {
    id: ownId("login", "task_1"),
    name: required(text("a short title"), shortTitle("Check passwords")),
    instruction: required(text("what the agent shall do"), {
      title: "Instruction",
      description:
        "What the agent shall do, in its own words and complete: it sees nothing but this, the checklist and what came before."
    }),
    validation: optional(Criteria, {
      title: "Criteria",
      description: "Criteria, judged by the reviewer; where none is named, items that need evidence.",
      examples: [["A wrong password and an unknown user get the same answer"]]
    }),
    checks: optional(Commands, {
      title: "Checks",
      description: "Shell commands, all of which must exit 0.",
      examples: [["npm test"]]
    }),
    depends_on: optional(listOrOne(text("the id of a task"), "the ids of the tasks it waits for"), {
      title: "Dependencies",
      description: "Ids of the tasks that must be completed before this one begins.",
      examples: [["schema"]]
    }),
    // nothing to prove must not look like everything proven
    checklist: optional(
      fullList(Item, "the items", (name) => ({
        code: "checklist_empty",
        message: `${name} has no items, so nothing would have to be proven.`,
        hint: "Name at least one item, or leave the key out."
      })),
      {
        title: "Checklist",
        description: "What must be true for the task to be done, each item proven by itself."
      }
    ),
    covers: optional(Covers, aboutCovers),
    chunk: optional(
      // who writes another word than true or false mostly means that nothing is asked
      trueOrFalse.annotate({
        saying: { meant: { auto: "Leave the key out: then it is split where the run splits tasks by itself." } }
      }),
      {
        title: "Split",
        description:
          "true: the task is analysed and split into subtasks if it can be. false: it is run in one piece. Left out: as `chunking` of proofline.yaml says."
      }
    ),
    attempts: optional(runOptions.attempts.schema, {
      title: "Attempts beside each other",
      description: "How many agents work on this task at once; left out: as many as the run says."
    })
  },
  "a task with `id`, `name` and `instruction`",
  {
    // by its id where it has one, else by its place in the list
    owner: ({ id }, name) => (typeof id === "string" && id.trim() !== "" ? `task ${quoted(id)}` : name),
    synonyms: {
      id: ["key"],
      name: ["title", "summary"],
      instruction: ["prompt", "desc", "description", "details", "instructions", "task"],
      validation: ["acceptance_criteria", "criteria", "validations"],
      checks: ["check", "command", "commands", "test", "tests", "verify"],
      depends_on: ["dependencies", "depends", "needs", "requires", "after"],
      checklist: ["items", "steps", "subtasks", "todo", "todos"],
      chunk: ["split", "chunked", "decompose"]
    },
    misplaced: {
      chunking: "Write `chunk: true` or `chunk: false` here; how tasks are split is said in proofline.yaml."
    }
  }
).annotate({ identifier: "task", title: "Task" })

const misplaced = { chunk: "Write it in the tasks themselves.", chunking: "Write it in proofline.yaml." }

/** What tasks.yaml may say. Everywhere but for `tasks` and `checklist` a single text stands for a list of one. */
export const TasksFile = mapping(
  {
    name: optional(text("a name"), {
      title: "Name",
      description: "Name of the run; the name of the file when left out.",
      examples: ["Password login"]
    }),
    defaults: optional(mapping(runFields, "settings such as `max_retries: 2`", { synonyms: runSynonyms, misplaced }), {
      title: "How to run",
      description: "Settings of the run. Options on the command line go before them, they go before proofline.yaml.",
      examples: [{ workers: 4, max_retries: 1 }]
    }),
    common_validation: optional(Criteria, {
      title: "Common criteria",
      description: "Criteria for every task, besides its own.",
      examples: [["No secret is written to a log"]]
    }),
    common_checks: optional(Commands, {
      title: "Common checks",
      description: "Shell commands that must exit 0 for every task, besides its own.",
      examples: [["npm test"]]
    }),
    completed: optional(listOrOne(shortId, "the ids of tasks that were completed before"), {
      title: "Completed before",
      description:
        "Ids of tasks that were completed before: tasks of this file may depend on them, and they are not run again.",
      examples: [["task_1"]]
    }),
    tasks: required(
      fullList(
        Task,
        "a list of tasks",
        () => ({
          code: "tasks_empty",
          message: "`tasks` holds no task.",
          hint: "Write at least one task with `id`, `name` and `instruction`."
        }),
        { itemName: (n) => `task ${n}` }
      ),
      {
        title: "Tasks",
        description: "The tasks. Those that do not depend on each other run at the same time."
      }
    ),
    ...headerFields
  },
  "a mapping with the key `tasks`",
  {
    owner: () => null,
    synonyms: { common_validation: ["common_validations"], defaults: ["config", "settings"] },
    misplaced
  }
).annotate({
  title: "Proofline tasks",
  description: "tasks.yaml: tasks for coding agents, what each depends on, and what proves that it is done.",
  examples: [
    {
      tasks: [
        {
          id: "login",
          name: "Check passwords",
          instruction: "Write `login` in src/login.ts.",
          checklist: ["Add the function login to src/login.ts"],
          checks: ["npm test"]
        }
      ]
    }
  ]
})

type TasksFile = typeof TasksFile.Type
type Task = typeof Task.Type

/** Keys that a tasks file may have. */
export const fileKeys: ReadonlySet<string> = new Set(Object.keys(TasksFile.fields))

/** Tasks of other files, by id. */
interface Elsewhere {
  readonly completed: ReadonlySet<string>
  readonly lost: ReadonlySet<string>
}

/** Findings about how tasks refer to each other rest on the whole file. */
const wholeFile = Number.POSITIVE_INFINITY

/** A file as far as it could be read. */
interface Reading {
  readonly decoded: Decoded<TasksFile>
  readonly source: Source
  readonly elsewhere: Elsewhere
  /** By id, in the order of the file; of an id that is there twice the first. */
  readonly byId: ReadonlyMap<string, FoundTask>
}

/** A task as far as it could be read, with its index. */
type FoundTask = NonNullable<Found<Task>> & { readonly index: number }

const tasksOf = ({ found }: Decoded<TasksFile>): ReadonlyArray<FoundTask> =>
  (found?.tasks ?? []).flatMap((task, index) => (task === undefined ? [] : [{ ...task, index }]))

/** The ids that a task depends on, each where it stands. */
const dependenciesOf = (task: FoundTask, { at }: Decoded<TasksFile>) =>
  eachOf<string>(task.depends_on, "tasks", task.index, "depends_on").map(({ item, path }) => ({
    id: item,
    node: at(...path)
  }))

/** Tasks by id. Tells ids that are taken. */
const indexById = (decoded: Decoded<TasksFile>, elsewhere: Elsewhere, source: Source) => {
  const tasks = tasksOf(decoded)
  const ids = tasks.flatMap(({ id, index }) =>
    id === undefined ? [] : [{ text: id, node: decoded.at("tasks", index, "id") }]
  )
  for (const { node, text: id } of ids) {
    const taken = takenBy(id, elsewhere)
    if (taken !== null) refuse(source.findings, { ...taken, start: node.start, end: node.end })
  }
  refuseTakenIds("task", ids, source)
  const byId = new Map<string, FoundTask>()
  // of an id that is there twice the first counts
  for (const task of tasks) if (task.id !== undefined && !byId.has(task.id)) byId.set(task.id, task)
  const mayBeMade = (id: string, what: "part" | "attempt"): boolean => {
    const task = byId.get(id)
    return task !== undefined && (what === "part" ? task.chunk !== false : task.attempts !== 1)
  }
  warnOfIdsOfParts(ids, mayBeMade, source)
  return byId
}

/** Why no task may have this id; null: one may. */
const takenBy = (id: string, { completed, lost }: Elsewhere): Fault | null => {
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

const checkDependencies = (task: FoundTask, { byId, decoded, elsewhere, source }: Reading): void => {
  const owner = task.id === undefined ? "A task" : `Task ${quoted(task.id)}`
  const seen = new Set<string>()
  for (const { id, node } of dependenciesOf(task, decoded)) {
    const tell = (code: string, message: string, hint: Finding["hint"], end = node.end) =>
      refuse(source.findings, { code, message: `${owner} ${message}`, hint, start: node.start, end })
    if (seen.has(id)) tell("dependency_duplicate", `names its dependency ${quoted(id)} twice.`, "Remove one of them.")
    else if (id === task.id) tell("dependency_self", "depends on itself.", "Remove the id from `depends_on`.")
    else if (!byId.has(id) && elsewhere.lost.has(id)) {
      const hint = "Plan its work anew, with an id of its own, or remove the id from `depends_on`."
      tell(
        "dependency_not_completed",
        `depends on ${quoted(id)} of an earlier iteration, which was not completed.`,
        hint
      )
    } else if (!byId.has(id) && !elsewhere.completed.has(id)) {
      const hint = () => unknownHint(id, task.id, byId, elsewhere.completed)
      tell("dependency_unknown", `depends on ${quoted(id)}, but no task has that id.`, hint, wholeFile)
    }
    seen.add(id)
  }
}

const unknownHint = (
  id: string,
  owner: string | undefined,
  byId: ReadonlyMap<string, FoundTask>,
  elsewhere: ReadonlySet<string>
): string => {
  if (id.includes(",")) return "Write several ids as a list, e.g. `[first, second]`."
  // of ids that count up, such as task_1 and task_2, every one is near
  const near = closest(
    id,
    [...byId.keys(), ...elsewhere].filter((other) => other !== owner && !isCountedUp(id, other))
  )
  return near === undefined
    ? "Add the task, remove the id from `depends_on`, or, where it was completed before, name it under `completed`."
    : `Did you mean \`${near}\`?`
}

const isCountedUp = (a: string, b: string): boolean => a.replaceAll(/\d+/g, "0") === b.replaceAll(/\d+/g, "0")

const maxShownIds = 20

const shownCycle = (cycle: ReadonlyArray<string>): string => {
  const ids = [...cycle, ...cycle.slice(0, 1)]
  if (ids.length <= maxShownIds) return ids.join(" → ")
  const half = maxShownIds / 2
  return `${ids.slice(0, half).join(" → ")} → … (${cycle.length} tasks) … → ${ids.slice(-half).join(" → ")}`
}

const checkCycles = ({ byId, decoded, source }: Reading): void => {
  const graph = new Map(
    Array.from(byId, ([id, task]): [string, ReadonlyArray<string>] => [
      id,
      asList(task.depends_on).flatMap((target) =>
        target !== undefined && target !== id && byId.has(target) ? [target] : []
      )
    ])
  )
  for (const cycle of cyclesOf(graph)) {
    const [first = "", second] = cycle
    const task = byId.get(first)
    const closing = task === undefined ? undefined : dependenciesOf(task, decoded).find(({ id }) => id === second)
    refuse(source.findings, {
      code: "dependency_cycle",
      message: `Tasks wait for each other in a circle: ${shownCycle(cycle)}.`,
      hint: "Remove one of these dependencies.",
      start: closing?.node.start ?? 0,
      end: wholeFile
    })
  }
}

/** Equal items are allowed, since reports are matched one to one, but hard to tell apart for whoever reports. */
const warnOfEqualItems = (task: FoundTask, { decoded, source }: Reading): void => {
  const items = eachOf<Item>(task.checklist, "tasks", task.index, "checklist").flatMap(({ item, path }) => {
    const said = typeof item === "string" ? item : item.item
    return said === undefined ? [] : [{ text: said.trim(), node: decoded.at(...path) }]
  })
  warnOfEqual("checklist item", "item_duplicate", "reported", items, source)
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.every((item) => item === undefined))

const warnOfUnprovable = (task: FoundTask, { decoded, source }: Reading): void => {
  const { checklist, checks, chunk, id, instruction, name, validation } = task
  const { common_checks, common_validation } = decoded.found ?? {}
  if (id === undefined || name === undefined || instruction === undefined) return
  if (![checklist, checks, validation, common_checks, common_validation].every(isEmpty)) return
  const { end, start } = decoded.at("tasks", task.index)
  warn(source.findings, {
    code: "task_unprovable",
    // its parts are given what they must show when it is split
    message: chunk
      ? `Nothing could prove that task ${quoted(id)} is done where it cannot be split: its parts must show what the split says of them, and it says nothing itself.`
      : `Nothing could prove that task ${quoted(id)} is done.`,
    hint: "Give it a `checklist`, `checks` or `validation`.",
    start,
    end
  })
}

type Item = typeof Item.Type

const trimmed = (values: string | ReadonlyArray<string> | undefined): ReadonlyArray<string> =>
  asList(values).map((value) => value.trim())

const itemOf = (written: Item): ChecklistItemSpec => {
  if (typeof written === "string") return { item: written.trim() }
  const { covers, item, ...more } = written
  return {
    item: item.trim(),
    ...more,
    ...(covers === undefined ? {} : { covers: Array.from(new Set(trimmed(covers))) })
  }
}

const criteriaOf = (task: Task, file: TasksFile) =>
  [...asList(task.validation), ...asList(file.common_validation)].map((written) =>
    typeof written === "string" ? { criterion: written } : written
  )

const chunkOf = (asked: boolean | undefined): TaskSpec["chunk"] =>
  asked === undefined ? "auto" : asked ? "asked" : "no"

const toSpec = (task: Task, file: TasksFile): TaskSpec => ({
  id: task.id,
  title: task.name.trim(),
  instruction: task.instruction,
  validation: criteriaOf(task, file).map(({ criterion }) => criterion.trim()),
  checks: [...asList(task.checks), ...asList(file.common_checks)],
  depends_on: asList(task.depends_on),
  checklist: asList(task.checklist).map(itemOf),
  chunk: chunkOf(task.chunk),
  ...(task.attempts === undefined ? {} : { attempts: task.attempts })
})

const coversOf = (task: Task, file: TasksFile): ReadonlyArray<string> => {
  const ofCriteria = criteriaOf(task, file).flatMap((entry) => ("covers" in entry ? trimmed(entry.covers) : []))
  return Array.from(new Set([...trimmed(task.covers), ...ofCriteria]))
}

const toDocument = (file: TasksFile): TasksDocument => ({
  name: file.name?.trim() ?? null,
  tasks: file.tasks.map((task) => toSpec(task, file)),
  defaults: runDefaultsOf(file.defaults ?? {}),
  covers: new Map(file.tasks.map((task) => [task.id, coversOf(task, file)]))
})

const readFile = (root: Node, source: Source, options: TasksOptions): TasksFile | null => {
  const decoded = decodeFile(TasksFile, root, source, "yaml")
  const completed = new Set([
    ...(options.completedElsewhere ?? []),
    ...eachOf<string>(decoded.found?.completed).map(({ item }) => item)
  ])
  const elsewhere = { completed, lost: new Set((options.lostElsewhere ?? []).filter((id) => !completed.has(id))) }
  const reading: Reading = { decoded, source, elsewhere, byId: indexById(decoded, elsewhere, source) }
  for (const task of tasksOf(decoded)) {
    checkDependencies(task, reading)
    warnOfEqualItems(task, reading)
    warnOfUnprovable(task, reading)
  }
  checkCycles(reading)
  return decoded.value
}

/**
 * Reads the text of a tasks.yaml and tells everything that is wrong with it at once, in the order of the file.
 * Behind a syntax error only what was certainly read right is told. Never throws.
 */
export const parseTasks = (content: string, name: string, options: TasksOptions = {}): TasksResult => {
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
  const file = source.root === null || tellOtherKind(source, "tasks") ? null : readFile(source.root, source, options)
  const { problems, warnings } = listProblems(source, name)
  return { problems, warnings, tasks: problems.length === 0 && file !== null ? toDocument(file) : null }
}
