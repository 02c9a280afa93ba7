import { EventLog, noStackTrace, type Recorded } from "@proofline/kernel"
import { Clock, Effect, Layer, Metric } from "effect"

type Attributes = Readonly<Record<string, string>>

const seconds = { unit: "s" } as const

const counter = (name: string, description: string, attributes: Attributes = {}) =>
  Metric.counter(name, { description, attributes, incremental: true })

const events = counter("proofline.events", "Events that this process has appended.")
const conflicts = counter(
  "proofline.append.conflicts",
  "Appends that were decided again because somebody else had got ahead."
)
const appends = Metric.histogram("proofline.append.duration", {
  description: "From the decision until its events were durable.",
  attributes: seconds,
  boundaries: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
})
const attempts = Metric.histogram("proofline.attempt.duration", {
  description: "How long agents worked on attempts.",
  attributes: seconds,
  boundaries: [1, 5, 10, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200]
})
const items = counter(
  "proofline.items",
  "Checklist items that were judged, by verdict; refused ones by the key of their failure."
)
const judgments = counter("proofline.judgments", "Reviews by judgment.")
const verifications = counter(
  "proofline.verifications",
  "Attempts of which the user's commands were run, by whether all of them passed."
)
const runs = counter("proofline.runs.ended", "Runs that have ended, by status.")
const tokens = counter("gen_ai.client.token.usage", "Tokens that agents said they have used.", { unit: "{token}" })
const cost = counter("proofline.agent.cost", "What agents said they have cost, in US dollars.", { unit: "USD" })

type Update = Effect.Effect<void>

const add = (metric: Metric.Metric<number, unknown>, value: number, attributes: Attributes): Update =>
  Metric.update(Metric.withAttributes(metric, attributes), value)

const text = (value: unknown): string => (typeof value === "string" ? value : "unknown")
const number = (value: unknown): number => (typeof value === "number" ? value : 0)

type Content = Readonly<Record<string, unknown>>

/** What an event counts for, beside being one. Figures come from events alone, so they say what the log says. */
const countedFor: Readonly<Record<string, (content: Content) => ReadonlyArray<Update>>> = {
  ATTEMPT_ENDED: ({ agent, duration_ms, outcome }) => [
    add(attempts, number(duration_ms) / 1_000, { agent: text(agent), outcome: text(outcome) })
  ],
  CHECKLIST_ITEM_ACCEPTED: ({ verdict }) => [add(items, 1, { verdict: text(verdict) })],
  CHECKLIST_ITEM_REJECTED: ({ key }) => [add(items, 1, { verdict: "refused", reason: text(key) })],
  QUALITY_JUDGMENT: ({ judgment, reviewer }) => [
    add(judgments, 1, { judgment: text(judgment), reviewer: text(reviewer) })
  ],
  VERIFICATION_RUN: ({ passed }) => [add(verifications, 1, { passed: String(passed === true) })],
  AGENT_CALLED: ({ agent, role, usage }) => {
    const { cost_usd, input_tokens, output_tokens } = (usage ?? {}) as Content
    const by = { "gen_ai.agent.name": text(agent), role: text(role) }
    return [
      add(tokens, number(input_tokens), { ...by, "gen_ai.token.type": "input" }),
      add(tokens, number(output_tokens), { ...by, "gen_ai.token.type": "output" }),
      add(cost, number(cost_usd), by)
    ]
  },
  RUN_COMPLETED: () => [add(runs, 1, { status: "completed" })],
  RUN_INCOMPLETE: () => [add(runs, 1, { status: "incomplete" })],
  RUN_FAILED: () => [add(runs, 1, { status: "failed" })],
  RUN_CANCELLED: () => [add(runs, 1, { status: "cancelled" })]
}

const count = ({ content, event_type }: Recorded): Update =>
  Effect.all([add(events, 1, { type: event_type }), ...(countedFor[event_type]?.(content as Content) ?? [])], {
    discard: true
  })

/** A log of which every append is a span and a measurement, and counts what it has written. */
export const measuredLog: Layer.Layer<EventLog, never, EventLog> = Layer.effect(
  EventLog,
  Effect.map(EventLog, (log) => ({
    ...log,
    append: (stream, expectedVersion, candidates, options) =>
      Effect.flatMap(Clock.currentTimeNanos, (before) =>
        log.append(stream, expectedVersion, candidates, options).pipe(
          Effect.tap(({ events: appended, repeated }) =>
            Effect.flatMap(Clock.currentTimeNanos, (after) =>
              Effect.all(
                [Metric.update(appends, Number(after - before) / 1e9), ...(repeated ? [] : appended.map(count))],
                { discard: true }
              )
            )
          ),
          Effect.tapErrorTag("Conflict", () => Metric.update(conflicts, 1))
        )
      ).pipe(Effect.withSpan("EventLog.append", { attributes: { run: stream } }, noStackTrace))
  }))
)
