import { type AnyEvent, asKernelEvent, composePlugins, type KernelEvent, type Recorded } from "@proofline/kernel"
import { checkouts } from "@proofline/plugins/policies/checkouts"
import { requirementsRules } from "@proofline/plugins/policies/requirements"
import { sessionsRules } from "../../../packages/plugins/src/policies/sessions/rules/plugin.ts"
import { likeBuiltIn, randomSessionRun } from "../../plugins/sessions/rules/histories.ts"
import { eventsOf, randomHistory } from "../support/histories.ts"
import { fact } from "../support/judge.ts"
import { randomFrom } from "../support/random.ts"
import { recordedOf } from "../support/recorded.ts"

/** The plugins of the catalogue: all of ours that have events. */
export const catalogue = composePlugins([checkouts, sessionsRules, requirementsRules])

/**
 * Events of every type, as the rules write them, with every field that a type may have at its top; not a run. `others`:
 * what runs wrote that no history here plays.
 */
export const everyEventType = (others: ReadonlyArray<AnyEvent>): ReadonlyArray<Recorded> => {
  const found = new Map<string, AnyEvent>()
  const find = (events: ReadonlyArray<AnyEvent>) => {
    for (const event of events) if (!found.has(event.type)) found.set(event.type, event)
  }
  for (let seed = 1; seed <= 300; seed++) {
    find(eventsOf(randomHistory(randomFrom(seed), { wild: true, commands: 40, chunks: seed % 2 === 0 })))
  }
  const ofSessions = Array.from({ length: 60 }, (_, i) => randomFrom(i + 1)).flatMap((random) =>
    eventsOf(randomSessionRun(random, { setup: likeBuiltIn(random), commands: 60 }))
  )
  find(ofSessions)
  find(others)
  const all = [...onlyOfSessions(ofSessions), ...examples]
  const types = [...catalogue.events.keys()]
  const events = types.flatMap((type) => {
    const first = found.get(type)
    return [
      ...(first === undefined ? [] : [first]),
      ...all.filter((event) => event.type === type),
      ...(first !== undefined && type in besides
        ? [{ type, content: { ...(first.content as object), ...besides[type] } }]
        : [])
    ]
  })
  return recordedOf(
    catalogue,
    events.map((event) => [event])
  )
}

/** What some types say in a session run alone. */
const onlyOfSessions = (all: ReadonlyArray<AnyEvent>): ReadonlyArray<KernelEvent> => {
  const events = all.map(asKernelEvent)
  return [
    ...events.filter(({ content, type }) => type === "TASK_STATUS_CHANGED" && content.by !== undefined).slice(0, 1),
    ...events.filter(({ content, type }) => type === "TASK_COMPLETED" && content.verdict !== undefined).slice(0, 1),
    ...events.filter(({ content, type }) => type === "CHECKLIST_REGISTERED" && content.added !== undefined).slice(0, 1)
  ]
}

