import { HashMap, HashSet } from "effect"
import { withTask } from "./change.ts"
import type { KernelEvent } from "./Event.ts"
import { untouched } from "./fresh.ts"
import type { TaskId } from "./Ids.ts"
import { inOrder } from "./inOrder.ts"
import type { PullSetup } from "./PhaseContract.ts"
import { batchKey, commandsOf, countOf, phaseOf, writableOf } from "./phase.ts"
import { type BoardState, type PullState, type SessionState, type State, taskOf } from "./State.ts"
import { sessionOf } from "./session.ts"
import { cleanPath } from "./targets.ts"

/** What is true after an event of pull mode; any other changes nothing. */
export const evolvePull = (state: State, event: KernelEvent): State => {
  const { content, type } = event
  if (type === "PHASE_CONTRACT_ADOPTED") return { ...state, pull: begun(content) }
  const { pull } = state
  if (pull === null) return state
  switch (type) {
    case "SESSION_OPENED":
      return {
        ...state,
        pull: {
          ...pull,
          sessions: [
            ...pull.sessions,
            {
              session_id: content.session_id,
              agent: content.agent,
              token_sha256: content.token_sha256,
              of_process: content.of_process,
              ttl_ms: content.ttl_ms,
              seen_at: content.at,
              closed: null,
              reported: null,
              issued: null,
              fetched: [],
              offered: []
            }
          ]
        }
      }
    case "SESSION_CLOSED":
      return withSession(state, content, (session) => ({ ...session, closed: session.closed ?? content.reason }))
    case "NEXT_ACTION_ISSUED": {
      const { action, task_id, tool } = content
      return withSession(state, content, (session) => ({
        ...session,
        issued: { action, task_id },
        fetched: tool === "get_my_task" && task_id !== null ? [...session.fetched, task_id] : session.fetched,
        offered: action === "create_subtasks" && task_id !== null ? [...session.offered, task_id] : session.offered
      }))
    }
    case "COMPLETION_REPORTED":
      return withSession(state, content, (session) => ({ ...session, reported: { result: content.result } }))

    case "PHASE_ENTERED":
      return entered(state, pull, content)
    case "PHASE_SUBMITTED": {
      const payload = content.payload as Readonly<Record<string, unknown>>
      const phase = phaseOf(pull, content.phase)
      const explored = (phase?.explores ?? []).flatMap((field) => pathsIn(payload[field], state.root))
      const isVerified = phase?.kind === "verify" && commandsOf(pull, phase).length > 0
      const now = {
        ...state,
        pull: {
          ...pull,
          failures: [],
          // the work goes on: what was verified is not what there will be
          verified: pull.verified && phase?.kind !== "tasks" && phase?.kind !== "plan" && phase?.writes !== true,
          sent_back: pull.sent_back && phase?.kind !== "plan",
          last: phase?.kind === "tasks" || phase?.kind === "plan" ? pull.last : { phase: content.phase, payload },
          submissions: pull.submissions + 1,
          explored: explored.reduce((all, path) => HashSet.add(all, path), pull.explored),
          verifying: isVerified ? { payload } : pull.verifying
        }
      }
      return content.session_id === null ? now : withSession(now, { session_id: content.session_id, at: content.at })
    }
    case "PHASE_REJECTED":
      return withSession({ ...state, pull: { ...pull, failures: content.failures } }, content)
    case "PHASE_VERIFIED":
      return {
        ...state,
        pull: {
          ...pull,
          verifying: null,
          verification: { passed: content.passed, checks: content.checks },
          verified: content.passed && (pull.verified || verifiesTheWhole(pull, content)),
          failed_in_row: content.passed ? 0 : pull.failed_in_row + Number(content.sent_back),
          sent_back: content.sent_back
        }
      }
    case "WRITE_TARGET_CHECKED": {
      const { path } = content.target
      const now =
        content.allowed && path !== null
          ? withWritable(state, content.session_id, [path, cleanPath(content.file_path, state.root)])
          : state
      return withSession(now, content)
    }
    case "TASKS_CREATED": {
      const key = batchKey(sessionOf(state, content.session_id)?.agent ?? "", content.tasks)
      const batches = HashMap.set(pull.batches, key, content.ids)
      return withSession({ ...state, pull: { ...pull, batches, sent_back: false } }, content)
    }
    case "TASK_ASSIGNED":
      return assigned(state, content)
    default:
      return state
  }
}

const begun = (setup: PullSetup): PullState => ({
  // as a process has it that has read it: down to the order of failures both decide the same
  setup: inOrder(setup),
  phase: "",
  worked: null,
  visits: {},
  counters: {},
  explored: HashSet.empty(),
  writable: HashMap.empty(),
  verifying: null,
  verification: null,
  failed_in_row: 0,
  sent_back: false,
  verified: false,
  last: null,
  submissions: 0,
  failures: [],
  batches: HashMap.empty(),
  sessions: []
})

/** What was run are the verifiers of the project, or all there is to run, after which nothing is written. */
const verifiesTheWhole = (pull: PullState, { checks, phase }: ContentOf<"PHASE_VERIFIED">): boolean => {
  const { verifiers } = pull.setup
  return (
    phaseOf(pull, phase)?.writes !== true &&
    checks.length > 0 &&
    verifiers.every((command) => checks.some((check) => check.command === command))
  )
}

const withWritable = (state: State, session_id: string, paths: ReadonlyArray<string | null>): State => {
  const agent = sessionOf(state, session_id)?.agent
  if (state.pull === null || agent === undefined) return state
  const before = writableOf(state.pull, agent)
  const after = paths.reduce((all, path) => (path === null ? all : HashSet.add(all, path)), before)
  return { ...state, pull: { ...state.pull, writable: HashMap.set(state.pull.writable, agent, after) } }
}

