import {
  type Activity,
  type ActivityFailure,
  type Baseline,
  type Digest,
  placeOf,
  type RecordEvidence,
  type ReportedItem,
  type Syntax,
  taskOf,
  Workplaces,
  Workspace
} from "@proofline/kernel"
import { Effect } from "effect"
import { type Claimed, makeLook } from "./look.ts"
import type { Rule } from "./range.ts"

/**
 * Looks at what a report cites. Says nothing when the attempt the work was meant for is over or was looked at before.
 */
export const makeEvidenceActivity = (
  rule: Rule
): Effect.Effect<Activity, never, Workplaces | Workspace | Digest | Syntax | Baseline> =>
  Effect.map(
    Effect.all({ look: makeLook(rule), workplaces: Workplaces, workspace: Workspace }),
    ({ look, workplaces, workspace }): Activity =>
      Effect.fnUntraced(function* ({ item, state }) {
        const task = item.task_id === null ? undefined : taskOf(state, item.task_id)
        const current = task?.current
        if (
          item.task_id === null ||
          task === undefined ||
          current == null ||
          current.facts !== null ||
          !isMeantFor(current.attempt, item.input)
        )
          return null
        const place = placeOf(state, task)
        const files =
          place === null
            ? workspace
            : yield* workplaces.open(place).pipe(
                Effect.map(({ directory }) => workspace.at(directory)),
                Effect.mapError(({ code, message }): ActivityFailure => ({ _tag: "ActivityFailure", code, message }))
              )
        const facts = yield* look(claimsOf(current.report?.checklist ?? []), state.base, files)
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
