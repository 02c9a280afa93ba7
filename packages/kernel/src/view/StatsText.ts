/** Figures as people read them, the same on the terminal and on the page. */
import type { StatsTotal } from "./StatsShapes.ts"

const percent = (rate: number | null): string => (rate === null ? "-" : `${Math.round(rate * 100)} %`)

const ofAll = (part: number, whole: number, rate: number | null): string =>
  rate === null ? "-" : `${part}/${whole} (${percent(rate)})`

/** Something of it is not known: it is at least so much. */
const atLeast = (unknown: number, text: string): string => (unknown === 0 ? text : `≥ ${text}`)

const known = (figure: number | null, unknown: number, text: (figure: number) => string): string =>
  figure === null ? "unknown" : atLeast(unknown, text(figure))

const whole = (figure: number): string => Math.round(figure).toLocaleString("en")

const dollars = (amount: number): string => `$${amount.toFixed(amount !== 0 && amount < 1 ? 4 : 2)}`

/** `340 ms`, `5.2 s`, `12 m 3 s`, `2 h 5 m`. */
const time = (ms: number): string => {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  const s = Math.round(ms / 1_000)
  return s < 3_600
    ? `${Math.floor(s / 60)} m ${s % 60} s`
    : `${Math.floor(s / 3_600)} h ${Math.floor((s % 3_600) / 60)} m`
}

const timed = (ms: number | null, { attempts, duration_unknown }: StatsTotal): string =>
  ms === null ? "-" : known(duration_unknown < attempts ? ms : null, duration_unknown, time)

const tokensOf = ({ input_tokens, output_tokens }: StatsTotal): number | null =>
  input_tokens === null || output_tokens === null ? null : input_tokens + output_tokens

interface Column {
  readonly name: string
  readonly text: (figures: StatsTotal) => string
}

const perItem = (proven: number, text: () => string): string => (proven === 0 ? "-" : text())

export const statsColumns: ReadonlyArray<Column> = [
  { name: "accepted", text: (one) => ofAll(one.accepted, one.claimed, one.acceptance_rate) },
  { name: "refused", text: ({ refused }) => whole(refused) },
  { name: "omitted", text: (one) => ofAll(one.omitted, one.asked, one.omission_rate) },
  { name: "attempts", text: ({ attempts }) => whole(attempts) },
  { name: "retries", text: ({ retries }) => whole(retries) },
  { name: "proven", text: ({ items, items_proven }) => `${items_proven}/${items}` },
  { name: "time", text: (one) => (one.attempts === 0 ? "-" : timed(one.duration_ms, one)) },
  { name: "time/item", text: (one) => perItem(one.items_proven, () => timed(one.per_proven_item.duration_ms, one)) },
  { name: "tokens", text: (one) => (one.calls === 0 ? "-" : known(tokensOf(one), one.tokens_unknown, whole)) },
  {
    name: "tokens/item",
    text: (one) => perItem(one.items_proven, () => known(one.per_proven_item.tokens, one.tokens_unknown, whole))
  },
  { name: "cost", text: (one) => (one.calls === 0 ? "-" : known(one.cost_usd, one.cost_unknown, dollars)) },
  {
    name: "cost/item",
    text: (one) => perItem(one.items_proven, () => known(one.per_proven_item.cost_usd, one.cost_unknown, dollars))
  }
]

/** A text for each column. */
export const statsCellTexts = (figures: StatsTotal): ReadonlyArray<string> =>
  statsColumns.map(({ text }) => text(figures))
