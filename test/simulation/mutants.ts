import {
  type ActivityImpl,
  type EventLog,
  impl,
  type PartImpl,
  type Plugin,
  type PluginImpl,
  type RunConfig,
  taskOf,
  tasksOf,
  type WorkItem
} from "@proofline/kernel"
import { Effect } from "effect"
import { withTask } from "../../packages/kernel/src/modules/tasks/state.ts"
import { withActivities } from "../kernel/support/activities.ts"
import type { BentLog } from "./simulate.ts"

// Rules that are broken on purpose, each as a plugin, a module or a log may be broken, and what must notice.

export interface Mutant {
  /** What is wrong. */
  readonly name: string
  readonly change?: (all: ReadonlyArray<Plugin>) => ReadonlyArray<Plugin>
  /** A fresh one for every simulation. */
  readonly bend?: () => BentLog
  /** Rules of the oracle of which one must break. */
  readonly breaks: ReadonlyArray<string>
  /** The seed that is tried first: not all of them come to what is wrong. */
  readonly from?: number
}

// biome-ignore lint/suspicious/noExplicitAny: whatever a plugin holds
type Any = any

const inside = (plugin: Plugin, change: (own: PluginImpl) => Partial<PluginImpl>): Plugin => ({
  ...plugin,
  [impl]: { ...plugin[impl], ...change(plugin[impl]) }
})

const of =
  (name: string, change: (own: PluginImpl) => Partial<PluginImpl>) =>
  (all: ReadonlyArray<Plugin>): ReadonlyArray<Plugin> =>
    all.map((plugin) => (plugin.name === name ? inside(plugin, change) : plugin))

/** What is offered to a point is another thing. */
const offering = (owner: string, point: string, change: (offered: Any) => Any) =>
  of(owner, ({ parts }) => ({
    parts: parts.map(
      (part): PartImpl =>
        part.kind === "offer" && part.to === point ? { ...part, offered: change(part.offered) } : part
    )
  }))

const passed = { _tag: "passed" }

/** Gates that let everything through. */
const openGates = (owner: string, ...names: ReadonlyArray<string>) =>
  offering(owner, "tasks.gates", (offered) =>
    names.includes(offered.name) ? { ...offered, verdict: () => passed } : offered
  )

/** An event changes the run in another way than it says. */
const evolving = (owner: string, type: string, change: (evolve: Any) => Any) =>
  of(owner, ({ events }) => ({
    events: events.map((event) =>
      event.type === type ? { ...event, options: { ...event.options, evolve: change(event.options.evolve) } } : event
    )
  }))

/** The same of a change. */
const evolvingChange = (owner: string, name: string, change: (apply: Any) => Any) =>
  of(owner, ({ changes }) => ({
    changes: changes.map((one) => (one.name === name ? { ...one, apply: change(one.apply) } : one))
  }))

/** The run goes by other settings than it says. */
const configured = (change: (config: RunConfig) => RunConfig) =>
  evolving(
    "run",
    "RUN_STARTED",
    (evolve) => (own: Any, content: Any) => evolve(own, { ...content, config: change(content.config) })
  )

const retrying = (change: (config: Any) => Any) =>
  offering("chunking", "tasks.retries", (offered) => ({
    ...offered,
    config: (state: Any, task: Any) => change(offered.config(state, task) ?? state.run.config)
  }))

const working =
  (names: ReadonlyArray<string>, change: (activity: ActivityImpl) => ActivityImpl) => (all: ReadonlyArray<Plugin>) =>
    all.map((plugin) =>
      withActivities(plugin, (activity) => (names.includes(activity.name) ? change(activity) : activity))
    )

/** What an activity reports is something else. */
const reporting = (name: string, change: (report: Any, input: Any, context: Any) => Any) =>
  working([name], (activity) => ({
    ...activity,
    run: (input: Any, context: Any) =>
      Effect.map(activity.run(input, context), (report) => change(report, input, context))
  }))

type Append = EventLog["Service"]["append"]

const appending = (bent: () => (append: Append) => Append) => (): BentLog => {
  const change = bent()
  return (log) => ({ ...log, append: change(log.append) })
}

/** Other work is handed to the queue than was ordered. */
const dispatching = (change: (items: ReadonlyArray<WorkItem>) => ReadonlyArray<WorkItem>) =>
  appending(
    () => (append) => (stream, expected, events, options) =>
      append(
        stream,
        expected,
        events,
        options?.dispatch === undefined ? options : { ...options, dispatch: change(options.dispatch) }
      )
  )

const judging = (change: (found: Any, state: Any, task: Any, facts: ReadonlyArray<Any>) => Any) =>
  offering("evidence", "tasks.judges", (offered) => ({
    ...offered,
    judge: (state: Any, task: Any, facts: ReadonlyArray<Any>) =>
      change(offered.judge(state, task, facts), state, task, facts)
  }))

