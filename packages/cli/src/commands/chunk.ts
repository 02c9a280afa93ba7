import type { RunConfig, TaskSpec } from "@proofline/kernel"
import { Effect, Result } from "effect"
import type { ProjectPaths, Where } from "../base/paths.ts"
import { exitCodes, stop } from "../base/problems.ts"
import { type Planned, showPlan } from "../driving/plan.ts"
import { resolveAgents } from "../driving/resolveAgents.ts"
import { startRun } from "../driving/start.ts"
import type { UiFlags } from "../driving/ui.ts"
import { type ClusterFlags, checkWhoWorks } from "../driving/whoWorks.ts"
import { type BaseFlags, checkBase } from "../project/base.ts"
import { withChecks } from "../project/checksFrom.ts"
import { existingProject, projectConfig, stdinText } from "../project/files.ts"
import { projectMessages } from "../project/projectMessages.ts"
import { type ChunkFlags, judgedBy, type RunFlags, resolveChunking, resolveConfig } from "../project/settings.ts"
import { withStorage } from "../project/storage.ts"
import { oneLine } from "../render/style.ts"

export interface ChunkOptions extends RunFlags, ChunkFlags, UiFlags, BaseFlags, ClusterFlags, Where {
  /** `-`: it comes on stdin. */
  readonly prompt: string
  /** Commands that must exit 0 when all is done. */
  readonly check: ReadonlyArray<string>
  /** Items that need evidence; the subtasks carry them. */
  readonly item: ReadonlyArray<string>
  readonly plan: boolean
  readonly json: boolean
}

/** The task of a prompt run. */
const taskId = "task-001"

/** `proofline chunk "<prompt>"`: one large task, split where that helps, run until all of it holds. */
export const chunk = Effect.fnUntraced(function* (options: ChunkOptions) {
  const paths = yield* existingProject(options)
  yield* checkWhoWorks(options, paths)
  const prompt = yield* readPrompt(options.prompt)
  const config = yield* configOf(options, paths)
  const title = oneLine(prompt, 80)
  const task: TaskSpec = {
    id: taskId,
    title,
    instruction: prompt,
    validation: [],
    checks: options.check,
    depends_on: [],
    checklist: options.item.map((item) => ({ item })),
    // whoever names an analyzer wants to hear it
    chunk: options.analyzer === undefined ? "auto" : "asked"
  }
  yield* checkItems(options.item)
  if (options.check.some((check) => check.trim() === "")) return yield* blankCheck
  const planned: Planned = {
    _tag: "StartRun",
    kind: "prompt",
    name: title,
    root: paths.root,
    parent_run_id: null,
    completed_task_ids: [],
    config,
    tasks: [task]
  }
  if (options.plan) {
    yield* checkBase(paths, options)
    return yield* showPlan(planned, paths, options.json)
  }
  return yield* withStorage(
    paths,
    startRun(planned, { path: "-", text: prompt, isHeld: false }, paths, options.json, options)
  )
})

const readPrompt = Effect.fnUntraced(function* (given: string) {
  const prompt = given === "-" ? yield* stdinText("prompt") : given
  if (prompt.trim() !== "") return prompt
  return yield* stop(exitCodes.usage, {
    code: "prompt_empty",
    message: "There is nothing to do: the prompt is empty.",
    hint: 'Say what is to be done: proofline chunk "Implement login, logout and sessions", or `-` to read it from stdin.'
  })
})

/** A shell ends well with nothing to do. */
const blankCheck = stop(exitCodes.usage, {
  code: "check_invalid",
  message: "A check is blank, and would always pass.",
  hint: "Give every --check a shell command that must exit with 0 when all is done, or leave it out."
})

const checkItems = (items: ReadonlyArray<string>) => {
  const twice = items.find((item, i) => items.indexOf(item) !== i)
  const wrong = items.some((item) => item.trim() === "")
    ? "is blank"
    : twice === undefined
      ? null
      : `is given twice: ${twice}`
  return wrong === null
    ? Effect.void
    : Effect.fail(
        stop(exitCodes.usage, {
          code: "item_invalid",
          message: `A checklist item ${wrong}.`,
          hint: "Give every --item once, with the text that must be true."
        })
      )
}

/** Without an agent a plan can still be made, by the rules, unless an agent is named to make it. */
const configOf = Effect.fnUntraced(function* (options: ChunkOptions, paths: ProjectPaths) {
  const project = yield* projectConfig(paths)
  const { agents, chunking, defaults } = project
  const messages = yield* projectMessages(paths)
  const withAgent = yield* resolveAgents(options, [defaults], agents, paths)
  const isNobody =
    Result.isFailure(withAgent) &&
    ["agent_missing", "no_agent_installed"].includes(withAgent.failure.code) &&
    options.plan &&
    options.analyzer !== "agent"
  const resolved = Result.flatMap(
    isNobody ? resolveConfig({ ...options, agent: "command", agent_command: "false" }, [defaults], agents) : withAgent,
    (config) =>
      Result.map(resolveChunking(config, options, defaults, chunking), (split) =>
        judgedBy(isNobody ? byRules(split) : split, project, options)
      )
  )
  if (Result.isFailure(resolved)) return yield* stop(exitCodes.usage, resolved.failure)
  const places = { said: options.checks_from, ofFile: project.checks_from }
  return yield* withChecks({ ...resolved.success, messages }, places, paths, { tasks: [taskId], requirements: null })
})

/** Nobody is there to be asked first. */
const byRules = (config: RunConfig): RunConfig =>
  config.chunking.analyzer === "auto" ? { ...config, chunking: { ...config.chunking, analyzer: "heuristic" } } : config
