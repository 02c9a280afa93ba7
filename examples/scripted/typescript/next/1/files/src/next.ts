import { type Departure, minutes } from "./parse.ts"

/** The first departure to a place at or after a time; null: there is none any more today. */
export function next(departures: ReadonlyArray<Departure>, to: string, time: string): Departure | null {
  const now = minutes(time)
  return departures.find((departure) => departure.to === to && departure.at >= now) ?? null
}

/** How long one waits for it, as `25 min` or `1 h 05 min`. */
export function wait(departure: Departure, time: string): string {
  const left = departure.at - minutes(time)
  const hours = Math.floor(left / 60)
  return hours === 0 ? `${left} min` : `${hours} h ${String(left % 60).padStart(2, "0")} min`
}
