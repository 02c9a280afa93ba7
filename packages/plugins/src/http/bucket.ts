/** How often something may be done: `burst` times at once, and `perSecond` times on the whole. */
export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** What is left of a burst, as it was at `at` (ms). */
export interface Bucket {
  readonly left: number
  readonly at: number
}

/** What is left `now` (ms); a clock that was set back gives nothing and takes nothing. */
export const refilled = ({ burst, perSecond }: Rate, bucket: Bucket | undefined, now: number): Bucket =>
  bucket === undefined
    ? { left: burst, at: now }
    : { left: Math.min(burst, bucket.left + (Math.max(0, now - bucket.at) / 1000) * perSecond), at: now }

/** Tolerance for floating-point sums: a client that waited as long as it was told is let in. */
const rounding = 1e-9

/** The bucket after one more; `waitMs` is 0 when it may be done now, else the time until then. */
export const taken = (
  rate: Rate,
  before: Bucket | undefined,
  now: number
): { readonly bucket: Bucket; readonly waitMs: number } => {
  const { at, left } = refilled(rate, before, now)
  return left >= 1 - rounding
    ? { bucket: { left: Math.max(0, left - 1), at }, waitMs: 0 }
    : { bucket: { left, at }, waitMs: Math.ceil(((1 - left) / rate.perSecond) * 1000) }
}
