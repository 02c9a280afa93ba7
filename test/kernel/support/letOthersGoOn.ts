import { Effect } from "effect"

/** Everybody else who can do something without the clock does it. */
export const letOthersGoOn = Effect.forEach(Array.from({ length: 200 }), () => Effect.yieldNow, { discard: true })
