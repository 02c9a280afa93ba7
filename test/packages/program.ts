import { spawnSync } from "node:child_process"
import { chmodSync, lstatSync, readdirSync, utimesSync } from "node:fs"
import { join } from "node:path"

/** What a program prints; throws with all it has said when it fails. */
export const run = (
  directory: string,
  command: string,
  args: ReadonlyArray<string>,
  env: NodeJS.ProcessEnv
): string => {
  const ended = spawnSync(command, args, { cwd: directory, env, encoding: "utf8", maxBuffer: 1e8 })
  if (ended.status === 0) return ended.stdout
  throw new Error(`${command} ${args.join(" ")}: ${ended.error ?? ended.status}\n${ended.stdout}\n${ended.stderr}`)
}

/** What `npm pack` says of a package that it has packed. */
export interface Packed {
  readonly name: string
  readonly filename: string
  readonly integrity: string
  readonly size: number
  readonly unpackedSize: number
  readonly files: ReadonlyArray<{ readonly path: string }>
}

/** Packs the package in a directory, with this umask. */
export const pack = (directory: string, into: string, env: NodeJS.ProcessEnv, umask = "022"): Packed => {
  const npm = `umask ${umask}; exec npm pack --json --foreground-scripts=false --pack-destination "$0"`
  return JSON.parse(run(directory, "sh", ["-c", npm, into], env))[0]
}

/** Checked out by somebody else, at another time: files are theirs alone, and as old as can be. */
export const asOfSomebodyElse = (path: string): void => {
  const found = lstatSync(path)
  if (found.isSymbolicLink()) return
  utimesSync(path, 86_400, 86_400)
  chmodSync(path, found.mode & 0o700)
  if (found.isDirectory()) for (const name of readdirSync(path)) asOfSomebodyElse(join(path, name))
}

/** What it takes here to reach a registry. */
const network = [
  "NODE_EXTRA_CA_CERTS",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy"
]

/** Nothing of this process but its programs; npm knows the registry and the cache that it is configured for in `root`. */
export const emptyHome = (root: string, home: string): NodeJS.ProcessEnv => {
  const { cache, globalconfig, userconfig } = JSON.parse(run(root, "npm", ["config", "list", "--json"], process.env))
  const { PATH } = process.env
  return {
    PATH,
    HOME: home,
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => network.includes(name))),
    npm_config_cache: cache,
    npm_config_globalconfig: globalconfig,
    npm_config_userconfig: userconfig
  }
}