/** A task is done: something was done about a failed verification, and for the next task is asked anew what may be written. */
export const taskDone = (state: State, id: TaskId): State => {
  const task = taskOf(state, id)
  // whoever reported it asked for its files
  const agent = task?.current?.agent ?? task?.board?.assignee
  if (state.pull === null || agent == null) return state
  const asked = [...writableOf(state.pull, agent)]
  return withBoard(
    { ...state, pull: { ...state.pull, sent_back: false, writable: HashMap.remove(state.pull.writable, agent) } },
    id,
    (board) => ({ ...board, asked: [...new Set([...board.asked, ...asked])] })
  )
}

/** Whoever asks for something is seen. */
const withSession = (
  state: State,
  by: { readonly session_id: string; readonly at: string },
  change: (session: SessionState) => SessionState = (session) => session
): State =>
  state.pull === null
    ? state
    : {
        ...state,
        pull: {
          ...state.pull,
          sessions: state.pull.sessions.map((session) =>
            session.session_id === by.session_id
              ? change({ ...session, seen_at: by.at > session.seen_at ? by.at : session.seen_at })
              : session
          )
        }
      }

type ContentOf<T extends KernelEvent["type"]> = Extract<KernelEvent, { readonly type: T }>["content"]

const entered = (state: State, pull: PullState, content: ContentOf<"PHASE_ENTERED">): State => {
  const { count, phase, reset, visit } = content
  const counters = {
    ...pull.counters,
    ...(count === null ? {} : { [count]: countOf(pull.counters, count) + 1 }),
    ...Object.fromEntries(reset.map((name) => [name, 0]))
  }
  const now: State = {
    ...state,
    pull: {
      ...pull,
      failed_in_row: reset.includes("task_failures") ? 0 : pull.failed_in_row,
      phase,
      worked: phaseOf(pull, phase)?.kind === "tasks" ? phase : pull.worked,
      visits: { ...pull.visits, [phase]: visit },
      counters,
      verifying: null,
      failures: []
    }
  }
  return reset.includes("task_failures")
    ? [...HashMap.keys(state.tasks)].reduce(
        (all, id) => withBoard(all, id, (board) => (board.failures === 0 ? board : { ...board, failures: 0 })),
        now
      )
    : now
}

const withBoard = (state: State, id: TaskId, change: (board: BoardState) => BoardState): State =>
  withTask(state, id, (task) => (task.board === null ? task : { ...task, board: change(task.board) }))

const assigned = (state: State, content: ContentOf<"TASK_ASSIGNED">): State => {
  const { assignee, backlog, created_by, parent_task_id, priority, task_id } = content
  const before = taskOf(state, task_id)
  if (before === undefined) return state
  if (before.board !== null) return withBoard(state, task_id, (board) => ({ ...board, assignee }))
  const own = withTask(unverified(state), task_id, (task) => ({
    ...task,
    status: backlog ? "backlog" : task.status,
    board: { assignee, created_by, parent_task_id, children: [], asked: [], priority, failures: 0, reason: "" }
  }))
  return parent_task_id === null
    ? own
    : withBoard(own, parent_task_id, (board) => ({ ...board, children: [...board.children, task_id] }))
}

/** The work goes on: what was verified is not what there will be. */
const unverified = (state: State): State =>
  state.pull === null ? state : { ...state, pull: { ...state.pull, verified: false } }

/** In a session run nothing is retried by a count: what was refused stays with the agent until it holds. */
export const statusChanged = (state: State, content: ContentOf<"TASK_STATUS_CHANGED">): State => {
  const { by, reason, task_id, to } = content
  // an agent's own words count nothing
  const isFailed = by === undefined && reason === verificationFailed
  const now = withTask(state, task_id, (task) => ({
    ...task,
    status: to,
    blocked: null,
    verdict: to === "retrying" ? "unproven" : task.verdict,
    // what was shown is shown again
    items: isFailed ? task.items.map((item) => ({ ...item, ...untouched })) : task.items,
    refused: to === "retrying" && !isFailed ? (task.current ?? task.refused) : task.refused
  }))
  const noted = withBoard(now, task_id, (board) => ({
    ...board,
    reason: to === "blocked" || to === "skipped" ? reason : "",
    failures: board.failures + Number(isFailed)
  }))
  const open = to === "retrying" ? unverified(noted) : noted
  return by === undefined ? open : withSession(open, by)
}

/** The work was sent back, because the commands of a phase failed. */
export const verificationFailed = "verification_failed"

/** The commands of a phase could not be run: the agent is told, and hands it in again. */
export const phaseUnverified = (state: State, pull: PullState, content: ContentOf<"ACTIVITY_FAILED">): State => {
  const about = content.input as { readonly phase?: unknown; readonly submission?: unknown } | null
  // whatever else is done for the run says nothing of the commands that run
  const isAwaited = pull.verifying !== null && about?.phase === pull.phase && about.submission === pull.submissions
  if (!isAwaited) return state
  const message = `The phase could not be verified: ${content.message}`
  return {
    ...state,
    pull: { ...pull, verifying: null, failures: [{ key: content.code, item: null, fields: {}, message }] }
  }
}

const pathsIn = (value: unknown, root: string): ReadonlyArray<string> =>
  (Array.isArray(value) ? value : [value]).flatMap((one) => {
    const path = textOf(one)
    const clean = path === undefined ? null : cleanPath(path, root)
    return clean === null ? [] : [clean]
  })

/** A file may be given with what was found in it. */
const textOf = (one: unknown): string | undefined => {
  if (typeof one === "string") return one
  const fields = (one ?? {}) as Readonly<Record<string, unknown>>
  const named = ["path", "file", "file_path", "name"].map((field) => fields[field])
  return named.find((value) => typeof value === "string")
}
