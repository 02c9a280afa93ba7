import { addDays } from "./dates.js"

/** The entries that do not keep for so many days from today, what is over already included, the most urgent first. */
export function expiring(stock, today, days) {
  const last = addDays(today, days)
  return stock
    .filter(({ bestBefore }) => bestBefore !== null && bestBefore <= last)
    .sort((one, other) => one.bestBefore.localeCompare(other.bestBefore))
}
