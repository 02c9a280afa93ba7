import { existsSync } from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"

/** The package's own folder: the parent of `src/` in a checkout and of `dist/` when bundled. */
export const packageRoot = Path.resolve(Path.dirname(fileURLToPath(import.meta.url)), "..")

/** A file or folder that ships with the package (templates, examples, schemas). */
export const asset = (...path: ReadonlyArray<string>): string => {
  const file = Path.join(packageRoot, ...path)
  if (!existsSync(file)) throw new Error(`The installation is incomplete: ${file} is missing.`)
  return file
}

/** What starts this Proofline as another process of Node. */
export const ownProgram = Path.join(packageRoot, "bin", "proofline.cjs")

/** The page that a server shows; not there in a checkout that was not built. */
export const pageDirectory = Path.join(packageRoot, "dist", "ui")

/** The site of the docs; not there in a checkout that was not built. */
export const docsFile = Path.join(packageRoot, "dist", "docs.br")
