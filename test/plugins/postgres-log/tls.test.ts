import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, chownSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { WorkQueue } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as postgresLog } from "@proofline/plugins/adapters/postgres-log"
import { start } from "@proofline/plugins/adapters/private-postgres"
import { Effect, Layer, Schedule, Stream } from "effect"
import { serverAccount } from "../../../packages/plugins/src/adapters/private-postgres/account.ts"
import { live } from "../../effects.ts"
import { describePostgres, freshDatabase, serverDirectory } from "../../postgres.ts"
import { execute } from "./support.ts"

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0
if (!hasOpenssl) process.stderr.write("SKIPPED, since these tests need the program openssl: PostgreSQL over TLS.\n")

/** A certificate for `localhost` that signs itself, with its key. */
const certificate = (directory: string, name: string) => {
  const [cert, key] = [join(directory, `${name}.crt`), join(directory, `${name}.key`)]
  const made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
  const of = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", cert]
  execFileSync("openssl", [...made, ...of], { stdio: "pipe" })
  return { cert, key }
}

const on = (url: string) => Layer.fresh(postgresLog({ url })).pipe(Layer.provide(nodeDigest))

const describeTls = hasOpenssl ? describePostgres : describe.skip

describeTls("given a PostgreSQL with a certificate for its name", () => {
  live(
    "connections hold to what the URL says of it, and what does not hold is refused without a word of who logs in",
    function* () {
      const directory = yield* serverDirectory
      const [own, other] = [certificate(directory, "own"), certificate(directory, "other")]
      const { other: account } = serverAccount()
      if (account !== null) for (const file of [own.cert, own.key]) chownSync(file, account.uid, account.gid)
      chmodSync(own.key, 0o600)
      const settings = { ssl: "on", ssl_cert_file: own.cert, ssl_key_file: own.key, fsync: "off" }
      const postgres = yield* start({ directory, settings })
      const plain = yield* freshDatabase
      const { password } = new URL(postgres.url)
      const at = (host: string, words: string) => {
        const url = new URL(postgres.url)
        url.hostname = host
        return `${url.href}?${words}`
      }
      const works = [
        at("localhost", `sslmode=verify-full&sslrootcert=${own.cert}`),
        at("localhost", `sslmode=require&sslrootcert=${own.cert}`),
        at("127.0.0.1", "sslmode=no-verify")
      ]
      for (const url of works) {
        yield* Effect.gen(function* () {
          const queue = yield* WorkQueue
          // with pg-boss, which connects by itself
          yield* Effect.forkChild(Stream.runDrain(queue.take(1, [])))
          const ours = Effect.promise(() =>
            execute(
              postgres.url,
              "select a.application_name as name, ssl from pg_stat_ssl join pg_stat_activity a using (pid) where a.application_name like 'proofline%'"
            )
          )
          yield* Effect.repeat(ours, {
            schedule: Schedule.spaced("20 millis"),
            until: (rows) => rows.some(({ name }) => name === "proofline-queue")
          })
          for (const { name, ssl } of yield* ours) assert.isTrue(ssl, `${name} by ${url}`)
        }).pipe(Effect.provide(on(url)), Effect.scoped)
      }
      const refused: ReadonlyArray<readonly [url: string, said: RegExp]> = [
        [at("localhost", `sslmode=verify-full&sslrootcert=${other.cert}`), /self-signed certificate|unable to verify/],
        [at("127.0.0.1", `sslmode=verify-full&sslrootcert=${own.cert}`), /does not match certificate/],
        [at("localhost", "sslmode=verify-full"), /self-signed certificate/],
        [at("localhost", "sslmode=require"), /self-signed certificate/],
        [at("localhost", `sslmode=verify-full&sslrootcert=${directory}/none.crt`), /none\.crt/],
        [`${plain}?sslmode=verify-full`, /does not support SSL/]
      ]
      for (const [url, said] of refused) {
        const failure = yield* Effect.flip(Effect.scoped(Layer.build(on(url))))
        assert.strictEqual(failure.code, "log_failed", url)
        assert.match(failure.message, said, url)
        assert.notInclude(failure.message + failure.hint, password)
      }
    }
  )
})
