/** What is in sight on the time axis, ms since the epoch; `end` is after `begin`. */
export interface Span {
  readonly begin: number
  readonly end: number
}

/** Nothing is drawn larger: some ms fill the width. */
const shortest = 20

/** The span made larger or smaller around a place in it (0: its begin, 1: its end), within the whole. */
export const zoomed = (span: Span, factor: number, at: number, whole: Span): Span => {
  const length = Math.min(whole.end - whole.begin, Math.max(shortest, (span.end - span.begin) * factor))
  return within(span.begin + (span.end - span.begin - length) * at, length, whole)
}

/** The span moved by a part of its length, within the whole. */
export const moved = (span: Span, by: number, whole: Span): Span => {
  const length = span.end - span.begin
  return within(span.begin + length * by, length, whole)
}

const within = (begin: number, length: number, whole: Span): Span => {
  const first = Math.max(whole.begin, Math.min(begin, whole.end - length))
  return { begin: first, end: first + length }
}

const steps = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000,
  900_000, 1_800_000, 3_600_000, 7_200_000, 10_800_000, 21_600_000, 43_200_000, 86_400_000
]

/** Times to be written on the axis, at most `most`, and how far they are apart. Those of days begin at midnight, UTC. */
export const ticksOf = (
  { begin, end }: Span,
  most: number
): { readonly step: number; readonly ticks: ReadonlyArray<number> } => {
  const least = (end - begin) / Math.max(1, most)
  const day = 86_400_000
  const step = steps.find((one) => one >= least) ?? Math.ceil(least / day) * day
  const ticks: Array<number> = []
  for (let at = Math.ceil(begin / step) * step; at <= end; at += step) ticks.push(at)
  return { step, ticks }
}

/** A time on an axis whose times are `step` ms apart. */
export const tickText = (at: number, step: number): string => {
  const date = new Date(at)
  if (step >= 86_400_000) return date.toLocaleDateString(undefined, { month: "short", day: "numeric" })
  const two = { hour: "2-digit", minute: "2-digit" } as const
  if (step >= 60_000) return date.toLocaleTimeString(undefined, { ...two, hourCycle: "h23" })
  const text = date.toLocaleTimeString(undefined, { ...two, second: "2-digit", hourCycle: "h23" })
  return step >= 1_000 ? text : `${text}.${String(date.getMilliseconds()).padStart(3, "0")}`
}

/** How long an attempt has to be to have a bar of its own, ms: some 6 to 12 pixels. Nearly the same span has the same. */
export const grainOf = ({ begin, end }: Span, width: number): number =>
  2 ** Math.floor(Math.log2(Math.max(1, ((end - begin) / Math.max(1, width)) * 12)))

/** A whole that ends a little after `end`, and does not grow with every second. */
export const roomy = ({ begin, end }: Span): Span => {
  const step = 2 ** Math.floor(Math.log2(Math.max(1, (end - begin) / 32)))
  return { begin, end: begin + Math.ceil((end - begin) / step + 0.5) * step }
}
