import {
  type AnyCommand,
  Baseline,
  composePlugins,
  FileRefused,
  type KernelEvent,
  type Plugin,
  type Recorded,
  type State,
  Syntax,
  tasksOf,
  Workplaces,
  Workspace
} from "@proofline/kernel"
import { aRun, aTask, type Script, scripted } from "@proofline/kernel/testing"
import { evidence } from "@proofline/plugins/policies/evidence"
import { Effect, Fiber, Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { eventsOf, randomHistory } from "../support/histories.ts"
import { letOthersGoOn } from "../support/letOthersGoOn.ts"
import { randomFrom } from "../support/random.ts"
import { recordedOf } from "../support/recorded.ts"
import { resume } from "../support/words.ts"
import { type Log, newLog, newProcess, readRun, workerOptions } from "../support/world.ts"

const files: Readonly<Record<string, string>> = {
  "src/ledger.ts": "export const add = (a: number, b: number): number => {\n  return a + b\n}\n",
  "README.md": "# Ledger\n\nAdds what you spend.\n"
}

/** A project of two files. */
const workspace = Layer.succeed(Workspace, {
  root: "/project",
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
    Effect.map((policy) => [policy, scripted(script)])
  )

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

/** What is kept of every release: how its logs look. */
export const scenarios: Readonly<Record<string, Effect.Effect<ReadonlyArray<Recorded>, never, Scope.Scope>>> = {
  completed: driven([run, well]),
  "refused-then-proven": driven([run, wrongAtFirst]),
  "crash-and-resume": driven([run, diesInReport], [resume(), well])
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
  for (const event of unplayed) if (!found.has(event.type)) found.set(event.type, event)
  const missing = types.filter((type) => !found.has(type))
  if (missing.length > 0) throw new Error(`No example of ${missing.join(", ")}.`)
  return recordedOf(
    composePlugins([]),
    types.map((type) => [found.get(type) as KernelEvent])
  )
}

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
  { type: "ACTIVITY_STARTED", content: { name: "x", key: "x/1", input_sha256: "0".repeat(64) } }
]

/** A state as JSON, without how its maps are stored. */
export const stateJson = ({ breakers, completed_elsewhere, dependents, ...state }: State): unknown =>
  JSON.parse(
    JSON.stringify({
      ...state,
      tasks: tasksOf({ breakers, completed_elsewhere, dependents, ...state }),
      breakers: Object.fromEntries([...breakers].sort()),
      completed_elsewhere: [...completed_elsewhere].sort(),
      dependents: Object.fromEntries([...dependents].sort())
    })
  )
