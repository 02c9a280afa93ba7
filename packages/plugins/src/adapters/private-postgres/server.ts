import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { closeSync, existsSync, openSync, readFileSync, renameSync } from "node:fs"
import { createServer } from "node:net"
import * as Path from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as pause } from "node:timers/promises"
import { type Account, asAccount } from "./account.ts"
import { failed } from "./failed.ts"
import type { Home } from "./home.ts"
import type { Programs } from "./programs.ts"

/** How long a server may take to begin: one that was killed reads its write-ahead log first. */
const startLimitMs = 120_000
/** How long it may take to end after each of the signals, in ms. */
const fastMs = 10_000
const immediateMs = 3_000
const lookMs = 20

/** A server that runs under our watch. */
export interface Server {
  readonly pid: number
  readonly port: number
  /** Resolves when it has ended, whoever ended it. */
  readonly ended: Promise<void>
  readonly stop: () => Promise<void>
}

/**
 * Starts the server, says its number, and waits for it. Beside that it reads what only we keep open: however we end, the
 * system closes our end of it, and the server is asked to end fast, which it does without waiting for its clients. The
 * reader ends with the server: the number may then be somebody else's.
 */
const keeper = `exec 3<&0 </dev/null
"$@" 3<&- >&2 & server=$!
{ read -r _ <&3; kill -s INT "$server"; } >/dev/null 2>&1 & reader=$!
exec 3<&-
echo "$server"
exec >&2
wait "$server"; status=$?
kill -s KILL "$reader"
exit "$status"`

/** Tries ports until one is free, the one of last time first. */
export const startServer = async (
  home: Home,
  programs: Programs,
  account: Account,
  settings: Readonly<Record<string, string>>,
  lastPort: number | null
): Promise<Server> => {
  await endLeftover(home)
  const until = performance.now() + startLimitMs
  for (let port = lastPort ?? (await freePort()); ; port = await freePort()) {
    const server = await startOn(home, programs, account, settings, port)
    if (server !== null) return server
    const said = lastWords(home)
    // the port was taken since, or the last of those who worked for a killed server have not noticed yet
    const mayPass = /could not (?:bind|create any TCP)|still in use|already exists/.test(said)
    if (!mayPass || performance.now() > until)
      throw failed(
        "postgres_failed",
        `The private Postgres did not start: ${said || "it said nothing"}`,
        `All that it said is in ${home.log}.`
      )
    await pause(10 * lookMs)
  }
}

/** Null: it ended at once. */
const startOn = async (
  home: Home,
  { postgres }: Programs,
  account: Account,
  settings: Readonly<Record<string, string>>,
  port: number
): Promise<Server | null> => {
  const all = { listen_addresses: "127.0.0.1", port: `${port}`, unix_socket_directories: "", ...settings }
  const set = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`])
  if (existsSync(home.log)) renameSync(home.log, `${home.log}.1`)
  const log = openSync(home.log, "wx", 0o600)
  let child: ChildProcess
  try {
    child = spawn("/bin/sh", ["-c", keeper, "proofline-postgres", postgres, "-D", home.data, ...set], {
      ...asAccount(account),
      cwd: "/",
      // Ctrl-C is for us; it ends when we say so
      detached: true,
      stdio: ["pipe", "pipe", log]
    })
  } finally {
    closeSync(log)
  }
  let hasEnded = false
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      hasEnded = true
      resolve()
    }
    child.once("exit", end).once("error", end)
  })
  child.stdin?.on("error", () => {})
  const pid = await Promise.race([firstLine(child), ended.then(() => 0)])
  const until = performance.now() + startLimitMs
  while (!hasEnded && performance.now() < until && !isReady(home, pid)) await pause(lookMs)
  const stop = async () => {
    if (hasEnded) return
    child.stdin?.end()
    for (const [limit, next] of [
      [fastMs, "SIGQUIT"],
      [immediateMs, "SIGKILL"]
    ] as const) {
      await Promise.race([ended, pause(limit, undefined, { ref: false })])
      if (hasEnded) return
      signal(pid, next)
    }
    await ended
  }
  if (hasEnded) return null
  if (!isReady(home, pid)) {
    await stop()
    return null
  }
  return { pid, port, ended, stop }
}

const firstLine = async (child: ChildProcess): Promise<number> => {
  if (child.stdout === null) return 0
  for await (const line of createInterface({ input: child.stdout })) return Number(line)
  return 0
}

/** What the server writes about itself: its number first, how it is in the eighth line. */
const postmaster = ({ data }: Home): ReadonlyArray<string> => {
  try {
    return readFileSync(Path.join(data, "postmaster.pid"), "utf8").split("\n")
  } catch {
    return []
  }
}

const isReady = (home: Home, pid: number): boolean => {
  const lines = postmaster(home)
  return Number(lines[0]) === pid && (lines[7]?.startsWith("ready") ?? false)
}

const lastWords = ({ log }: Home): string => {
  const lines = readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => /(?:FATAL|PANIC|ERROR|error|HINT|WARNING):/.test(line))
  return lines
    .slice(-3)
    .map((line) => line.replace(/^.*?(?:FATAL|PANIC|ERROR|error|HINT|WARNING):\s*/, ""))
    .join(" ")
}

/** A server that outlived whoever started it, since its keeper was killed too. Nobody can see to it any more. */
const endLeftover = async (home: Home): Promise<void> => {
  const pid = Number(postmaster(home)[0])
  if (!(pid > 0)) return
  const isIt = () => commandOf(pid).includes(home.data)
  for (const [next, limit] of [
    ["SIGINT", fastMs],
    ["SIGQUIT", immediateMs],
    ["SIGKILL", fastMs]
  ] as const) {
    if (!isIt()) return
    signal(pid, next)
    const until = performance.now() + limit
    while (isIt() && performance.now() < until) await pause(lookMs)
  }
}

const commandOf = (pid: number): string => {
  try {
    return existsSync("/proc/self/cmdline")
      ? readFileSync(`/proc/${pid}/cmdline`, "utf8")
      : execFileSync("ps", ["-ww", "-o", "args=", "-p", `${pid}`], { encoding: "utf8", stdio: "pipe" })
  } catch {
    return ""
  }
}

const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    if (pid > 0) process.kill(pid, name)
  } catch {
    // it has ended
  }
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })
