import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { type AgentRequest, Agents } from "@proofline/kernel"
import { type AgentSpec, layer } from "@proofline/plugins/adapters/command-agent"
import { Effect } from "effect"
import { directory } from "../node-process/support.ts"

export interface Project {
  readonly root: string
  readonly stateDir: string
}

export const project = (): Project => {
  const root = directory()
  const stateDir = join(root, ".proofline", "state")
  mkdirSync(stateDir, { recursive: true })
  return { root, stateDir }
}

export const request = (more: Partial<AgentRequest> = {}): AgentRequest => ({
  run_id: "run-1",
  task_id: "task-1",
  attempt: 1,
  role: "work",
  prompt: "Do it.\n",
  directory: null,
  timeout_ms: 600_000,
  idle_timeout_ms: null,
  ...more
})

/** Runs the agent "a". */
export const ask = (at: Project, spec: AgentSpec, more: Partial<AgentRequest> = {}) =>
  Effect.flatMap(Agents, (agents) => agents.run("a", request(more))).pipe(
    Effect.provide(layer({ ...at, agents: { a: spec }, grace_ms: 50 }))
  )
