import {
  type AnyCommand,
  type Composition,
  composePlugins,
  emptySnapshot,
  type ReportedItem,
  type Snapshot,
  step,
  type TaskState,
  tasksOf
} from "@proofline/kernel"
import { Result } from "effect"
import {
  type AnyRun,
  type NewTask,
  type Phase,
  type PhaseContract,
  phaseOf,
  runIn,
  type SessionRunSetup
} from "../../../../packages/plugins/src/policies/sessions/contract.ts"
import { isAtEnd, isEndAwaited } from "../../../../packages/plugins/src/policies/sessions/rules/phase.ts"
import { sessionsRules } from "../../../../packages/plugins/src/policies/sessions/rules/plugin.ts"
import type { Taken } from "../../../kernel/support/histories.ts"
import { fact, judge } from "../../../kernel/support/judge.ts"
import type { Random } from "../../../kernel/support/random.ts"
import { activityFailed, cancel, check, done, gone, revisited, waived } from "../../../kernel/support/words.ts"
import {
  aContract,
  aNewTask,
  answers,
  aPhase,
  aSessionRun,
  aSetup,
  because,
  checksTarget,
  closes,
  creates,
  explored,
  noon,
  opens,
  phases,
  reports,
  submits,
  to,
  updates
} from "./playing.ts"

/** A session run that was played by chance: what was carried out, and what was refused. */
export interface SessionHistory {
  readonly composition: Composition
  readonly taken: ReadonlyArray<Taken>
  readonly refused: ReadonlyArray<{ readonly command: AnyCommand; readonly before: Snapshot }>
  readonly snapshot: Snapshot
}

export interface SessionHistoryOptions {
  readonly setup: SessionRunSetup
  readonly commands: number
  /** Called after every command, also after one that was refused; then `taken` is null. */
  readonly onStep?: (now: Snapshot, taken: Taken | null) => void
}

/** The way of the built-in contract, with the choices that a project has. */
export const likeBuiltIn = (random: Random): SessionRunSetup =>
  aSetup({
    contract: aContract({
      limits: {
        task_failures: 1 + random.below(3),
        ...(random.chance(0.3) ? { parallel_tasks: 1 + random.below(2) } : {})
      },
      write_targets: {
        existing: random.pick(["any", "explored"]),
        fresh: random.pick(["any", "explored", "none"]),
        required: random.chance(0.2)
      }
    }),
    verifiers: random.chance(0.8) ? ["true"] : []
  })

/** Phases of any kind in any order, which all lead somewhere: on, back, or to the end. */
export const anyContract = (random: Random): SessionRunSetup => {
  const kinds = ["submit", "plan", "tasks", "complete", "verify", "person"] as const
  const names = Array.from({ length: 3 + random.below(5) }, (_, i) => `P${i}`)
  const payloads: Readonly<Record<string, Phase["expected_payload"]>> = {
    plan: phases["READY_PLAN"]?.expected_payload ?? {},
    tasks: phases["READY_IMPL"]?.expected_payload ?? {},
    person: { "answer?": "continue|stop", "choice?": "int" }
  }
  const way = (from: number) => {
    const on = names[from + 1] ?? "END"
    return random.chance(0.8) ? on : random.pick([...names, "END"])
  }
  const phaseAt = (i: number): Phase => {
    // a plan and its tasks are in most of them, early
    const kind = i === 1 ? "plan" : i === 2 ? "tasks" : random.pick(kinds)
    return aPhase({
      kind,
      expected_payload: payloads[kind] ?? { "choice?": "int" },
      writes: random.chance(0.5),
      also: kind === "tasks" && random.chance(0.7) ? ["P1"] : [],
      transitions: [
        ...(random.chance(0.4) ? [to(way(i), { when: { outcome: "failed" } })] : []),
        ...(random.chance(0.3) ? [to(way(i), { when: { payload: { choice: [1, 2] } }, count: "choices" })] : []),
        ...(random.chance(0.2)
          ? [to(way(i), { when: { reached: ["choices", "task_failures"] }, reset: ["choices"] })]
          : []),
        ...(random.chance(0.2) ? [to(way(i), { when: { tasks: "open" }, reset: ["task_failures"] })] : []),
        to(way(i), random.chance(0.3) ? { count: "rounds" } : {})
      ]
    })
  }
  const contract: PhaseContract = aContract({
    start: [to("P0")],
    phases: { ...Object.fromEntries(names.map((name, i) => [name, phaseAt(i)])), END: aPhase({ kind: "end" }) },
    limits: { task_failures: 2, choices: 2 },
    write_targets: { existing: "any", fresh: "any", required: false }
  })
  return aSetup({ contract, verifiers: random.chance(0.7) ? ["true"] : [] })
}

