import { existsSync } from "node:fs"
import * as Path from "node:path"
import { Digest, type Driver, Engine, ResumeRun, type RunConfig, tasksOf, touchedFiles } from "@proofline/kernel"
import { removeRunFiles } from "@proofline/plugins/adapters/command-agent"
import { killLeftovers } from "@proofline/plugins/adapters/node-process"
import { hasEnded, intentChanges, Load, type Loop, NoteFile, narrowed } from "@proofline/plugins/policies/requirements"
import { Effect, Option } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { exitCodes, stop } from "../base/problems.ts"
import { say } from "../process/output.ts"
import { projectConfig, readText } from "../project/files.ts"
import type { LoopFlags } from "../project/settings.ts"
import { type State, stateOf } from "../project/state.ts"
import { checkLog } from "../reading/oneRun.ts"
import { carriedTo, checkStrategies, loadOf, type RequirementsInput, readRequirements } from "./requirementsFile.ts"

/** What the file of a requirements run says now; null: it is gone, and the run goes on with what it said before. */
export const readAgain = Effect.fnUntraced(function* (before: State, loop: Loop, paths: ProjectPaths) {
  const path = before.run.input?.path ?? loop.requirements_path
  const file = Path.resolve(paths.root, path)
  if (existsSync(file) || loop.definition === null) return yield* readRequirements({ file }, paths)
  yield* say(`warning: ${path} is gone; going on with what it said before.`)
  return null
})

/** Stops where agents may have written what they are judged by. */
export const checkChanged = Effect.fnUntraced(function* (
  input: RequirementsInput,
  loop: Loop,
  options: Pick<LoopFlags, "take_over">
) {
  const { sha256 } = yield* Digest
  if (options.take_over === true || loop.changed_meanwhile !== sha256(input.text)) return
  return yield* stop(exitCodes.usage, {
    code: "requirements_changed_meanwhile",
    kind: "conflict",
    message: `${input.path} was changed while the run was at work, and agents work by it: it is not taken over by itself.`,
    file: input.path,
    hint: "Look at what was changed. If you have changed it, go on with --take-over; otherwise bring back what it said."
  })
})

/** Stops where less is required than when the run began, and nobody has said that this is meant. */
export const checkNarrowed = Effect.fnUntraced(function* (
  input: RequirementsInput,
  { run: { run_id } }: State,
  loop: Loop,
  options: Pick<LoopFlags, "take_over">
) {
  const changes = loop.definition === null ? [] : intentChanges(loop.definition, input.definition)
  if (options.take_over === true || changes.length === 0) return
  const { code, hint, kind, message } = narrowed(run_id, changes)
  return yield* stop(exitCodes.usage, { code, kind, message, file: input.path, hint })
})

/** Of a file of the project as it is now; none: it cannot be read. */
const hashNow = Effect.fnUntraced(function* (path: string, { root }: ProjectPaths) {
  const { sha256 } = yield* Digest
  return Option.map(yield* Effect.option(readText(Path.resolve(root, path), path)), sha256)
})

/** A run of tasks keeps what was asked for when it began: whoever has changed its file since is told so. */
export const tellKept = Effect.fnUntraced(function* ({ run: { input } }: State, paths: ProjectPaths) {
  if (input === null) return
  const now = yield* hashNow(input.path, paths)
  if (Option.isSome(now) && now.value !== input.sha256) {
    yield* say(
      `NOTE: ${input.path} was changed since this run began, which keeps what was asked for then. \`proofline run ${input.path}\` begins one for what it says now; what was done so far and is not committed counts for that one as there before, unless \`--base\` names a commit before it, such as HEAD.`
    )
  }
})

/** Name of the project's configuration, in its directory. */
const configuration = "proofline.yaml"

/** Stops where the configuration accepts more than before, and an agent of the run may have written it. */
export const checkLoosened = Effect.fnUntraced(function* (
  before: State,
  loop: Loop,
  config: RunConfig,
  options: Pick<LoopFlags, "take_over">
) {
  const below = loop.iterations.flatMap(({ ended }) => ended?.tasks ?? [])
  const touched = [...tasksOf(before).flatMap(touchedFiles), ...below.flatMap(({ files }) => files)]
  const loosened = loosenedIn(before.run.config, config)
  if (options.take_over === true || loosened.length === 0 || !touched.includes(configuration)) return
  return yield* stop(exitCodes.usage, {
    code: "proof_loosened",
    kind: "conflict",
    message: `${configuration} was changed while run ${before.run.run_id} was at work, and accepts more than before: ${loosened.join("; ")}.`,
    file: configuration,
    hint: "If you have changed it, go on with --take-over; otherwise bring back what it said."
  })
})

