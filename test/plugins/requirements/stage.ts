import { existsSync, readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import {
  type ActivityFailure,
  type CommandOf,
  type Composition,
  composePlugins,
  defaultRunConfig,
  EventLog,
  isLineReceipt,
  type Plugin,
  type Recorded,
  type RunConfig,
  type StartTasks
} from "@proofline/kernel"
import { acceptsWeak, aTask, type Script, scripted } from "@proofline/kernel/testing"
import { layer as blobs } from "@proofline/plugins/adapters/file-blobs"
import { layer as baseline } from "@proofline/plugins/adapters/node-baseline"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as commands } from "@proofline/plugins/adapters/node-process"
import { layer as projectFiles } from "@proofline/plugins/adapters/node-project-files"
import { layer as outputFiles } from "@proofline/plugins/adapters/output-files"
import { tasksText } from "@proofline/plugins/adapters/project-files"
import { escrow } from "@proofline/plugins/policies/escrow"
import {
  type CompletedTask,
  childId,
  defineGenerator,
  defineVerifier,
  type Generated,
  type GeneratedTask,
  type GenerationRequest,
  type Load,
  type Loop,
  loopOf,
  type Requirement,
  type RequirementDefinition,
  requirements,
  type VerificationRequest,
  type Verified
} from "@proofline/plugins/policies/requirements"
import { Baseline, EscrowedChecks, EscrowRefused, ScratchProjects, Syntax } from "@proofline/plugins/ports"
import { Context, Effect, Layer, Stream } from "effect"
import { judge } from "../../kernel/support/judge.ts"
import { replayOf } from "../../kernel/support/recorded.ts"
import { stateOf } from "../../kernel/support/words.ts"
import { type Log, newLog, newProcess, type Process, workerOptions } from "../../kernel/support/world.ts"
import { noChecks, noReports } from "../nowhere.ts"
import { room } from "../repositories.ts"

/** A project directory of its own, removed with the scope. */
export const directory = room("proofline-loop-")

/** A requirement whose criteria are shown by commands: `check` names one, an object both. */
export const aRequirement = (
  id: string,
  criteria: ReadonlyArray<string | { readonly criterion: string; readonly check: string }>,
  priority: Requirement["priority"] = "required"
): Requirement => ({
  id,
  name: null,
  description: `${id} holds.`,
  acceptance_criteria: criteria.map((one, i) => ({
    id: `${id}.${i + 1}`,
    criterion: typeof one === "string" ? one : one.criterion,
    check: typeof one === "string" ? null : one.check,
    verify: null
  })),
  priority
})

export const aDefinition = (
  all: ReadonlyArray<Requirement>,
  verification: Partial<RequirementDefinition["verification"]> = {}
): RequirementDefinition => ({
  name: "a feature",
  context: "A small project.",
  requirements: all,
  constraints: [],
  generation: { generator: "scripted", tasks: [] },
  verification: { verifier: "none", trust_agent: false, ...verification }
})

/** A task of an earlier plan that has ended well. */
export const completed = (id: string, more: Partial<CompletedTask> = {}): CompletedTask => ({
  id,
  title: `Task ${id}`,
  status: "completed",
  verdict: "proven",
  attempts: 1,
  message: "",
  summary: "",
  files: [],
  checks: [],
  items: [],
  covers: [],
  iteration: 1,
  run_id: "run_1-iter1",
  ...more
})

/** A task that its checks show; give what the test is about. */
export const planned = (
  id: string,
  covers: ReadonlyArray<string>,
  more: Partial<GeneratedTask> = {}
): GeneratedTask => ({
  ...aTask(id),
  covers,
  ...more
})

export type Answers = (request: GenerationRequest) => Partial<Generated> | ActivityFailure
export type Opinions = (request: VerificationRequest) => Partial<Verified> | ActivityFailure

export interface Stage {
  readonly root: string
  readonly generate?: Answers
  readonly verify?: Opinions
  /** How attempts go; well unless said otherwise. */
  readonly script?: Script
  readonly fates?: (path: string) => "proven" | "stale"
  /** What checks that agents do not see run, by criterion; null: they cannot be had any more. */
  readonly hidden?: Readonly<Record<string, string>> | null
}