/** What no history of the tests writes. */
const examples: ReadonlyArray<AnyEvent> = [
  {
    type: "EVIDENCE_CHECKED",
    content: {
      task_id: "a",
      attempt: 1,
      facts: [fact(0)],
      files: [
        {
          path: "src/a.ts",
          text: { sha256: "a".repeat(64), bytes: 40 },
          git_blob: "b".repeat(40),
          git_commit: "c".repeat(40),
          before: { was: "absent" },
          ignored: false
        },
        {
          path: "src/b.ts",
          text: null,
          refused: { reason: "not_found", message: "There is no file src/b.ts." },
          git_blob: null,
          git_commit: null
        }
      ]
    }
  },
  {
    type: "CHECKLIST_ITEM_CANNOT",
    content: {
      task_id: "a",
      attempt: 1,
      index: 1,
      item: "Call the payment service",
      reason: "There is no key for it in the environment.",
      evidence: "src/pay.ts:3"
    }
  },
  {
    type: "PERSON_ASKED",
    content: {
      task_id: "a",
      attempt: 1,
      items: [
        {
          index: 1,
          item: "Call the payment service",
          reason: "There is no key for it in the environment.",
          evidence: "src/pay.ts:3"
        }
      ],
      files: ["src/pay.ts"]
    }
  },
  {
    type: "PERSON_ANSWERED",
    content: {
      task_id: "a",
      index: 1,
      item: "Call the payment service",
      answer: "continue",
      text: "Use the test key in .env.example.",
      at: "2026-01-02T12:00:00.000Z"
    }
  },
  {
    type: "PERMISSION_ASKED",
    content: {
      permission: "permission/1",
      task_id: "a",
      attempt: 1,
      role: "work",
      agent: "open",
      key: "3f0c/1/1",
      title: "npm install left-pad",
      tool: "execute",
      detail: "npm install left-pad",
      files: ["package.json"]
    }
  },
  {
    type: "PERMISSION_ANSWERED",
    content: {
      permission: "permission/1",
      task_id: "a",
      key: "3f0c/1/1",
      answer: "deny",
      text: "Write it yourself.",
      at: "2026-01-02T12:00:00.000Z"
    }
  },
  { type: "PERMISSION_WITHDRAWN", content: { permission: "permission/2", task_id: "a" } },
  {
    type: "PARALLEL_ATTEMPTS_START",
    content: { parent_task_id: "a", attempts: 3, checklist: [{ item: "add adds" }] }
  },
  { type: "PARALLEL_ATTEMPT_WON", content: { parent_task_id: "a", subtask_id: "a-try-2" } },
  { type: "RUN_PLUGINS_CHANGED", content: { plugins: [{ name: "run", version: "2" }] } },
  {
    type: "RUN_FORKED",
    content: { run_id: "run_0", version: 9, hash: "c".repeat(64) }
  },
  {
    type: "COMPLETION_REFUSED",
    content: {
      session_id: "ses_alice",
      at: "2026-01-02T12:00:00.000Z",
      result: "success",
      summary: null,
      next_steps: null,
      missing: [
        {
          task_id: "a",
          reason: "by_word",
          message: "It has no checklist, and is done by word alone.",
          next_step: "Plan what is left of it as a task with a checklist."
        }
      ]
    }
  },
  {
    type: "BASE_CHECKED",
    content: {
      checks: [
        {
          command: "sh check.sh",
          outcome: "red",
          message: "",
          exit_code: 1,
          signal: null,
          timed_out: false,
          duration_ms: 12,
          output: null,
          output_tail: "",
          rests_on: [{ path: "check.sh", sha256: "0".repeat(64) }]
        }
      ]
    }
  },
  {
    type: "GATE_REFUSED",
    content: {
      task_id: "a",
      attempt: 1,
      gate: "frozen_files",
      plugin: "frozen-files",
      reason: "frozen_files",
      message: "These files must stay as they are: vendor/a.js."
    }
  },
  {
    type: "ATTEMPT_OUTPUT_SUMMARIZED",
    content: {
      task_id: "a",
      attempt: 1,
      output_tail: "bye",
      stdout: { sha256: "0".repeat(64), bytes: 3 },
      stderr: null,
      steps: { sha256: "7".repeat(64), bytes: 96 }
    }
  },
  {
    type: "AGENT_CALLED",
    content: {
      agent: "command",
      role: "work",
      task_id: "a",
      attempt: 1,
      usage: { input_tokens: 900, output_tokens: 100, cost_usd: null },
      exchange: { sha256: "6".repeat(64), bytes: 2_048 }
    }
  },
  {
    type: "ATTEMPT_ENDED",
    content: {
      task_id: "a",
      attempt: 1,
      outcome: "COMPLETE",
      exit_code: 0,
      signal: null,
      duration_ms: 1,
      error: null,
      files_modified: ["a.ts"],
      agent: "claude",
      trees: {
        before: { commit: "1".repeat(40) },
        after: { commit: "2".repeat(40) },
        steps: [{ since: 2, step: 3, tree: { commit: "3".repeat(40) } }],
        worktree: true,
        among_others: true,
        left_out: ["lib/", "big.bin"],
        problem: "Git could not be started."
      }
    }
  },
  {
    type: "CHUNKING_AGGREGATION",
    content: {
      parent_task_id: "a",
      aggregation_strategy: "merge_all",
      conflict_resolution: "fail",
      aggregation_result: {
        total_files_modified: 1,
        conflicts_detected: false,
        outcome: "merged",
        files_modified: ["a.ts"],
        conflicts: [],
        message: "",
        tree: { commit: null, snapshot: { sha256: "4".repeat(64), bytes: 10 } },
        evidence: [],
        lost: []
      },
      to_be_looked_at: true,
      duration_ms: 1,
      whole: null
    }
  },
  {
    type: "TREE_RECORDED",
    content: {
      onto: null,
      commit: "a".repeat(40),
      prefix: "packages/app",
      refs: [{ name: "refs/proofline/run_1/a/a-sub-1", commit: "d".repeat(40) }],
      bundle: { sha256: "1".repeat(64), bytes: 1_234 },
      remote: "ssh://git@example.org/project.git",
      by: { item: "item", lease: 2 },
      left_out: ["vendor/lib/"]
    }
  },
  {
    type: "INTENT_CHANGED",
    content: {
      sha256_before: "0".repeat(64),
      sha256: "1".repeat(64),
      decided_by: "person",
      changes: [{ id: "req_2", change: "dropped", before: "The report can be printed.", after: null }]
    }
  },
  { type: "REQUIREMENTS_FILE_CHANGED", content: { sha256: "1".repeat(64) } },
  {
    type: "REQUIREMENTS_UNMET",
    content: {
      iteration: 3,
      reason: "iterations_used_up",
      message: "After 3 iterations req_1 is not met.",
      unmet: ["req_1"]
    }
  }
]

