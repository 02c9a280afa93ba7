import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { type AgentRequest, Agents, type AskingBack } from "@proofline/kernel"
import { layer as tokens } from "@proofline/plugins/adapters/attempt-tokens"
import { type AgentSpec, type CommandAgentOptions, layer } from "@proofline/plugins/adapters/command-agent"
import { Effect, Layer } from "effect"
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

/** One of this process alone: what an agent leaves behind is killed by its run, also what another test has started. */
export const runId = `run-${process.pid}`

export const request = (more: Partial<AgentRequest> = {}): AgentRequest => ({
  run_id: runId,
  task_id: "task-1",
  attempt: 1,
  role: "work",
  prompt: "Do it.\n",
  directory: null,
  timeout_ms: 600_000,
  idle_timeout_ms: null,
  ...more
})

/** The agents of a project, which are given tokens of its state. */
export const agentsOf = (options: CommandAgentOptions) =>
  Layer.provide(layer(options), tokens({ stateDir: options.stateDir }))

/** There is nobody who could be asked. */
export const nobody: AskingBack = { permission: () => Effect.die("a person is asked") }

/** Runs the agent "a". */
export const ask = (
  at: Project,
  spec: AgentSpec,
  more: Partial<AgentRequest> = {},
  mcp: CommandAgentOptions["mcp"] = null,
  back: AskingBack = nobody
) =>
  Effect.flatMap(Agents, (agents) => agents.run("a", request(more), back)).pipe(
    Effect.provide(agentsOf({ ...at, agents: { a: spec }, grace_ms: 50, mcp }))
  )
