import type { Response } from "effect/ai"

/** What is asked of a model. */
export interface Asked {
  readonly model: string
  readonly messages: ReadonlyArray<{ readonly role: "system" | "user" | "assistant"; readonly text: string }>
  /** Undefined: as many as the wire must name, or the provider takes. */
  readonly max_tokens: number | undefined
}

/** What an answer, or an event of its stream, says. */
export interface Piece {
  readonly text: string
  /** Why it has ended; null: it has not. */
  readonly ended: typeof Response.FinishReason.Type | null
  /** Null: it does not say. */
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  /** An error in the place of an answer; null: there is none. */
  readonly error: unknown
}

/** How a provider is asked, and what its answers mean. An answer may come whole, where a stream was asked for. */
export interface Wire {
  readonly path: string
  readonly headers: (key: string | null) => Readonly<Record<string, string>>
  readonly body: (asked: Asked) => Readonly<Record<string, unknown>>
  /** The same, without what this refusal says is not known there; null: it is about something else. */
  readonly amended: (
    body: Readonly<Record<string, unknown>>,
    refusal: string
  ) => Readonly<Record<string, unknown>> | null
  readonly read: (json: unknown) => Piece
  /** The last words of a stream. */
  readonly over: RegExp
  /** The HTTP status that an error of this type or code would have had; undefined: it says nothing of one. */
  readonly statusOf: Readonly<Record<string, number>>
}

export const silent: Piece = { text: "", ended: null, input_tokens: null, output_tokens: null, error: null }
