import type { EventCandidate } from "@proofline/kernel"

/** So many events of a run, as whoever drives it would append them. */
export const facts = (count: number, from = 1): ReadonlyArray<EventCandidate> =>
  Array.from({ length: count }, (_, i) => ({
    event_type: i % 3 === 0 ? "FACT_SUMMARY" : "FACT",
    schema_version: 1,
    timestamp: "2026-01-02T03:04:05.678Z",
    visibility: i % 3 === 0 ? "summary" : "full",
    content: { n: from + i },
    command_id: `cmd_${crypto.randomUUID()}`,
    causation_id: null,
    correlation_id: "run"
  }))
