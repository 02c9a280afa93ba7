import type { BaseCheck, LineReceipt, ProofConfig } from "@proofline/kernel"
import { acceptsWeak } from "@proofline/kernel/testing"
import type {
  CompletedTask,
  CriterionVerdict,
  ItemOutcome,
  Loop,
  Opinion,
  Requirement
} from "@proofline/plugins/policies/requirements"
import { noLoop } from "@proofline/plugins/policies/requirements"
import { notRun } from "../../../packages/plugins/src/policies/execution/commands/outcomes.ts"
import type { LoopCheck, ReceiptCheck } from "../../../packages/plugins/src/policies/requirements/contents.ts"
import { criteriaOf, type Facts } from "../../../packages/plugins/src/policies/requirements/verdict.ts"
import { receipt as aReceipt } from "../../kernel/support/judge.ts"
import { check as aCheck } from "../../kernel/support/words.ts"
import { aDefinition, aRequirement, completed as ended } from "./stage.ts"

const receipt: LineReceipt = { ...aReceipt, path: "src/a.ts" }

export const item = (more: Partial<ItemOutcome> = {}): ItemOutcome => ({
  item: "it is done",
  verdict: "proven",
  evidence: "src/a.ts:1-2",
  reason: null,
  receipt,
  weak: [],
  ...more
})

/** A completed task that was planned for the first criterion. */
export const completed = (id: string, more: Partial<CompletedTask> = {}): CompletedTask =>
  ended(id, { title: id, attempts: 2, items: [item()], covers: ["r.1"], ...more })

export const requirement = (check: string | null = null, criterion = "a"): Requirement => ({
  ...aRequirement("r", ["a"]),
  acceptance_criteria: [{ id: "r.1", criterion, check, verify: null }]
})

const planned = (tasks: ReadonlyArray<CompletedTask>, ...open: ReadonlyArray<string>) => [
  ...tasks.map(({ id, iteration }) => ({ id, iteration })),
  ...open.map((id) => ({ id, iteration: 1 }))
]

export interface Known {
  readonly tasks?: ReadonlyArray<CompletedTask>
  /** Planned for it and not completed. */
  readonly open?: ReadonlyArray<string>
  readonly check?: string | null
  /** Of the criterion. */
  readonly words?: string
  readonly requirements?: ReadonlyArray<Requirement>
  readonly rules?: ProofConfig
  readonly proof?: Loop["proof"]
  readonly before?: Readonly<Record<string, BaseCheck["outcome"]>>
  readonly runs?: ReadonlyArray<LoopCheck>
  readonly fates?: ReadonlyArray<Partial<ReceiptCheck>>
  readonly opinion?: Partial<Opinion>
  readonly isTrusted?: boolean
}

export const ran = (command: string, more: Partial<LoopCheck> = {}): LoopCheck => ({
  ...aCheck(0, { command }),
  task_id: null,
  ...more
})

const atBase = ([command, outcome]: [string, BaseCheck["outcome"]]): BaseCheck => ({
  ...notRun(command, [], ""),
  outcome
})

export const loopOf = ({
  before = {},
  check = null,
  open = [],
  proof = { verifier_named: false, user_commands: [] },
  requirements,
  rules = acceptsWeak,
  tasks = [],
  words = "a"
}: Known) => {
  const definition = aDefinition(requirements ?? [requirement(check, words)])
  const config: Loop["config"] = {
    agent: "command",
    reviewer: null,
    max_retries: 0,
    retry_delay_ms: 0,
    backoff_multiplier: 1,
    proof: rules
  }
  return {
    ...noLoop,
    definition,
    requirements_path: "requirements.yaml",
    proof,
    config,
    base_checks: Object.entries(before).map(atBase),
    completed: tasks,
    planned: planned(tasks, ...open).map((one) => ({
      ...one,
      covers: [{ id: "r.1", requirement_id: "r", criterion: words }]
    }))
  } satisfies Loop
}

export const factsIn = (known: Known): Facts => ({
  runs: new Map((known.runs ?? []).map((run) => [`${run.task_id ?? ""} ${run.command}`, run])),
  receipts: (known.fates ?? []).map((fate) => ({
    task_id: "t1",
    item_index: 0,
    status: "proven" as const,
    now: null,
    reason: "",
    ...fate
  }))
})

export const verdictIn = (known: Known): CriterionVerdict => {
  const loop = loopOf(known)
  const opinion =
    known.opinion === undefined
      ? null
      : { verifier: "critic", met: true, evidence: "", facts: [], output: null, ...known.opinion }
  const [first] = loop.definition.requirements
  const [seen] = criteriaOf(loop, first as Requirement, factsIn(known), opinion, known.isTrusted ?? false)
  return seen as CriterionVerdict
}

export type Expected = readonly [verdict: CriterionVerdict["verdict"], by: CriterionVerdict["by"], message: string]
export const seenAs = ({ by, message, verdict }: CriterionVerdict): Expected => [verdict, by, message]
export const holds = [{ status: "proven" }] as const
