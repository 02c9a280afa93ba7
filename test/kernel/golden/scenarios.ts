import {
  type AnyCommand,
  Baseline,
  composePlugins,
  definePlugin,
  FileRefused,
  type KernelEvent,
  type Plugin,
  type Recorded,
  type ReportedItem,
  recordCall,
  type State,
  Syntax,
  tasksOf,
  unlimited,
  Workplaces,
  Workspace
} from "@proofline/kernel"
import { aRun, aTask, type Script, scripted } from "@proofline/kernel/testing"
import { evidence } from "@proofline/plugins/policies/evidence"
import { Effect, Fiber, Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { eventsOf, randomHistory } from "../support/histories.ts"
import { letOthersGoOn } from "../support/letOthersGoOn.ts"
import {
  aNewTask,
  aPlan,
  aSessionRun,
  asks,
  checksTarget,
  completes,
  creates,
  opens,
  reports,
  submits,
  updates
} from "../support/pull.ts"
import { likeBuiltIn, randomPull } from "../support/pullHistories.ts"
import { randomFrom } from "../support/random.ts"
import { recordedOf } from "../support/recorded.ts"
import { check, resume, stateOf } from "../support/words.ts"
import { type Log, newLog, newProcess, readRun, workerOptions } from "../support/world.ts"

const files: Readonly<Record<string, string>> = {
  "src/ledger.ts": "export const add = (a: number, b: number): number => {\n  return a + b\n}\n",
  "README.md": "# Ledger\n\nAdds what you spend.\n"
}

/** A project of two files. */
const workspace = Layer.succeed(Workspace, {
  root: "/project",
  place: (path) => Effect.die(`Nobody writes ${path} here.`),
  at: (directory) => {
    throw new Error(`Nobody works in ${directory} here.`)
  },
  readText: (path) => {
    const text = files[path]
    return text === undefined
      ? Effect.fail(new FileRefused({ path, reason: "not_found", message: `${path} does not exist.` }))
      : Effect.succeed({ path, text, git_blob: null, git_commit: null })
  }
})

/** Everything is done in the one project. */
const workplaces = Layer.succeed(Workplaces, {
  open: () =>
    Effect.succeed({
      directory: "/project",
      mark: Effect.succeed({ _tag: "Mark" }),
      changedSince: () => Effect.succeed([]),
      keep: Effect.succeed([])
    }),
  aggregate: () => Effect.die("The scenarios have no worktrees."),
  close: () => Effect.succeed([])
})

/** What a grammar or a repository says is no matter of the rules: it is recorded. */
const noGrammar = Layer.succeed(Syntax, { outline: () => Effect.succeed(null) })

/** The README was there before; the rest is new. */
const baseline = Layer.succeed(Baseline, {
  capture: Effect.die("The scenarios name their base."),
  changes: (_base, path) => Effect.succeed({ touched: () => path !== "README.md" })
})

/** The rules as they are shipped; agents and commands as the script says. */
export const rules = (log: Log, script: Script): Effect.Effect<ReadonlyArray<Plugin>> =>
  evidence.pipe(
    Effect.provide(Layer.mergeAll(workspace, workplaces, noGrammar, baseline)),
    Effect.provideContext(log),
    Effect.map((policy) => [policy, counted(scripted(script))])
  )

/** Its agent says what it has used where the run has a budget. */
const counted = (plugin: Plugin): Plugin => {
  const { attempt, ...others } = plugin.activities ?? {}
  if (attempt === undefined) return plugin
  const usage = { input_tokens: 900, output_tokens: 100, cost_usd: 0.02 }
  const call = { agent: "command", role: "work", usage }
  return {
    ...plugin,
    activities: {
      ...others,
      attempt: (context) =>
        Effect.tap(attempt(context), () =>
          stateOf(context).run.config.budget.max_tokens === null
            ? Effect.void
            : recordCall(context, { ...call, ...(context.item.input as { task_id: string; attempt: number }) })
        )
    }
  }
}

const tasks = [
  aTask("ledger", {
    title: "Add up",
    instruction: "Write add.",
    checklist: [
      { item: "add adds", check: "true", ablation: true },
      { item: "add is documented", check: "true" },
      { item: "the README says so" }
    ],
    validation: ["It is easy to read."]
  }),
  aTask("report", { title: "Report", instruction: "Print the sum.", depends_on: ["ledger"] })
]

const report = (first: string) => ({
  summary: "add is there.",
  checklist: [
    { item: "add adds", status: "done" as const, evidence: first },
    { item: "add is documented", status: "skipped" as const, reason: "Its name says it all." },
    { item: "the README says so", status: "done" as const, evidence: "README.md:1-3" }
  ],
  problems: []
})

const run = {
  ...aRun(tasks, { reviewer: "critic", workers: 1 }),
  base: { commit: "c".repeat(40), snapshot: { sha256: "0".repeat(64), bytes: 2 } }
}

/** Two attempts until it is taken up again, and tokens for more. */
const limited = {
  ...run,
  config: { ...run.config, budget: { ...unlimited, max_attempts: 2, max_tokens: 5_000 } }
}

/** One process after another on one log; a script that never ends is a process that dies. */
const driven = (...processes: ReadonlyArray<readonly [AnyCommand, Script]>) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.UTC(2026, 0, 2, 3, 4, 5))
    const log = yield* newLog
    for (const [i, [command, script]] of processes.entries()) {
      const { runner } = yield* newProcess(log, yield* rules(log, script), `${i + 1}_`)
      const driving = yield* Effect.forkChild(runner.drive("run_1", command, workerOptions({ slots: 1 })))
      for (let second = 0; second < 10; second++) {
        yield* letOthersGoOn
        yield* TestClock.adjust(1_000)
      }
      yield* Fiber.interrupt(driving)
    }
    return yield* readRun(log)
  })