/** As many as the stage has, in a copy that is the project itself, of which nothing is known to have changed. */
const checksOf = ({ hidden, root }: Stage) =>
  hidden === undefined
    ? noChecks
    : Layer.merge(
        Layer.mock(Baseline, {
          changedIn: () => Effect.succeed([]),
          before: () => Effect.succeed({ _tag: "absent" }),
          came: () => Effect.succeed(null),
          restore: () => Effect.void
        }),
        Layer.succeed(EscrowedChecks, {
          open: () =>
            hidden === null
              ? Effect.fail(new EscrowRefused({ message: "They are gone." }))
              : Effect.succeed({
                  directory: root,
                  checkOf: (criterion) => {
                    const command = hidden[criterion]
                    return command === undefined ? undefined : { command }
                  }
                })
        })
      )

const answered = <A>(whole: A, answer: Partial<A> | ActivityFailure): Effect.Effect<A, ActivityFailure> =>
  "_tag" in (answer as object)
    ? Effect.fail(answer as ActivityFailure)
    : Effect.succeed({ ...whole, ...(answer as Partial<A>) })

export const failing = (code: string, terminalAgent?: string): ActivityFailure => ({
  _tag: "ActivityFailure",
  code,
  message: "It did not end well.",
  ...(terminalAgent === undefined ? {} : { terminalAgent })
})

export const pluginsOf = (stage: Stage) =>
  Effect.gen(function* () {
    const loop = yield* requirements({
      judge: (receipts) =>
        Effect.succeed(
          receipts.map((receipt) => {
            const path = isLineReceipt(receipt) ? receipt.path : receipt.reference
            const status = stage.fates?.(path) ?? "proven"
            return {
              status,
              now: status === "proven" ? path : null,
              reason: status === "proven" ? "" : "It was changed."
            }
          })
        ),
      text: tasksText
    })
    return [
      escrow,
      scripted(stage.script ?? (() => Effect.succeed({ outcome: "COMPLETE" }))),
      judge,
      loop,
      defineGenerator("scripted", "1", (request) =>
        answered({ tasks: [], problems: [], answer: null, output: null, usage: null }, stage.generate?.(request) ?? {})
      ),
      defineVerifier("scripted", "1", (request) =>
        answered(
          { met: false, evidence: "", facts: [], problems: [], answer: null, output: null, usage: null },
          stage.verify?.(request) ?? {}
        )
      )
    ] satisfies ReadonlyArray<Plugin>
  }).pipe(
    Effect.provide(
      Layer.mergeAll(
        commands({ root: stage.root, grace_ms: 50 }),
        baseline({ root: stage.root }),
        outputFiles({ root: stage.root }),
        projectFiles({ root: stage.root }),
        // the project itself: what a copy of it may lack is none of the loop's business
        Layer.mock(ScratchProjects, {
          make: () => Effect.succeed({ directory: stage.root, write: () => Effect.void })
        }),
        noReports,
        Layer.mock(Syntax, { outline: () => Effect.succeed(null) })
      ).pipe(
        Layer.merge(checksOf(stage)),
        Layer.provideMerge(blobs({ directory: Path.join(stage.root, ".blobs") })),
        Layer.provideMerge(nodeDigest)
      )
    )
  )

type Loading = CommandOf<typeof Load>

export const loading = (definition: RequirementDefinition, more: Partial<Loading> = {}): Loading => ({
  _tag: "requirements.Load",
  definition,
  requirements_path: "requirements.yaml",
  sha256: JSON.stringify(definition),
  tasks_output_dir: "generated",
  feature: "feature",
  max_iterations: 3,
  chunk: "no",
  carried: null,
  ...more
})

