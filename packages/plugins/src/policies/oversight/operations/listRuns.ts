import { Effect, Schema } from "effect"
import { accepted } from "../../../operations/answers.ts"
import { operation } from "../../../operations/Operation.ts"
import type { Asking } from "../context.ts"
import { runsBody } from "../overviews.ts"

const usualLimit = 10

export const listRuns = operation({
  name: "list_runs",
  level: "standard",
  subject: "project",
  title: "List runs",
  description: "The runs of this project, newest first: id, kind, name, status, and how far each is.",
  readOnly: true,
  idempotent: true,
  args: Schema.Struct({
    limit: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 50 })).annotate({
        description: "How many at most, from 1 to 50; 10 when left out."
      })
    )
  }),
  answer: Schema.Struct({ runs: Schema.Array(Schema.Unknown) }),
  run: ({ runs }: Asking, { limit = usualLimit }) => Effect.map(runs, (all) => accepted(runsBody(all, limit)))
})
