import type { EventCandidate, KernelEvent } from "@proofline/kernel"
import { composePlugins, defaultRunConfig, makeManifest } from "@proofline/kernel"

const manifest = makeManifest(composePlugins([]))
const sha = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
const receipt = {
  kind: "lines" as const,
  path: "src/login/handler.ts",
  start: 12,
  end: 48,
  sha256: sha,
  git_blob: null,
  git_commit: null,
  covers: { start: 12, end: 48, sha256: null },
  declaration: { name: "handleLogin", kind: "function", start: 12, end: 48, hash: sha }
}
export const items = ["The handler checks the password", "The handler limits attempts"]
const outputTail = "ok 1 - logs in\nok 2 - refuses a wrong password\n# tests 2\n# pass 2\n# fail 0\n"

/**
 * The facts of a run of so many tasks that never ends: every task is started, judged and tried again, for ever. What a
 * fold keeps grows with the tasks, not with the events.
 */
export function* facts(tasks: number): Generator<KernelEvent> {
  yield runStarted
  for (let n = 0; n < tasks; n++) {
    yield* listed(taskId(n))
    yield { type: "TASK_STARTED", content: { task_id: taskId(n) } }
  }
  for (let attempt = 1; ; attempt++) for (let n = 0; n < tasks; n++) yield* attempted(taskId(n), attempt)
}

export const runStarted: KernelEvent = {
  type: "RUN_STARTED",
  content: {
    run_id: "run_bench",
    kind: "tasks",
    name: "bench",
    root: "/project",
    input: { path: "tasks.yaml", sha256: sha },
    parent_run_id: null,
    completed_task_ids: [],
    config: defaultRunConfig,
    plugins: [{ name: "tasks", version: "1" }],
    driver: { pid: 4242, host: "bench", since: "2026-01-02T03:04:05.678Z" },
    base: null
  }
}

export const taskId = (n: number): string => `task-${n}`

export const instruction = "Make the login page refuse a wrong password, and show how many attempts are left."

/** The task and its checklist as they are registered. */
export function* listed(task_id: string, chunk: "no" | "asked" = "no"): Generator<KernelEvent> {
  yield {
    type: "TASK_REGISTERED",
    content: {
      task_id,
      title: "Login",
      instruction,
      validation: ["It works"],
      checks: ["npm test"],
      depends_on: [],
      priority: 0,
      chunk
    }
  }
  yield { type: "CHECKLIST_REGISTERED", content: { task_id, items: items.map((item) => ({ item })) } }
}

interface About {
  readonly task_id: string
  readonly attempt: number
}

const blob = { sha256: sha, bytes: 4_711 }

export const attemptStarted = (about: About): KernelEvent => ({
  type: "ATTEMPT_STARTED",
  content: {
    ...about,
    agent: "command",
    worker_id: "w1",
    item_id: `item-${about.task_id}`,
    lease: about.attempt,
    prompt: blob
  }
})

export const attemptEnded = (about: About): KernelEvent => ({
  type: "ATTEMPT_ENDED",
  content: {
    ...about,
    outcome: "COMPLETE",
    agent: "command",
    exit_code: 0,
    signal: null,
    duration_ms: 12_345,
    error: null,
    files_modified: null
  }
})

export const reported = (about: About): KernelEvent => ({
  type: "CHECKLIST_REPORTED",
  content: {
    ...about,
    summary: "All done.",
    checklist: items.map((item) => ({ item, status: "done", evidence: "src/login/handler.ts:12-48" })),
    problems: []
  }
})

export const accepted = (about: About, item: string, index: number): KernelEvent => ({
  type: "CHECKLIST_ITEM_ACCEPTED",
  content: {
    ...about,
    index,
    item,
    status: "done",
    verdict: "proven",
    evidence: "src/login/handler.ts:12-48",
    reason: null,
    receipt,
    weak: []
  }
})

function* attempted(task_id: string, attempt: number): Generator<KernelEvent> {
  const about = { task_id, attempt }
  yield attemptStarted(about)
  yield {
    type: "ATTEMPT_OUTPUT_SUMMARIZED",
    content: { ...about, output_tail: outputTail, stdout: blob, stderr: null }
  }
  yield attemptEnded(about)
  yield reported(about)
  yield {
    type: "EVIDENCE_CHECKED",
    content: {
      ...about,
      facts: items.map((_, index) => ({
        kind: "lines",
        index,
        evidence: "src/login/handler.ts:12-48",
        outcome: "ok",
        detail: "",
        path: receipt.path,
        start: receipt.start,
        end: receipt.end,
        total: 120,
        declaration: receipt.declaration.name,
        untouched: false,
        receipt
      }))
    }
  }
  for (const [index, item] of items.entries()) yield accepted(about, item, index)
  yield {
    type: "QUALITY_JUDGMENT",
    content: { ...about, reviewer: "command", judgment: "RETRY", checks: [], modification_prompt: null, output: null }
  }
  yield {
    type: "TASK_STATUS_CHANGED",
    content: { task_id, from: "in_progress", to: "retrying", reason: "RETRY", retry_count: attempt, delay_ms: 2_000 }
  }
}

/** The fact as it is appended under a command. */
export const candidate = (fact: KernelEvent, stream: string, command: number): EventCandidate => ({
  event_type: fact.type,
  schema_version: manifest.schemaVersionOf(fact.type),
  timestamp: new Date(Date.UTC(2026, 0, 2) + command).toISOString(),
  visibility: manifest.visibilityOf(fact.type),
  content: fact.content as EventCandidate["content"],
  command_id: commandId(command),
  causation_id: commandId(command - 1),
  correlation_id: stream
})

/** As long as a real one. */
const commandId = (n: number): string => `cmd_01890a5d-ac96-774b-bcce-${n.toString(16).padStart(12, "0")}`