export const starting = (root: string, config: Partial<RunConfig> = {}): StartTasks => ({
  _tag: "StartRun",
  run_id: "run_1",
  kind: "requirements",
  name: "a feature",
  root,
  input: { path: "requirements.yaml", sha256: "0".repeat(64) },
  parent_run_id: null,
  completed_task_ids: [],
  config: { ...defaultRunConfig, proof: acceptsWeak, retry_delay_ms: 0, ...config },
  plugins: [],
  driver: { pid: 1, host: "here", since: "2026-01-01T00:00:00.000Z" },
  base: { commit: null, snapshot: { sha256: "0".repeat(64), bytes: 0 } },
  tasks: []
})

export interface Played {
  readonly loop: Loop
  readonly status: string
  readonly message: string
  readonly events: ReadonlyArray<Recorded>
  /** Of the task run of an iteration; empty when there was none. */
  readonly child: (iteration: number) => ReadonlyArray<Recorded>
  readonly composition: Composition
  readonly process: Process
  readonly log: Log
  readonly stage: Stage
}

/** A whole requirements run. */
export const play = Effect.fnUntraced(function* (
  definition: RequirementDefinition,
  given: Omit<Stage, "root">,
  options: { readonly config?: Partial<RunConfig>; readonly load?: Partial<Loading> } = {}
) {
  const root = yield* directory
  const stage: Stage = { ...given, root }
  const plugins = yield* pluginsOf(stage)
  const log = yield* newLog
  const process = yield* newProcess(log, plugins)
  yield* process.engine.execute("run_1", starting(root, options.config))
  yield* process.runner.drive("run_1", loading(definition, options.load), workerOptions({ slots: 4 }))
  return yield* seen(process, log, composePlugins(plugins), stage)
})

export const seen = Effect.fnUntraced(function* (
  process: Process,
  log: Log,
  composition: Composition,
  stage: Stage
): Effect.fn.Return<Played> {
  const read = (run: string) => Context.get(log, EventLog).read(run).pipe(Stream.runCollect, Effect.orDie)
  const snapshot = yield* Effect.orDie(process.engine.load("run_1"))
  const loop = loopOf(snapshot)
  const children = new Map<number, ReadonlyArray<Recorded>>()
  for (const { iteration_number } of loop.iterations) {
    children.set(iteration_number, yield* read(childId("run_1", iteration_number)))
  }
  return {
    loop,
    status: stateOf(snapshot).run.status,
    message: stateOf(snapshot).run.message,
    events: yield* read("run_1"),
    child: (iteration) => children.get(iteration) ?? [],
    composition,
    process,
    log,
    stage
  }
})

/** Goes on with a run as `resume` does: by another driver. */
export const resumed = Effect.fnUntraced(function* (played: Played, config: Partial<RunConfig> | null = null) {
  const { composition, log, process, stage } = played
  const before = stateOf(yield* process.engine.load("run_1")).run.config
  yield* process.runner.drive(
    "run_1",
    {
      _tag: "ResumeRun",
      driver: { pid: 2, host: "here", since: "2026-01-02T00:00:00.000Z" },
      config: config === null ? null : { ...before, ...config }
    },
    workerOptions({ slots: 4 })
  )
  return yield* seen(process, log, composition, stage)
})

/** Decides both levels again from their logs alone; the first divergence, null when there is none. */
export const replayed = ({ child, composition, events, loop }: Played) => {
  for (const stream of [events, ...loop.iterations.map(({ iteration_number }) => child(iteration_number))]) {
    const { divergence } = replayOf(composition, stream)
    if (divergence !== null) return divergence
  }
  return null
}

export const contentsOf = (events: ReadonlyArray<Recorded>, type: string) =>
  events.flatMap((event) => (event.event_type === type ? [event.content as Readonly<Record<string, unknown>>] : []))

export const verdictsOf = ({ loop }: Played): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...loop.requirements.values()].flatMap(({ criteria }) => criteria.map(({ id, verdict }) => [id, verdict]))
  )

export const fileOf = ({ stage }: Played, path: string): string | null =>
  existsSync(Path.join(stage.root, path)) ? readFileSync(Path.join(stage.root, path), "utf8") : null

export const writeInto = (root: string, path: string, text: string): void => writeFileSync(Path.join(root, path), text)
