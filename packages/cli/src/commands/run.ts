import { existsSync } from "node:fs"
import * as Path from "node:path"
import { inDependencyOrder, type RunConfig, type TaskSpec, unended } from "@proofline/kernel"
import { isRequirementsFile, type TasksDocument } from "@proofline/plugins/adapters/project-files"
import { Effect, Result } from "effect"
import { fileNamed, type ProjectPaths, type Where } from "../base/paths.ts"
import { exitCodes, type Problem, type Stop, stop } from "../base/problems.ts"
import { type Selection, select } from "../base/selection.ts"
import type { Planned } from "../driving/plan.ts"
import { resolveAgents } from "../driving/resolveAgents.ts"
import type { UiFlags } from "../driving/ui.ts"
import { uncheckedNote } from "../driving/uncheckedTasks.ts"
import { unnamedTestsNote } from "../driving/unnamedTests.ts"
import { type ClusterFlags, checkWhoWorks } from "../driving/whoWorks.ts"
import type { Handed } from "../process/handle.ts"
import { print, printDocument, say, sayProblems } from "../process/output.ts"
import type { BaseFlags } from "../project/base.ts"
import { withChecks } from "../project/checksFrom.ts"
import { existingProject, projectConfig, readText } from "../project/files.ts"
import { projectMessages } from "../project/projectMessages.ts"
import { judgedBy, type RunFlags, resolveChunking, type TaskFlags } from "../project/settings.ts"
import { earlierIterations, readWith } from "../reading/earlierIterations.ts"
import { count } from "../render/lines.ts"
import { oneLine } from "../render/style.ts"

export interface RunOptions extends RunFlags, TaskFlags, UiFlags, BaseFlags, ClusterFlags, Where {
  readonly file: string
  readonly dryRun: boolean
  readonly json: boolean
}

/** `proofline run tasks.yaml`: reads and checks everything first, and only then starts anything. Requirements are run as such. */
export const run = Effect.fnUntraced(function* (
  options: RunOptions,
  runRequirements: Handed<Omit<RunOptions, "from" | "only">>
) {
  const paths = yield* existingProject(options)
  yield* checkWhoWorks(options, paths)
  const { file, shown } = fileNamed(options.file, paths)
  const asWritten = yield* readText(file, shown).pipe(Effect.mapError((none) => orInit(none, paths)))
  if (isRequirementsFile(asWritten)) return yield* asRequirements(options, runRequirements)
  const { document, earlier, text } = yield* readTasks(file, shown, paths)
  const project = yield* projectConfig(paths)
  const { agents, chunking, defaults } = project
  const messages = yield* projectMessages(paths)
  const selected = yield* orStop(select(document.tasks, options))
  const resolved = yield* orStop(
    Result.mapError(yield* resolveAgents(options, [defaults, document.defaults], agents, paths), (problem) => [problem])
  )
  const split = yield* orStop(
    Result.mapError(resolveChunking(resolved, options, { ...defaults, ...document.defaults }, chunking), (problem) => [
      problem
    ])
  )
  const config = yield* withChecks(
    { ...judgedBy(split, project, options), messages },
    { said: options.checks_from, ofFile: project.checks_from },
    paths,
    { tasks: document.tasks.map(({ id }) => id), requirements: null }
  )
  const isAutomatic = chunking.length > 0 && split.chunking.enabled && split.chunking.auto_detect
  const selection = speakingFor(selected, options.chunk === true ? "asked" : isAutomatic ? "auto" : "no")
  if ((options.checks_from ?? project.checks_from) == null) {
    const note = uncheckedNote(selection.tasks, project.verifiers)
    if (note !== null) yield* say(note)
  }
  const unnamed = unnamedTestsNote(selection.tasks)
  if (unnamed !== null) yield* say(unnamed)
  if (options.dryRun) {
    const isSplit = selection.tasks.some((task) => task.chunk !== "no")
    // ours fit together, and are loaded only where something stands on what they offer
    if (isSplit || project.plugins.length > 0 || chunking.length > 0) {
      const { checkedComposition } = yield* Effect.promise(() => import("../project/checkedPlugins.ts"))
      const { chunkingProblems } = yield* Effect.promise(() => import("../project/strategies.ts"))
      const composition = yield* checkedComposition(paths, project)
      yield* orStop(asResult(isSplit ? chunkingProblems(composition, config.chunking) : []))
    }
    if (options.base !== undefined) {
      const { checkBase } = yield* Effect.promise(() => import("../project/base.ts"))
      yield* checkBase(paths, options)
    }
    return yield* dryRun(selection, config, options.json)
  }
  const known = earlier.completed.filter(({ task_id }) => selection.assumed.includes(task_id))
  const onWord = selection.assumed.filter((id) => !known.some(({ task_id }) => task_id === id))
  if (onWord.length > 0) yield* say(`Taken as completed, on your word: ${onWord.join(", ")}.`)
  const name = document.name ?? Path.basename(file).replace(/\.ya?ml$/, "")
  const planned: Planned = {
    _tag: "StartRun",
    kind: "tasks",
    name,
    root: paths.root,
    parent_run_id: null,
    completed_task_ids: selection.assumed,
    ...(known.length === 0 ? {} : { completed_tasks: known }),
    config,
    tasks: selection.tasks
  }
  const input = { path: Path.relative(paths.root, file), text, isHeld: true }
  const [{ startRun }, { withStorage }] = yield* Effect.promise(() =>
    Promise.all([import("../driving/start.ts"), import("../project/storage.ts")])
  )
  return yield* withStorage(paths, startRun(planned, input, paths, options.json, options))
})