const agents = ["alice", "bob", "carol"] as const

export const randomSessionRun = (random: Random, options: SessionHistoryOptions): SessionHistory => {
  const composition = composePlugins([sessionsRules, judge])
  const taken: Array<Taken> = []
  const refused: Array<{ readonly command: AnyCommand; readonly before: Snapshot }> = []
  let now = emptySnapshot(composition)
  const take = (command: AnyCommand): void => {
    const before = now
    const decided = step(composition, before, command)
    if (Result.isFailure(decided)) {
      refused.push({ command, before })
      options.onStep?.(now, null)
      return
    }
    now = decided.success.after
    const entry = { command, before, step: decided.success }
    taken.push(entry)
    options.onStep?.(now, entry)
  }
  take({ ...aSessionRun(), pull: options.setup })
  take(opensAnew(random, runIn(now)))
  for (let i = 0; i < options.commands; i++) take(anyOfSessions(random, runIn(now)))
  return { composition, taken, refused, snapshot: now }
}

const opensAnew = (random: Random, run: AnyRun): AnyCommand => {
  const sessions = run.sessions.phases?.sessions ?? []
  const agent = random.chance(0.6) ? agents[0] : random.pick(agents)
  return opens(agent, {
    session_id: `ses_${sessions.length + 1}`,
    gone: sessions.flatMap(({ session_id }) => (random.chance(0.3) ? session_id : []))
  })
}

/** What anybody might ask for now: mostly what goes on, sometimes anything. */
const anyOfSessions = (random: Random, state: AnyRun): AnyCommand => {
  const phases = state.sessions.phases
  if (phases === null) throw new Error("It is no session run.")
  const open = phases.sessions.filter(({ closed }) => closed === null)
  if (open.length === 0 || random.chance(0.03)) return opensAnew(random, state)
  const { agent, session_id } = random.chance(0.95) ? random.pick(open) : random.pick(phases.sessions)
  const by = <C extends AnyCommand>(command: C): C => ({ ...command, session_id })
  const tasks = tasksOf(state)
  const phase = phaseOf(phases, phases.phase)
  const looked = tasks.find((task) => task.status === "in_progress" && task.current?.outcome === "COMPLETE")
  if (looked !== undefined && random.chance(0.4)) return lookedAt(random, looked)
  if (phases.verifying !== null && random.chance(0.6)) {
    return {
      _tag: "RecordPhaseChecks",
      phase: phases.phase,
      submission: phases.submissions - Number(random.chance(0.05)),
      checks: random.chance(0.05) ? [] : [check(random.chance(0.6) ? 0 : 1)]
    }
  }
  if (isEndAwaited(state) && random.chance(0.6)) return judgedAgain(random, state)
  const some = (): TaskState | undefined => (tasks.length === 0 ? undefined : random.pick(tasks))
  // at the end nothing is left but to show what is missing, or to say that this is all
  if (isAtEnd(phases) && random.chance(0.2)) return by(reports(agent, random.pick(["success", "failed"])))
  const roll = random.below(100)
  if (roll < 40) return onwards(random, state, phase, agent, by)
  if (roll < 58) return by(reported(random, some()))
  if (roll < 72) {
    const into = random.pick(["todo", "in_progress", "in_progress", "done", "blocked", "cancelled", "backlog"] as const)
    return by(
      updates(agent, some()?.spec.id ?? "none", into, random.pick([because, because, "", "verification_failed"]))
    )
  }
  if (roll < 80) return by(creates(agent, ...newTasks(random, tasks)))
  if (roll < 86)
    return by({
      _tag: "IssueNextAction",
      session_id,
      at: noon,
      tool: random.pick(["get_next_action", "get_my_task"])
    })
  if (roll < 90)
    return by(checksTarget(agent, random.pick(["src/a.ts", "src/b.ts", null]), random.pick(["file", "missing"])))
  if (roll < 93) return by(reports(agent, random.pick(["success", "failed", "blocked"])))
  if (roll < 94) return by(closes(agent, random.pick(["closed", "revoked", "expired"])))
  if (roll < 96)
    return answers(random.pick([{ answer: "continue" }, { answer: "stop" }, { choice: random.below(3) }, {}]))
  if (roll < 97) return activityFailed(some()?.spec.id ?? "none", some()?.attempts ?? 1, "evidence")
  if (roll < 98) {
    const input = { phase: phases.phase, submission: phases.submissions }
    const key = `verification/${phases.phase}/${phases.submissions}`
    return { ...activityFailed("", 1, "verification", key), input }
  }
  if (roll < 99) return random.pick([{ _tag: "AdvancePhase" }, { _tag: "FinishRun" }])
  return random.chance(0.1) ? cancel() : by(submits(agent, random.pick([null, "x", [], {}, { tasks: 3 }])))
}

