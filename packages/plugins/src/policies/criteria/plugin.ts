import {
  type Baseline,
  definePlugin,
  type Plugin,
  type Syntax,
  type Workplaces,
  type Workspace
} from "@proofline/kernel"
import { Effect } from "effect"
import { makeCriteria } from "./activities.ts"

/**
 * The built-in reviewer: no model, only what is on disk. It judges the lines that an attempt changed by five criteria;
 * a file in which nothing was changed is never spoken of.
 */
export const criteria: Effect.Effect<Plugin, never, Workspace | Workplaces | Syntax | Baseline> = Effect.map(
  makeCriteria,
  (activity) => definePlugin({ name: "criteria", version: "1", initial: null, activities: { criteria: activity } })
)
