/*
 * Test fixture: a program that runs agents and a command through the layers until somebody kills it.
 * Its arguments: the directory to work in, the run's id, how many turns of the event loop it lives ("-": for ever), and by
 * whom programs are started ("itself", or "another" process).
 */
import { setImmediate as nextTurn } from "node:timers/promises"
import { Agents } from "@proofline/kernel"
import { layer as attemptTokens } from "@proofline/plugins/adapters/attempt-tokens"
import { layer as commandAgent } from "@proofline/plugins/adapters/command-agent"
import { layer as nodeProcess } from "@proofline/plugins/adapters/node-process"
import { CommandRunner } from "@proofline/plugins/ports"
import { Effect, Layer } from "effect"
import { openPipes } from "../../../packages/plugins/src/processes/pipes.ts"
import { beginStarter } from "../../../packages/plugins/src/processes/starter.ts"

const [root = "", run_id = "", turns = "-", by = "itself"] = process.argv.slice(2)

if (by === "another") {
  // nothing else keeps this process from ending before the other one is there
  const waiting = setInterval(() => {}, 1_000)
  await beginStarter()
  // so that there are pipes for what is started at once
  for (const { read } of (await openPipes(1)) ?? []) read.destroy()
  clearInterval(waiting)
}

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
