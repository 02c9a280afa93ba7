import { definePlugin, type Plugin, plugin, type Rejection, Run, type Source, Tasks } from "@proofline/kernel"

type Guarded<Args> = Source<"run" | "tasks", Args> & Parameters<typeof Guard.guard>[0]
const Guard = plugin("guarding", { state: null, after: [Run, Tasks] })

/** A plugin that refuses every command of one type. */
export const refusing = <Args>(command: Guarded<Args>, rejection: Rejection): Plugin =>
  definePlugin(Guard, { version: "1", parts: [Guard.guard(command, () => rejection)] })
