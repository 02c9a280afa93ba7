/*
 * Test fixture: a program that runs agents and a command through the layers until somebody kills it.
 * Its arguments: the directory to work in, the run's id, and how many turns of the event loop it lives ("-": for ever).
 */
import { setImmediate as nextTurn } from "node:timers/promises"
import { Agents } from "@proofline/kernel"
import { layer as attemptTokens } from "@proofline/plugins/adapters/attempt-tokens"
import { layer as commandAgent } from "@proofline/plugins/adapters/command-agent"
import { layer as nodeProcess } from "@proofline/plugins/adapters/node-process"
import { CommandRunner } from "@proofline/plugins/ports"
import { Effect, Layer } from "effect"

const [root = "", run_id = "", turns = "-"] = process.argv.slice(2)

const agent = (attempt: number) =>
  Effect.flatMap(Agents, (agents) =>
    agents.run(
      "family",
      {
        run_id,
        task_id: `task-${attempt}`,
        attempt,
        role: "work",
        prompt: "Work.",
        directory: null,
        timeout_ms: 600_000,
        idle_timeout_ms: null
      },
      { permission: () => Effect.succeed("deny") }
    )
  )

const command = Effect.flatMap(CommandRunner, (runner) =>
  runner.run({
    command: "cd command && exec ../family.sh",
    env: { PROOFLINE_RUN_ID: run_id },
    timeout_ms: 600_000
  })
)

Effect.runFork(
  Effect.all([agent(1), agent(2), command], { concurrency: "unbounded" }).pipe(
    Effect.provide(
      Layer.merge(
        commandAgent({
          root,
          stateDir: `${root}/state`,
          agents: { family: { command: 'cd "$PROOFLINE_TASK_ID" && exec ../family.sh' } }
        }).pipe(Layer.provide(attemptTokens({ stateDir: `${root}/state` }))),
        nodeProcess({ root })
      )
    )
  )
)

if (turns !== "-") {
  for (let turn = 0; turn < Number(turns); turn++) await nextTurn()
  process.kill(process.pid, "SIGKILL")
}