/** Where nothing of Proofline is in the project so far, that is how to begin. */
const orInit = (none: Stop, { root, state }: ProjectPaths): Stop => {
  const [first] = none.problems
  return first?.code !== "file_not_found" || existsSync(state) || existsSync(Path.join(root, "proofline.yaml"))
    ? none
    : stop(exitCodes.usage, { ...first, hint: `${first.hint} \`proofline init\` writes one to begin with.` })
}

/** Whoever names requirements wants them met. */
const asRequirements = (
  { from, only, ...options }: RunOptions,
  runRequirements: Handed<Omit<RunOptions, "from" | "only">>
) =>
  from === undefined && only === undefined
    ? runRequirements(options)
    : Effect.fail(
        stop(exitCodes.usage, {
          code: "selection_unusable",
          message: `${options.file} holds requirements; --from and --only choose among tasks.`,
          hint: "Leave them out."
        })
      )

/** Tasks that say nothing of being split are split as the run says. */
const speakingFor = (selection: Selection, chunk: TaskSpec["chunk"]): Selection => ({
  ...selection,
  tasks: selection.tasks.map((task) => (task.chunk === "auto" ? { ...task, chunk } : task))
})

const asResult = (problems: ReadonlyArray<Problem>): Result.Result<void, ReadonlyArray<Problem>> =>
  problems.length === 0 ? Result.succeed(undefined) : Result.fail(problems)

const orStop = <A>(result: Result.Result<A, ReadonlyArray<Problem>>): Effect.Effect<A, Stop> =>
  Effect.mapError(Effect.fromResult(result), (problems) => stop(exitCodes.usage, ...problems))

const readTasks = Effect.fnUntraced(function* (file: string, shown: string, paths: ProjectPaths) {
  const text = yield* readText(file, shown)
  const earlier = yield* earlierIterations(file, text, paths)
  const { problems, tasks, warnings } = readWith(text, shown, earlier, true)
  yield* sayProblems(warnings, "warning")
  if (tasks === null) return yield* stop(exitCodes.usage, ...problems)
  return { document: tasks satisfies TasksDocument, earlier, text }
})

/** What would be run, without touching anything. */
const dryRun = Effect.fnUntraced(function* (selection: Selection, config: RunConfig, json: boolean) {
  const order = inDependencyOrder(selection.tasks)
  if (json) {
    const { runDocument } = yield* Effect.promise(() => import("../documents/run.ts"))
    yield* printDocument(runDocument, {
      run_id: null,
      dry_run: true,
      status: "planned",
      config,
      tasks: order.map((task) => ({
        id: task.id,
        title: task.title,
        status: "pending" as const,
        verdict: "unproven" as const,
        attempts: 0,
        depends_on: task.depends_on,
        checks: task.checks,
        validation: task.validation,
        checklist: task.checklist.map((item) => ({ ...item, status: "pending" as const, verdict: "unproven" as const }))
      }))
    })
  } else {
    yield* print(
      [
        `Would run ${count(order.length, "task")} with agent ${config.agent}, ${count(config.workers, "worker")}, ${count(config.max_retries, "retry", "retries")}; nothing was started.`,
        ...order.map(planLine),
        ""
      ].join("\n")
    )
  }
  return exitCodes.proven
})

const planLine = (task: TaskSpec, i: number): string =>
  `${String(i + 1).padStart(3)}. ${task.id}: ${unended(oneLine(task.title, 80))}${task.depends_on.length === 0 ? "" : ` (after ${task.depends_on.join(", ")})`}: ${count(task.checklist.length, "item")}, ${count(task.checks.length, "check")}, ${count(task.validation.length, "criterion", "criteria")}`
