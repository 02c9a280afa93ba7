/** `npm run test:full` draws as often as it says; `npm test` a fifth of that, to be quick. */
const isFull = process.env["PROOFLINE_TEST"] === "full"

export const often = (times: number): number => (isFull ? times : Math.ceil(times / 5))

/** For what takes long: `npm test` draws a tenth. */
export const seldom = (times: number): number => (isFull ? times : Math.ceil(times / 10))
