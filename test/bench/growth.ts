import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as postgresLog } from "@proofline/plugins/adapters/postgres-log"
import { present, start } from "@proofline/plugins/adapters/private-postgres"
import { Effect, Layer } from "effect"
import pg from "pg"
import { begin } from "../plugins/repositories.ts"
import { appending, draining, type Pace } from "./postgres.ts"

export const runs = 1_000
/** Settled items of the large log, and jobs of those that were done last, which pg-boss has not deleted yet. */
export const settled = 100_000
const jobs = 10_000
const rounds = 5
const tries = 1_000

export const commands = ["status", "history", "show RUN", "resume RUN", "GET /api/v1/runs"] as const

export interface GrowthFigures {
  readonly events: number
  readonly bytes: number
  readonly fillMs: number
  /** ms of each of `commands`, best of five, with one run and with all. */
  readonly took: ReadonlyArray<readonly [one: number, many: number]>
  readonly appended: readonly [one: Pace, many: Pace]
  /** Items claimed, reported and settled a second. */
  readonly drained: readonly [one: number, many: number]
}

const launcher = fileURLToPath(new URL("../../packages/cli/bin/proofline.cjs", import.meta.url))

const files = {
  "tasks.yaml": "tasks: [{ id: a, name: A, instruction: A, checks: [test -s a.txt], checklist: [Write a.txt] }]\n",
  "proofline.yaml": "agents: { mine: { command: sh agent.sh } }\n",
  "agent.sh": `printf 'A line that is not empty.\\n' > a.txt
printf '{"summary":"","checklist":[{"item":"Write a.txt","status":"done","evidence":"a.txt:1"}]}' > "$PROOFLINE_REPORT_FILE"
`
}

/** Null: there is no Postgres on this machine. */
export const measureGrowth = (directory: string, events: number): Promise<GrowthFigures | null> =>
  Effect.gen(function* () {
    const at = join(directory, "growth")
    mkdirSync(at, { mode: 0o711 })
    const { url } = yield* start({ directory: at, settings: { max_wal_size: "8GB" } })
    return yield* Effect.promise(() => measure(directory, url, events))
  }).pipe(
    Effect.scoped,
    (measured) => Effect.matchEffect(present, { onFailure: () => Effect.succeed(null), onSuccess: () => measured }),
    Effect.runPromise
  )

/** A project whose log is in a schema of its own, with one run that has gone well. */
interface Place {
  readonly dir: string
  readonly url: string
  readonly run: string
}

const measure = async (directory: string, url: string, events: number): Promise<GrowthFigures> => {
  const one = await withOneRun(join(directory, "one"), `${url}?schema=one`)
  const many = await withOneRun(join(directory, "many"), `${url}?schema=many`)
  const startedAt = performance.now()
  const bytes = await fill(url, many.run, Math.floor(events / runs))
  const fillMs = performance.now() - startedAt
  const took: Array<readonly [number, number]> = []
  for (const command of commands) {
    took.push(
      command.startsWith("GET")
        ? await bestOf(await serving(one), await serving(many))
        : await timed(command, one, many)
    )
  }
  const paces = async ({ url }: Place) =>
    Effect.runPromise(
      Effect.provide(
        Effect.all([appending("one", 1, tries), draining(tries)] as const),
        postgresLog({ url }).pipe(Layer.provide(nodeDigest))
      )
    )
  const [small, large] = [await paces(one), await paces(many)]
  return { events, bytes, fillMs, took, appended: [small[0], large[0]], drained: [small[1], large[1]] }
}

const environment = (url: string) => ({ ...process.env, PROOFLINE_DATABASE_URL: url })

const proofline = async ({ dir, url }: Omit<Place, "run">, ...args: ReadonlyArray<string>): Promise<string> => {
  const { stdout } = await promisify(execFile)(process.execPath, [launcher, ...args], {
    cwd: dir,
    env: environment(url),
    maxBuffer: 2 ** 28
  })
  return stdout
}

const started = async ({ dir, url }: Omit<Place, "run">, ...args: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [launcher, ...args], {
    cwd: dir,
    env: environment(url),
    stdio: ["ignore", "pipe", "ignore"]
  })
  const [said] = await once(child.stdout, "data")
  return { child, said: `${said}` }
}

const withOneRun = async (dir: string, url: string): Promise<Place> => {
  mkdirSync(dir)
  begin(dir, files)
  const { child } = await started({ dir, url }, "worker", "--json")
  const said = JSON.parse(await proofline({ dir, url }, "run", "tasks.yaml", "--agent", "mine", "--json"))
  await end(child)
  return { dir, url, run: said.data.run_id }
}

const end = async (child: ChildProcess): Promise<void> => {
  child.kill("SIGTERM")
  await once(child, "exit")
}

