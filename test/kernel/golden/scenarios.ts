import { type AnyCommand, type Plugin, type Recorded, recordCall, unlimited } from "@proofline/kernel"
import { aRun, aTask, type Script, scripted } from "@proofline/kernel/testing"
import { evidence } from "@proofline/plugins/policies/evidence"
import { Baseline, FileRefused, ProjectFiles, Syntax, Workspaces } from "@proofline/plugins/ports"
import { Effect, Fiber, Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { withActivities } from "../support/activities.ts"
import { letOthersGoOn } from "../support/letOthersGoOn.ts"
import { resume } from "../support/words.ts"
import { type Log, newLog, newProcess, readRun, workerOptions } from "../support/world.ts"

const files: Readonly<Record<string, string>> = {
  "src/ledger.ts": "export const add = (a: number, b: number): number => {\n  return a + b\n}\n",
  "README.md": "# Ledger\n\nAdds what you spend.\n"
}

/** A project of these files. */
const projectOf = (contents: Readonly<Record<string, string>>) =>
  Layer.succeed(ProjectFiles, {
    root: "/project",
    resolveTarget: (path) => Effect.die(`Nobody writes ${path} here.`),
    digest: (path) => Effect.die(`Nobody reads ${path} as a whole here.`),
    paths: Effect.sync(() => Object.keys(contents)),
    entryAt: (path) => Effect.die(`Nobody asks for ${path} here.`),
    at: (directory) => {
      throw new Error(`Nobody works in ${directory} here.`)
    },
    readText: (path) => {
      const text = contents[path]
      return text === undefined
        ? Effect.fail(new FileRefused({ path, reason: "not_found", message: `${path} does not exist.` }))
        : Effect.succeed({ path, text, git_blob: null, git_commit: null })
    }
  })

/** Everything is done in the one project. */
const workspaces = Layer.succeed(Workspaces, {
  open: () =>
    Effect.succeed({
      directory: "/project",
      fingerprint: Effect.succeed({ _tag: "Fingerprint" }),
      changedSince: () => Effect.succeed([]),
      watched: Effect.map((value) => [value, { modified: [], undecided: [] }] as const),
      beside: (work) => work,
      keep: Effect.succeed([])
    }),
  aggregate: () => Effect.die("The scenarios have no worktrees."),
  close: () => Effect.succeed({ stays: [], removed: [] })
})

/** What a grammar or a repository says is no matter of the rules: it is recorded. */
const noGrammar = Layer.succeed(Syntax, { outline: () => Effect.succeed(null) })

/** The README was there before; the rest is new. */
const baseline = Layer.mock(Baseline, {
  changes: (_base, path) => Effect.succeed({ touched: () => path !== "README.md" }),
  before: () => Effect.succeed({ _tag: "absent" }),
  isIgnored: () => Effect.succeed(false)
})

/** The rules as they are shipped; agents and commands as the script says. */
export const rules = (log: Log, script: Script, contents = files): Effect.Effect<ReadonlyArray<Plugin>> =>
  evidence.pipe(
    Effect.provide(Layer.mergeAll(projectOf(contents), workspaces, noGrammar, baseline)),
    Effect.provideContext(log),
    Effect.map((policy) => [policy, counted(scripted(script))])
  )

/** Its agent says what it has used where the run has a budget. */
const counted = (plugin: Plugin): Plugin => {
  const usage = { input_tokens: 900, output_tokens: 100, cost_usd: 0.02 }
  const call = { agent: "command", role: "work", usage }
  return withActivities(plugin, (activity) => ({
    ...activity,
    run: (input, context) =>
      Effect.tap(activity.run(input, context), () =>
        activity.name !== "attempt" || context.state.run.config.budget.max_tokens === null
          ? Effect.void
          : recordCall(context, { ...call, task_id: input.task_id, attempt: input.attempt })
      )
  }))
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

export const run = {
  ...aRun(tasks, { reviewer: "critic", workers: 1 }),
  base: { commit: "c".repeat(40), snapshot: { sha256: "0".repeat(64), bytes: 2 } }
}

/** Two attempts until it is taken up again, and tokens for more. */
const limited = {
  ...run,
  config: { ...run.config, budget: { ...unlimited, max_attempts: 2, max_tokens: 5_000 } }
}

/** One process after another on one log; a script that never ends is a process that dies. */
const played = (...processes: ReadonlyArray<readonly [AnyCommand, Script]>) =>
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

/** Runs of tasks that this process drives. */
export const driven: Readonly<Record<string, Effect.Effect<ReadonlyArray<Recorded>, never, Scope.Scope>>> = {
  completed: played([run, well]),
  "refused-then-proven": played([run, wrongAtFirst]),
  "crash-and-resume": played([run, diesInReport], [resume(), well]),
  budget: played([limited, wrongAtFirst], [resume(), wrongAtFirst])
}
