const isFull = process.env["PROOFLINE_TEST"] === "full"

/** How many cases a property runs: all of them in `npm run test:full`, a tenth in `npm test`. */
export const often = (times: number): number => (isFull ? times : Math.ceil(times / 10))

/** All of these in `npm run test:full`; in `npm test` the one whose turn it is. */
export const inTurn = <A>(all: ReadonlyArray<A>, turn: number): ReadonlyArray<A> =>
  isFull ? all : all.filter((_, at) => at === turn % all.length)
