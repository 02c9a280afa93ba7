import { lstatSync, readdirSync } from "node:fs"
import * as Path from "node:path"
import {
  checkEnding,
  elsewhere,
  isWorkedOn,
  rootsOf,
  stoppedFields,
  stoppedOf,
  type TaskState
} from "@proofline/kernel"
import type { RunOverview } from "@proofline/plugins/adapters/sqlite-log/summary"
import { makeDirectoryNow } from "@proofline/plugins/log"
import { Effect, Struct } from "effect"
import { type ProjectPaths, pathsOf, placeNamed, type Where } from "../base/paths.ts"
import {
  brokenLogs,
  exitCodes,
  type KernelFailure,
  type Problem,
  problemIn,
  type Stop,
  stop
} from "../base/problems.ts"
import { writeWhole } from "../base/writeWhole.ts"
import { historyExportDocument } from "../documents/files.ts"
import { configFields, type RequirementsHistory, type TaskHistory } from "../documents/history.ts"
import { loopStatus } from "../documents/requirements.ts"
import { print, printDocument } from "../process/output.ts"
import type { State } from "../project/state.ts"
import { withKernel } from "../project/withKernel.ts"
import { baseOf, exportDirectory, loops, runIn, runNamed } from "../reading/historyIds.ts"
import { loadRun, unknownRun } from "../reading/oneRun.ts"
import { withStorageToRead } from "../reading/readable.ts"
import { type RunRecord, readRecord } from "../reading/requirementViews.ts"
import { readRows } from "../reading/rows.ts"
import { count } from "../render/lines.ts"

export interface HistoryExportOptions extends Where {
  /** Where to; `.task-orchestrator-history` of the project when left out. */
  readonly dir?: string | undefined
  /** Only this run, a requirements run with its task runs. */
  readonly run?: string | undefined
  readonly json: boolean
}

type Exported = Pick<typeof historyExportDocument.data.Type, "files" | "left_out">
type Written = Exported["files"][number]
type LeftOut = Exported["left_out"][number]

const nothing: Exported = { files: [], left_out: [] }

/**
 * `proofline history export`: one JSON file for every task run and one in `loopb/` for every requirements run. A file is
 * written whole or not at all; files of others are neither changed nor removed. A run that cannot be read keeps no other
 * from being written, unless it is the one that was asked for.
 */
export const exportHistory = Effect.fnUntraced(function* (options: HistoryExportOptions) {
  const paths = pathsOf(options)
  const shown =
    options.dir === undefined ? Path.relative(process.cwd(), exportDirectory(paths)) : placeNamed(options.dir, paths)
  const dir = Path.resolve(shown)
  const rows = (yield* readRows(paths)).filter(({ away, kind }) => kind !== "session" && away?.kind !== "archived")
  const run = options.run === undefined ? undefined : yield* runNamed(options.run, rows, paths)
  if (run !== undefined && !rows.some(({ run_id }) => run_id === run)) return yield* refusedRun(run, paths)
  const selected = rows.filter((row) => run === undefined || row.run_id === run || row.parent_run_id === run)
  const { files, left_out } = yield* withStorageToRead(
    paths,
    Effect.succeed(nothing),
    withKernel(
      paths,
      {},
      Effect.suspend(() => writeAll(dir, rows, selected, run, paths))
    )
  )
  if (options.json) yield* printDocument(historyExportDocument, { dir, files, left_out })
  else {
    const left = left_out.map(({ message, run_id }) => `Not written: ${run_id}: ${message}\n`)
    yield* print(
      files.length === 0
        ? left.length === 0
          ? "No run so far; nothing was written.\n"
          : left.join("")
        : `${left.join("")}${files.map(({ path, run_id }) => `${Path.join(shown, path)}  ${run_id}`).join("\n")}\n${count(files.length, "file")} written.\n`
    )
  }
  if (left_out.length === 0) return exitCodes.proven
  return left_out.some(({ code }) => brokenLogs.has(code)) ? exitCodes.integrity : exitCodes.usage
})

const refusedRun = Effect.fnUntraced(function* (run: string, paths: ProjectPaths) {
  const row = (yield* readRows(paths)).find(({ run_id }) => run_id === run)
  if (row === undefined) return yield* unknownRun(run, paths)
  if (row.away?.kind === "archived") return yield* elsewhere(run, row.away)
  return yield* stop(exitCodes.usage, {
    code: "run_not_exported",
    message: `${run} is of the kind ${row.kind}, for which this layout has no file.`,
    hint: `Its events are everything there is to know: proofline events ${run}`
  })
})

