/** How many cases a property runs: all of them in `npm run test:full`, a tenth in `npm test`. */
export const often = (times: number): number =>
  process.env["PROOFLINE_TEST"] === "full" ? times : Math.ceil(times / 10)
