/** What can be wrong with a database, told without the kernel: `status` must not wait for that to load. */
import { goOnShared } from "../../log/goOn.ts"

export interface Explanation {
  readonly code:
    | "log_disk_full"
    | "log_unwritable"
    | "log_corrupt"
    | "log_lost"
    | "log_newer"
    | "log_failed"
    | "postgres_missing"
  readonly message: string
  readonly hint: string
}

/** The log cannot be used, and why. */
export class Unusable extends Error {
  readonly code: Explanation["code"]
  readonly hint: string
  constructor({ code, hint, message }: Explanation) {
    super(message)
    this.code = code
    this.hint = hint
  }
}

/** Where the database is, for people: never who logs in, or how. */
export interface Place {
  readonly host: string
  readonly port: string
  readonly database: string
  readonly schema: string
}

export const called = ({ database, host, port, schema }: Place): string =>
  `the schema ${schema} of the database ${database} on ${host}:${port}`

/** What Node says of a connection that cannot be made or broke. */
const networkCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN"
])

/** SQLSTATE: the server starts, stops or has no connection left; or it chose this transaction to give way to others. */
const momentary: ReadonlySet<string> = new Set(["57P01", "57P02", "57P03", "53300", "25P03", "40001", "40P01", "55P03"])

/** What pg says of a connection that broke, without a code. */
const brokenTexts = /terminated|timeout|not queryable|connection error|Connection ended|was closed/i

const codeOf = (error: unknown): string => `${(error as { readonly code?: unknown } | null)?.code ?? ""}`

/** The database is away, or busy, for a moment: ask again. What was asked may have been done. */
export const isMomentary = (error: unknown): boolean => {
  if (error instanceof Unusable) return false
  const code = codeOf(error)
  if (code === "") return brokenTexts.test(`${(error as Error).message}`)
  return networkCodes.has(code) || momentary.has(code) || code.startsWith("08")
}

/** A mistake in what was asked, not in the database: data exceptions and broken constraints. */
export const isMistake = (error: unknown): boolean => /^2[23]/.test(codeOf(error)) && codeOf(error).length === 5

export const explain = (place: Place, error: unknown): Explanation => {
  if (error instanceof Unusable) return { code: error.code, message: error.message, hint: error.hint }
  const code = codeOf(error)
  switch (code) {
    case "53100":
      return {
        code: "log_disk_full",
        message: `The log in ${called(place)} cannot be written: the disk of the database is full.`,
        hint: `Free some space there; nothing that was acknowledged is lost. ${goOnShared}`
      }
    case "25006":
    case "42501":
      return {
        code: "log_unwritable",
        message: `The log in ${called(place)} may not be used so: ${reason(error)}.`,
        hint: "Give the role its rights on this schema, or use the address of a role that has them."
      }
    case "XX001":
    case "XX002":
      return {
        code: "log_corrupt",
        message: `The log in ${called(place)} is damaged: ${reason(error)}.`,
        hint: "Restore the database from a copy. Proofline leaves it as it is."
      }
    case "3F000":
    case "42P01":
    case "42883":
      return lostLog(place, `${reason(error)}`)
    default:
      return {
        code: "log_failed",
        message: `The log in ${called(place)} cannot be used: ${reason(error)}.`,
        hint: `${remedy(place, error)} ${goOnShared}`
      }
  }
}

const textOf = (error: unknown): string => `${(error as Error)?.message ?? error}`

/** What pg itself says that has no password where the server wants one. */
const passwordMissing = /password must be a string/

/** Without what the server says of who logs in. */
const reason = (error: unknown): string => {
  const code = codeOf(error)
  const text = textOf(error)
  if (code.startsWith("28")) return "the server refused the login"
  if (passwordMissing.test(text)) return "the server wants a password, and the address has none"
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `nobody knows a machine of this name (${code})`
  if (networkCodes.has(code)) return `the server cannot be reached (${code})`
  return text
}

const silentCodes: ReadonlySet<string> = new Set(["ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"])

/** What to do about a database that cannot be used, for each of the reasons that people meet. */
const remedy = ({ database, port }: Place, error: unknown): string => {
  const code = codeOf(error)
  const text = textOf(error)
  if (code.startsWith("28") || passwordMissing.test(text)) {
    return "Look at the user and the password in the address (what is no letter or digit there is written as %XX), and whether `pg_hba.conf` of the server lets them in from this machine; it may want TLS, `?sslmode=require`."
  }
  if (code === "3D000") {
    return `Look at the name of the database in the address, or make it: \`create database "${database}"\`.`
  }
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
    return "Look at the name of the machine in the address, and whether this machine can look names up."
  }
  if (code === "ECONNREFUSED" || code === "ENOENT") {
    return `Look whether the server runs, listens on port ${port} (\`listen_addresses\` for other machines), and the address is right.`
  }
  if (silentCodes.has(code) || /timeout/i.test(text)) {
    return "Look whether this machine may reach the server (firewall, VPN), and the address is right."
  }
  if (code === "53300") return "Raise `max_connections` of the server, or end processes that use it."
  if (/SSL|TLS|certificate/i.test(text)) {
    return "Look at what the address says of TLS: `sslmode` and `sslrootcert` have to fit the server."
  }
  return "Look whether the server runs and the address is right."
}

export const lostLog = (place: Place, why: string): Explanation => ({
  code: "log_lost",
  message: `The event log in ${called(place)} has lost events while it was in use: ${why}.`,
  hint: "What was reported since then cannot be proven. Put the database back from a copy, and start again."
})

export const newer = (place: Place, unknown: string): Unusable =>
  new Unusable({
    code: "log_newer",
    message: `The log in ${called(place)} was written by a newer Proofline: its schema has "${unknown}".`,
    hint: "Update Proofline, then run the command again."
  })

export const addressWrong = (why: string): Unusable =>
  new Unusable({
    code: "log_failed",
    message: `The address of the database cannot be used: ${why}.`,
    hint: "Write it as postgres://user@host:5432/database, with ?schema=NAME for a log of another name."
  })

export const packageMissing = (name: string): Unusable =>
  new Unusable({
    code: "postgres_missing",
    message: `A log in PostgreSQL needs the package ${name}, which is not installed.`,
    hint: "Run `npm install pg@^8.23.1 pg-boss@12.35.0` beside Proofline, then run the command again."
  })
