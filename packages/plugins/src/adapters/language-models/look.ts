import type { AgentRole } from "@proofline/kernel"
import { Effect } from "effect"
import { type KeyPlace, keyOf } from "./key.ts"
import { drivenBy, type ModelSpec, modelRoles } from "./spec.ts"

/** A model as it is found from this machine. Nothing was asked of it. */
export interface ModelFound {
  readonly name: string
  readonly kind: "model"
  readonly driven_by: string
  readonly path: null
  readonly version: null
  readonly supports: ReadonlyArray<"steps" | "tokens">
  readonly roles: ReadonlyArray<AgentRole>
  /** Why it cannot be used; null: nothing is known to be wrong. */
  readonly problem: string | null
}

/** What can be had of a model beside its answer. */
export const modelSupports = ["steps", "tokens"] as const

export const lookAt = (name: string, spec: ModelSpec, place: KeyPlace): Effect.Effect<ModelFound> =>
  Effect.map(
    Effect.match(keyOf(name, spec, place), { onFailure: ({ message }) => message, onSuccess: () => null }),
    (problem) => ({
      name,
      kind: "model",
      driven_by: drivenBy(spec),
      path: null,
      version: null,
      supports: modelSupports,
      roles: modelRoles,
      problem
    })
  )
