import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { makeDirectoryNow } from "@proofline/plugins/log"
import type { Problem } from "./problems.ts"

/** The variable that may hold the URL of the log's database. */
export const databaseVariable = "PROOFLINE_DATABASE_URL"

/** The variable that may say where blobs are kept. */
export const blobsVariable = "PROOFLINE_BLOBS"

/** How it is said that blobs are kept in the database of the log. */
export const inDatabase = "postgres:"

/** Where blobs are kept, as it was said; a text in `fault`: what is wrong with it. */
export const readBlobs = (said: string): { readonly blobs: string } | { readonly fault: string } => {
  if (said === inDatabase || said.startsWith("s3://")) return { blobs: said }
  // a word before a colon that is no drive and no directory
  return said.trim() === "" || /^[a-z][a-z0-9+.-]+:/i.test(said)
    ? { fault: "is neither a directory nor postgres: nor s3://BUCKET/PREFIX" }
    : { blobs: Path.resolve(said) }
}

/** `where`: the flag or the variable that said it. */
export const blobsInvalid = (where: string, fault: string): Problem => ({
  code: "blobs_invalid",
  message: `The place for blobs in ${where} ${fault}.`,
  hint: "Name a directory that all workers share, postgres: for the database of the log, or s3://BUCKET/PREFIX."
})

export const noDatabaseForBlobs: Problem = {
  code: "database_url_missing",
  message: `Blobs are to be in the database of the log (${inDatabase}), and none is named.`,
  hint: `Give its URL with --database-url or ${databaseVariable}, or leave --blobs and ${blobsVariable} out.`
}

const fileScheme = "file:"

/**
 * The URL of a database as it was said: the URL itself, or `file:PATH` of a file that holds it. A text: what is wrong
 * with it, without a word of it, for it may hold a password.
 */
export const readDatabaseUrl = (said: string): { readonly url: string } | { readonly fault: string } => {
  if (!said.startsWith(fileScheme)) return checked(said.trim())
  const file = said.slice(fileScheme.length).replace(/^\/\/(?=\/)/, "")
  try {
    const read = checked(readFileSync(file, "utf8").trim())
    if ("url" in read) files.set(read.url, Path.resolve(file))
    return read
  } catch (cause) {
    return { fault: `names a file that cannot be read (${(cause as NodeJS.ErrnoException).code})` }
  }
}

/** From which file a URL was read. */
const files = new Map<string, string>()

const checked = (text: string): ReturnType<typeof readDatabaseUrl> => {
  if (!/^postgres(?:ql)?:\/\//.test(text)) return { fault: "does not begin with postgresql://" }
  if (!URL.canParse(text)) return { fault: "is no URL: what is no letter or digit in a password is written as %XX" }
  const { searchParams } = new URL(text)
  const schema = searchParams.get("schema")
  return schema === null || /^[a-z_][a-z0-9_]{0,49}$/.test(schema)
    ? { url: text }
    : { fault: "names a schema that is none: small letters, digits and _, 50 at most" }
}

/** `where`: the flag or the variable that said it. */
export const databaseUrlInvalid = (where: string, fault: string): Problem => ({
  code: "database_url_invalid",
  message: `The database URL in ${where} ${fault}.`,
  hint: "Write postgresql://USER:PASSWORD@HOST:5432/DATABASE, or file:PATH of a file that holds it. Another log in the same database is `?schema=NAME`."
})

/** Where the database is, as people may see it: neither user nor password. */
export const databaseName = (url: string): string => {
  const { hostname, pathname, port, searchParams } = new URL(url)
  const schema = searchParams.get("schema")
  const host = hostname || searchParams.get("host") || "localhost"
  return `database ${decodeURIComponent(pathname.slice(1)) || "postgres"} on ${host}:${port || "5432"}${schema === null ? "" : `, schema ${schema}`}`
}

/** How the same database is named in a command that people copy; null: the variable says it already. */
export const databaseFlag = (url: string, ofEnvironment: string | undefined): string | null => {
  const own = ofEnvironment === undefined ? null : readDatabaseUrl(ofEnvironment)
  if (own !== null && "url" in own && own.url === url) return null
  const file = files.get(url)
  if (file !== undefined) return `${fileScheme}${file}`
  // nobody's password stands in a text that is shown
  return new URL(url).password === "" ? url : `"$${databaseVariable}"`
}

/** The variable that tells an agent's own `proofline mcp` and `call` in which file the URL is. */
export const fileVariable = "PROOFLINE_DATABASE_FILE"

const filePrefix = "database-url."

/** A file of this process that holds the URL, for those it starts; nobody else can read it, and it goes with the process. */
export const fileWithUrl = (url: string, directory: string): string => {
  const file = Path.join(directory, `${filePrefix}${process.pid}`)
  makeDirectoryNow(directory)
  for (const left of urlFilesLeft(directory)) rmSync(left, { force: true })
  if (!written.has(file)) {
    rmSync(file, { force: true })
    writeFileSync(file, `${url}\n`, { mode: 0o600, flag: "wx" })
    // one listener for all of them
    if (written.size === 0) process.once("exit", removeWritten)
    written.add(file)
  }
  return file
}

/** Such files of processes that have ended without taking them away. Throws what the system throws. */
export const urlFilesLeft = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory)
    .filter((name) => name.startsWith(filePrefix) && !isAlive(Number(name.slice(filePrefix.length))))
    .map((name) => Path.join(directory, name))

const written = new Set<string>()

const removeWritten = (): void => {
  for (const file of written) rmSync(file, { force: true })
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EPERM"
  }
}
