import { Schema } from "effect"

/** Who drives a run: enough to find the process again and to tell whether it still lives. */
export const Driver = Schema.Struct({ pid: Schema.Int, host: Schema.String, since: Schema.String })
export type Driver = typeof Driver.Type
