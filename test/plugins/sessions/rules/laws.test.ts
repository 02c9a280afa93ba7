import { assert, describe, it } from "@effect/vitest"
import {
  type AnyEvent,
  canonicalJson,
  childrenOf,
  composePlugins,
  emptySnapshot,
  foldEvent,
  isOver,
  makeSummaries,
  type Recorded,
  type RunSummary,
  recall,
  type Snapshot,
  step,
  taskOf,
  tasksOf
} from "@proofline/kernel"
import { Result } from "effect"
import {
  type AnyRun,
  assignmentOf,
  assignmentStatusOf,
  nextActionOf,
  type PhasesState,
  phaseOf,
  remainingOf,
  runIn,
  sessionSummary,
  type TaskNode,
  taskTreesOf
} from "../../../../packages/plugins/src/policies/sessions/contract.ts"
import { missingIn } from "../../../../packages/plugins/src/policies/sessions/rules/missing.ts"
import { isEndAwaited } from "../../../../packages/plugins/src/policies/sessions/rules/phase.ts"
import { sessionsRules } from "../../../../packages/plugins/src/policies/sessions/rules/plugin.ts"
import { eventsOf } from "../../../kernel/support/histories.ts"
import { judge } from "../../../kernel/support/judge.ts"
import { forSeeds, type Random } from "../../../kernel/support/random.ts"
import { recordedOf, replayOf } from "../../../kernel/support/recorded.ts"
import { often } from "../../../often.ts"
import { anyContract, likeBuiltIn, randomSessionRun, type SessionHistory } from "./histories.ts"
import { completes, reports, type SessionEvent, submits, updates } from "./playing.ts"

const runs = 250
const commands = 70

/** Of a tenth of the runs only that it happens is asked. */
const atLeast = (times: number): number => (often(runs) === runs ? times : 1)

/** A history with what was the case after each command, also those that were refused. */
interface Played {
  readonly history: SessionHistory
  readonly steps: ReadonlyArray<Parameters<NonNullable<Parameters<typeof randomSessionRun>[1]["onStep"]>>>
}

const played = new Map<number, Played>()

const playedOnce = (random: Random, seed: number): Played => {
  const known = played.get(seed)
  if (known !== undefined) return known
  const steps: Array<Played["steps"][number]> = []
  const setup = seed % 2 === 0 ? likeBuiltIn(random) : anyContract(random)
  const history = randomSessionRun(random, { setup, commands, onStep: (...step) => void steps.push(step) })
  played.set(seed, { history, steps })
  return { history, steps }
}

/** The same histories for all, under contracts of both kinds, one after the other. */
const forHistories = (
  use: (play: (onStep?: (...step: Played["steps"][number]) => void) => SessionHistory, random: Random) => void
): void =>
  forSeeds(often(runs), (random, seed) => {
    const { history, steps } = playedOnce(random, seed)
    use((onStep) => {
      if (onStep !== undefined) for (const step of steps) onStep(...step)
      return history
    }, random)
  })

const phasesOf = ({ sessions: { phases } }: AnyRun): PhasesState => {
  if (phases === null) throw new Error("It is no session run.")
  return phases
}

/** Looks at a run between one event and the next. */
const eachEvent = (
  history: SessionHistory,
  visit: (was: AnyRun, is: AnyRun, event: SessionEvent) => void
): ReadonlyMap<string, number> => {
  const seen = new Map<string, number>()
  for (const { before, step } of history.taken) {
    step.events.reduce<Snapshot>((was, event) => {
      const is = foldEvent(history.composition, was, event)
      if (runIn(was).sessions.phases !== null) visit(runIn(was), runIn(is), event as SessionEvent)
      seen.set(event.type, (seen.get(event.type) ?? 0) + 1)
      return is
    }, before)
  }
  return seen
}

const failuresOf = (state: AnyRun, id: string): number => {
  const task = taskOf(state, id)
  return (task === undefined ? null : assignmentOf(state, task))?.failures ?? 0
}

const isShown = (verdict: string): boolean => verdict === "proven" || verdict === "waived"

