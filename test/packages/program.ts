import { spawnSync } from "node:child_process"

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