/** What was accepted is judged again at the end; now and then something does not hold any more. */
const judgedAgain = (random: Random, { tasks }: AnyRun): AnyCommand => {
  const shown = tasksOf({ tasks }).filter(({ status }) => status === "completed")
  const lost = shown.length > 0 && random.chance(0.2) ? [gone(random.pick(shown).spec.id)] : []
  return revisited(tasks.revisits.count, lost)
}

/** What the phase asks for. */
const onwards = (
  random: Random,
  { tasks: _, ...state }: AnyRun & { readonly tasks: AnyRun["tasks"] },
  phase: Phase | undefined,
  agent: string,
  by: <C extends AnyCommand>(command: C) => C
): AnyCommand => {
  const tasks = tasksOf({ ...state, tasks: _ })
  switch (phase?.kind) {
    case "plan":
      return by(submits(agent, planOf(random, tasks)))
    case "tasks": {
      if (random.chance(0.03)) return by(submits(agent, {}))
      if (random.chance(0.15)) return by(submits(agent, planOf(random, tasks)))
      const open = tasks.filter(({ status }) => !["completed", "skipped", "failed"].includes(status))
      return by(reported(random, open.length === 0 ? undefined : random.pick(open)))
    }
    case "person":
      return answers(
        "answer" in phase.expected_payload || random.chance(0.5)
          ? { answer: random.pick(["continue", "continue", "stop"]) }
          : {}
      )
    case "complete":
      return by(submits(agent, { summary: "Done." }))
    default:
      return by(submits(agent, random.chance(0.9) ? { ...explored, choice: random.below(4) } : {}))
  }
}

const reported = (random: Random, task: TaskState | undefined): AnyCommand => {
  const items = task?.spec.checklist ?? []
  const checklist = items.flatMap(({ item }): ReadonlyArray<ReportedItem> => {
    if (random.chance(0.05)) return []
    return [random.chance(0.85) ? done(item) : random.chance(0.7) ? waived(item) : { item, status: "pending" }]
  })
  const payload = { task_id: task?.spec.id ?? "none", checklist }
  return { ...submits("", payload), isReport: random.chance(0.7) }
}

const lookedAt = (random: Random, { current, items, spec }: TaskState): AnyCommand =>
  random.chance(0.05)
    ? activityFailed(spec.id, current?.attempt ?? 1, "evidence")
    : {
        _tag: "RecordEvidence",
        task_id: spec.id,
        attempt: current?.attempt ?? 1,
        facts: items.flatMap((_, i) => (random.chance(0.85) ? fact(i) : []))
      }

const planOf = (random: Random, tasks: ReadonlyArray<TaskState>) => {
  const count = tasks.length
  const fresh = Array.from({ length: random.below(4) }, (_, i) => ({
    id: `t${count + i}`,
    description: `Do t${count + i}.`,
    status: random.chance(0.97) ? "pending" : "completed",
    depends_on: [...tasks.map(({ spec }) => spec.id), ...Array.from({ length: i }, (_, n) => `t${count + n}`)].filter(
      () => random.chance(0.12)
    ),
    ...(random.chance(0.7)
      ? { checklist: ["x", "y"].slice(0, 1 + random.below(2)).map((item) => ({ item, status: "pending" })) }
      : {})
  }))
  const known = tasks.flatMap((task) =>
    random.chance(0.3)
      ? [
          {
            id: task.spec.id,
            status: random.pick(["pending", "pending", "completed", "cancelled"]),
            reason: random.pick([because, because, ""]),
            checklist: [...task.spec.checklist.map(({ item }) => item), ...(random.chance(0.4) ? ["z"] : [])]
              .filter(() => random.chance(0.8))
              .map((item) => ({ item, status: "pending" }))
          }
        ]
      : []
  )
  return { tasks: random.shuffled([...fresh, ...known]) }
}

const newTasks = (random: Random, tasks: ReadonlyArray<TaskState>): ReadonlyArray<NewTask> => {
  const locals = ["l0", "l1", "l2"].slice(0, 1 + random.below(3))
  const ids = [...tasks.map(({ spec }) => spec.id), ...locals]
  return locals.map((local) =>
    aNewTask(local, {
      title: `${local} of ${tasks.length}`,
      parent_task_id: random.chance(0.6) ? random.pick(ids) : null,
      dependencies: ids.filter(() => random.chance(0.08)),
      checklist: random.chance(0.4) ? ["x"] : [],
      assignee: random.chance(0.3) ? random.pick(agents) : null,
      priority: random.pick(["urgent", "high", "medium", "low"]),
      status: random.chance(0.9) ? "todo" : "backlog"
    })
  )
}