/** What some types may say besides, put to what the rules have written. */
const besides: Readonly<Record<string, object>> = {
  RUN_STARTED: {
    goal: "A ledger that adds up.",
    completed_task_ids: ["z"],
    completed_tasks: [{ task_id: "z", title: "Begin", summary: "It is begun.", files: ["src/z.ts"] }],
    redacted: { method: "hmac-sha256", commitments: { sha256: "5".repeat(64), bytes: 320 }, departs: [7] }
  },
  RUN_RESUMED: {
    plugins: [{ name: "guarding", version: "1" }],
    only: {
      tasks: ["a"],
      set_aside: ["b"],
      left: { failed: 1, skipped: 0, given_up: 0 },
      note: "The key is in .env.example."
    }
  },
  RUN_FAILED: {
    proof: {
      verdict: "unproven",
      counts: { proven: 1, reviewed: 0, weak: 0, waived: 0, unproven: 2, refuted: 1, stale: 0 },
      reviewers: [],
      weak: []
    }
  },
  ACTIVITY_FAILED: { task_id: "a", agent: "command", terminal: true },
  TASK_REGISTERED: { commands_by: "agent", attempts: 2 },
  TASK_STATUS_CHANGED: { reopened_items: 1 },
  TASK_COMPLETED: { weak: 1 },
  CHECKLIST_COMPLETED: { weak: 1 },
  CHECKLIST_REGISTERED: { criteria: true },
  ATTEMPT_STARTED: { host: "here" },
  ATTEMPT_ENDED: {
    files_undecided: ["src/b.ts"],
    session: { id: "0195", directory: null }
  },
  QUALITY_JUDGMENT: { judgment: "RETRY", changed_files: ["src/a.ts"] },
  SUBTASK_CREATED: { alternative: { checks: ["npm test"], commands_by: "agent" } },
  SUBTASK_COMPLETE: { verdict: "weak", weak: 1 },
  PHASE_CONTRACT_ADOPTED: { escrowed: ["criterion req_1.1"] },
  COMPLETION_REPORTED: {
    missing: [
      { task_id: "a", reason: "by_word", message: "It is done by word alone.", next_step: "Plan what is left." }
    ]
  },
  PHASE_VERIFIED: { concerned: [{ task_id: "a", files: ["src/a.ts"] }] },
  REQUIREMENTS_LOADED: { intent: "decided" }
}