/** The state as plain values: two are compared by what they say. */
const said = (state: Pick<AnyRun, "run" | "tasks" | "chunking" | "sessions">): unknown => {
  const { chunking, run, tasks } = state
  const { assignments, phases } = state.sessions
  return JSON.parse(
    JSON.stringify({
      run: { ...run, breakers: [...run.breakers].sort() },
      chunking,
      ...tasks,
      byId: tasksOf(state),
      dependents: [...tasks.dependents].sort(),
      completed_elsewhere: [...tasks.completed_elsewhere].sort(),
      assignments: [...assignments].sort(),
      phases: phases && {
        ...phases,
        explored: [...phases.explored],
        writable: [...phases.writable],
        batches: [...phases.batches].sort()
      }
    })
  )
}

describe("whatever agents and people ask for, in whatever order", () => {
  it("everything has happened often enough to say something", () => {
    const all = new Map<string, number>()
    const keys = new Map<string, number>()
    forHistories((play) => {
      const history = play()
      for (const [type, count] of eachEvent(history, () => {})) all.set(type, (all.get(type) ?? 0) + count)
      for (const event of eventsOf(history)) {
        const { content, type } = event as SessionEvent
        if (type === "TASK_STATUS_CHANGED" && content.reason === "verification_failed" && content.by === undefined)
          keys.set("sent back", (keys.get("sent back") ?? 0) + 1)
        if (type === "RUN_COMPLETED") keys.set("completed", (keys.get("completed") ?? 0) + 1)
      }
    })
    for (const type of [
      "SESSION_OPENED",
      "SESSION_CLOSED",
      "NEXT_ACTION_ISSUED",
      "COMPLETION_REPORTED",
      "PHASE_ENTERED",
      "PHASE_SUBMITTED",
      "PHASE_REJECTED",
      "PHASE_VERIFIED",
      "WRITE_TARGET_CHECKED",
      "TASKS_CREATED",
      "TASK_ASSIGNED",
      "TASK_STATUS_CHANGED",
      "TASK_COMPLETED",
      "TASK_SKIPPED",
      "CHECKLIST_ITEM_ACCEPTED",
      "CHECKLIST_ITEM_REJECTED",
      "RUN_INCOMPLETE"
    ]) {
      assert.isAtLeast(all.get(type) ?? 0, atLeast(31), type)
    }
    assert.isAtLeast(keys.get("sent back") ?? 0, atLeast(21))
    assert.isAtLeast(keys.get("completed") ?? 0, atLeast(4))
  })

  it("a task that is done has no open subtask, and every item of it is shown or excused", () => {
    forHistories((play) => {
      play((now) => {
        const state = runIn(now)
        for (const task of tasksOf(state)) {
          if (task.status !== "completed") continue
          const { id } = task.spec
          assert.deepStrictEqual(
            childrenOf(state, task).flatMap((child) => (isOver(child) ? [] : child.spec.id)),
            [],
            `${id} is done`
          )
          for (const { item, receipt, verdict } of task.items) {
            assert.isTrue(isShown(verdict), `${id}: ${item} is ${verdict}`)
            assert.strictEqual(verdict === "proven", receipt !== null)
          }
          if (task.spec.checklist.length > 0) assert.isTrue(isShown(task.verdict), `${id} is ${task.verdict}`)
        }
      })
    })
  })

  it("nothing leaves done but what does not hold any more, and nothing else is said of what is over", () => {
    forHistories((play) => {
      eachEvent(play(), (was, is, { content, type }) => {
        const id = "task_id" in content && typeof content.task_id === "string" ? content.task_id : null
        const before = id === null ? undefined : taskOf(was, id)
        if (before === undefined || !isOver(before)) return
        const isSentBack =
          type === "TASK_STATUS_CHANGED" &&
          ["verification_failed", "checklist_evidence_stale"].includes(content.reason) &&
          content.by === undefined
        // its evidence is gone at the end: what follows from it reopens the task in the same batch
        const isStale = type === "CHECKLIST_ITEM_REJECTED" && content.key === "checklist_evidence_stale"
        // called done by word: what belongs to that follows in the same batch
        const isByWord = type === "ATTEMPT_ENDED" || type === "TASK_COMPLETED"
        const isKept = type === "ACTIVITY_FAILED" || (is.run.status !== "running" && was.run.status === "running")
        assert.isTrue(isSentBack || isByWord || isKept || isStale, `${type} about ${id}, which is ${before.status}`)
        if (isSentBack) assert.strictEqual(before.status, "completed")
        else assert.strictEqual(taskOf(is, id ?? "")?.status, before.status)
      })
    })
  })

  it("what was shown is not lost by a plan, a status or a new task, and items are never dropped", () => {
    forHistories((play) => {
      for (const { before, command, step } of play().taken) {
        if (!["SubmitPhase", "UpdateTaskStatus", "CreateTasks", "OpenSession"].includes(command._tag)) continue
        for (const was of tasksOf(runIn(before))) {
          const is = taskOf(runIn(step.after), was.spec.id)
          was.items.forEach((item, i) => {
            const now = is?.items[i]
            assert.strictEqual(now?.item, item.item, `${was.spec.id} after ${command._tag}`)
            if (isShown(item.verdict)) assert.strictEqual(now?.verdict, item.verdict, `${was.spec.id}: ${item.item}`)
          })
        }
      }
    })
  })

  it("counters only go up, but for a reset that the contract asks for", () => {
    forHistories((play) => {
      eachEvent(play(), (was, is, { content, type }) => {
        const [before, after] = [phasesOf(was), phasesOf(is)]
        const reset = type === "PHASE_ENTERED" ? content.reset : []
        for (const [name, count] of Object.entries(before.counters)) {
          if (!reset.includes(name)) assert.isAtLeast(after.counters[name] ?? 0, count, `${name} after ${type}`)
        }
        for (const [name, count] of Object.entries(before.visits)) assert.isAtLeast(after.visits[name] ?? 0, count)
        assert.isAtLeast(after.submissions, before.submissions)
        for (const task of tasksOf(was)) {
          const known = failuresOf(was, task.spec.id)
          const failures = failuresOf(is, task.spec.id)
          const mayFall = reset.includes("task_failures")
          if (!mayFall) assert.isAtLeast(failures, known, `${task.spec.id} after ${type}`)
          if (failures > known) {
            assert.isTrue(type === "TASK_STATUS_CHANGED" && content.by === undefined, `${type} counts a failure`)
          }
        }
        if (type === "PHASE_ENTERED") assert.strictEqual(content.visit, (before.visits[content.phase] ?? 0) + 1)
      })
    })
  })

  it("the run ends with a phase that is an end, and never before", () => {
    forHistories((play) => {
      let ended = false
      play((now, taken) => {
        const state = runIn(now)
        const isAtEnd = ["end", "stop"].includes(phaseOf(phasesOf(state), phasesOf(state).phase)?.kind ?? "")
        if (state.run.status !== "cancelled" && state.run.status !== "running") assert.isTrue(isAtEnd, state.run.status)
        // it goes on only for what is not shown, or not known to hold yet
        if (isAtEnd && state.run.status === "running") assert.isTrue(missingIn(state).length > 0 || isEndAwaited(state))
        if (ended && taken !== null) {
          const types = taken.step.events.map(({ type }) => type)
          for (const type of types) {
            assert.include(
              [
                "SESSION_OPENED",
                "SESSION_CLOSED",
                "COMPLETION_REPORTED",
                "NEXT_ACTION_ISSUED",
                "WRITE_TARGET_CHECKED",
                "ACTIVITY_FAILED"
              ],
              type,
              `after the end, by ${taken.command._tag}`
            )
          }
        }
        ended ||= state.run.status !== "running"
        if (state.run.status === "completed") {
          const tasks = tasksOf(state)
          // a command that failed before the work shows it too
          if (!phasesOf(state).verified) assert.isNotEmpty(tasks)
          for (const task of tasks) assert.strictEqual(task.status, "completed")
          const isProven = tasks.some(({ items }) => items.some(({ verdict }) => verdict === "proven"))
          assert.isTrue(phasesOf(state).verified || isProven, "a verifier passed, or something was shown")
        }
        if (ended) {
          for (const { current, spec } of tasksOf(state))
            assert.isTrue(current === null || current.outcome !== null || current.cancelled, `${spec.id} is under way`)
        }
      })
    })
  })

  it("open tasks are counted, and every view of the run counts the same", () => {
    forHistories((play) => {
      const summaries = makeSummaries([sessionSummary])
      let summary: RunSummary | null = null
      play((now, taken) => {
        const state = runIn(now)
        for (const { content, type } of taken?.step.events ?? []) {
          const recorded = { event_type: type, content, stream: "run_1", timestamp: "t" } as unknown as Recorded
          summary = summaries.summarize(summary, recorded)
        }
        const tasks = tasksOf(state)
        const count = (status: string) => tasks.filter((task) => task.status === status).length
        assert.strictEqual(state.tasks.open_count, tasks.filter((task) => !isOver(task)).length)
        assert.deepInclude(summary, {
          status: state.run.status,
          tasks_total: tasks.length,
          tasks_completed: count("completed"),
          tasks_failed: count("failed"),
          tasks_skipped: count("skipped")
        } as RunSummary)
        for (const agent of ["alice", "bob", "carol"]) {
          const nodes = flat(taskTreesOf(state, agent))
          const mine = tasks.filter((task) => assignmentOf(state, task)?.assignee === agent)
          const shown = nodes.filter(({ assignee }) => assignee === undefined)
          assert.deepStrictEqual(
            shown.map(({ id, status }) => [id, status]).toSorted(),
            mine.map((task) => [task.spec.id, assignmentStatusOf(task)]).toSorted()
          )
          assert.strictEqual(new Set(nodes.map(({ id }) => id)).size, nodes.length, "every task once")
          assert.strictEqual(
            remainingOf(state, agent).length,
            shown.filter(({ status }) => status !== "done" && status !== "cancelled").length
          )
        }
      })
    })
  })

  it("a payload that is refused changes nothing but what is said of it", () => {
    forHistories((play) => {
      for (const { before, step } of play().taken) {
        const [first] = step.events as ReadonlyArray<SessionEvent>
        if (first?.type !== "PHASE_REJECTED") continue
        assert.lengthOf(step.events, 1)
        assert.lengthOf(step.starts, 0)
        assert.isNotEmpty(first.content.failures)
        const quiet = (state: AnyRun) => {
          const { chunking, run, tasks } = state
          const phases = phasesOf(state)
          const sessions = phases.sessions.map((session) => ({ ...session, seen_at: "", failures: [] }))
          return said({
            run,
            tasks,
            chunking,
            sessions: { ...state.sessions, phases: { ...phases, failures: [], failures_of: null, sessions } }
          })
        }
        assert.deepStrictEqual(quiet(runIn(step.after)), quiet(runIn(before)))
      }
    })
  })

  it("a command that is refused is refused again, and the run is as it was", () => {
    forHistories((play) => {
      const { composition, refused } = play()
      for (const { before, command } of refused) {
        const was = said(runIn(before))
        const again = step(composition, before, command)
        assert.isTrue(Result.isFailure(again), command._tag)
        assert.deepStrictEqual(said(runIn(before)), was)
        if (Result.isFailure(again)) {
          assert.match(again.failure.code, /^[a-z_]+$/)
          assert.match(again.failure.message, /\.$/)
          assert.isNotEmpty(again.failure.hint)
        }
      }
    })
  })

  it("no advice is refused", () => {
    forHistories((play) => {
      play((now, taken) => {
        const state = runIn(now)
        if (state.run.status !== "running" || taken === null) return
        const composition = composePlugins([sessionsRules, judge])
        for (const session of phasesOf(state).sessions) {
          if (session.closed !== null) continue
          const { action, task_id } = nextActionOf(state, session)
          const about = `${session.agent} is told ${action} ${task_id ?? ""}`
          const by = { session_id: session.session_id }
          const task = task_id === null ? undefined : taskOf(state, task_id)
          const kind = phaseOf(phasesOf(state), phasesOf(state).phase)?.kind
          if (action === "submit_phase") assert.notInclude(["tasks", "person", "end", "stop"], kind, about)
          if (action === "create_tasks") assert.isTrue(tasksOf(state).every(isOver), about)
          if (action === "report_completion") {
            const succeeded = step(composition, now, { ...reports(session.agent), ...by })
            // where all was withdrawn, that is no success, and it is told to say so
            const isEmpty = Result.isFailure(succeeded) && succeeded.failure.code === "nothing_done"
            const reported = isEmpty
              ? step(composition, now, { ...reports(session.agent, "failed"), ...by })
              : succeeded
            assert.isTrue(
              Result.isSuccess(reported),
              `${about}, ${Result.isFailure(reported) && reported.failure.code}`
            )
          }
          if (!["work", "start_subtask", "execute_subtask"].includes(action) || task === undefined) continue
          const begun =
            assignmentStatusOf(task) === "todo"
              ? step(composition, now, { ...updates(session.agent, task.spec.id, "in_progress"), ...by })
              : null
          if (begun !== null) assert.isTrue(Result.isSuccess(begun), about)
          const items = task.spec.checklist.map(({ item }) => item)
          const reported = step(composition, now, { ...completes(session.agent, task.spec.id, items), ...by })
          const events: ReadonlyArray<AnyEvent> = Result.isSuccess(reported) ? reported.success.events : []
          const keys = (events as ReadonlyArray<SessionEvent>).flatMap(({ content, type }) =>
            type === "PHASE_REJECTED" ? content.failures.map(({ key }) => key) : []
          )
          assert.deepStrictEqual(
            keys.filter((key) => key !== "write_target_not_checked"),
            [],
            about
          )
          assert.isNotEmpty(events, about)
        }
      })
    })
  })

  it("nobody is without a way: some command still changes the run as long as it is open", () => {
    forHistories((play) => {
      const { composition, snapshot } = play()
      const state = runIn(snapshot)
      if (state.run.status !== "running") return
      const kind = phaseOf(phasesOf(state), phasesOf(state).phase)?.kind
      assert.isDefined(kind)
      if (kind === "person" || phasesOf(state).verifying !== null) return
      const open = phasesOf(state).sessions.find(({ closed }) => closed === null)
      if (open === undefined) return
      const failed = step(composition, snapshot, { ...reports(open.agent, "failed"), session_id: open.session_id })
      assert.isTrue(Result.isSuccess(failed))
      if (kind === "end" || kind === "stop") return
      const submitted = step(composition, snapshot, { ...submits(open.agent, {}), session_id: open.session_id })
      assert.isTrue(Result.isSuccess(submitted) || submitted.failure.code === "no_transition")
    })
  })
})

