import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import {
  type AgentRole,
  type CommandOf,
  composePlugins,
  type EndAttempt,
  Engine,
  perform,
  type RunConfig,
  type StartAttempt,
  type TaskSpec
} from "@proofline/kernel"
import { aRun } from "@proofline/kernel/testing"
import { layer as tokens } from "@proofline/plugins/adapters/attempt-tokens"
import { reports } from "@proofline/plugins/adapters/command-agent"
import { layer as blobs } from "@proofline/plugins/adapters/file-blobs"
import { layer as workspaces } from "@proofline/plugins/adapters/git-workspaces"
import { layer as baseline } from "@proofline/plugins/adapters/node-baseline"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as projectFiles } from "@proofline/plugins/adapters/node-project-files"
import type { Answer } from "@proofline/plugins/operations"
import {
  type AgentCall,
  type AttemptRef,
  Attempts,
  AttemptTokens,
  attemptsLayer
} from "@proofline/plugins/policies/attempts"
import { evidence } from "@proofline/plugins/policies/evidence"
import { Context, Effect, Layer } from "effect"
import { type AttemptFiles, makeFiles } from "../../../packages/plugins/src/adapters/command-agent/files.ts"
import { countedIds, newLog } from "../../kernel/support/world.ts"
import { directory } from "../node-process/support.ts"
import { fitsDeclared } from "../operations/fitsDeclared.ts"
import { grammars } from "../tree-sitter/support.ts"

const noItem = {
  id: "i",
  run: "run_1",
  key: "k",
  kind: "activity",
  activity: "evidence",
  is_subtask: false,
  labels: [],
  priority: 0,
  not_before: 0
} as const

const blob = { sha256: "0".repeat(64), bytes: 0 }

export const begin = (task_id: string, attempt = 1): CommandOf<typeof StartAttempt> => ({
  _tag: "StartAttempt",
  task_id,
  attempt,
  agent: "command",
  worker_id: "w",
  item_id: "i",
  lease: 1,
  prompt: blob
})

type Ending = CommandOf<typeof EndAttempt>

export const end = (task_id: string, attempt: number, report: Ending["report"]): Ending => ({
  _tag: "EndAttempt",
  task_id,
  attempt,
  outcome: "COMPLETE",
  exit_code: 0,
  signal: null,
  duration_ms: 1,
  error: null,
  output: null,
  report,
  files_modified: null
})

export const callFor = (task_id: string, role: AgentRole = "work", attempt = 1): AgentCall => ({
  run_id: "run_1",
  task_id,
  attempt,
  role
})

const requestOf = (call: AgentCall) => ({
  ...call,
  prompt: "Do it.",
  directory: null,
  timeout_ms: 1,
  idle_timeout_ms: null
})

/** A project on disk with a run of these tasks in it, as a server of it sees both. Evidence is really looked at. */
export const attemptsAt = Effect.fnUntraced(function* (
  tasks: ReadonlyArray<TaskSpec>,
  files: Readonly<Record<string, string>> = {},
  config: Partial<RunConfig> = {}
) {
  const root = directory()
  const stateDir = join(root, ".proofline", "state")
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const world = Layer.mergeAll(
    Layer.succeedContext(yield* newLog),
    countedIds(""),
    projectFiles({ root }),
    workspaces({ root, stateDir }),
    grammars,
    nodeDigest,
    tokens({ stateDir }),
    reports({ stateDir }),
    baseline({ root }).pipe(Layer.provide(blobs({ directory: join(stateDir, "blobs") })), Layer.provide(nodeDigest))
  )
  const context = yield* Layer.build(
    attemptsLayer.pipe(
      Layer.provideMerge(Layer.unwrap(Effect.map(evidence, (plugin) => Engine.layer(composePlugins([plugin]))))),
      Layer.provideMerge(world)
    )
  )
  const engine = Context.get(context, Engine)
  const attempts = Context.get(context, Attempts)
  const { mint } = Context.get(context, AttemptTokens)
  yield* engine.execute("run_1", { ...aRun(tasks, { retry_delay_ms: 0, ...config }), root })

  /** What an agent does that was started for this and calls from there; its report file is in `files`. */
  const agent = Effect.fnUntraced(function* (call: AgentCall) {
    const files: AttemptFiles = yield* makeFiles(stateDir, requestOf(call))
    const token = yield* mint(call)
    return {
      files,
      token,
      /** The answer as any front-end gets it. */
      call: (operation: string, args: unknown = {}): Effect.Effect<Answer, unknown> =>
        Effect.flatMap(attempts.authenticate(token), (ref: AttemptRef) => attempts.call(ref, operation, args)).pipe(
          Effect.tap(fitsDeclared(operation))
        ),
      report: (): unknown => JSON.parse(readFileSync(files.report, "utf8"))
    }
  })

  /** What a worker does when an attempt has ended: looks at what was reported, and records it. */
  const lookAt = Effect.fnUntraced(function* (task_id: string, attempt = 1) {
    const { slices } = yield* engine.load("run_1")
    const activity = engine.composition.activities.get("evidence")
    const item = { ...noItem, task_id, input: { task_id, attempt } }
    const dispatch = () => Effect.die("It only looks.")
    const state = engine.composition.view(activity?.slot ?? 0, slices)
    const found = yield* perform(
      activity,
      { item, lease: 1, worker_id: "w", state, dispatch, until: dispatch, handsIn: Effect.void, drive: dispatch },
      engine.host
    )
    if (found !== null) yield* engine.execute("run_1", found)
  })

  return {
    root,
    stateDir,
    attempts,
    mint,
    agent,
    lookAt,
    execute: (...commands: ReadonlyArray<Parameters<typeof engine.execute>[1]>) =>
      Effect.forEach(commands, (command) => engine.execute("run_1", command)),
    load: engine.load("run_1")
  }
})

/** The same with the first attempt of `t1` under way, and what its agent can do. */
export const atWork = Effect.fnUntraced(function* (...about: Parameters<typeof attemptsAt>) {
  const at = yield* attemptsAt(...about)
  yield* at.execute(begin("t1"))
  return { ...at, ...(yield* at.agent(callFor("t1"))) }
})