/** How one configuration accepts more than another, in words. */
const loosenedIn = (before: RunConfig, now: RunConfig): ReadonlyArray<string> => {
  const { accept: known, clean_room: wasClean = true, max_waived: few, protected: guarded = [] } = before.proof
  const { accept, clean_room = true, max_waived, protected: kept = [] } = now.proof
  const accepted = accept.filter((reason) => !known.includes(reason))
  const unguarded = guarded.filter((glob) => !kept.includes(glob))
  return [
    ...(accepted.length === 0 ? [] : [`accept: ${accepted.join(", ")}`]),
    ...(max_waived > few ? [`max_waived: ${max_waived}`] : []),
    ...(wasClean && !clean_room ? ["clean_room: false"] : []),
    ...(unguarded.length === 0 ? [] : [`not protected any more: ${unguarded.join(", ")}`]),
    ...(before.evidence.strict && !now.evidence.strict ? ["evidence.strict: false"] : []),
    ...(before.evidence.ablation && !now.evidence.ablation ? ["evidence.ablation: false"] : [])
  ]
}

/** Before a requirements run goes on, what its file says now is taken over. */
export const takeOver = Effect.fnUntraced(function* (
  { run: { run_id } }: State,
  loop: Loop,
  input: RequirementsInput | null,
  options: LoopFlags,
  paths: ProjectPaths
) {
  const engine = yield* Engine
  const { max_iterations = loop.max_iterations, tasks_output_dir } = options
  if (input === null) {
    const { chunk, definition, feature, requirements_path, sha256, tasks_output_dir } = loop
    if (definition === null) return
    const kept = {
      definition,
      requirements_path,
      sha256,
      tasks_output_dir,
      feature,
      chunk,
      carried: null,
      intent: "kept"
    } as const
    yield* engine.execute(run_id, Load({ ...kept, max_iterations }))
    return
  }
  yield* checkStrategies(input)
  const { sha256 } = yield* Digest
  const isFirst = loop.definition === null
  const carried = isFirst ? yield* carriedTo(input.path, run_id, paths) : null
  const user_commands =
    // an agent may have written them into the configuration since
    !isFirst && options.take_over !== true ? loop.proof.user_commands : (yield* projectConfig(paths)).verifiers
  const intent = options.take_over === true ? "decided" : "kept"
  const more = { chunk: loop.chunk, carried, user_commands, intent } as const
  const fresh = loadOf(input, sha256, { max_iterations, tasks_output_dir }, paths, more)
  const load =
    tasks_output_dir === undefined && !isFirst ? { ...fresh, tasks_output_dir: loop.tasks_output_dir } : fresh
  if (!isFirst && load.sha256 !== loop.sha256) {
    yield* say(
      `NOTE: ${input.path} was changed since this run read it. What it says now is taken over, and every requirement is verified again.`
    )
  }
  yield* engine.execute(run_id, load)
})

/**
 * Takes up the task run that was left behind, before anybody takes its work: an attempt that nobody waits for any more must
 * not begin beside the one that takes its place.
 */
export const takeUp = Effect.fnUntraced(function* (
  loop: Loop,
  driver: Driver,
  config: RunConfig,
  { state: directory }: ProjectPaths
) {
  const engine = yield* Engine
  const child = loop.iterations.at(-1)?.loop_c_history_id ?? null
  if (child === null) return
  yield* checkLog(child)
  yield* killLeftovers({ run_id: child })
  yield* removeRunFiles(directory, child)
  const state = stateOf(yield* engine.load(child))
  if (state.run.status === "none" || loop.stage._tag !== "Executing" || hasEnded(state)) return
  yield* engine.execute(child, ResumeRun({ driver, config, plugins: engine.composition.versions }))
})

/** At the end of a drive: whether the file still says what the run was judged by. */
export const noteFile = Effect.fnUntraced(function* (run: string, loop: Loop, paths: ProjectPaths) {
  const engine = yield* Engine
  const path = loop.requirements_path
  const now = Option.getOrElse(yield* hashNow(path, paths), () => "unreadable")
  const { events } = yield* engine.execute(run, NoteFile({ sha256: now }))
  if (events.length > 0) {
    const fate = existsSync(Path.resolve(paths.root, path)) ? "was changed" : "was removed"
    yield* say(
      `warning: ${path} ${fate} while the run was at work. The run was judged by what it said before; see \`git diff\`.`
    )
  }
})
