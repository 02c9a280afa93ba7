const isFull = process.env["PROOFLINE_TEST"] === "full"

/** How many cases a property runs: all of them in `npm run test:full`, a tenth in `npm test`. */
export const often = (times: number): number => (isFull ? times : Math.ceil(times / 10))

/** Days since 1970. `PROOFLINE_TEST_DAY` names another one, to see again what it tried. */
const today = Number(process.env["PROOFLINE_TEST_DAY"] ?? Math.floor(Date.now() / 86_400_000))

/**
 * All of these in `npm run test:full`; in `npm test` every so-many-th, those whose day it is: after so many days each was
 * there. `from` lets others begin elsewhere on the same day.
 */
export const daily = <A>(all: ReadonlyArray<A>, parts: number, from = 0): ReadonlyArray<A> => {
  const turns = Math.min(parts, all.length)
  return isFull ? all : all.filter((_, at) => at % turns === (today + from) % turns)
}

/** Whether it is tried now: always in `npm run test:full`; in `npm test` on its day, one day of so many. */
export const hasTurn = (day: number, days: number): boolean => isFull || today % days === day

/** All of these in `npm run test:full`; in `npm test` the one whose turn it is. */
export const inTurn = <A>(all: ReadonlyArray<A>, turn: number): ReadonlyArray<A> =>
  isFull ? all : all.filter((_, at) => at === turn % all.length)
