import { readdirSync } from "node:fs"
import * as Path from "node:path"
import type { EarlierTask, TaskState } from "@proofline/kernel"
import { parseTasks } from "@proofline/plugins/adapters/project-files"
import { Effect, Option } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { readText } from "../project/files.ts"

/** What is known of the tasks of earlier iterations of a tasks file: those in the files beside it. */
export interface Earlier {
  /** As the log has them. */
  readonly completed: ReadonlyArray<EarlierTask>
  /** Ids of those that ran and are not completed. */
  readonly lost: ReadonlyArray<string>
  /** Ids of those that never ran here, and are completed as the head of the file says. */
  readonly told: ReadonlyArray<string>
  /** Ids of those that never ran here, and of which nothing is said. */
  readonly notRun: ReadonlyArray<string>
}

const nothing: Earlier = { completed: [], lost: [], told: [], notRun: [] }

/** `<feature>-tasks-iter<n>.yaml`. Source: requirements loop, generated files. */
const generated = /^(.+-tasks-iter)(\d{1,6})(\.ya?ml)$/i

/** The comment in which a generated file names what was completed before; ours, and that of the requirements loop. */
const completedBefore = /^#\s*(?:前回完了|completed(?: before)?)\s*[::]\s*(.+)$/i

/** What the files of earlier iterations beside `file`, and the log, say of the tasks that it may depend on. */
export const earlierIterations = Effect.fnUntraced(function* (file: string, text: string, paths: ProjectPaths) {
  const siblings = siblingsOf(file)
  const ids = new Map<string, ReadonlyArray<string>>()
  for (const sibling of siblings) {
    const found = yield* Effect.option(readText(sibling, sibling))
    const before = [...ids.values()].flat()
    const read = Option.map(found, (content) => parseTasks(content, sibling, { completedElsewhere: before }).tasks)
    ids.set(sibling, Option.getOrNull(read)?.tasks.map(({ id }) => id) ?? [])
  }
  const all = [...ids.values()].flat()
  if (all.length === 0) return nothing
  const { tasksThatRan } = yield* Effect.promise(() => import("./tasksThatRan.ts"))
  const ran = yield* tasksThatRan(siblings, paths)
  const named = namedInHead(text)
  const notHere = all.filter((id) => !ran.has(id))
  const earlier: Earlier = {
    completed: all.flatMap((id) => {
      const task = ran.get(id)
      return task?.status === "completed" ? [outcomeOf(task)] : []
    }),
    lost: all.filter((id) => ran.has(id) && ran.get(id)?.status !== "completed"),
    told: notHere.filter((id) => named.has(id)),
    notRun: notHere.filter((id) => !named.has(id))
  }
  return earlier
})

/** How a tasks file is read with what is known. What never ran is no reason to call a file wrong, but nothing to build on. */
export const readWith = (
  text: string,
  shown: string,
  { completed, lost, notRun, told }: Earlier,
  isToRun: boolean
): ReturnType<typeof parseTasks> => {
  const done = [...completed.map(({ task_id }) => task_id), ...told]
  const read = parseTasks(text, shown, {
    completedElsewhere: isToRun ? done : [...done, ...notRun],
    lostElsewhere: isToRun ? [...lost, ...notRun] : lost
  })
  const needed = (read.tasks?.tasks ?? []).flatMap(({ depends_on }) => depends_on).filter((id) => notRun.includes(id))
  const problems = read.problems.map((problem) =>
    problem.code === "dependency_not_completed" ? { ...problem, hint: runFirst } : problem
  )
  return { ...read, problems, warnings: [...read.warnings, ...[...new Set(needed)].map((id) => notRunYet(id, shown))] }
}

const runFirst =
  "Run the file of that iteration first, or name the task under `completed:` where it was completed elsewhere."

const notRunYet = (id: string, file: string) => ({
  code: "dependency_not_run",
  message: `The task "${id}" of an earlier iteration was not run here.`,
  file,
  line: 1,
  column: 1,
  hint: runFirst
})

/** Files of the same feature with a lower number, in order. */
const siblingsOf = (file: string): ReadonlyArray<string> => {
  const [, stem, own] = generated.exec(Path.basename(file)) ?? []
  if (stem === undefined) return []
  const directory = Path.dirname(Path.resolve(file))
  return namesIn(directory)
    .flatMap((name) => {
      const [, other, number] = generated.exec(name) ?? []
      return other === stem && Number(number) < Number(own) ? [{ name, number: Number(number) }] : []
    })
    .toSorted((a, b) => a.number - b.number)
    .map(({ name }) => Path.join(directory, name))
}

const namesIn = (directory: string): ReadonlyArray<string> => {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

/** Of the comments that a file begins with. */
const namedInHead = (text: string): ReadonlySet<string> => {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/)
  const end = lines.findIndex((line) => line.trim() !== "" && !line.startsWith("#"))
  const head = end === -1 ? lines : lines.slice(0, end)
  return new Set(head.flatMap((line) => (completedBefore.exec(line)?.[1] ?? "").split(/[,、\s]+/)))
}

const outcomeOf = ({ current, files, spec }: TaskState): EarlierTask => ({
  task_id: spec.id,
  title: spec.title,
  summary: (current?.report?.summary ?? "").trim().slice(0, 500).toWellFormed(),
  files
})
