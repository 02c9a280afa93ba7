/** A moment as it is written in a flag or a query, as ISO 8601 in UTC with ms; undefined: it is none. */
export const momentOf = (text: string): string | undefined => {
  const time = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{3})?)?Z)?$/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

/** How a moment is to be written. */
export const momentHint = "Write it as 2026-01-31, or with a time as 2026-01-31T12:00:00Z."