/** The oldest run first: of two that would have one name, the first keeps it. */
const writeAll = Effect.fnUntraced(function* (
  dir: string,
  rows: ReadonlyArray<RunOverview>,
  selected: ReadonlyArray<RunOverview>,
  asked: string | undefined,
  paths: ProjectPaths
) {
  if (selected.length === 0) return nothing
  const left_out: Array<LeftOut> = []
  const isLeftOut = (run: string) => left_out.some(({ run_id }) => run_id === run)
  /** Empty: it cannot be read, and is left out. */
  const ofReadable = <A, R>(run_id: string, reading: Effect.Effect<A, Stop | KernelFailure, R>) =>
    reading.pipe(
      Effect.map((read): ReadonlyArray<A> => [read]),
      Effect.catchIf(
        () => run_id !== asked,
        (error) => {
          const { code, message } = error._tag === "Stop" ? (error.problems[0] as Problem) : problemIn(error)
          if (!isLeftOut(run_id)) left_out.push({ run_id, code, message })
          return Effect.succeed([])
        }
      )
    )
  const states = (yield* Effect.forEach(rows.toReversed(), ({ run_id }) =>
    ofReadable(run_id, loadRun(run_id, paths))
  )).flat()
  yield* prepare(dir)
  const ids = historyIds(
    states.map((state) => ({
      state,
      started_at: rows.find((row) => row.run_id === state.run.run_id)?.started_at ?? ""
    })),
    dir
  )
  const loaded = selected.toReversed().filter(({ run_id }) => !isLeftOut(run_id))
  const files = yield* Effect.forEach(loaded, (row) =>
    Effect.gen(function* () {
      const [record] = yield* ofReadable(row.run_id, readRecord(row.run_id, paths))
      if (record === undefined) return []
      const history_id = ids.get(row.run_id) ?? row.run_id
      const isLoop = row.kind === "requirements"
      const content = isLoop ? loopHistory(record, history_id, ids) : taskHistory(record, history_id, ids, paths)
      const path = `${isLoop ? `${loops}/` : ""}${history_id}.json`
      yield* writeWhole(Path.join(dir, path), `${JSON.stringify(content, null, 2)}\n`)
      const written: Written = { history_id, run_id: row.run_id, kind: row.kind, path }
      return [written]
    })
  )
  return {
    files: files.flat(),
    left_out: left_out.filter(({ run_id }) => selected.some((row) => row.run_id === run_id))
  }
})

// --- names ------------------------------------------------------------------------------------------------------------

/** Makes the directories. A link is not followed: it may lead anywhere. */
const prepare = (dir: string): Effect.Effect<void, Stop> =>
  Effect.try({
    try: () => {
      for (const folder of [dir, Path.join(dir, loops)]) {
        if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
          throw new Error(`${folder} is a link`)
        }
        makeDirectoryNow(folder)
      }
    },
    catch: (cause) =>
      stop(exitCodes.usage, {
        code: "export_dir_unusable",
        message: `The history cannot be written to ${dir}: ${(cause as Error).message}.`,
        hint: "Name a directory with --dir that is no link and can be written."
      })
  })

/**
 * A name for every run, stem of its file and second of its beginning: the same again with every export, for a file that
 * tells of the same run is found again. A name that is taken by another run, or by a file of somebody else, gets a number.
 */
const historyIds = (
  runs: ReadonlyArray<{ readonly state: State; readonly started_at: string }>,
  dir: string
): ReadonlyMap<string, string> => {
  const folders = new Map([dir, Path.join(dir, loops)].map((folder) => [folder, namesIn(folder)]))
  const ids = new Map<string, string>()
  const taken = new Set<string>()
  for (const { started_at, state } of runs) {
    const folder = state.run.kind === "requirements" ? Path.join(dir, loops) : dir
    const there = folders.get(folder) ?? new Set()
    const base = baseOf(state, started_at)
    let free: string | null = null
    let own: string | null = null
    for (let n = 1; free === null; n++) {
      const name = n === 1 ? base : `${base}_${n}`
      if (taken.has(`${folder}/${name}`)) continue
      if (!there.has(`${name}.json`)) free = name
      else if (own === null && runIn(Path.join(folder, `${name}.json`)) === state.run.run_id) own = name
    }
    const id = own ?? free
    taken.add(`${folder}/${id}`)
    ids.set(state.run.run_id, id)
  }
  return ids
}

const namesIn = (folder: string): ReadonlySet<string> => new Set(readdirSync(folder))

// --- contents ---------------------------------------------------------------------------------------------------------

