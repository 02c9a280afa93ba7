// Builds what `npm test` needs, unless all of it is newer than what it is built from: after `npm ci` it is.
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const ofProgram = ["kernel", "plugins", "cli"]
const ofAll = [...ofProgram, "ui"]

/** What the build of the program writes last or whole. */
const program = ["cli/dist/proofline.cjs", "cli/dist/app.cjs"]
/** The same of each build. */
const all = ["kernel/dist/index.js", ...program, "cli/dist/ui/index.html"]

/** A folder changes when a file is removed from it. */
const below = (folder: string): ReadonlyArray<string> => [
  folder,
  ...readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name))
]

const sourcesOf = (packages: ReadonlyArray<string>): ReadonlyArray<string> => [
  join(root, "package-lock.json"),
  join(root, "tsconfig.base.json"),
  ...packages
    .map((name) => join(root, "packages", name))
    .flatMap((folder) => [
      ...readdirSync(folder).flatMap((name) => (/\.(?:json|ts|html)$/.test(name) ? [join(folder, name)] : [])),
      ...below(join(folder, "src"))
    ])
]

const isNewer = (built: ReadonlyArray<string>, packages: ReadonlyArray<string>): boolean => {
  const files = built.map((file) => join(root, "packages", file))
  if (!files.every(existsSync)) return false
  const oldest = Math.min(...files.map((file) => statSync(file).mtimeMs))
  return sourcesOf(packages).every((file) => statSync(file).mtimeMs < oldest)
}

/** Whether the program that is built is newer than what it is built from. */
export const isProgramBuilt = (): boolean => isNewer(program, ofProgram)

/** The same of all that `npm test` needs of a build. */
const isBuilt = (): boolean => existsSync(join(root, "packages/cli/schema")) && isNewer(all, ofAll)

/** The site of the docs is built in seconds, and changes with every page. */
const isSiteBuilt = (): boolean => {
  const site = join(root, "packages/cli/dist/docs.br")
  if (!existsSync(site)) return false
  const built = statSync(site).mtimeMs
  return [join(root, "docs"), join(root, "packages/cli/docs")]
    .flatMap(below)
    .every((file) => statSync(file).mtimeMs < built)
}

const run = (script: string): void => {
  const { status } = spawnSync("npm", ["run", "--silent", script], { cwd: root, stdio: "inherit" })
  if (status !== 0) process.exitCode = status ?? 1
}

if (import.meta.main) {
  if (!isBuilt()) run("build")
  else if (!isSiteBuilt()) run("docs:site")
}