const well: Script = (id) =>
  Effect.succeed({ outcome: "COMPLETE", ...(id === "ledger" ? { checklist: report("src/ledger.ts:1-3") } : {}) })

const wrongAtFirst: Script = (id, attempt) =>
  id === "ledger" && attempt === 1
    ? Effect.succeed({ outcome: "COMPLETE", checklist: report("src/nowhere.ts:1") })
    : well(id, attempt)

const diesInReport: Script = (id, attempt) => (id === "report" ? Effect.never : well(id, attempt))

/** Fails the first time it verifies a phase, and passes from then on. */
const verification = (): Plugin => {
  let runs = 0
  return definePlugin({
    name: "verification",
    version: "1",
    initial: null,
    activities: {
      verification: ({ item }) => {
        const { phase, submission } = item.input as { readonly phase: string; readonly submission: number }
        return Effect.succeed({ _tag: "RecordPhaseChecks", phase, submission, checks: [check(runs++ === 0 ? 1 : 0)] })
      }
    }
  })
}

/** What two agents and nobody else ask for, in this order; the work of the run is carried out in between. */
const asked = (commands: ReadonlyArray<AnyCommand>) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.UTC(2026, 0, 2, 3, 4, 5))
    const log = yield* newLog
    const plugins = [...(yield* rules(log, () => Effect.die("Nobody is driven here."))), verification()]
    const { engine, worker } = yield* newProcess(log, plugins)
    const working = yield* Effect.forkChild(worker.run(workerOptions({ slots: 1 })))
    for (const command of commands) {
      yield* Effect.orDie(engine.execute("run_1", command))
      yield* letOthersGoOn
      yield* TestClock.adjust(1_000)
    }
    yield* Fiber.interrupt(working)
    return yield* readRun(log)
  })

const shown = (evidence: string): ReadonlyArray<ReportedItem> => [
  { item: "add adds", status: "done", evidence },
  { item: "add is documented", status: "skipped", reason: "Its name says it all." }
]

const session: ReadonlyArray<AnyCommand> = [
  { ...aSessionRun({ planning_guide: "# Planning\n" }), base: run.base },
  opens("alice"),
  asks("alice"),
  submits("alice", { findings: [] }),
  submits("alice", { explored_files: ["README.md"], findings: ["README.md: it promises a sum"] }),
  submits(
    "alice",
    aPlan(
      { id: "ledger", description: "Add up in src/ledger.ts.", checklist: ["add adds"] },
      { id: "report", description: "Print the sum.", checklist: null, depends_on: ["ledger"] }
    )
  ),
  checksTarget("alice", "src/ledger.ts"),
  checksTarget("alice", "src/other.ts"),
  creates("alice", aNewTask("read", { parent_task_id: "report", checklist: ["the README says so"], assignee: "bob" })),
  submits("alice", aPlan({ id: "ledger", checklist: ["add adds", "add is documented"] })),
  opens("bob", { of_process: false }),
  asks("bob"),
  asks("bob", "get_my_task"),
  completes("alice", "ledger", shown("src/nowhere.ts:1")),
  completes("alice", "ledger", shown("src/ledger.ts:1-3")),
  completes("bob", "tsk_3", [{ item: "the README says so", status: "done", evidence: "README.md:1-3" }]),
  updates("alice", "report", "in_progress"),
  updates("alice", "report", "blocked", "the printer is out of paper"),
  updates("alice", "report", "in_progress"),
  updates("alice", "report", "done"),
  reports("bob"),
  submits("alice", { summary: "All is done." }),
  submits("alice", {}),
  completes("alice", "ledger", shown("src/ledger.ts:1-3")),
  completes("alice", "tsk_3", [{ item: "the README says so", status: "done", evidence: "README.md:1-3" }]),
  updates("alice", "report", "done"),
  submits("alice", { summary: "All is done again." }),
  submits("alice", {}),
  reports("alice")
]

