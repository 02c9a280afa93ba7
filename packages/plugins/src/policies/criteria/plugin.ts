import { Chunking, definePlugin, type Plugin, plugin, Run, Tasks } from "@proofline/kernel"
import { Effect } from "effect"
import type { Baseline, ProjectFiles, Syntax, Workspaces } from "../../port/index.ts"
import { makeCriteria } from "./activities.ts"

const Criteria = plugin("criteria", { state: null, after: [Run, Tasks, Chunking] })

/**
 * The built-in reviewer: no model, only what is on disk. It judges the lines that an attempt changed by five criteria;
 * a file in which nothing was changed is never spoken of.
 */
export const criteria: Effect.Effect<Plugin, never, ProjectFiles | Workspaces | Syntax | Baseline> = Effect.map(
  makeCriteria,
  (activity) => definePlugin(Criteria, { version: "1", parts: [Criteria.activity("criteria", activity)] })
)
