import { Chunking, definePlugin, type Plugin, plugin, Run, Tasks } from "@proofline/kernel"
import { Effect } from "effect"
import type { Workspaces } from "../../port/index.ts"
import { makeAggregation, type Relocate } from "./activities.ts"

const Aggregation = plugin("aggregation", { state: null, after: [Run, Tasks, Chunking] })

/** Puts the subtasks of a task together; `relocate` finds in the whole what they have cited. */
export const aggregation = (relocate: Relocate): Effect.Effect<Plugin, never, Workspaces> =>
  Effect.map(makeAggregation(relocate), (activity) =>
    definePlugin(Aggregation, { version: "2", parts: [Aggregation.activity("aggregation", activity)] })
  )
