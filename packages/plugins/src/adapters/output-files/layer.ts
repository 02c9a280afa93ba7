import { randomBytes } from "node:crypto"
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { Effect, Layer } from "effect"
import { makeDirectoryNow } from "../../log/logDirectories.ts"
import { OutputFiles, OutputRefused } from "../../port/index.ts"

export interface OutputFilesOptions {
  /** The project directory. */
  readonly root: string
}

/** Files on the disk of this machine. */
export const layer = ({ root }: OutputFilesOptions): Layer.Layer<OutputFiles> =>
  Layer.succeed(OutputFiles, {
    write: (path, text) =>
      Effect.try({
        try: () => write(resolve(root, path), text),
        catch: (cause) =>
          new OutputRefused({
            path,
            message: `${path} cannot be written: ${cause instanceof Error ? cause.message : String(cause)}.`
          })
      })
  })

const write = (file: string, text: string): string | null => {
  makeDirectoryNow(dirname(file))
  const isThere = existsSync(file)
  // nobody writes into a pipe in its place: to read it would take for ever
  if (isThere && statSync(file).isFile() && readFileSync(file, "utf8") === text) return null
  const part = `${file}.${process.pid}.${randomBytes(4).toString("hex")}.part`
  try {
    writeFileSync(part, text, { flag: "wx" })
    const kept = isThere ? freeName(file) : null
    if (kept !== null) renameSync(file, kept)
    renameSync(part, file)
    return kept
  } catch (cause) {
    rmSync(part, { force: true })
    throw cause
  }
}

/** What somebody wrote there is not ours to throw away. */
const freeName = (file: string): string => {
  for (let n = 1; ; n++) {
    const name = `${file}.${n}.bak`
    if (!existsSync(name)) return name
  }
}
