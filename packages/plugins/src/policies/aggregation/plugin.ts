import { definePlugin, type Plugin, type Workplaces } from "@proofline/kernel"
import { Effect } from "effect"
import { makeAggregation, type Relocate } from "./activities.ts"

/** Puts the subtasks of a task together; `relocate` finds in the whole what they have cited. */
export const chunking = (relocate: Relocate): Effect.Effect<Plugin, never, Workplaces> =>
  Effect.map(makeAggregation(relocate), (aggregation) =>
    definePlugin({ name: "chunking", version: "1", initial: null, activities: { aggregation } })
  )
