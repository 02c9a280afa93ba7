import { type AnyEvent, asKernelEvent, composePlugins, type KernelEvent, type Recorded } from "@proofline/kernel"
import { sessionsRules } from "../../../packages/plugins/src/policies/sessions/rules/plugin.ts"
import { likeBuiltIn, randomSessionRun } from "../../plugins/sessions/rules/histories.ts"
import { eventsOf, randomHistory } from "../support/histories.ts"
import { fact } from "../support/judge.ts"
import { randomFrom } from "../support/random.ts"
import { recordedOf } from "../support/recorded.ts"

/** One event of every type, as the rules write them; not a run. */
export const oneOfEveryType = (types: ReadonlyArray<string>): ReadonlyArray<Recorded> => {
  const found = new Map<string, AnyEvent>()
  for (let seed = 1; seed <= 300; seed++) {
    for (const event of eventsOf(
      randomHistory(randomFrom(seed), { wild: true, commands: 40, chunks: seed % 2 === 0 })
    )) {
      if (!found.has(event.type)) found.set(event.type, event)
    }
  }
  const ofSessions = Array.from({ length: 60 }, (_, i) => randomFrom(i + 1)).flatMap((random) =>
    eventsOf(randomSessionRun(random, { setup: likeBuiltIn(random), commands: 60 }))
  )
  for (const event of [...ofSessions, ...unplayed]) if (!found.has(event.type)) found.set(event.type, event)
  const ofBefore = types.filter((type) => added.every((event) => event.type !== type))
  const missing = ofBefore.filter((type) => !found.has(type))
  if (missing.length > 0) throw new Error(`No example of ${missing.join(", ")}.`)
  return recordedOf(
    composePlugins([sessionsRules]),
    [...ofBefore.map((type) => found.get(type) as AnyEvent), ...onlyOfSessions(ofSessions), ...added, ...grown].map(
      (event) => [event]
    )
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

/** What was added to the format since the log of the open release was written first: at its end, so that nothing else of it changes. */
const added: ReadonlyArray<AnyEvent> = [
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
  {
    type: "RUN_FORKED",
    content: { run_id: "run_0", version: 9, hash: "c".repeat(64) }
  }
]

/** Types that are part of the format though no history of the tests writes them. */
const unplayed: ReadonlyArray<AnyEvent> = [
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
      stderr: null
    }
  },
  {
    type: "AGENT_CALLED",
    content: {
      agent: "command",
      role: "work",
      task_id: "a",
      attempt: 1,
      usage: { input_tokens: 900, output_tokens: 100, cost_usd: null }
    }
  }
]

/** What types that were there before say now: at the end too. */
const grown: ReadonlyArray<AnyEvent> = [
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
      duration_ms: 1,
      whole: null
    }
  }
]
