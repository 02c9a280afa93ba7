import { execFileSync } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync
} from "node:fs"
import * as Path from "node:path"
import { makeDirectoryNow } from "../../log/logDirectories.ts"
import { type Account, asAccount, canReach, systemDirectory } from "./account.ts"
import { failed } from "./failed.ts"
import { type Lock, tryLock } from "./lock.ts"
import type { Programs } from "./programs.ts"

/** Where everything of one server lies. The directory is ours; `data` and what is in it is the server's. */
export interface Home {
  readonly directory: string
  readonly data: string
  readonly password: string
  readonly log: string
  readonly lock: string
}

const homeIn = (directory: string): Home => ({
  directory,
  data: Path.join(directory, "data"),
  password: Path.join(directory, "password"),
  log: Path.join(directory, "server.log"),
  lock: Path.join(directory, "lock")
})

/** The place for a server's files below the directory, or in the system's place for such, made when it is not there. */
export const homeFor = (directory: string, account: Account): Home => {
  const own = Path.join(directory, "postgres")
  makeHome(own, account)
  if (account.other === null || canReach(own, account)) return homeIn(own)
  if (readdirSync(own).length === 0) rmdirSync(own)
  const name = createHash("sha256").update(Path.resolve(directory)).digest("hex").slice(0, 16)
  const other = Path.join(systemDirectory, name)
  mkdirSync(systemDirectory, { recursive: true, mode: 0o755 })
  makeHome(other, account)
  if (canReach(other, account)) return homeIn(other)
  throw failed(
    "postgres_root",
    `Postgres does not run as root, and the user ${account.other.name} can reach neither ${directory} nor ${other}.`,
    "Name a state directory with --state that other users can reach, or start Proofline as another user."
  )
}

/** Others may pass through to what is theirs, and see nothing. */
const makeHome = (directory: string, { other }: Account): void => {
  const mode = other === null ? 0o700 : 0o711
  makeDirectoryNow(directory)
  chmodSync(directory, mode)
}

/** The version of Postgres that made the data; null: there are none. */
export const versionOf = ({ data }: Home): number | null => {
  const file = Path.join(data, "PG_VERSION")
  return existsSync(file) ? Number.parseInt(readFileSync(file, "utf8"), 10) : null
}

/** Nobody else has it until it is released. */
export const lockHome = ({ lock }: Home): Lock => {
  const got = tryLock(lock)
  if (!("heldBy" in got)) return got
  const who = got.heldBy
  throw failed(
    "postgres_in_use",
    who === null
      ? "Another process uses the private Postgres of this state directory."
      : `Process ${who.pid} uses the private Postgres of this state directory, since ${who.since}${who.port === undefined ? "" : `, on port ${who.port}`}.`,
    "Use that one: it printed its URL when it started. Or end it, or name another state directory with --state."
  )
}

/** The password of the one role, made with the data. */
export const passwordOf = (home: Home): string => readFileSync(home.password, "utf8").trim()

export const role = "proofline"

/** Makes the data with one role that needs the password. All of it or nothing, also when we are killed meanwhile. */
export const makeData = (home: Home, { initdb }: Programs, account: Account, isKept: boolean): void => {
  const part = `${home.data}.part`
  const handed = `${home.password}.part`
  rmSync(part, { recursive: true, force: true })
  rmSync(handed, { force: true })
  const password = randomBytes(24).toString("base64url")
  for (const file of [home.password, handed]) {
    rmSync(file, { force: true })
    writeFileSync(file, `${password}\n`, { mode: 0o600, flag: "wx" })
  }
  mkdirSync(part, { mode: 0o700 })
  if (account.other !== null) for (const file of [part, handed]) chownSync(file, account.other.uid, account.other.gid)
  try {
    execFileSync(
      initdb,
      [
        `--pgdata=${part}`,
        `--username=${role}`,
        "--auth=scram-sha-256",
        `--pwfile=${handed}`,
        "--encoding=UTF8",
        "--locale=C",
        ...(isKept ? [] : ["--no-sync"])
      ],
      { ...asAccount(account), cwd: "/", stdio: "pipe", encoding: "utf8", timeout: 300_000 }
    )
  } catch (cause) {
    const { stderr = "" } = cause as { readonly stderr?: string }
    throw failed(
      "postgres_failed",
      `The files of a private Postgres could not be made in ${home.data}: ${stderr.trim() || String(cause)}`,
      "Free some space or name another state directory with --state, or give the URL of a Postgres with --database-url."
    )
  } finally {
    rmSync(handed, { force: true })
  }
  renameSync(part, home.data)
}
