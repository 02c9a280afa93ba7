/**
 * Run behind `changeset version`: the version that the packages have now, where else it stands. `npm run release:version`.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

const change = (file: string, of: RegExp, now: string): void => {
  const path = join(root, file)
  const text = readFileSync(path, "utf8")
  if (!of.test(text)) throw new Error(`${file} has nothing like ${of}.`)
  writeFileSync(path, text.replace(of, now))
}

const { version } = JSON.parse(readFileSync(join(root, "packages/cli/package.json"), "utf8")) as { version: string }
const today = new Date().toISOString().slice(0, 10)
change("packages/cli/src/base/version.ts", /(?<=version = ")[^"]+/, version)
change("CHANGELOG.md", /^## Unreleased$/m, `## ${version} (${today})`)
