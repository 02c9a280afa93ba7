// `npm run test:clients`: installs the clients into a folder of their own and runs the tests of this folder with them.
import { spawnSync } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

const pinned = fileURLToPath(new URL("programs/", import.meta.url))
const own = fileURLToPath(new URL("../../.clients/", import.meta.url))
const tests = fileURLToPath(new URL("..", import.meta.url))

const run = (command: string, args: ReadonlyArray<string>, cwd: string, env = process.env): number =>
  spawnSync(command, args, { cwd, env, stdio: "inherit" }).status ?? 1

/** What was installed last, once all of it was. */
const installed = join(own, "installed.json")
const lock = readFileSync(join(pinned, "package-lock.json"), "utf8")

const install = (): void => {
  if (existsSync(installed) && readFileSync(installed, "utf8") === lock) return
  process.stderr.write(`Installing the clients into ${own}: about 1 GB.\n`)
  rmSync(installed, { force: true })
  mkdirSync(own, { recursive: true })
  for (const name of ["package.json", "package-lock.json"]) copyFileSync(join(pinned, name), join(own, name))
  // what npm was told when it started this is not for the one that installs
  const { npm_config_workspace, npm_config_loglevel, npm_config_local_prefix, ...env } = process.env
  const isInstalled =
    run("npm", ["ci", "--prefix", own, "--ignore-scripts", "--no-audit", "--no-fund"], own, env) === 0 &&
    // puts the program for this machine in its place
    run(process.execPath, ["postinstall.mjs"], join(own, "node_modules", "opencode-ai")) === 0
  if (!isInstalled) {
    process.stderr.write("The clients could not be installed; what npm says stands above.\n")
    process.exit(1)
  }
  writeFileSync(installed, lock)
}

/** Claude Code is not free software: nobody's copy is run unless its user names it. */
const offerClaude = (named: string | undefined): void => {
  const link = join(own, "node_modules", ".bin", "claude")
  rmSync(link, { force: true })
  if (named === undefined || named === "") return
  if (!existsSync(named)) {
    process.stderr.write(`PROOFLINE_TEST_CLAUDE is ${named}, and there is no such file. Name the program itself.\n`)
    process.exit(2)
  }
  symlinkSync(resolve(named), link)
}

const folder = process.env["PROOFLINE_TEST_CLIENTS"]
if (folder === undefined) {
  install()
  offerClaude(process.env["PROOFLINE_TEST_CLAUDE"])
}

const words = process.argv.slice(2)
const isRecording = words.includes("--record")
const rest = words.filter((word) => word !== "--record")
/** One of the files here, by its name: `session`. */
const only = rest[0]?.startsWith("-") === false ? rest.shift() : undefined
const filter = isRecording ? "clients/record" : `clients/${only ?? ""}`
process.exitCode = run("vitest", ["run", filter, ...rest], tests, {
  ...process.env,
  PROOFLINE_TEST_CLIENTS: folder ?? own,
  ...(isRecording ? { PROOFLINE_TEST_RECORD: "1" } : {})
})
