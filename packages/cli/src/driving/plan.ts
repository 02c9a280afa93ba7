import { rmSync } from "node:fs"
import * as Path from "node:path"
import {
  type AnyCommand,
  type AnyContext,
  type AnyEvent,
  analyzerActivity,
  type Base,
  Engine,
  emptySnapshot,
  type KernelEvent,
  layerMemory,
  perform,
  type RunConfig,
  type Start,
  type StartTasks,
  step
} from "@proofline/kernel"
import { layer as fileBlobs } from "@proofline/plugins/adapters/file-blobs"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { makeTemporary } from "@proofline/plugins/adapters/node-process"
import { Baseline } from "@proofline/plugins/ports"
import { Effect, Layer } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { exitCodes, stop } from "../base/problems.ts"
import { type PlannedSubtask, planDocument } from "../documents/files.ts"
import { print, printDocument } from "../process/output.ts"
import type { Agents } from "../project/settings.ts"
import { chunkingProblems } from "../project/strategies.ts"
import { withKernel } from "../project/withKernel.ts"
import { count } from "../render/lines.ts"
import { oneLine, plain } from "../render/style.ts"

/** A run as it was asked for, before anything is known of who drives it and where it begins. */
export type Planned = Pick<
  StartTasks,
  "_tag" | "kind" | "name" | "root" | "parent_run_id" | "completed_task_ids" | "completed_tasks" | "config" | "tasks"
>
type Created = Extract<KernelEvent, { readonly type: "SUBTASK_CREATED" }>["content"]

/** `--plan`: decides everything as a run would, in memory, up to where agents would begin to work. */
export const showPlan = (command: Planned, paths: ProjectPaths, json: boolean) =>
  Effect.acquireUseRelease(
    Effect.sync(() => makeTemporary()),
    (scratch) =>
      Effect.gen(function* () {
        const elsewhere = { ...paths, state: scratch, blobs: Path.join(scratch, "blobs") }
        const memory = Layer.provideMerge(
          Layer.mergeAll(layerMemory, fileBlobs({ directory: elsewhere.blobs })),
          nodeDigest
        )
        const agents = command.config.agents as unknown as Agents
        const events = yield* withKernel(elsewhere, agents, decided(command)).pipe(Effect.provide(memory))
        yield* json ? printDocument(planDocument, planData(events)) : print(planText(events))
        return exitCodes.proven
      }),
    (scratch) => Effect.sync(() => rmSync(scratch, { recursive: true, force: true }))
  )

/** Stops before anything is started when nobody offers what the configuration asks for. */
export const checkAnalyzer = Effect.fnUntraced(function* ({ chunking }: RunConfig) {
  const [problem] = chunkingProblems((yield* Engine).composition, chunking)
  if (problem !== undefined) return yield* stop(exitCodes.usage, problem)
})

/** Stops before anything is begun when there can be no worktrees: the base of the run knows of no commit. */
export const checkWorkspace = ({ chunking }: RunConfig, { commit }: Base) =>
  chunking.workspace !== "worktree" || commit !== null
    ? Effect.void
    : Effect.fail(
        stop(exitCodes.usage, {
          code: "workspace_no_repository",
          message:
            "Subtasks are to have worktrees of their own, but the project is not in a git repository with a commit.",
          hint: "Make one (`git init && git add -A && git commit -m start`), or set `workspace: shared`."
        })
      )

/** The events of a run from its start until the plan is there. */
const decided = Effect.fnUntraced(function* (planned: Planned) {
  const { composition, host } = yield* Engine
  yield* checkAnalyzer(planned.config)
  const base = yield* (yield* Baseline).capture
  const unknown = { input: null, driver: null, base }
  const command: StartTasks = { ...planned, ...unknown, run_id: "plan", plugins: composition.versions }
  let stepped = yield* Effect.fromResult(step(composition, emptySnapshot(composition), command))
  const events = [...stepped.events]
  // where the agent fails the rules are next
  for (let [work] = stepped.starts; work?.activity.startsWith(analyzerActivity("")) === true; [work] = stepped.starts) {
    const activity = composition.activities.get(work.activity)
    if (activity === undefined) break
    const view = composition.view(activity.slot, stepped.after.slices)
    const analysed = yield* perform(activity, contextOf(work, view), host)
    if (analysed === null) break
    stepped = yield* Effect.fromResult(step(composition, stepped.after, spokenOf(analysed)))
    events.push(...stepped.events)
  }
  return events
})

