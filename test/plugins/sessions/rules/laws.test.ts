import { assert, describe, it } from "@effect/vitest"
import {
  type AnyEvent,
  boardStatusOf,
  canonicalJson,
  childrenOf,
  composePlugins,
  emptySnapshot,
  foldEvent,
  isOver,
  type KernelEvent,
  makeReplay,
  nextActionOf,
  type PullState,
  phaseOf,
  type Recorded,
  type RunSummary,
  recall,
  remainingOf,
  type Snapshot,
  type State,
  step,
  summarize,
  type TaskNode,
  taskOf,
  tasksOf,
  taskTreesOf
} from "@proofline/kernel"
import { Result } from "effect"
import { eventsOf } from "../../../kernel/support/histories.ts"
import { judge } from "../../../kernel/support/judge.ts"
import { completes, reports, submits, updates } from "./playing.ts"
import { anyContract, likeBuiltIn, type PullHistory, randomPull } from "./histories.ts"
import { forSeeds, type Random } from "../../../kernel/support/random.ts"
import { digest, recordedOf } from "../../../kernel/support/recorded.ts"

const runs = 250
const commands = 70

/** Histories under contracts of both kinds, one after the other. */
const forHistories = (
  times: number,
  use: (play: (onStep?: Parameters<typeof randomPull>[1]["onStep"]) => PullHistory, random: Random) => void
): void =>
  forSeeds(times, (random, seed) => {
    const setup = seed % 2 === 0 ? likeBuiltIn(random) : anyContract(random)
    use((onStep) => randomPull(random, { setup, commands, ...(onStep === undefined ? {} : { onStep }) }), random)
  })

const pullOf = ({ pull }: State): PullState => {
  if (pull === null) throw new Error("It is no session run.")
  return pull
}

/** Looks at a run between one event and the next. */
const eachEvent = (
  history: PullHistory,
  visit: (was: State, is: State, event: KernelEvent) => void
): ReadonlyMap<string, number> => {
  const seen = new Map<string, number>()
  for (const { before, step } of history.taken) {
    step.events.reduce<Snapshot>((was, event) => {
      const is = foldEvent(history.composition, was, event)
      if (was.state.pull !== null) visit(was.state, is.state, event as KernelEvent)
      seen.set(event.type, (seen.get(event.type) ?? 0) + 1)
      return is
    }, before)
  }
  return seen
}

const isShown = (verdict: string): boolean => verdict === "proven" || verdict === "waived"

/** The state as plain values: two are compared by what they say. */
const said = ({ pull, tasks: _, ...state }: State & Pick<State, "tasks">): unknown =>
  JSON.parse(
    JSON.stringify({
      ...state,
      tasks: tasksOf({ ...state, pull, tasks: _ }),
      pull:
        pull === null
          ? null
          : { ...pull, explored: [...pull.explored], writable: [...pull.writable], batches: [...pull.batches].sort() }
    })
  )

