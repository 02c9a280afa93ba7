/**
 * Run in a package before it is packed: npm packs files with the modes that they have, which are those of whoever checked
 * them out. They get the two that git knows, so that the same commit is the same package everywhere.
 */
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"

const { files } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly files: ReadonlyArray<string> }

const normalised = (path: string): void => {
  const found = statSync(path)
  const isOpen = found.isDirectory() || (found.mode & 0o100) !== 0
  chmodSync(path, isOpen ? 0o755 : 0o644)
  if (found.isDirectory()) for (const name of readdirSync(path)) normalised(join(path, name))
}

for (const path of ["package.json", "README.md", "LICENSE", ...files]) if (existsSync(path)) normalised(path)
