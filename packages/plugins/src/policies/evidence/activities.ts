import {
  type Activity,
  type Baseline,
  type Digest,
  type RecordEvidence,
  type ReportedItem,
  type Syntax,
  taskOf,
  type Workspace
} from "@proofline/kernel"
import { Effect } from "effect"
import { type Claimed, makeLook } from "./look.ts"
import type { Rule } from "./range.ts"

/**
 * Looks at what a report cites. Says nothing when the attempt the work was meant for is over or was looked at before.
 */
export const makeEvidenceActivity = (
  rule: Rule
): Effect.Effect<Activity, never, Workspace | Digest | Syntax | Baseline> =>
  Effect.map(
    makeLook(rule),
    (look): Activity =>
      Effect.fnUntraced(function* ({ item, state }) {
        const current = item.task_id === null ? null : taskOf(state, item.task_id)?.current
        if (
          item.task_id === null ||
          current == null ||
          current.facts !== null ||
          !isMeantFor(current.attempt, item.input)
        )
          return null
        const facts = yield* look(claimsOf(current.report?.checklist ?? []), state.base)
        const command: RecordEvidence = {
          _tag: "RecordEvidence",
          task_id: item.task_id,
          attempt: current.attempt,
          facts
        }
        return command
      })
  )

const isMeantFor = (attempt: number, input: unknown): boolean => {
  const meant = (input as { readonly attempt?: unknown } | null)?.attempt
  return meant === undefined || meant === attempt
}

const claimsOf = (checklist: ReadonlyArray<ReportedItem>): ReadonlyArray<Claimed> =>
  checklist.flatMap(({ evidence, status }, index) =>
    status === "done" && evidence != null && evidence.trim() !== "" ? [{ index, evidence }] : []
  )