const contextOf = ({ activity, input, key, kind, task_id }: Start, state: AnyContext["state"]): AnyContext => ({
  item: {
    id: key,
    run: "plan",
    key,
    kind,
    activity,
    task_id,
    is_subtask: false,
    input,
    labels: [],
    priority: 0,
    not_before: 0
  },
  lease: 1,
  worker_id: "plan",
  state,
  dispatch: () => Effect.succeed(state),
  until: (find) => {
    const found = find(state)
    return found === null ? Effect.never : Effect.succeed(found)
  },
  handsIn: Effect.void,
  drive: () => Effect.succeed(state)
})

/** An agent that cannot be started would stop a run; here it is only said. */
const spokenOf = (command: AnyCommand): AnyCommand => {
  if (command._tag !== "RecordActivityFailure" || !("code" in command)) return command
  const { agent, terminal, ...failure } = command
  return failure
}

const find = <T extends KernelEvent["type"]>(events: ReadonlyArray<AnyEvent>, type: T) =>
  events.flatMap((event) =>
    event.type === type ? [event.content as Extract<KernelEvent, { readonly type: T }>["content"]] : []
  )

const planData = (events: ReadonlyArray<AnyEvent>) => {
  const [analysis] = find(events, "CHUNKING_ANALYSIS")
  const [skipped] = find(events, "CHUNKING_SKIPPED")
  const subtasks = find(events, "SUBTASK_CREATED")
  const failed = find(events, "ACTIVITY_FAILED")
  return {
    decomposable: subtasks.length > 0,
    reason: subtasks.length > 0 ? (analysis?.decomposition_reason ?? "") : (skipped?.message ?? ""),
    ...(skipped === undefined ? {} : { chunking_skipped: true as const, skipped_because: skipped.reason }),
    analyzer: analysis?.analyzer ?? null,
    execution_mode: analysis?.execution_mode ?? null,
    workspace: analysis?.workspace ?? null,
    criteria: analysis?.criteria ?? [],
    subtasks: subtasks.map(subtaskData),
    // the agent could not plan, and the rules did
    ...(analysis === undefined || failed.length === 0 ? {} : { warnings: failed.map(({ message }) => message) })
  }
}

const subtaskData = (subtask: Created): PlannedSubtask => ({
  subtask_id: subtask.subtask_id,
  title: subtask.title,
  prompt: subtask.prompt,
  dependencies: subtask.dependencies,
  execution_order: subtask.execution_order,
  acceptance_criteria: subtask.acceptance_criteria,
  checklist: subtask.checklist,
  paths: subtask.paths
})

const planText = (events: ReadonlyArray<AnyEvent>): string => {
  const { criteria, decomposable, execution_mode, reason, subtasks, warnings = [], workspace } = planData(events)
  const found = criteria.filter(({ met }) => met)
  return [
    ...warnings.map((warning) => `warning: ${plain(warning)} The rules decide.`),
    decomposable
      ? `Would be split into ${count(subtasks.length, "subtask")}, ${execution_mode}${workspace === "worktree" ? ", each in a worktree of its own" : ""}: ${reason}`
      : `Would be run in one piece: ${reason}`,
    ...found.map(
      ({ criterion, words }) => `  ${criterion}${words.length === 0 ? "" : `: ${oneLine(words.join(" · "), 120)}`}`
    ),
    ...subtasks.flatMap((subtask, i) => [
      "",
      `${i + 1}. ${subtask.subtask_id}${subtask.dependencies.length === 0 ? "" : `  after ${subtask.dependencies.join(", ")}`}`,
      ...plain(subtask.prompt)
        .split("\n")
        .map((line) => `   ${line}`.trimEnd()),
      "   must be true in the end:",
      ...subtask.acceptance_criteria.map((criterion) => `   * ${oneLine(criterion, 160)}`),
      ...subtask.checklist
        .filter(({ item }) => !subtask.acceptance_criteria.includes(item))
        .map(({ item }) => `   * ${oneLine(item, 160)} (evidence)`)
    ]),
    "",
    "No work was started.",
    ""
  ].join("\n")
}
