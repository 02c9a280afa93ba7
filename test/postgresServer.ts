// One Postgres for all tests of a run, started when the first of them asks for it, stopped with the run.
import { chmodSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { Effect, Exit, Scope } from "effect"
// by its path: what is set up before the tests does not know the condition under which packages give their sources
import { present, start } from "../packages/plugins/src/adapters/private-postgres/layer.ts"
import { runDirectory } from "./runDirectory.ts"

/** Where tests ask; the variable reaches their workers. */
export const socketVariable = "PROOFLINE_TEST_POSTGRES"

/** Nothing is kept: a test that loses power is run again. */
const settings = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_connections: "300",
  log_min_messages: "fatal"
}

/** Answers `present` and `url`, each with one line of JSON. */
export default function setup(): (() => Promise<void>) | undefined {
  // each project asks for it
  if (process.env[socketVariable] !== undefined) return undefined
  const directory = runDirectory("postgres")
  // the server is another user when this process is root
  chmodSync(directory, 0o711)
  const scope = Effect.runSync(Scope.make())
  let url: Promise<string> | undefined
  const answers: Readonly<Record<string, () => Promise<unknown>>> = {
    present: () => Effect.runPromise(Effect.match(present, { onSuccess: () => null, onFailure: (why) => why.message })),
    url: () => {
      url ??= Effect.runPromise(
        Effect.map(Scope.provide(start({ directory, settings }), scope), (postgres) => postgres.url)
      )
      return url
    }
  }
  const broker = createServer((socket) => {
    socket.on("error", () => {})
    socket.once("data", (asked) => {
      const answer = answers[String(asked).trim()] ?? (() => Promise.reject(new Error("unknown")))
      answer().then(
        (value) => socket.end(`${JSON.stringify({ value })}\n`),
        (cause) => socket.end(`${JSON.stringify({ failed: String(cause) })}\n`)
      )
    })
  })
  const socket = join(directory, "ask.sock")
  broker.listen(socket)
  broker.unref()
  process.env[socketVariable] = socket
  return async () => {
    delete process.env[socketVariable]
    broker.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(directory, { recursive: true, force: true })
  }
}
