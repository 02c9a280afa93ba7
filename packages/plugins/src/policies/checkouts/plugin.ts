import { definePlugin, type Plugin } from "@proofline/kernel"
import { Checkouts, RecordTree, TreeRecorded } from "./tree.ts"

export * from "./contract.ts"

/** On which commit a run stands whose work is done in checkouts on several machines. */
export const checkouts: Plugin = definePlugin(Checkouts, {
  version: "1",
  events: [TreeRecorded],
  commands: [RecordTree]
})
