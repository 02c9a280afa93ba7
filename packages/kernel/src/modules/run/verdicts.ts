// Without a schema: `status` counts verdicts and does not wait for Effect to load.

/** What an item, a task or a run may come to. */
export const verdicts = ["proven", "reviewed", "weak", "waived", "unproven", "refuted", "stale"] as const
export type Verdict = (typeof verdicts)[number]

/** One value for each verdict. */
export const perVerdict = <A>(of: (verdict: Verdict) => A): Readonly<Record<Verdict, A>> =>
  Object.fromEntries(verdicts.map((verdict) => [verdict, of(verdict)])) as Record<Verdict, A>

/** Something stands behind it; what is waived was left out. */
export const isShown = (verdict: Verdict): boolean =>
  verdict === "proven" || verdict === "reviewed" || verdict === "weak"

/** It counts as done. */
export const isClosed = (verdict: Verdict): boolean => isShown(verdict) || verdict === "waived"
