import { Chunking, plugin, Run, Tasks } from "@proofline/kernel"

export const Execution = plugin("execution", { state: null, after: [Run, Tasks, Chunking] })
