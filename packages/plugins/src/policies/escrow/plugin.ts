import { definePlugin, type Plugin, plugin, Run, Tasks, userCommandsBeside } from "@proofline/kernel"
import { checksOfRun, checksOfTask } from "./names.ts"

export * from "./contract.ts"

const Escrow = plugin("escrow", { state: null, after: [Run, Tasks] })

/** Agents of a session plan their tasks themselves: what is not about one of them is judged with the whole. */
const verifiesTheWhole = "session"

const named = Escrow.offer(userCommandsBeside, "commands", {
  commands: (state) => checksOfRun(state).map(({ command }) => command),
  // a part is judged with the whole
  ofTask: (state, { parent_task_id, spec }) =>
    state.run.kind === verifiesTheWhole || parent_task_id !== null ? [] : checksOfTask(state, spec.id)
})

/** Which checks there are that agents do not see, and what each of them decides about. */
export const escrow: Plugin = definePlugin(Escrow, { version: "1", parts: [named] })
