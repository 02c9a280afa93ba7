import type {
  AnswerPerson,
  AnyEvent,
  CancelRun,
  CheckRun,
  CommandOf,
  EndAttempt,
  KernelEvent,
  KernelState,
  PersonAnswer,
  RecordActivityFailure,
  RecordEvidence,
  RecordJudgment,
  RecordRevisit,
  RecordVerification,
  ReportedItem,
  ResumeRun,
  RunConfig,
  StartAttempt,
  State,
  TaskState
} from "@proofline/kernel"
import { kernelStateOf, taskOf } from "@proofline/kernel"
import { fact } from "./judge.ts"

/** A run as the kernel's modules see it: every composition of these tests has them. */
export const stateOf = (snapshot: { readonly state: State } | undefined): KernelState => {
  if (snapshot === undefined) throw new Error("There is no run: the command was refused.")
  return kernelStateOf(snapshot)
}

type Ending = CommandOf<typeof EndAttempt>
type Judgment = CommandOf<typeof RecordJudgment>

export const start = (
  task_id: string,
  attempt = 1,
  over: Partial<CommandOf<typeof StartAttempt>> = {}
): CommandOf<typeof StartAttempt> => ({
  _tag: "StartAttempt",
  task_id,
  attempt,
  agent: "command",
  worker_id: "w1",
  item_id: `item of ${task_id} ${attempt}`,
  lease: 1,
  prompt: { sha256: "0".repeat(64), bytes: 0 },
  ...over
})

export const end = (
  task_id: string,
  attempt = 1,
  outcome: Ending["outcome"] = "COMPLETE",
  over: Partial<Ending> = {}
): Ending => ({
  _tag: "EndAttempt",
  task_id,
  attempt,
  outcome,
  exit_code: outcome === "COMPLETE" ? 0 : 1,
  signal: null,
  duration_ms: 10,
  error: outcome === "ERROR" ? { code: "agent_failed", message: "It broke.", terminal: false } : null,
  output: null,
  report: { summary: "", checklist: null, problems: [] },
  files_modified: null,
  ...over
})

/** Ends an attempt with an error that trying again cannot help. */
export const endTerminal = (task_id: string, attempt = 1): Ending =>
  end(task_id, attempt, "ERROR", { error: { code: "quota", message: "No quota is left.", terminal: true } })

/** Ends an attempt with a checklist that says this of the items. */
export const endReporting = (task_id: string, attempt: number, checklist: ReadonlyArray<ReportedItem>): Ending =>
  end(task_id, attempt, "COMPLETE", { report: { summary: "done", checklist, problems: [] } })

export const done = (item: string): ReportedItem => ({ item, status: "done", evidence: "src/a.ts:1-2" })
export const waived = (item: string): ReportedItem => ({ item, status: "skipped", reason: "not needed in this case" })

/** What the agent says it cannot do. */
export const impossible = (item: string): ReportedItem => ({
  item,
  status: "cannot",
  reason: "the key for it is missing"
})

/** A person answers about what cannot be done, of all items of the task. */
export const answered = (
  task_id: string,
  answer: PersonAnswer,
  text = "",
  index: number | null = null
): CommandOf<typeof AnswerPerson> => ({
  _tag: "AnswerPerson",
  task_id,
  index,
  answer,
  text,
  at: "2026-01-02T12:00:00.000Z"
})

export const evidence = (
  task_id: string,
  attempt: number,
  ...indexes: ReadonlyArray<number>
): CommandOf<typeof RecordEvidence> => ({
  _tag: "RecordEvidence",
  task_id,
  attempt,
  facts: indexes.map((index) => fact(index))
})

type Revisit = CommandOf<typeof RecordRevisit>

/** What was accepted was judged again; `stale` does not hold any more. */
export const revisited = (round = 0, stale: Revisit["stale"] = [], judged = 1): Revisit => ({
  _tag: "RecordRevisit",
  round,
  judged,
  stale
})

export const gone = (task_id: string, attempt = 1, index = 0, path: string | null = "src/a.ts") => ({
  task_id,
  attempt,
  index,
  path,
  reason: "It is gone."
})

export const check = (exit_code: number | null = 0, over: Partial<CheckRun> = {}): CheckRun => ({
  command: "true",
  item_index: null,
  exit_code,
  signal: null,
  timed_out: false,
  duration_ms: 5,
  output: null,
  output_tail: "",
  ablation: null,
  ...over
})

export const verified = (
  task_id: string,
  attempt = 1,
  checks: ReadonlyArray<CheckRun> = [check()]
): CommandOf<typeof RecordVerification> => ({ _tag: "RecordVerification", task_id, attempt, checks })

export const judged = (
  task_id: string,
  attempt = 1,
  judgment: Judgment["judgment"] = "PASS",
  modification_prompt: string | null = null
): Judgment => ({
  _tag: "RecordJudgment",
  task_id,
  attempt,
  reviewer: "critic",
  judgment,
  checks: [],
  modification_prompt,
  output: null
})

/** Work on an attempt that could not be carried out. `key` is what it was ordered by. */
export const activityFailed = (
  task_id: string,
  attempt = 1,
  activity = "review",
  key = `${activity}/${task_id}/${attempt}`
): CommandOf<typeof RecordActivityFailure> => ({
  _tag: "RecordActivityFailure",
  name: activity,
  key,
  input: { task_id, attempt },
  code: `${activity}_failed`,
  message: `The ${activity} broke.`
})

export const resume = (config: RunConfig | null = null): CommandOf<typeof ResumeRun> => ({
  _tag: "ResumeRun",
  driver: null,
  config
})
/** A resume for these tasks only. */
export const resumeFor = (
  tasks: ReadonlyArray<string>,
  { config = null, ...note }: { readonly config?: RunConfig | null; readonly note?: string } = {}
): CommandOf<typeof ResumeRun> => ({ ...resume(config), tasks, ...note })
export const cancel = (reason = "by hand"): CommandOf<typeof CancelRun> => ({ _tag: "CancelRun", reason })

type Events = ReadonlyArray<AnyEvent>

export const typesOf = (events: Events): ReadonlyArray<string> => events.map(({ type }) => type)

/** The content of the one event of this type. */
export const contentOf = <T extends KernelEvent["type"]>(
  events: Events,
  type: T
): Extract<KernelEvent, { type: T }>["content"] => {
  const found = events.filter((event) => event.type === type)
  if (found.length !== 1) throw new Error(`There are ${found.length} events of type ${type}: ${typesOf(events)}.`)
  return found[0]?.content as never
}

export const task = (state: State | KernelState | undefined, id: string): TaskState => {
  const found = state === undefined ? undefined : taskOf(kernelStateOf({ state: state as State }), id)
  if (found === undefined) throw new Error(`There is no task ${id}.`)
  return found
}

/** How visible each of the nine events of chunking is: task chunking §6.1. */
export const chunkingVisibility = {
  CHUNKING_START: "summary",
  CHUNKING_ANALYSIS: "full",
  SUBTASK_CREATED: "full",
  SUBTASK_START: "summary",
  SUBTASK_COMPLETE: "summary",
  SUBTASK_FAILED: "summary",
  SUBTASK_RETRY: "summary",
  CHUNKING_AGGREGATION: "full",
  CHUNKING_COMPLETE: "summary"
} as const
