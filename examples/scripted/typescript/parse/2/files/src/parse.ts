/** A train: minutes since midnight, and where it goes. */
export interface Departure {
  readonly at: number
  readonly to: string
}

/** Minutes since midnight of a time such as `08:15`; a RangeError for what is none. */
export function minutes(time: string): number {
  const [, hour, minute] = /^(\d{2}):(\d{2})$/.exec(time) ?? []
  if (hour === undefined || Number(hour) > 23 || Number(minute) > 59) throw new RangeError(`${time} is no time`)
  return Number(hour) * 60 + Number(minute)
}

/** The departures of a timetable, a line each, `08:15 Kyoto`, in the order of their times. Blank lines are none. */
export function parse(text: string): ReadonlyArray<Departure> {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => ({ at: minutes(line.slice(0, 5)), to: line.slice(5).trim() }))
    .sort((one, other) => one.at - other.at)
}
