import {
  type ActivityFailure,
  type Base,
  Digest,
  type Found,
  type HasRun,
  type HasTasks,
  isLineReceipt,
  type Receipt,
  ResumeRun,
  type RunState,
  StartRun
} from "@proofline/kernel"
import { Effect } from "effect"
import { Baseline, OutputFiles } from "../../port/index.ts"
import { isWorkIn, makeUserCheck } from "../execution/contract.ts"
import type { LoopCheck, ReceiptCheck } from "./contents.ts"
import { Begin, LinkRun, RecordFacts, RecordRun } from "./decide.ts"
import type { CompletedTask } from "./definition.ts"
import { ExecuteInput, FactsInput, names, type WantedCommand } from "./inputs.ts"
import { hasEnded, outcomeOf } from "./outcome.ts"
import { Requirements } from "./state.ts"

/** What a receipt came to. */
export type ReceiptFate = Pick<ReceiptCheck, "status" | "now" | "reason">

/** Whether receipts still hold in the project as it is, in their order. */
export type JudgeReceipts = (receipts: ReadonlyArray<Receipt>) => Effect.Effect<ReadonlyArray<ReceiptFate>>

/** The text of a tasks file. */
export type TasksText = (file: {
  readonly name: string
  readonly header: ReadonlyArray<string>
  readonly tasks: ExecuteInput["tasks"]
}) => string

const failure = (code: string, message: string): ActivityFailure => ({ _tag: "ActivityFailure", code, message })

/** Looks at one requirement without asking anybody: runs its commands, and looks up what tasks have shown. */
export const makeFacts = (judge: JudgeReceipts) =>
  Effect.gen(function* () {
    const userCheck = yield* makeUserCheck

    const run = Effect.fnUntraced(function* (
      { attempt, command, task_id }: WantedCommand,
      state: HasRun & HasTasks,
      isWork: (path: string) => boolean
    ) {
      const { run_id } = state.run
      const env = {
        PROOFLINE_RUN_ID: run_id,
        ...(task_id === null ? {} : { PROOFLINE_TASK_ID: task_id, PROOFLINE_ATTEMPT: String(attempt) })
      }
      const check: LoopCheck = { ...(yield* userCheck({ state, env, isShownElse: false, isWork }, command)), task_id }
      return check
    })

    return Requirements.activity(names.facts, {
      input: FactsInput,
      run: Effect.fnUntraced(function* (input, { dispatch, state }) {
        const { commands: requested, iteration, receipts, requirement_id, round } = input
        yield* dispatch(Begin({ role: "look", iteration, round, requirement_id, ask: 0 }))
        const asked = state.requirements.definition?.requirements.find(({ id }) => id === requirement_id)
        const isWork = isWorkIn(
          asked?.description ?? "",
          asked?.acceptance_criteria.map(({ criterion }) => criterion) ?? []
        )
        const runs = yield* Effect.forEach(requested, (one) => run(one, state, isWork))
        const fates = yield* judge(receipts.map(({ receipt }) => receipt))
        return RecordFacts({
          iteration,
          round,
          requirement_id,
          runs,
          receipts: receipts.map(({ item_index, task_id }, i) => {
            const { now, reason, status } = fates[i] ?? notLooked
            return { task_id, item_index, status, now, reason }
          })
        })
      })
    })
  })

const notLooked: ReceiptFate = { status: "missing", now: null, reason: "Nobody looked." }

/** Writes the tasks of an iteration to their file, and drives the task run of it to its end. */
export const makeExecute = (text: TasksText, judge: JudgeReceipts) =>
  Effect.gen(function* () {
    const files = yield* OutputFiles
    const baseline = yield* Baseline
    const { sha256 } = yield* Digest

    return Requirements.activity(names.execute, {
      input: ExecuteInput,
      run: Effect.fnUntraced(function* (input, { dispatch, drive, state }) {
        const { header, iteration, name, run_id, tasks, tasks_yaml_path } = input
        const content = text({ name, header, tasks })
        const file = { path: tasks_yaml_path, sha256: sha256(content) }
        // refused where nobody waits for it any more
        yield* dispatch(LinkRun({ iteration, run_id, tasks_yaml_path, sha256: file.sha256 }))
        yield* Effect.mapError(files.write(tasks_yaml_path, content), ({ message }) =>
          failure("tasks_file_unwritable", message)
        )
        // what was there before is the same for every iteration: what one has done, the next has not found
        const base = state.run.base ?? (yield* baseline.capture)
        const completed = yield* stillShown(input.completed, state.requirements.completed, judge)
        const ended = yield* drive(run_id, (found) => begin(state.run, { ...input, completed }, found, file, base))
        return RecordRun(outcomeOf(ended, iteration))
      })
    })
  })

/** Lines that show nothing any more in the project as it is are free: who writes them again may show them. */
const stillShown = Effect.fnUntraced(function* (
  earlier: ExecuteInput["completed"],
  tasks: ReadonlyArray<CompletedTask>,
  judge: JudgeReceipts
) {
  const held = tasks.flatMap(({ id, items }) =>
    items.flatMap(({ item, receipt }) =>
      receipt !== null && isLineReceipt(receipt) ? [{ id, item, path: receipt.path, receipt }] : []
    )
  )
  const fates = yield* judge(held.map(({ receipt }) => receipt))
  const isLost = (one: { readonly id: string; readonly item: string; readonly path: string }): boolean => {
    const same = [...held.entries()].filter(
      ([, { id, item, path }]) => id === one.id && item === one.item && path === one.path
    )
    return same.length > 0 && same.every(([i]) => fates[i]?.status === "stale" || fates[i]?.status === "missing")
  }
  return earlier.map(({ shown, ...task }) =>
    shown === undefined
      ? task
      : { ...task, shown: shown.filter(({ item, path }) => !isLost({ id: task.task_id, item, path })) }
  )
})

/** How to drive the task run: start it, or resume what an earlier driver left. */
const begin = (
  parent: RunState,
  { budget, chunk, completed, goal, name, run_id, tasks }: ExecuteInput,
  { plugins, state }: Found<HasRun & HasTasks>,
  input: { readonly path: string; readonly sha256: string },
  base: Base | null
) => {
  const { driver } = parent
  const config = { ...parent.config, budget }
  // resumed already by whoever drives it now
  const isDriven = driver !== null && JSON.stringify(state.run.driver) === JSON.stringify(driver)
  if (hasEnded(state) || (state.run.status === "running" && isDriven)) return null
  if (state.run.status !== "none") return ResumeRun({ driver, config, plugins })
  return StartRun({
    run_id,
    kind: "tasks",
    name,
    root: parent.root,
    input,
    parent_run_id: parent.run_id,
    completed_task_ids: completed.map(({ task_id }) => task_id),
    completed_tasks: completed,
    goal,
    config,
    plugins,
    driver,
    base,
    tasks: tasks.map(({ covers, ...task }) => (task.chunk === "auto" ? { ...task, chunk } : task))
  })
}
