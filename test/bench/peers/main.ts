/**
 * Proofline beside others that keep work or events durable, in one run on one machine: each system in a process of its
 * own, round after round, with the same durability (SQLite: WAL with synchronous=FULL; one Postgres with fsync on), and
 * again with a disk that takes 1 ms more for each fsync. docs/benchmarks.md says what is measured, and what is not.
 * `main.ts [append|append32|step|subtasks|whole|fold]…`: only these. `PROOFLINE_BENCH=full`: more rounds, and a
 * stream of a million events.
 */
import { fork, spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { cpus, loadavg, release, tmpdir, totalmem, type } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { start } from "@proofline/plugins/adapters/private-postgres"
import { Effect } from "effect"
import pg from "pg"
// by their path: what looks for a Postgres is the business of that adapter
import { serverAccount } from "../../../packages/plugins/src/adapters/private-postgres/account.ts"
import { findPrograms } from "../../../packages/plugins/src/adapters/private-postgres/programs.ts"
import type { Answer, Order, Part } from "./contract.ts"
import { type Figure, print, printFold, printPart, printVersions } from "./table.ts"

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const say = (line: string): void => {
  process.stderr.write(`${line}\n`)
}

type Store = "sqlite" | "postgres"

/** What is asked of whom. */
export interface Subject {
  readonly name: string
  readonly file: string
  readonly stores: ReadonlyArray<Store>
  /** Where what it does is another part than the one in whose table it stands. */
  readonly does?: Part
}

const raw = { name: "the driver alone", file: "raw.ts" }
const proofline = { name: "Proofline", file: "proofline.ts" }
const emmett = { name: "Emmett", file: "others/emmett.ts" }
const langgraph = { name: "LangGraph", file: "others/langgraph.ts" }
const dbos = { name: "DBOS", file: "others/dbos.ts" }
const effect = { name: "effect/workflow", file: "others/effectWorkflow.ts" }
const both: ReadonlyArray<Store> = ["sqlite", "postgres"]
const onlyPostgres: ReadonlyArray<Store> = ["postgres"]

interface Asked {
  readonly part: Part
  /** Of `append32` the writers are many. */
  readonly subjects: ReadonlyArray<Subject>
  readonly warm: number
  /** Without, and with a disk that takes 1 ms more. */
  readonly n: readonly [number, number]
}

const asked: ReadonlyArray<Asked> = [
  {
    part: "append",
    subjects: [
      { ...proofline, stores: both },
      { ...raw, stores: both },
      { ...emmett, stores: both },
      { ...langgraph, stores: both },
      { ...dbos, stores: onlyPostgres }
    ],
    warm: 500,
    n: [1_000, 200]
  },
  {
    part: "append32",
    subjects: [
      { ...proofline, stores: both },
      { ...raw, stores: onlyPostgres },
      { ...emmett, stores: onlyPostgres },
      { ...langgraph, stores: both },
      { ...dbos, stores: onlyPostgres }
    ],
    warm: 1_280,
    n: [2_560, 1_280]
  },
  {
    part: "step",
    subjects: [
      { ...proofline, stores: both },
      { name: "Proofline, each step claimed by a worker", file: proofline.file, stores: both, does: "claimed" },
      { ...langgraph, stores: both },
      { ...dbos, stores: onlyPostgres },
      { ...effect, stores: both }
    ],
    warm: 500,
    n: [300, 100]
  },
  {
    part: "subtasks",
    subjects: [
      { ...proofline, stores: both },
      { ...langgraph, stores: both },
      { ...dbos, stores: onlyPostgres },
      { ...effect, stores: both }
    ],
    warm: 200,
    n: [400, 200]
  },
  { part: "whole", subjects: [{ ...proofline, stores: both }], warm: 200, n: [400, 200] }
]

/** The others are installed as their lock says, where they are not yet, and what asks them is checked against their types. */
const installOthers = (): void => {
  const folder = here("others")
  const done = join(folder, "node_modules", ".package-lock.json")
  const isDone = existsSync(done) && statSync(done).mtimeMs >= statSync(join(folder, "package-lock.json")).mtimeMs
  // what npm says of the workspace that started this one is not for them
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith("npm_")))
  const run = (command: string, args: ReadonlyArray<string>) => {
    const { status } = spawnSync(command, args, { cwd: folder, env, stdio: ["ignore", process.stderr.fd, "inherit"] })
    if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}.`)
  }
  if (!isDone) run("npm", ["ci", "--no-audit", "--no-fund"])
  run("tsc", ["-p", "."])
}

const isFull = process.env["PROOFLINE_BENCH"] === "full"
const rounds = isFull ? 7 : 3
const foldRounds = isFull ? 3 : 2
const events = isFull ? 1_000_000 : 200_000

/** The shim, compiled; null: there is no compiler, or no way to load it, and then nothing is counted or slowed. */
const compileShim = (directory: string): string | null => {
  if (process.platform !== "linux") return null
  const library = join(directory, "fsync.so")
  const { status } = spawnSync("cc", ["-O2", "-shared", "-fPIC", "-o", library, here("fsync.c"), "-ldl"], {
    stdio: ["ignore", "ignore", "inherit"]
  })
  return status === 0 ? library : null
}

const makePage = (path: string): string => {
  writeFileSync(path, Buffer.alloc(4_096))
  // a private Postgres is another user where this one is root
  chmodSync(path, 0o666)
  return path
}

/** A folder that is found before every other Postgres, and starts the one of this machine with the shim. */
const withShim = (directory: string, shim: string, page: string): void => {
  const { initdb, postgres } = findPrograms(serverAccount(), null)
  const folder = join(directory, "bin")
  mkdirSync(folder, { mode: 0o755 })
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const settings = `LD_PRELOAD=${quoted(shim)} PEERS_FSYNC_PAGE=${quoted(page)}`
  writeFileSync(join(folder, "postgres"), `#!/bin/sh\nexec env ${settings} ${quoted(postgres)} "$@"\n`, { mode: 0o755 })
  symlinkSync(initdb, join(folder, "initdb"))
  process.env["PATH"] = `${folder}${delimiter}${process.env["PATH"] ?? ""}`
}

