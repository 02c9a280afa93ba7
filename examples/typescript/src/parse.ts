/** A train: minutes since midnight, and where it goes. */
export interface Departure {
  readonly at: number
  readonly to: string
}

/** Minutes since midnight of a time such as `08:15`; a RangeError for what is none. */
export function minutes(time: string): number {
  throw new Error("not implemented")
}

/** The departures of a timetable, a line each, `08:15 Kyoto`, in the order of their times. Blank lines are none. */
export function parse(text: string): ReadonlyArray<Departure> {
  throw new Error("not implemented")
}
