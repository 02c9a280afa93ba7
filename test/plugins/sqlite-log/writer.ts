/**
 * A process that appends: `writer.ts FILE NAME ROUNDS`. Says `ready`, waits for a line, then appends ROUNDS times to
 * the stream that all share and to one of its own, and says `ack STREAM VERSION COMMAND` for each, `conflicts N` last.
 * It believes that nobody else writes to the shared stream until it is told otherwise.
 */
import { writeSync } from "node:fs"
import { EventLog } from "@proofline/kernel"
import { Effect } from "effect"
import { fact, logAt } from "./shared.ts"

const [file = "", name = "", rounds = "0"] = process.argv.slice(2)

// synchronous, so that what was said was said before anything that happens to us next
const say = (line: string) => Effect.sync(() => writeSync(1, `${line}\n`))

const go = Effect.callback<void>((resume) => {
  process.stdin.once("data", () => {
    process.stdin.destroy()
    resume(Effect.void)
  })
})

const main = Effect.gen(function* () {
  const log = yield* EventLog
  let conflicts = 0
  const versions = new Map<string, number>()
  const append = (stream: string, command: string): Effect.Effect<unknown, unknown> =>
    log.append(stream, versions.get(stream) ?? 0, [fact(command), fact(command)]).pipe(
      Effect.flatMap(({ events }) => {
        const version = events.at(-1)?.version ?? 0
        versions.set(stream, version)
        return say(`ack ${stream} ${version} ${command}`)
      }),
      Effect.catchTag("Conflict", ({ actual }) => {
        conflicts++
        versions.set(stream, actual)
        return append(stream, command)
      })
    )
  yield* say("ready")
  yield* go
  for (let i = 0; i < Number(rounds); i++) {
    yield* append("run_shared", `cmd_${name}_shared_${i}`)
    yield* append(`run_${name}`, `cmd_${name}_own_${i}`)
  }
  yield* say(`conflicts ${conflicts}`)
})

await Effect.runPromise(main.pipe(Effect.provide(logAt(file))))
