import { cpSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"

const cli = fileURLToPath(new URL("../../packages/cli/", import.meta.url))

/** The program, put into a directory as npm does. Nothing of this checkout is near it: sources that are newer than the bundle would be run in its place. */
export const installedIn = (directory: string): string => {
  const place = join(directory, "node_modules", "proofline")
  for (const name of ["bin", "dist", "schema", "templates", "package.json"]) {
    cpSync(join(cli, name), join(place, name), { recursive: true, filter: (path) => basename(path) !== "ui" })
  }
  return join(place, "bin", "proofline.cjs")
}
