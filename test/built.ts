// Builds what `npm test` needs, unless all of it is newer than what it is built from: after `npm ci` it is.
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const packages = ["kernel", "plugins", "cli", "ui"].map((name) => join(root, "packages", name))

/** What each build writes last or whole. */
const built = ["kernel/dist/index.js", "cli/dist/proofline.cjs", "cli/dist/ui/index.html"]

/** A folder changes when a file is removed from it. */
const below = (folder: string): ReadonlyArray<string> => [
  folder,
  ...readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name))
]

const sources = [
  join(root, "package-lock.json"),
  join(root, "tsconfig.base.json"),
  ...packages.flatMap((folder) => [
    ...readdirSync(folder).flatMap((name) => (/\.(?:json|ts|html)$/.test(name) ? [join(folder, name)] : [])),
    ...below(join(folder, "src"))
  ])
]

/** Whether all that `npm test` needs of a build is newer than what it is built from. */
export const isBuilt = (): boolean => {
  const files = built.map((file) => join(root, "packages", file))
  if (!files.every(existsSync) || !existsSync(join(root, "packages/cli/schema"))) return false
  const oldest = Math.min(...files.map((file) => statSync(file).mtimeMs))
  return sources.every((file) => statSync(file).mtimeMs < oldest)
}

if (import.meta.main && !isBuilt())
  process.exitCode = spawnSync("npm", ["run", "--silent", "build"], { cwd: root, stdio: "inherit" }).status ?? 1
