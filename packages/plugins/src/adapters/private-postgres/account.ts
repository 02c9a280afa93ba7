import { execFileSync, spawnSync } from "node:child_process"
import { failed } from "./failed.ts"

/** As whom the server runs: as this process, or as somebody else where this process is root. */
export interface Account {
  /** Null: as this process. */
  readonly other: { readonly name: string; readonly uid: number; readonly gid: number } | null
}

/** Postgres refuses to run as root, with reason. */
export const serverAccount = (): Account => {
  if (process.getuid?.() !== 0) return { other: null }
  for (const name of ["postgres", "nobody"]) {
    const uid = idOf("-u", name)
    const gid = idOf("-g", name)
    if (uid !== null && gid !== null && uid !== 0) return { other: { name, uid, gid } }
  }
  throw failed(
    "postgres_root",
    "Postgres does not run as root, and there is no user postgres or nobody that it could run as.",
    "Start Proofline as another user, or give the URL of a Postgres that runs already with --database-url."
  )
}

const idOf = (which: "-u" | "-g", name: string): number | null => {
  try {
    return Number.parseInt(execFileSync("id", [which, name], { encoding: "utf8", stdio: "pipe" }), 10)
  } catch {
    return null
  }
}

/** For `spawn`: the account, and none of our environment, which may name another server (`PGDATA`, `PGPORT`, …). */
export const asAccount = ({ other }: Account) => ({
  env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C" },
  ...(other === null ? {} : { uid: other.uid, gid: other.gid })
})

/** Where things go that the account must reach, and cannot where we have them. */
export const systemDirectory = "/var/lib/proofline"

export const canReach = (directory: string, account: Account): boolean =>
  spawnSync("/bin/sh", ["-c", 'cd "$1"', "sh", directory], { ...asAccount(account), cwd: "/", stdio: "ignore" })
    .status === 0
