import {
  type Activity,
  type ActivityFailure,
  Baseline,
  type Begin,
  BlobStore,
  type Command,
  CommandRunner,
  Digest,
  type Found,
  OutputFiles,
  type Receipt,
  type State
} from "@proofline/kernel"
import { Effect } from "effect"
import type { LinkRun, RecordFacts, RecordRun } from "./decide.ts"
import type { LoopCheck, ReceiptCheck } from "./events.ts"
import type { ExecuteInput, FactsInput, Command as Wanted } from "./inputs.ts"
import { needsPerson, outcomeOf } from "./outcome.ts"

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
    const commands = yield* CommandRunner
    const blobs = yield* BlobStore

    const run = Effect.fnUntraced(function* ({ attempt, command, task_id }: Wanted, state: State) {
      const { output, ...result } = yield* commands.run({
        command,
        env: {
          PROOFLINE_RUN_ID: state.run_id,
          ...(task_id === null ? {} : { PROOFLINE_TASK_ID: task_id, PROOFLINE_ATTEMPT: String(attempt) })
        },
        timeout_ms: state.config.check_timeout_ms
      })
      const check: LoopCheck = {
        command,
        task_id,
        item_index: null,
        ...result,
        output: output.length > 0 ? yield* blobs.put(output) : null,
        output_tail: new TextDecoder().decode(output).replace(/\r\n/g, "\n").slice(-2_000),
        ablation: null
      }
      return check
    })

    const facts: Activity = Effect.fnUntraced(function* ({ dispatch, item, state }) {
      const { commands: wanted, iteration, receipts, requirement_id, round } = item.input as unknown as FactsInput
      yield* dispatch({ _tag: "requirements.Begin", role: "look", iteration, round, requirement_id, ask: 0 } as Begin)
      const runs = yield* Effect.forEach(wanted, (one) => run(one, state))
      const fates = yield* judge(receipts.map(({ receipt }) => receipt))
      return {
        _tag: "requirements.RecordFacts",
        iteration,
        round,
        requirement_id,
        runs,
        receipts: receipts.map(({ item_index, task_id }, i) => {
          const { now, reason, status } = fates[i] ?? notLooked
          return { task_id, item_index, status, now, reason }
        })
      } satisfies RecordFacts
    })
    return facts
  })

const notLooked: ReceiptFate = { status: "missing", now: null, reason: "Nobody looked." }

/** Writes the tasks of an iteration to their file, and drives the task run of it to its end. */
export const makeExecute = (text: TasksText) =>
  Effect.gen(function* () {
    const files = yield* OutputFiles
    const baseline = yield* Baseline
    const { sha256 } = yield* Digest

    const execute: Activity = Effect.fnUntraced(function* (context) {
      const input = context.item.input as unknown as ExecuteInput
      const { header, iteration, name, run_id, tasks, tasks_yaml_path } = input
      const content = text({ name, header, tasks })
      const digest = sha256(content)
      const link: LinkRun = { _tag: "requirements.LinkRun", iteration, run_id, tasks_yaml_path, sha256: digest }
      // refused where nobody waits for it any more
      yield* context.dispatch(link)
      yield* Effect.mapError(files.write(tasks_yaml_path, content), ({ message }) =>
        failure("tasks_file_unwritable", message)
      )
      const base = yield* baseline.capture
      const ended = yield* context.drive(run_id, (found) =>
        begin(context.state, input, found, { path: tasks_yaml_path, sha256: digest }, base)
      )
      return { _tag: "requirements.RecordRun", ...outcomeOf(ended, iteration) } satisfies RecordRun
    })
    return execute
  })

/** It came to its end by itself: that has only to be told. What was stopped, or waits for somebody, goes on. */
export const hasEnded = (state: State): boolean => {
  switch (state.status) {
    case "completed":
      return true
    case "incomplete":
      return !needsPerson(state)
    case "failed":
      return state.failed_by !== "budget" && state.failed_by !== "breaker" && !needsPerson(state)
    default:
      return false
  }
}

/** How the task run goes on: anew, or from where the driver of before has left it. */
const begin = (
  parent: State,
  { budget, chunk, completed, goal, name, run_id, tasks }: ExecuteInput,
  { plugins, state }: Found,
  input: NonNullable<State["input"]>,
  base: State["base"]
): Command | null => {
  const { driver } = parent
  const config = { ...parent.config, budget }
  // resumed already by whoever drives it now
  const isDriven = driver !== null && JSON.stringify(state.driver) === JSON.stringify(driver)
  if (hasEnded(state) || (state.status === "running" && isDriven)) return null
  if (state.status !== "none") return { _tag: "ResumeRun", driver, config }
  return {
    _tag: "StartRun",
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
  }
}