/** As such a log would have them: events like those of the real run, over and over, and what is beside them. */
const fill = async (url: string, run: string, each: number): Promise<number> => {
  const client = new pg.Client({ connectionString: url, options: "-c synchronous_commit=off" })
  await client.connect()
  try {
    return await filled(client, run, each)
  } finally {
    await client.end()
  }
}

const filled = async (client: pg.Client, run: string, each: number): Promise<number> => {
  await client.query("set search_path = many, many_queue")
  for (let from = 1; from < runs; from += 50) {
    await client.query(
      `with model as (select e.*, count(*) over () as of from event e where stream = $1),
        filled as (
          select 'run_' || lpad(r::text, 36, '0') as to_stream, v,
            case when v = 1 then 1 else 2 + (v - 2) % (select max(of)::int - 1 from model) end as like_version, r
          from generate_series($2::int, $3::int) r, generate_series(1, $4::int) v)
      insert into event
        select (select position from log_head) + (r - $2) * $4 + v, to_stream, v, event_type, schema_version, timestamp,
          visibility, content, 'cmd_' || lpad(v::text, 36, '0'), causation_id, to_stream,
          lpad((r * $4 + v - 1)::text, 64, '0'), lpad((r * $4 + v)::text, 64, '0'), null
        from filled join model on version = like_version order by r, v`,
      [run, from, Math.min(from + 49, runs - 1), each]
    )
    await client.query("update log_head set position = (select max(position) from event)")
  }
  await client.query(
    `insert into run_summary (run_id, started_at, version, summary)
      select named.id, at, $2, (s.summary::jsonb || jsonb_build_object('run_id', named.id, 'started_at', at))::text
      from run_summary s, generate_series(1, $3::int) r,
        lateral (select 'run_' || lpad(r::text, 36, '0') as id,
          to_char(s.started_at::timestamptz at time zone 'UTC' - r * interval '1 minute', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at) named
      where s.run_id = $1`,
    [run, each, runs - 1]
  )
  await client.query(
    `insert into work_item
      select named.id, 'run_' || lpad((1 + n % $3::int)::text, 36, '0'), md5(named.id)::uuid, w.item, w.label_set, w.priority,
        w.dispatched - n * interval '1 millisecond', w.due, 'settled', 1, 0, w.worker, w.taker, w.ask, w.claimed_at, w.kept_at
      from (select * from work_item where run = $1 limit 1) w, generate_series(1, $2::int) n,
        lateral (select md5('item' || n)::uuid::text as id) named`,
    [run, settled, runs - 1]
  )
  await client.query(
    `insert into job (id, name, priority, data, state, retry_limit, retry_delay, retry_backoff, expire_seconds,
        deletion_seconds, group_id, start_after, created_on, completed_on, keep_until, policy, heartbeat_seconds)
      select w.job, j.name, j.priority, j.data, j.state, j.retry_limit, j.retry_delay, j.retry_backoff, j.expire_seconds,
        3600, j.group_id, j.start_after, j.created_on, now(), j.keep_until, j.policy, j.heartbeat_seconds
      from (select * from job where state = 'completed' limit 1) j,
        (select job from work_item w where not exists (select from job o where o.id = w.job) limit $1) w`,
    [jobs]
  )
  await client.query("vacuum analyze")
  const { rows } = await client.query("select pg_total_relation_size('event') as bytes")
  return Number(rows[0].bytes)
}

/** One place after the other, so that what else the machine does meets both. */
const bestOf = async (one: Asking, many: Asking): Promise<readonly [number, number]> => {
  const best: [number, number] = [Infinity, Infinity]
  for (let round = 0; round < rounds; round++) {
    for (const [i, { ask }] of [one, many].entries()) {
      const startedAt = performance.now()
      await ask()
      best[i] = Math.min(best[i] as number, performance.now() - startedAt)
    }
  }
  await one.end?.()
  await many.end?.()
  return best
}

interface Asking {
  readonly ask: () => Promise<unknown>
  readonly end?: () => Promise<void>
}

const timed = (command: string, one: Place, many: Place) => {
  const asking = (place: Place): Asking => ({
    ask: () => proofline(place, ...command.split(" ").map((word) => (word === "RUN" ? place.run : word)))
  })
  return bestOf(asking(one), asking(many))
}

/** The server, and its list of runs. */
const serving = async (place: Place): Promise<Asking> => {
  const { child, said } = await started(place, "serve", "--port", "0", "--json")
  const { token, url } = JSON.parse(said).data
  return {
    ask: async () => {
      const answer = await fetch(`${url}/api/v1/runs`, { headers: { authorization: `Bearer ${token}` } })
      if (!answer.ok) throw new Error(`The list was refused: ${answer.status} ${await answer.text()}`)
      await answer.json()
    },
    end: () => end(child)
  }
}