describe("whatever agents and people ask for, in whatever order", () => {
  it("everything has happened often enough to say something", () => {
    const all = new Map<string, number>()
    const keys = new Map<string, number>()
    forHistories(runs, (play) => {
      const history = play()
      for (const [type, count] of eachEvent(history, () => {})) all.set(type, (all.get(type) ?? 0) + count)
      for (const event of eventsOf(history)) {
        const { content, type } = event as KernelEvent
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
      assert.isAbove(all.get(type) ?? 0, 30, type)
    }
    assert.isAbove(keys.get("sent back") ?? 0, 20)
    assert.isAbove(keys.get("completed") ?? 0, 3)
  })

  it("a task that is done has no open subtask, and every item of it is shown or excused", () => {
    forHistories(runs, (play) => {
      play(({ state }) => {
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

  it("nothing leaves done but by a failed verification, and nothing is said of what is over", () => {
    forHistories(runs, (play) => {
      eachEvent(play(), (was, is, { content, type }) => {
        const id = "task_id" in content && typeof content.task_id === "string" ? content.task_id : null
        const before = id === null ? undefined : taskOf(was, id)
        if (before === undefined || !isOver(before)) return
        const isSentBack =
          type === "TASK_STATUS_CHANGED" && content.reason === "verification_failed" && content.by === undefined
        // called done by word: what belongs to that follows in the same batch
        const isByWord = type === "ATTEMPT_ENDED" || type === "TASK_COMPLETED"
        const isKept = type === "ACTIVITY_FAILED" || (is.status !== "running" && was.status === "running")
        assert.isTrue(isSentBack || isByWord || isKept, `${type} about ${id}, which is ${before.status}`)
        if (isSentBack) assert.strictEqual(before.status, "completed")
        else assert.strictEqual(taskOf(is, id ?? "")?.status, before.status)
      })
    })
  })

  it("what was shown is not lost by a plan, a status or a new task, and items are never dropped", () => {
    forHistories(runs, (play) => {
      for (const { before, command, step } of play().taken) {
        if (!["SubmitPhase", "UpdateTaskStatus", "CreateTasks", "OpenSession"].includes(command._tag)) continue
        for (const was of tasksOf(before.state)) {
          const is = taskOf(step.after.state, was.spec.id)
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
    forHistories(runs, (play) => {
      eachEvent(play(), (was, is, { content, type }) => {
        const [before, after] = [pullOf(was), pullOf(is)]
        const reset = type === "PHASE_ENTERED" ? content.reset : []
        for (const [name, count] of Object.entries(before.counters)) {
          if (!reset.includes(name)) assert.isAtLeast(after.counters[name] ?? 0, count, `${name} after ${type}`)
        }
        for (const [name, count] of Object.entries(before.visits)) assert.isAtLeast(after.visits[name] ?? 0, count)
        assert.isAtLeast(after.submissions, before.submissions)
        for (const task of tasksOf(was)) {
          const failures = taskOf(is, task.spec.id)?.board?.failures ?? 0
          const mayFall = reset.includes("task_failures")
          if (!mayFall) assert.isAtLeast(failures, task.board?.failures ?? 0, `${task.spec.id} after ${type}`)
          if (failures > (task.board?.failures ?? 0)) {
            assert.isTrue(type === "TASK_STATUS_CHANGED" && content.by === undefined, `${type} counts a failure`)
          }
        }
        if (type === "PHASE_ENTERED") assert.strictEqual(content.visit, (before.visits[content.phase] ?? 0) + 1)
      })
    })
  })

  it("the run ends with a phase that is an end, and never before", () => {
    forHistories(runs, (play) => {
      let ended = false
      play(({ state }, taken) => {
        const isAtEnd = phaseOf(pullOf(state), pullOf(state).phase)?.kind === "end"
        if (state.status !== "cancelled" && state.status !== "running") assert.isTrue(isAtEnd, state.status)
        if (isAtEnd) assert.notStrictEqual(state.status, "running")
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
        ended ||= state.status !== "running"
        if (state.status === "completed") {
          const tasks = tasksOf(state)
          assert.isNotEmpty(tasks)
          for (const task of tasks) assert.strictEqual(task.status, "completed")
          const isProven = tasks.some(({ items }) => items.some(({ verdict }) => verdict === "proven"))
          assert.isTrue(pullOf(state).verified || isProven, "a verifier passed, or something was shown")
        }
        if (ended) {
          for (const { current, spec } of tasksOf(state))
            assert.isTrue(current === null || current.outcome !== null || current.cancelled, `${spec.id} is under way`)
        }
      })
    })
  })

  it("open tasks are counted, and every view of the run counts the same", () => {
    forHistories(runs, (play) => {
      let summary: RunSummary | null = null
      play(({ state }, taken) => {
        for (const { content, type } of taken?.step.events ?? []) {
          const recorded = { event_type: type, content, stream: "run_1", timestamp: "t" } as unknown as Recorded
          summary = summarize(summary, recorded)
        }
        const tasks = tasksOf(state)
        const count = (status: string) => tasks.filter((task) => task.status === status).length
        assert.strictEqual(state.open_count, tasks.filter((task) => !isOver(task)).length)
        assert.deepInclude(summary, {
          status: state.status,
          tasks_total: tasks.length,
          tasks_completed: count("completed"),
          tasks_failed: count("failed"),
          tasks_skipped: count("skipped")
        } as RunSummary)
        for (const agent of ["alice", "bob", "carol"]) {
          const nodes = flat(taskTreesOf(state, agent))
          const mine = tasks.filter(({ board }) => board?.assignee === agent)
          const shown = nodes.filter(({ assignee }) => assignee === undefined)
          assert.deepStrictEqual(
            shown.map(({ id, status }) => [id, status]).toSorted(),
            mine.map((task) => [task.spec.id, boardStatusOf(task)]).toSorted()
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
    forHistories(runs, (play) => {
      for (const { before, step } of play().taken) {
        const [first] = step.events as ReadonlyArray<KernelEvent>
        if (first?.type !== "PHASE_REJECTED") continue
        assert.lengthOf(step.events, 1)
        assert.lengthOf(step.starts, 0)
        assert.isNotEmpty(first.content.failures)
        const quiet = (state: State) => {
          const pull = pullOf(state)
          const sessions = pull.sessions.map((session) => ({ ...session, seen_at: "" }))
          return said({ ...state, pull: { ...pull, failures: [], sessions } })
        }
        assert.deepStrictEqual(quiet(step.after.state), quiet(before.state))
      }
    })
  })

  it("a command that is refused is refused again, and the run is as it was", () => {
    forHistories(80, (play) => {
      const { composition, refused } = play()
      for (const { before, command } of refused) {
        const was = said(before.state)
        const again = step(composition, before, command)
        assert.isTrue(Result.isFailure(again), command._tag)
        assert.deepStrictEqual(said(before.state), was)
        if (Result.isFailure(again)) {
          assert.match(again.failure.code, /^[a-z_]+$/)
          assert.match(again.failure.message, /\.$/)
          assert.isNotEmpty(again.failure.hint)
        }
      }
    })
  })

  it("no advice is refused", () => {
    forHistories(runs, (play) => {
      play(({ state }, taken) => {
        if (state.status !== "running" || taken === null) return
        const now = { ...taken.step.after }
        const composition = composePlugins([judge])
        for (const session of pullOf(state).sessions) {
          if (session.closed !== null) continue
          const { action, task_id } = nextActionOf(state, session)
          const about = `${session.agent} is told ${action} ${task_id ?? ""}`
          const by = { session_id: session.session_id }
          const task = task_id === null ? undefined : taskOf(state, task_id)
          const kind = phaseOf(pullOf(state), pullOf(state).phase)?.kind
          // where tasks are reported a plan is asked for, and only when there is nothing else
          if (action === "submit_phase" && tasksOf(state).some((one) => !isOver(one)))
            assert.notStrictEqual(kind, "tasks")
          if (action === "submit_phase") assert.notInclude(["person", "end", "stop"], kind, about)
          if (action === "report_completion") {
            const reported = step(composition, now, { ...reports(session.agent), ...by })
            assert.isTrue(
              Result.isSuccess(reported),
              `${about}, ${Result.isFailure(reported) && reported.failure.code}`
            )
          }
          if (!["work", "start_subtask", "execute_subtask"].includes(action) || task === undefined) continue
          const begun =
            boardStatusOf(task) === "todo"
              ? step(composition, now, { ...updates(session.agent, task.spec.id, "in_progress"), ...by })
              : null
          if (begun !== null) assert.isTrue(Result.isSuccess(begun), about)
          const items = task.spec.checklist.map(({ item }) => item)
          const reported = step(composition, now, { ...completes(session.agent, task.spec.id, items), ...by })
          const events: ReadonlyArray<AnyEvent> = Result.isSuccess(reported) ? reported.success.events : []
          const keys = (events as ReadonlyArray<KernelEvent>).flatMap(({ content, type }) =>
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
    forHistories(runs, (play) => {
      const { composition, snapshot } = play()
      const { state } = snapshot
      if (state.status !== "running") return
      const kind = phaseOf(pullOf(state), pullOf(state).phase)?.kind
      assert.isDefined(kind)
      if (kind === "person" || pullOf(state).verifying !== null) return
      const open = pullOf(state).sessions.find(({ closed }) => closed === null)
      if (open === undefined) return
      const failed = step(composition, snapshot, { ...reports(open.agent, "failed"), session_id: open.session_id })
      assert.isTrue(Result.isSuccess(failed))
      const submitted = step(composition, snapshot, { ...submits(open.agent, {}), session_id: open.session_id })
      assert.isTrue(Result.isSuccess(submitted) || submitted.failure.code === "no_transition")
    })
  })
})

describe("a log of a session run", () => {
  const logOf = (history: PullHistory) =>
    recordedOf(
      history.composition,
      history.taken.flatMap(({ step }) => (step.events.length === 0 ? [] : [step.events]))
    )

  it("is decided again as it was, by events that were written and read", () => {
    forHistories(150, (play) => {
      const history = play()
      const replay = makeReplay(history.composition, digest.uuid5)
      for (const event of logOf(history)) replay.add(JSON.parse(JSON.stringify(event)))
      const { divergence, snapshot } = replay.end()
      assert.isNull(divergence, JSON.stringify(divergence))
      assert.deepStrictEqual(said(snapshot.state), said(history.snapshot.state))
    })
  })

  it("gives back every command that wrote it", () => {
    forHistories(150, (play) => {
      const { composition, taken } = play()
      for (const { before, command, step: decided } of taken) {
        if (decided.events.length === 0) continue
        const recalled = recall(composition, decided.events)
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
    forHistories(100, (play, random) => {
      const history = play()
      const events = eventsOf(history)
      const fold = (from: Snapshot, some: ReadonlyArray<AnyEvent>) =>
        some.reduce((now, event) => foldEvent(history.composition, now, event), from)
      const cut = random.below(events.length)
      const empty = emptySnapshot(history.composition)
      assert.deepStrictEqual(said(fold(empty, events).state), said(history.snapshot.state))
      const half = fold(empty, events.slice(0, cut))
      assert.deepStrictEqual(said(fold(half, events.slice(cut)).state), said(history.snapshot.state))
    })
  })
})

const flat = (nodes: ReadonlyArray<TaskNode>): ReadonlyArray<TaskNode> =>
  nodes.flatMap((node) => [node, ...flat(node.subtasks ?? [])])
