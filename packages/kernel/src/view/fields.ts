/** Fields that many views have. What is said of them here is told in the published schemas. */
import { Schema } from "effect"

export const Text = Schema.String
export const Texts = Schema.Array(Schema.String)
export const TextOrNull = Schema.NullOr(Schema.String)

/** Of how many there are. */
export const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** From 1. */
export const Ordinal = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

export const Time = Schema.String.annotate({
  identifier: "Time",
  description: "ISO 8601, UTC, milliseconds.",
  format: "date-time",
  examples: ["2026-01-01T10:00:00.000Z"]
})

/** A field with what is to be said of it, beside what its schema says by itself. */
export const described = <S extends Schema.Top>(description: string, schema: S): S["Rebuild"] =>
  schema.annotateKey({ description })
