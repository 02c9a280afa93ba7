import { mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from "node:fs/promises"
import { homedir, platform } from "node:os"
import { dirname, join, resolve } from "node:path"
import { Predicate } from "effect"
import { type ParseError, parse } from "jsonc-parser"
import { codeOf } from "./files.ts"
import { type Offered, type Offering, SERVER } from "./server.ts"

const FOLDER = ".gemini"
const SETTINGS = "settings.json"
/** Where it keeps sessions. It makes them itself when they are missing, and they outlast the attempt. */
const LASTING = ["tmp", "history"]
/** What it reads beside its folder. */
const BESIDE = [".env", ".agents"]

type Settings = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Settings => Predicate.isObject(value) && !Array.isArray(value)

/** Null: there is something, and it is no JSON object. */
const readSettings = async (file: string): Promise<Settings | null> => {
  const text = await readFile(file, "utf8").catch((cause) => {
    if (codeOf(cause) === "ENOENT") return "{}"
    throw cause
  })
  const errors: Array<ParseError> = []
  const value: unknown = parse(text, errors)
  return errors.length === 0 && isRecord(value) ? value : null
}

/** What stands below a key of some settings. */
const at = (settings: Settings | null, ...keys: ReadonlyArray<string>): unknown =>
  keys.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), settings)

const listAt = (settings: Settings | null, ...keys: ReadonlyArray<string>): ReadonlyArray<unknown> => {
  const value = at(settings, ...keys)
  return Array.isArray(value) ? value : []
}

/** All settings that count for it. */
interface Scopes {
  readonly user: Settings
  readonly project: Settings | null
  /** Those that count most are last. */
  readonly all: ReadonlyArray<Settings | null>
}

const readScopes = async ({ directory, user: env }: Offering, user: Settings): Promise<Scopes> => {
  const folder = platform() === "darwin" ? "/Library/Application Support/GeminiCli" : "/etc/gemini-cli"
  const system = env["GEMINI_CLI_SYSTEM_SETTINGS_PATH"] || join(folder, SETTINGS)
  const defaults = env["GEMINI_CLI_SYSTEM_DEFAULTS_PATH"] || join(dirname(system), "system-defaults.json")
  // what is wrong with them it says itself
  const read = async (file: string) => await readSettings(file).catch(() => null)
  const project = await read(join(directory, FOLDER, SETTINGS))
  return { user, project, all: [await read(defaults), user, project, await read(system)] }
}

const isOn = (sandbox: unknown): boolean =>
  isRecord(sandbox) ? sandbox["enabled"] === true : ![undefined, null, false, "", "0", "false"].includes(sandbox as "")

/** Whether it works in a sandbox, which sees its folder alone and not what links lead to. */
const isSandboxed = (env: NodeJS.ProcessEnv, { all }: Scopes): boolean => {
  if (env["SANDBOX"] !== undefined) return true
  const said = env["GEMINI_SANDBOX"]?.toLowerCase().trim() ?? ""
  const set = all.map((settings) => at(settings, "tools", "sandbox")).filter((value) => value !== undefined)
  return isOn(said === "" ? set.at(-1) : said)
}

/** Whether the user has taken a server of this name from it. */
const isKept = (name: string, { all }: Scopes): boolean =>
  all.some((settings) => {
    const allowed = listAt(settings, "mcp", "allowed")
    return (allowed.length > 0 && !allowed.includes(name)) || listAt(settings, "mcp", "excluded").includes(name)
  })

/**
 * The settings of the user with our server beside those of the user. One of the same name in the project would count
 * more, and is none of this attempt: it is left out, and ours gets another name.
 */
const settingsWith = ({ mcp }: Offering, name: string, { user }: Scopes): Settings => {
  // the token stays in the environment; without this it is kept from every server
  const server = { command: mcp.command, args: mcp.args, env: { PROOFLINE_TOKEN: "$PROOFLINE_TOKEN" }, trust: true }
  const servers = { mcpServers: { ...(at(user, "mcpServers") as object | undefined), [name]: server } }
  if (name === SERVER) return { ...user, ...servers }
  const mcpSettings = at(user, "mcp") as object | undefined
  return { ...user, ...servers, mcp: { ...mcpSettings, excluded: [...listAt(user, "mcp", "excluded"), SERVER] } }
}

const namesIn = async (directory: string): Promise<ReadonlyArray<string>> => await readdir(directory).catch(() => [])

const linkAll = async (from: string, names: ReadonlyArray<string>, to: string): Promise<void> => {
  for (const name of names) await symlink(join(from, name), join(to, name))
}

/**
 * A home directory of Gemini CLI for one attempt: all in it is the user's by links, but for the settings. It has no option
 * for a server, and takes settings of the system from files of root alone.
 */
const makeHome = async (offering: Offering): Promise<Offered> => {
  const { directory, files, user: env } = offering
  const home = resolve(directory, env["GEMINI_CLI_HOME"] || homedir())
  const folder = join(home, FOLDER)
  const user = await readSettings(join(folder, SETTINGS))
  if (user === null) return { refused: `${join(folder, SETTINGS)} is no JSON object` }
  const scopes = await readScopes(offering, user)
  const name = at(scopes.project, "mcpServers", SERVER) === undefined ? SERVER : `${SERVER}-attempt`
  if (isSandboxed(env, scopes)) return { refused: "it works in a sandbox" }
  if (isKept(name, scopes)) return { refused: `\`mcp\` in its settings keeps the server \`${name}\` from it` }
  const made = await mkdtemp(join(files, "gemini-"))
  const into = join(made, FOLDER)
  await mkdir(into)
  // where it cannot keep sessions, it cannot do so here either
  for (const lasting of LASTING) await mkdir(join(folder, lasting), { recursive: true }).catch(() => {})
  const own = (await namesIn(folder)).filter((found) => found !== SETTINGS)
  const beside = (await namesIn(home)).filter((found) => BESIDE.includes(found))
  await linkAll(folder, own, into)
  await linkAll(home, beside, made)
  await writeFile(join(into, SETTINGS), JSON.stringify(settingsWith(offering, name, scopes)), { mode: 0o600 })
  // what it says of a file is about the user's
  return { env: { GEMINI_CLI_HOME: made }, named: { said: made, meant: home } }
}

export const geminiHome = async (offering: Offering): Promise<Offered> =>
  await makeHome(offering).catch((cause) => ({ refused: `its files could not be made (${codeOf(cause)})` }))
