import type { Plugin } from "@proofline/kernel"
import { Effect } from "effect"
import type { ProjectFiles } from "../../port/index.ts"
import { defineGenerator } from "../requirements/contract.ts"
import { makeGenerate, type ParsePlan } from "./activities.ts"

export type { ParsePlan } from "./activities.ts"

/** Takes the tasks of each iteration from a file that was written before; no agent is asked. */
export const generatorFiles = (parse: ParsePlan): Effect.Effect<Plugin, never, ProjectFiles> =>
  Effect.map(makeGenerate(parse), (generate) => defineGenerator("files", "1", generate))