const loopHistory = (
  { loop, run_id, started_at, state, updated_at }: RunRecord,
  history_id: string,
  ids: ReadonlyMap<string, string>
): RequirementsHistory => {
  const linked = (run: string | null) => (run === null ? null : (ids.get(run) ?? null))
  const status = loopStatus(loop, state)
  const isOver = status === "completed" || status === "failed"
  return {
    history_id,
    run_id,
    requirements_path: loop.requirements_path,
    tasks_output_dir: loop.tasks_output_dir,
    started_at,
    updated_at,
    status,
    max_iterations: loop.limit,
    current_iteration: loop.iteration,
    iterations: loop.iterations.map((one) => ({
      iteration_number: one.iteration_number,
      tasks_yaml_path: one.tasks_yaml_path,
      loop_c_history_id: linked(one.loop_c_history_id),
      verification_result: one.verification_result === null ? null : verificationOf(one.verification_result),
      unmet_requirements: one.unmet_requirements
    })),
    completed_task_ids: loop.completed.map(({ id }) => id),
    loop_c_history_ids: loop.iterations.flatMap((one) => linked(one.loop_c_history_id) ?? []),
    final_result: isOver
      ? {
          all_requirements_met: status === "completed",
          requirement_status: [...loop.requirements.values()].map(({ criteria, met, requirement_id }) => ({
            requirement_id,
            met,
            evidence: criteria.map(({ message }) => message).join(" ")
          }))
        }
      : null,
    error:
      stoppedOf(state.run) === null ? (loop.error ?? (state.run.status === "failed" ? state.run.message : null)) : null,
    ...stoppedFields(state.run)
  }
}

const verificationOf = ({
  all_requirements_met,
  feedback_for_additional_tasks,
  requirement_status,
  summary
}: NonNullable<RunRecord["loop"]["iterations"][number]["verification_result"]>) => ({
  all_requirements_met,
  requirement_status,
  summary,
  feedback_for_additional_tasks
})

const taskHistory = (
  { outputs, run_id, started_at, state, updated_at }: RunRecord,
  history_id: string,
  ids: ReadonlyMap<string, string>,
  { root }: ProjectPaths
): TaskHistory => {
  const tasks = rootsOf(state)
  const current = tasks.find(isWorkedOn)
  return {
    history_id,
    run_id,
    loopb_history_id: state.run.parent_run_id === null ? null : (ids.get(state.run.parent_run_id) ?? null),
    yaml_path: state.run.input === null ? null : Path.resolve(root, state.run.input.path),
    started_at,
    updated_at,
    completed: state.run.status === "completed",
    task_results: tasks.map((task) => ({
      task_id: task.spec.id,
      status: statusOf(task),
      instruction_output: task.current?.report?.summary || outputs.get(task.spec.id) || "",
      validation_output: validationOf(task),
      validation_approved: task.status === "completed",
      attempts: task.attempts,
      error: task.status === "completed" || task.message === "" ? null : task.message
    })),
    completed_task_ids: tasks.flatMap(({ spec, status }) => (status === "completed" ? [spec.id] : [])),
    current_task_id: current?.spec.id ?? null,
    current_phase: current === undefined ? null : current.current?.outcome === null ? "instruction" : "validation",
    total_attempts: tasks.reduce((sum, { attempts }) => sum + attempts, 0),
    config_snapshot: Struct.pick(state.run.config, configFields),
    error:
      state.run.status === "completed" || state.run.message === "" || stoppedOf(state.run) !== null
        ? null
        : state.run.message,
    ...stoppedFields(state.run)
  }
}

/** In the words of the requirements loop's task histories. */
const statusOf = ({ current, reason, status }: TaskState): TaskHistory["task_results"][number]["status"] => {
  if (reason === "needs_person" || (status !== "completed" && current?.error?.terminal === true))
    return "permission_denied"
  switch (status) {
    case "completed":
      return "approved"
    case "in_progress":
    case "retrying":
      return "in_progress"
    case "failed":
      // an attempt that ended well was judged
      return current?.outcome === "COMPLETE" || current?.outcome === "INCOMPLETE" ? "declined" : "failed"
    default:
      return "pending"
  }
}

/** How the last attempt was judged, in words; empty where it was not. */
const validationOf = ({ current }: TaskState): string =>
  [
    ...(current?.failures ?? []).map(({ item, message }) => `refused: ${item === null ? "" : `${item}: `}${message}`),
    ...(current?.verification?.checks ?? []).map(({ command, ...end }) => `check: \`${command}\` ${checkEnding(end)}`),
    ...(current?.judgment == null ? [] : [`review by ${current.judgment.reviewer}: ${current.judgment.judgment}`]),
    ...(current?.judgment?.checks ?? []).map(
      ({ criterion, details, passed }) =>
        `${passed ? "passed" : "not passed"}: ${criterion}${details === undefined ? "" : `: ${details}`}`
    ),
    ...(current?.judgment?.modification_prompt == null ? [] : [current.judgment.modification_prompt])
  ].join("\n")