/** Items that were refused are accepted with whatever was found there. */
const acceptingAnything = judging((found, _, task, facts) => {
  const taken = found.rejected.flatMap((one: Any) => {
    const at = task.current.report.checklist.findIndex(({ item }: Any) => item === one.item)
    const fact = facts.find(({ index }) => index === at)
    return one.index === null || fact?.receipt == null
      ? []
      : [
          {
            index: one.index,
            item: one.item,
            status: "done",
            verdict: "proven",
            evidence: fact.evidence,
            reason: null,
            receipt: fact.receipt,
            weak: []
          }
        ]
  })
  const indexes = new Set(taken.map(({ index }: Any) => index))
  return {
    ...found,
    accepted: [...found.accepted, ...taken],
    rejected: found.rejected.filter(({ index }: Any) => !indexes.has(index))
  }
})

/** What was left out of a report, or skipped once too often, is waived. */
const waivingAll = judging((found, _, task) => {
  const open = task.items.flatMap((item: Any, index: number) =>
    found.accepted.some((one: Any) => one.index === index) ? [] : [{ item: item.item, index }]
  )
  return {
    ...found,
    accepted: [
      ...found.accepted,
      ...open.map(({ index, item }: Any) => ({
        index,
        item,
        status: "skipped",
        verdict: "waived",
        evidence: null,
        reason: "nobody has said so",
        receipt: null,
        weak: []
      }))
    ],
    rejected: []
  }
})

/** Whoever counts parts takes those that failed for completed ones. */
const countedAsDone = of("chunking", ({ parts }) => {
  const follows = parts.filter((part) => part.kind === "follow")
  const done = follows.find(({ of: change }) => change === "tasks.completed")
  return {
    parts: parts.map((part) =>
      part.kind === "follow" && part.of === "tasks.failed" && done !== undefined ? { ...part, fold: done.fold } : part
    )
  }
})

