import { boardStatusOf, remainingOf } from "../domain/board.ts"
import type { BoardStatus } from "../domain/Pull.ts"
import type { Recorded } from "../domain/Recorded.ts"
import { isOver, type SessionState, type State, taskOf, tasksOf } from "../domain/State.ts"
import { allTaskTrees, type TaskNode, taskTreesOf } from "../view/TaskTree.ts"
import { accepted, myTaskAnswer, standingOf, taskBody } from "./answers.ts"
import { eventLine } from "./eventText.ts"
import { jsonBytes, lineOf, maxAnswer, withList } from "./room.ts"
import type { Answer, View } from "./Sessions.ts"

type Body = Readonly<Record<string, unknown>>

/** The answer of every view where no session run goes on. */
export const noRunView = (view: View): Answer =>
  accepted({
    success: true,
    has_run: false,
    ...(view === "task" ? { has_task: false } : view === "progress" ? { tasks: [] } : { events: [] }),
    instruction: "No session run goes on in this project. Call get_next_action: a new one begins, and says what to do."
  })

const runOf = ({ run_id, status }: State): Body => ({ run_id, run_status: status })

/** The task of a session, as `get_my_task` shows it; null: what is next of all. */
export const taskView = (state: State, session: SessionState | null): Answer => {
  if (session !== null) {
    const { body } = myTaskAnswer(state, session)
    return accepted({ ...body, ...runOf(state) })
  }
  const task = nextOfAll(state)
  return accepted({
    success: true,
    ...runOf(state),
    has_task: task !== undefined,
    ...(task === undefined ? {} : { task: { ...taskBody(state, task), assignee: task.board?.assignee ?? null } }),
    ...standingOf(state, null)
  })
}

const order: ReadonlyArray<BoardStatus> = ["in_progress", "blocked", "todo", "backlog", "done", "cancelled"]
const rankOf = (status: BoardStatus): number => order.indexOf(status)

/** What is under way comes before what nobody has begun. */
const nextOfAll = (state: State) =>
  tasksOf(state)
    .filter((task) => !isOver(task))
    .toSorted(
      (a, b) =>
        rankOf(boardStatusOf(a)) - rankOf(boardStatusOf(b)) ||
        Number(a.board?.assignee !== null) - Number(b.board?.assignee !== null) ||
        a.order - b.order
    )[0]

/** How far the tasks of a session are; null: all of them. */
export const progressView = (state: State, session: SessionState | null): Answer => {
  const { needs_person, phase, progress } = standingOf(state, session) as Body
  return accepted(
    withTrees(
      {
        ...runOf(state),
        ...(phase === undefined ? {} : { phase, progress, needs_person }),
        ...(session === null ? {} : { open: remainingOf(state, session.agent).length })
      },
      session === null ? allTaskTrees(state) : taskTreesOf(state, session.agent)
    )
  )
}

/** A body with trees of tasks; where they are too large, what is done and cancelled is left out first, and counted. */
export const withTrees = (rest: Body, tasks: ReadonlyArray<TaskNode>): Body => {
  const whole = { ...rest, tasks }
  if (jsonBytes(whole) <= maxAnswer) return whole
  const placed = flat(tasks, [])
  const all = countBy(placed.map(({ node }) => node.status))
  let room = maxAnswer - jsonBytes({ ...rest, tasks: [], left_out: all })
  const kept = new Set<TaskNode>()
  for (const { above, node } of placed.toSorted((a, b) => rankOf(a.node.status) - rankOf(b.node.status))) {
    // one is shown with everything it is part of
    const missing = [...above, node].filter((one) => !kept.has(one))
    const bytes = missing.reduce((sum, one) => sum + jsonBytes(bare(one)) + 1, 0)
    if (bytes > room) continue
    room -= bytes
    for (const one of missing) kept.add(one)
  }
  const left = placed.filter(({ node }) => !kept.has(node)).map(({ node }) => node.status)
  return { ...rest, tasks: pruned(tasks, kept), left_out: countBy(left) }
}

interface Placed {
  readonly node: TaskNode
  /** What it is part of, the outermost first. */
  readonly above: ReadonlyArray<TaskNode>
}

const flat = (nodes: ReadonlyArray<TaskNode>, above: ReadonlyArray<TaskNode>): ReadonlyArray<Placed> =>
  nodes.flatMap((node) => [{ node, above }, ...flat(node.subtasks ?? [], [...above, node])])

const bare = (node: TaskNode): TaskNode => ({ ...node, title: lineOf(node.title, 120), subtasks: [] })

const pruned = (nodes: ReadonlyArray<TaskNode>, kept: ReadonlySet<TaskNode>): ReadonlyArray<TaskNode> =>
  nodes.flatMap((node) =>
    kept.has(node)
      ? [
          node.subtasks === undefined
            ? { ...node, title: lineOf(node.title, 120) }
            : { ...bare(node), subtasks: pruned(node.subtasks, kept) }
        ]
      : []
  )

const countBy = (statuses: ReadonlyArray<BoardStatus>): Body =>
  Object.fromEntries(
    order.flatMap((status) => {
      const count = statuses.filter((one) => one === status).length
      return count === 0 ? [] : [[status, count]]
    })
  )

// --- the log ------------------------------------------------------------------------------------------------------

/** Of the whole run, whoever did what. */
const ofTheRun = new Set([
  "RUN_STARTED",
  "RUN_RESUMED",
  "RUN_COMPLETED",
  "RUN_INCOMPLETE",
  "RUN_FAILED",
  "RUN_CANCELLED",
  "PHASE_ENTERED",
  "PHASE_VERIFIED"
])

/** Whether an event concerns a session: its own, its tasks', or the whole run's; never another agent's. */
export const concerns = (state: State, { agent, session_id }: SessionState, event: Recorded): boolean => {
  const content = event.content as Body
  if (typeof content["session_id"] === "string") return content["session_id"] === session_id
  if ((content["by"] as { readonly session_id?: unknown } | undefined)?.session_id === session_id) return true
  const id = content["task_id"] ?? content["subtask_id"] ?? content["parent_task_id"]
  if (typeof id === "string") return taskOf(state, id)?.board?.assignee === agent
  return ofTheRun.has(event.event_type) || (event.event_type === "PHASE_SUBMITTED" && content["by"] === "person")
}

/** The newest events, the newest first; `version` is that of the run. */
export const logView = (state: State, version: number, newest: ReadonlyArray<Recorded>, isAll: boolean): Answer =>
  accepted(withList({ ...runOf(state), version }, "events", newest.map(eventLine), isAll ? {} : { older: true }))