interface Machine {
  readonly directory: string
  readonly shim: string | null
  readonly server: string
  readonly serverPage: string
}

let places = 0

/** An empty folder, or an empty database. */
const newPlace = async ({ directory, server }: Machine, store: Store): Promise<string> => {
  const name = `place_${places++}`
  if (store === "sqlite") {
    const place = join(directory, name)
    mkdirSync(place)
    return place
  }
  await query(server, `create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

const removePlace = async ({ server }: Machine, place: string): Promise<void> => {
  if (!place.startsWith("postgres")) rmSync(place, { recursive: true })
  else await query(server, `drop database ${new URL(place).pathname.slice(1)} with (force)`)
}

const query = async (url: string, text: string): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/** A process that does what is ordered and has ended. */
const ask = (machine: Machine, file: string, order: Order, more: NodeJS.ProcessEnv = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { directory, serverPage, shim } = machine
    const ownPage = shim === null ? null : makePage(join(directory, "page"))
    const counted = order.place.startsWith("postgres") ? serverPage : ownPage
    const child = fork(here(file), [JSON.stringify(order)], {
      execArgv: ["--conditions=@proofline/source", "--disable-warning=ExperimentalWarning"],
      env: {
        ...process.env,
        ...(shim === null || ownPage === null || counted === null
          ? {}
          : { LD_PRELOAD: shim, PEERS_FSYNC_PAGE: ownPage, PEERS_COUNTED_PAGE: counted }),
        ...more
      },
      stdio: ["ignore", "ignore", "pipe", "ipc"]
    })
    let said = ""
    child.stderr?.on("data", (text) => {
      said = `${said}${text}`.slice(-4_000)
    })
    let answer: Answer | undefined
    child.once("message", (message) => {
      answer = message as Answer
    })
    const timer = setTimeout(() => child.kill("SIGKILL"), 600_000)
    child.once("exit", (code, signal) => {
      clearTimeout(timer)
      if (answer === undefined) reject(new Error(`${file} ${order.part} ended with ${code ?? signal}: ${said}`))
      else resolve(answer)
    })
  })

/** The systems in turn, another one first in each round. */
const measure = async (machine: Machine, { n: [plain, slow], part, subjects, warm }: Asked): Promise<void> => {
  const found: Array<Figure> = []
  const measures = [{ delayMs: 0, n: plain }, ...(machine.shim === null ? [] : [{ delayMs: 1, n: slow }])]
  const pairs = subjects.flatMap(({ does = part, stores, ...one }) => stores.map((store) => ({ ...one, does, store })))
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < pairs.length; i++) {
      const { does, file, name, store } = pairs[(i + round) % pairs.length] as (typeof pairs)[number]
      const place = await newPlace(machine, store)
      const { measured } = await ask(machine, file, { part: does, place, warm, measures })
      await removePlace(machine, place)
      for (const { cpuMs, delayMs, fsyncs, ms, n } of measured) {
        found.push({
          round,
          name,
          store,
          delayMs,
          per: ms / n,
          cpu: cpuMs / n,
          fsyncs: fsyncs === null ? null : fsyncs / n
        })
      }
      say(
        `  ${part} ${round + 1}/${rounds} ${name} ${store}: ${measured.map(({ cpuMs, ms, n }) => `${(ms / n).toFixed(3)} (cpu ${(cpuMs / n).toFixed(3)})`).join(", ")} ms`
      )
    }
  }
  printPart(part, found)
}

const foldSubjects: ReadonlyArray<{ readonly name: string; readonly file: string; readonly part: "fold" | "load" }> = [
  { name: "Proofline: read and counted", file: "proofline.ts", part: "fold" },
  { name: "Proofline: chain checked, decoded, folded by all rules", file: "proofline.ts", part: "load" },
  { name: "Emmett: aggregateStream, counted", file: "others/emmett.ts", part: "fold" },
  { name: "the driver alone: select, JSON.parse, counted", file: "raw.ts", part: "fold" }
]

/** One long stream: the same events for all, filled in once, folded by a new process each time. */
const measureFold = async (machine: Machine): Promise<void> => {
  const found: Array<Figure> = []
  const filled = new Map<string, string>()
  const source = await newPlace(machine, "sqlite")
  for (const store of both) {
    for (const file of ["proofline.ts", "others/emmett.ts"]) {
      const place = store === "sqlite" ? source : await newPlace(machine, store)
      filled.set(`${store} ${file}`, place)
      const order: Order = { part: "fill", place, warm: 0, measures: [{ delayMs: 0, n: events }] }
      const { measured } = await ask(machine, file, order, { PEERS_SOURCE: join(source, "proofline.db") })
      say(`  filled ${store} ${file} in ${Math.round((measured[0]?.ms ?? 0) / 1_000)} s`)
    }
  }
  filled.set("sqlite raw.ts", source)
  const pairs = foldSubjects.flatMap((subject) => both.map((store) => ({ ...subject, store })))
  for (let round = 0; round < foldRounds; round++) {
    for (const { file, name, part, store } of pairs) {
      const place = filled.get(`${store} ${file}`)
      if (place === undefined) continue
      const order: Order = { part, place, warm: 0, measures: [{ delayMs: 0, n: events }] }
      try {
        const { measured, rssBefore, rssMax } = await ask(machine, file, order)
        for (const { cpuMs, delayMs, ms, n } of measured) {
          found.push({
            round,
            name,
            store,
            delayMs,
            per: ms / n,
            cpu: cpuMs / n,
            fsyncs: null,
            rss: { before: rssBefore, max: rssMax }
          })
          say(
            `  ${part} ${round + 1}/${foldRounds} ${name} ${store}: ${(ms / 1_000).toFixed(2)} s, ${Math.round(rssMax)} MiB`
          )
        }
      } catch (cause) {
        found.push({
          round,
          name,
          store,
          delayMs: 0,
          per: Number.NaN,
          cpu: Number.NaN,
          fsyncs: null,
          failed: String(cause)
        })
        say(`  ${part} ${name} ${store} failed: ${cause}`)
      }
    }
  }
  for (const place of new Set(filled.values())) await removePlace(machine, place)
  printFold(events, found)
}

const wanted = process.argv.slice(2)
const isWanted = (part: string): boolean => wanted.length === 0 || wanted.includes(part)

installOthers()
const directory = mkdtempSync(join(tmpdir(), "proofline-peers-"))
chmodSync(directory, 0o711)
try {
  const shim = compileShim(directory)
  const serverPage = makePage(join(directory, "server-page"))
  if (shim !== null) withShim(directory, shim, serverPage)
  const at = join(directory, "postgres")
  mkdirSync(at, { mode: 0o711 })
  await Effect.gen(function* () {
    const { pid, url } = yield* start({ directory: at, settings: { max_wal_size: "8GB", max_connections: "200" } })
    yield* Effect.promise(async () => {
      const machine: Machine = { directory, shim, server: url, serverPage }
      const [settings] = await query(
        url,
        "select version(), current_setting('fsync') as fsync, current_setting('synchronous_commit') as synchronous_commit, current_setting('wal_sync_method') as method"
      )
      say(
        `Postgres ${pid}, driver ${process.pid}, load ${loadavg()
          .map((load) => load.toFixed(1))
          .join(" ")}`
      )
      const [cpu] = cpus()
      print(`${new Date().toISOString()}  Node ${process.version}  ${type()} ${release()}`)
      print(
        `${cpus().length} × ${cpu?.model ?? "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GiB, files in ${tmpdir()}`
      )
      print(
        `${settings?.["version"]}; fsync=${settings?.["fsync"]}, synchronous_commit=${settings?.["synchronous_commit"]}, ${settings?.["method"]}`
      )
      printVersions(dirname(here("others/package.json")))
      if (shim === null)
        print("No shim could be compiled (Linux and a C compiler): fsyncs are neither counted nor slowed.")
      for (const one of asked) if (isWanted(one.part)) await measure(machine, one)
      if (isWanted("fold")) await measureFold(machine)
      say(
        `load ${loadavg()
          .map((load) => load.toFixed(1))
          .join(" ")}`
      )
    })
  }).pipe(Effect.scoped, Effect.runPromise)
} finally {
  rmSync(directory, { recursive: true, force: true })
}