describe("a log of a session run", () => {
  const logOf = (history: SessionHistory) =>
    recordedOf(
      history.composition,
      history.taken.flatMap(({ step }) => (step.events.length === 0 ? [] : [step.events]))
    )

  it("is decided again as it was, by events that were written and read", () => {
    forHistories((play) => {
      const history = play()
      const read: ReadonlyArray<Recorded> = JSON.parse(JSON.stringify(logOf(history)))
      const { divergence, snapshot } = replayOf(history.composition, read)
      assert.isNull(divergence, JSON.stringify(divergence))
      assert.deepStrictEqual(said(runIn(snapshot)), said(runIn(history.snapshot)))
    })
  })

  it("gives back every command that wrote it", () => {
    forHistories((play) => {
      const { composition, taken } = play()
      for (const { before, command, step: decided } of taken) {
        if (decided.events.length === 0) continue
        const recalled = recall(composition, before, decided.events)
        assert.strictEqual(recalled?._tag, command._tag)
        if (recalled === undefined) continue
        const again = step(composition, before, recalled)
        assert.isTrue(Result.isSuccess(again))
        if (Result.isSuccess(again)) {
          assert.strictEqual(canonicalJson(again.success.events as never), canonicalJson(decided.events as never))
        }
      }
    })
  })

  it("folds to the state that was decided on, in one piece or in two", () => {
    forHistories((play, random) => {
      const history = play()
      const events = eventsOf(history)
      const fold = (from: Snapshot, some: ReadonlyArray<AnyEvent>) =>
        some.reduce((now, event) => foldEvent(history.composition, now, event), from)
      const cut = random.below(events.length)
      const empty = emptySnapshot(history.composition)
      assert.deepStrictEqual(said(runIn(fold(empty, events))), said(runIn(history.snapshot)))
      const half = fold(empty, events.slice(0, cut))
      assert.deepStrictEqual(said(runIn(fold(half, events.slice(cut)))), said(runIn(history.snapshot)))
    })
  })
})

const flat = (nodes: ReadonlyArray<TaskNode>): ReadonlyArray<TaskNode> =>
  nodes.flatMap((node) => [node, ...flat(node.subtasks ?? [])])
