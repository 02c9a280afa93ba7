import { asksEnglish, markerInEnglish, readEnglish } from "./english.ts"
import { asksJapanese, readJapanese } from "./japanese.ts"
import { opened } from "./japanese-words.ts"
import type { Grade, Marker, Sentence } from "./shapes.ts"
import { isJapanese, type Span } from "./text.ts"

/** The prompt, and the same with everything that means itself made unreadable. */
export interface Source {
  readonly text: string
  readonly masked: string
}

/** The requests of a sentence. One that is longer than any person writes is read as a statement. */
export const read = ({ masked, text }: Source, span: Span): Sentence => {
  if (isJapanese(text.slice(span.start, Math.min(span.end, span.start + 2_000))))
    return readJapanese(text, masked, span)
  return span.end - span.start > 20_000
    ? { own: span, kind: "statement", clauses: [] }
    : readEnglish(text, masked, span)
}

/** What the words of a point or a line ask for by themselves; null: nothing. */
export const asks = ({ masked, text }: Source, span: Span): Grade | "limit" | null =>
  isJapanese(text.slice(span.start, Math.min(span.end, span.start + 400)))
    ? asksJapanese(masked, span)
    : asksEnglish(masked, span)

/** The order word at the beginning of a point. */
export const markerOf = ({ masked, text }: Source, span: Span): Marker | null =>
  isJapanese(text.slice(span.start, Math.min(span.end, span.start + 400)))
    ? opened(masked.slice(span.start, Math.min(span.end, span.start + 80))).marker
    : markerInEnglish(masked, span)