export const mutants: ReadonlyArray<Mutant> = [
  { name: "items that are open let a task pass", change: openGates("tasks", "evidence", "items"), breaks: ["items"] },
  { name: "commands that fail let a task pass", change: openGates("tasks", "checks"), breaks: ["checks"] },
  {
    name: "a review that rejects lets a task pass",
    from: 20,
    change: openGates("tasks", "review"),
    breaks: ["review", "nothing_shown"]
  },
  {
    name: "a task that shows nothing passes",
    from: 44,
    change: openGates("tasks", "something_to_prove"),
    breaks: ["nothing_shown"]
  },
  {
    name: "a task begins before what it depends on",
    change: openGates("tasks", "dependencies"),
    breaks: ["dependencies"]
  },
  {
    name: "a part that failed counts as completed",
    from: 61,
    change: (all) =>
      countedAsDone(
        evolvingChange("tasks", "tasks.failed", (apply) => (own: Any, arg: Any) => {
          const after = apply(own, arg)
          const isPart = taskOf({ tasks: after }, arg.task_id)?.parent_task_id != null
          return isPart ? withTask(after, arg.task_id, (one) => ({ ...one, status: "completed" })) : after
        })(all)
      ),
    breaks: ["atomic"]
  },
  {
    name: "an agent is started with its breaker open",
    from: 14,
    change: openGates("tasks", "agents"),
    breaks: ["breaker", "budget"]
  },
  { name: "lines that were there before show an item", change: acceptingAnything, breaks: ["truth", "facts"] },
  { name: "what nobody reported is waived", change: waivingAll, breaks: ["waivers"] },
  {
    name: "evidence is accepted that nobody looked at",
    change: reporting("evidence", (report) =>
      report === null
        ? null
        : {
            ...report,
            facts: report.facts.map((fact: Any) => ({
              ...fact,
              ...(fact.receipt == null ? {} : { receipt: { ...fact.receipt, sha256: "f".repeat(64) } })
            }))
          }
    ),
    breaks: ["truth", "facts"]
  },
  {
    name: "commands are called green without being run",
    change: reporting("checks", (report) =>
      report === null
        ? null
        : {
            ...report,
            checks: report.checks.map((one: Any) => ({ ...one, exit_code: 0, timed_out: false, clean_room: null }))
          }
    ),
    breaks: ["truth"]
  },
  {
    name: "commands are called red at the base without being run",
    change: reporting("base_checks", (report) =>
      report === null
        ? null
        : { ...report, checks: report.checks.map((one: Any) => ({ ...one, outcome: "red", exit_code: 1 })) }
    ),
    breaks: ["truth"]
  },
  {
    name: "an answer that is no judgement passes",
    from: 20,
    change: working(["review"], (activity) => ({
      ...activity,
      run: (input: Any, context: Any) =>
        Effect.catchTag(activity.run(input, context) as Effect.Effect<Any, Any>, "ActivityFailure", () =>
          Effect.succeed({
            _tag: "RecordJudgment",
            ...input,
            reviewer: context.state.run.config.reviewer,
            judgment: "PASS",
            checks: [],
            modification_prompt: null,
            output: null
          })
        ) as never
    })),
    breaks: ["truth"]
  },
  {
    name: "what was accepted is not judged again",
    from: 49,
    change: reporting("evidence_again", (report) => (report === null ? null : { ...report, stale: [] })),
    breaks: ["judged_again"]
  },
  { name: "retries have no limit", change: retrying((config) => ({ ...config, max_retries: 9 })), breaks: ["retries"] },
  {
    name: "waits do not grow",
    from: 14,
    change: retrying((config) => ({ ...config, backoff_multiplier: 1 })),
    breaks: ["delay"]
  },
  {
    name: "a terminal error opens no breaker",
    from: 14,
    change: of("tasks", ({ events }) => ({
      events: events.map((event) =>
        event.type === "ATTEMPT_ENDED"
          ? {
              ...event,
              options: {
                ...event.options,
                changes: (content: Any) => event.options.changes?.({ ...content, error: null }) ?? []
              }
            }
          : event
      )
    })),
    breaks: ["breaker"]
  },
  {
    name: "fail_fast stops nothing",
    from: 13,
    change: configured((config) => ({
      ...config,
      fail_fast: false,
      chunking: { ...config.chunking, fail_fast: false }
    })),
    breaks: ["fail_fast"]
  },
  {
    name: "any number of items may be waived",
    from: 91,
    change: configured((config) => ({ ...config, proof: { ...config.proof, max_waived: 1 } })),
    breaks: ["waivers"]
  },
  {
    name: "the budget of attempts is forgotten",
    from: 39,
    change: configured((config) => ({ ...config, budget: { ...config.budget, max_attempts: null } })),
    breaks: ["budget"]
  },
  {
    name: "a resume forgets the rules",
    change: evolving("run", "RUN_RESUMED", (evolve) => (own: Any, content: Any) => {
      const after = evolve(own, content)
      const { config } = after
      return {
        ...after,
        config: {
          ...config,
          max_retries: 9,
          chunking: { ...config.chunking, retry: { ...config.chunking.retry, max_retries: 9 } },
          proof: { ...config.proof, max_waived: 1 }
        }
      }
    }),
    breaks: ["retries", "waivers"]
  },
  {
    name: "a resume for one task goes on with all",
    change: openGates("tasks", "set_aside"),
    breaks: ["set_aside"]
  },
  {
    name: "a resume takes up what is completed",
    change: offering("tasks", "run.underway", (offered) => ({
      ...offered,
      reopened: (state: Any) => [
        ...(offered.reopened?.(state) ?? []),
        ...tasksOf(state).flatMap((task) =>
          task.status === "completed" ? [{ task_id: task.spec.id, from: "start" }] : []
        )
      ]
    })),
    breaks: ["done_once"]
  },
  {
    name: "a rule goes by what the log does not say",
    change: (all) => {
      let turns = 0
      return retrying((config) => ({ ...config, retry_delay_ms: config.retry_delay_ms + (turns++ % 2 === 0 ? 0 : 1) }))(
        all
      )
    },
    breaks: ["replay", "delay"]
  },
  {
    name: "nothing follows from a task that is tried again",
    change: of("tasks", ({ parts }) => ({
      parts: parts.map((part) =>
        part.kind === "react" ? { ...part, of: part.of.filter((type) => type !== "TASK_STATUS_CHANGED") } : part
      )
    })),
    breaks: ["ends"]
  },
  {
    name: "the log does not look at leases",
    from: 48,
    bend: appending(
      () =>
        (append) =>
        (stream, expected, events, { lease: _, ...options } = {}) =>
          append(stream, expected, events, options)
    ),
    breaks: ["old_lease"]
  },
  {
    name: "the log loses what it acknowledged",
    bend: appending(() => {
      let count = 0
      return (append) => (stream, expected, events, options) =>
        ++count === 7
          ? Effect.map(append(`${stream}-lost`, 0, events, {}), ({ events: written }) => ({
              events: written.map((event, i) => ({ ...event, stream, version: expected + i + 1 })),
              repeated: false
            }))
          : append(stream, expected, events, options)
    }),
    breaks: ["chain", "versions", "acknowledged", "positions"]
  },
  {
    name: "the log writes a command twice",
    bend: appending(() => {
      let count = 0
      return (append) => (stream, expected, events, options) => {
        const another = `~${++count}`
        return append(
          stream,
          expected,
          events.map((event) => ({ ...event, command_id: event.command_id + another })),
          options?.behind === undefined ? options : { ...options, behind: undefined as never }
        )
      }
    }),
    breaks: ["command_once"]
  },
  {
    name: "the log takes what was decided about an older state",
    from: 20,
    bend: appending(
      () => (append) => (stream, expected, events, options) =>
        Effect.catchTag(append(stream, expected, events, options), "Conflict", ({ actual }) => {
          const { behind: _, ...rest } = options ?? {}
          return append(stream, actual, events, rest)
        })
    ),
    breaks: ["one_at_a_time", "done_once", "replay", "attempts", "items", "ended", "registered", "ends", "broke"]
  },
  {
    name: "the queue gives work out before its time",
    bend: dispatching((items) => items.map((item) => ({ ...item, not_before: 0 }))),
    breaks: ["delay"]
  },
  {
    name: "work that was ordered is never given out",
    bend: dispatching((items) => items.filter(({ activity }) => activity !== "checks")),
    breaks: ["ends"]
  }
]
