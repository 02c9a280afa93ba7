import { type Answer, argumentsSchema, operations } from "@proofline/plugins/operations"
import { Effect, Schema } from "effect"

/** Dies when an operation was carried out and its answer lacks what the operation declares of it. */
export const fitsDeclared =
  (name: string) =>
  ({ body, ok }: Answer): Effect.Effect<void> =>
    Effect.sync(() => {
      const declared = operations.find((one) => one.name === name)
      if (ok && declared !== undefined) Schema.decodeUnknownSync(declared.answer)(body)
    })

/** Of some arguments those that the operation takes. */
export const taken = (name: string, given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const declared = operations.find((one) => one.name === name)
  const known: unknown = declared === undefined ? null : argumentsSchema(declared)["properties"]
  return Object.fromEntries(Object.entries(given).filter(([key]) => Object.hasOwn(Object(known), key)))
}
