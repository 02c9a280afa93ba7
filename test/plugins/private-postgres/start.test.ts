import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { assert } from "@effect/vitest"
import { start } from "@proofline/plugins/adapters/private-postgres"
import { Effect } from "effect"
import pg from "pg"
import { live } from "../../effects.ts"
import { describePostgres, serverDirectory } from "../../postgres.ts"
import { isAlive, until } from "../repositories.ts"

const settings = { fsync: "off" }

const query = (url: string, sql: string) =>
  Effect.promise(async () => {
    const client = new pg.Client({ connectionString: url })
    client.on("error", () => {})
    try {
      await client.connect()
      return (await client.query(sql)).rows
    } catch (cause) {
      return String(cause)
    } finally {
      await client.end()
    }
  })

/** A process that has started a server there, and the server's number. */
const another = (directory: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const starter = fileURLToPath(new URL("starter.ts", import.meta.url))
      const child = spawn(process.execPath, ["--conditions=@proofline/source", starter, directory], {
        stdio: ["ignore", "pipe", "inherit"]
      })
      const [line] = await once(createInterface({ input: child.stdout }), "line")
      return { child, pid: Number(JSON.parse(line).pid) }
    }),
    ({ child }) => killed(child)
  )

const killed = (child: ChildProcess) =>
  Effect.promise(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill("SIGKILL")
    await once(child, "exit")
  })

/** Who is in the group of the server beside it. */
const keepersOf = (server: number): ReadonlyArray<number> => {
  const all = execFileSync("ps", ["-e", "-o", "pid=,pgid="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
  const group = all.find(([pid]) => pid === server)?.[1]
  return all.flatMap(([pid = 0, its]) => (its === group && pid !== server ? [pid] : []))
}

describePostgres("a private Postgres", () => {
  live("keeps its data and its port, lets nobody in without the password, and ends with its scope", function* () {
    const at = yield* serverDirectory
    const first = yield* Effect.scoped(
      Effect.gen(function* () {
        const postgres = yield* start({ directory: at, settings })
        yield* query(postgres.url, "create table kept (a int)")
        const stranger = new URL(postgres.url)
        stranger.password = "guessed"
        assert.match(`${yield* query(stranger.href, "select 1")}`, /password authentication failed/)
        const [listening] = (yield* query(postgres.url, "show listen_addresses")) as Array<unknown>
        assert.deepStrictEqual(listening, { listen_addresses: "127.0.0.1" })
        const [sockets] = (yield* query(postgres.url, "show unix_socket_directories")) as Array<unknown>
        assert.deepStrictEqual(sockets, { unix_socket_directories: "" })
        return postgres
      })
    )
    assert.isFalse(isAlive(first.pid))
    const password = join(first.home, "password")
    assert.strictEqual(statSync(password).mode & 0o777, 0o600)
    assert.include(first.url, readFileSync(password, "utf8").trim())
    assert.strictEqual(statSync(join(first.home, "data")).mode & 0o777, 0o700)

    const second = yield* start({ directory: at, settings })
    assert.strictEqual(second.url, first.url)
    assert.deepStrictEqual(yield* query(second.url, "select count(*)::int as rows from kept"), [{ rows: 0 }])
  })

  live("is refused to a second process, which is told who has it", function* () {
    const at = yield* serverDirectory
    const { child } = yield* another(at)
    const refused = yield* Effect.flip(start({ directory: at, settings }))
    assert.strictEqual(refused.code, "postgres_in_use")
    assert.include(refused.message, `Process ${child.pid} `)
  })

  live("ends when the process that started it is killed", function* () {
    const { child, pid } = yield* another(yield* serverDirectory)
    assert.isTrue(isAlive(pid))
    yield* killed(child)
    yield* until(() => !isAlive(pid))
  })

  live("that nobody could end is ended by the next start", function* () {
    const at = yield* serverDirectory
    const { child, pid } = yield* another(at)
    // stopped first: one that sees the other die would end the server
    for (const signal of ["SIGSTOP", "SIGKILL"] as const)
      for (const keeper of keepersOf(pid)) process.kill(keeper, signal)
    yield* killed(child)
    assert.isTrue(isAlive(pid))
    const next = yield* start({ directory: at, settings })
    assert.isFalse(isAlive(pid))
    assert.deepStrictEqual(yield* query(next.url, "select 1 as one"), [{ one: 1 }])
  })
})
