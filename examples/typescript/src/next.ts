import { type Departure, minutes } from "./parse.ts"

/** The first departure to a place at or after a time; null: there is none any more today. */
export function next(departures: ReadonlyArray<Departure>, to: string, time: string): Departure | null {
  throw new Error("not implemented")
}

/** How long one waits for it, as `25 min` or `1 h 05 min`. */
export function wait(departure: Departure, time: string): string {
  throw new Error("not implemented")
}
