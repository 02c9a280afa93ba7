import { Context, type Effect, Schema } from "effect"

/** A file that could not be written. */
export class OutputRefused extends Schema.TaggedError<OutputRefused>()("OutputRefused", {
  path: Schema.String,
  message: Schema.String
}) {}

/**
 * Writes files that Proofline makes for people. `write` takes a path relative to the project, or an absolute one, makes
 * the directories above it, and writes the file whole or not at all. Another file that is there under the name is kept
 * beside it: the answer names where; null: there was none, or it was the same.
 */
export class OutputFiles extends Context.Service<
  OutputFiles,
  { readonly write: (path: string, text: string) => Effect.Effect<string | null, OutputRefused> }
>()("@proofline/plugins/port/OutputFiles") {}
