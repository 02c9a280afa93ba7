import { pathOf } from "@proofline/plugins/adapters/command-agent"
import { type Look, lookIn } from "./testCommands.ts"

/** A project as it lies on this machine, with the programs that its commands would find. */
export const projectAt = (root: string): Look => lookIn(root, (program) => pathOf(program, root) !== null)
