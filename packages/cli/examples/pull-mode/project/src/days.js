const dayMs = 24 * 60 * 60 * 1000

/** Days from one date to another, e.g. 3 from 2026-05-01 to 2026-05-04. */
export function daysBetween(from, to) {
  return Math.round((Date.parse(to) - Date.parse(from)) / dayMs)
}

export function addDays(date, days) {
  return new Date(Date.parse(date) + days * dayMs).toISOString().slice(0, 10)
}

/** The library is closed on Sundays. */
export function isOpen(date) {
  return new Date(date).getUTCDay() !== 0
}
