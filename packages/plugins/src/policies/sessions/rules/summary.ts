import type { Summarizer } from "@proofline/kernel"
import { PhaseEntered } from "./events.ts"

/** The phase a session run is in, as `phase` of its summary. */
export const sessionSummary: Summarizer = {
  types: [PhaseEntered.name],
  summarize: (_, after, { content, event_type }) =>
    event_type === PhaseEntered.name ? { ...after, phase: (content as { readonly phase: string }).phase } : after
}