/** What is kept of every release: how its logs look. */
export const scenarios: Readonly<Record<string, Effect.Effect<ReadonlyArray<Recorded>, never, Scope.Scope>>> = {
  completed: driven([run, well]),
  "refused-then-proven": driven([run, wrongAtFirst]),
  "crash-and-resume": driven([run, diesInReport], [resume(), well]),
  budget: driven([limited, wrongAtFirst], [resume(), wrongAtFirst]),
  session: asked(session)
}

/** One event of every type, as the rules write them; not a run. */
export const oneOfEveryType = (types: ReadonlyArray<string>): ReadonlyArray<Recorded> => {
  const found = new Map<string, KernelEvent>()
  for (let seed = 1; seed <= 300; seed++) {
    for (const event of eventsOf(
      randomHistory(randomFrom(seed), { wild: true, commands: 40, chunks: seed % 2 === 0 })
    )) {
      if (!found.has(event.type)) found.set(event.type, event as KernelEvent)
    }
  }
  const pulled = Array.from({ length: 60 }, (_, i) => randomFrom(i + 1)).flatMap((random) =>
    eventsOf(randomPull(random, { setup: likeBuiltIn(random), commands: 60 }))
  ) as ReadonlyArray<KernelEvent>
  for (const event of [...pulled, ...unplayed]) if (!found.has(event.type)) found.set(event.type, event)
  const missing = types.filter((type) => !found.has(type))
  if (missing.length > 0) throw new Error(`No example of ${missing.join(", ")}.`)
  return recordedOf(
    composePlugins([]),
    [...types.map((type) => found.get(type) as KernelEvent), ...onlyPulled(pulled)].map((event) => [event])
  )
}

/** What some types say in a session run alone. */
const onlyPulled = (events: ReadonlyArray<KernelEvent>): ReadonlyArray<KernelEvent> => [
  ...events.filter(({ content, type }) => type === "TASK_STATUS_CHANGED" && content.by !== undefined).slice(0, 1),
  ...events.filter(({ content, type }) => type === "TASK_COMPLETED" && content.verdict !== undefined).slice(0, 1),
  ...events.filter(({ content, type }) => type === "CHECKLIST_REGISTERED" && content.added !== undefined).slice(0, 1)
]

/** Types that are part of the format though no history of the kernel's tests writes them. */
const unplayed: ReadonlyArray<KernelEvent> = [
  {
    type: "ATTEMPT_OUTPUT_SUMMARIZED",
    content: {
      task_id: "a",
      attempt: 1,
      output_tail: "bye",
      stdout: { sha256: "0".repeat(64), bytes: 3 },
      stderr: null
    }
  },
  {
    type: "AGENT_CALLED",
    content: {
      agent: "command",
      role: "work",
      task_id: "a",
      attempt: 1,
      usage: { input_tokens: 900, output_tokens: 100, cost_usd: null }
    }
  },
  { type: "ACTIVITY_STARTED", content: { name: "x", key: "x/1", input_sha256: "0".repeat(64) } }
]

/** A state as JSON, without how its maps are stored. */
export const stateJson = ({ breakers, completed_elsewhere, dependents, pull, ...state }: State): unknown =>
  JSON.parse(
    JSON.stringify({
      ...state,
      pull: pull && {
        ...pull,
        explored: [...pull.explored].sort(),
        writable: [...pull.writable].sort(),
        batches: Object.fromEntries([...pull.batches].sort())
      },
      tasks: tasksOf({ breakers, completed_elsewhere, dependents, pull, ...state }),
      breakers: Object.fromEntries([...breakers].sort()),
      completed_elsewhere: [...completed_elsewhere].sort(),
      dependents: Object.fromEntries([...dependents].sort())
    })
  )
