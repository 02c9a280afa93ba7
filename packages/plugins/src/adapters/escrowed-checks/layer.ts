import { lstat, mkdir, readdir, readFile, realpath } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { Effect, Layer, type Scope } from "effect"
import { isWithin } from "../../git/paths.ts"
import { removeTree } from "../../git/removeTree.ts"
import { type EscrowCopy, EscrowedChecks, EscrowRefused } from "../../port/index.ts"
import { isAbandoned, newName } from "../../processes/names.ts"
import { copyTo, digestOf } from "./directory.ts"
import { type Keeping, kept } from "./kept.ts"

export { CannotTake, digestOf } from "./directory.ts"
export { type Keeping, keep, kept } from "./kept.ts"

/** The file that says which checks there are. */
export const manifestName = "checks.yaml"

/** What a manifest says. */
export type ReadManifest = (
  text: string
) => ReadonlyArray<{ readonly criterion: string; readonly command: string; readonly timeout_ms?: number }> | null

export interface EscrowedChecksOptions extends Keeping {
  /** The project directory. */
  readonly root: string
  readonly manifest: ReadManifest
  /** Where copies lie; the system's directory for temporary files when left out. */
  readonly temporary?: string
}

const sentences = {
  unknown: "Where the checks lie is not known here. Say it with --checks-from when the run is resumed.",
  gone: "The checks are not there any more, or cannot be read.",
  changed: "The checks were changed since the run began. Go on with them as they are now by --checks-from of `resume`.",
  noCopy: "No private copy of the checks could be made.",
  inProject: "The directory for temporary files lies in the project. Set TMPDIR to one outside of it."
} as const

const refused = (sentence: keyof typeof sentences): EscrowRefused => new EscrowRefused({ message: sentences[sentence] })

/** Private copies of the checks, each in a directory of its own that the user alone can read. */
export const layer = (options: EscrowedChecksOptions): Layer.Layer<EscrowedChecks> =>
  Layer.succeed(EscrowedChecks, { open: (sha256) => open(options, sha256) })

const open = Effect.fnUntraced(function* (
  options: EscrowedChecksOptions,
  sha256: string
): Effect.fn.Return<EscrowCopy, EscrowRefused, Scope.Scope> {
  const { manifest, root, temporary = tmpdir() } = options
  const from = yield* Effect.promise(() => kept(options, sha256))
  if (from === null) return yield* Effect.fail(refused("unknown"))
  const [project, below] = yield* attempt("noCopy", () => Promise.all([realpath(root), realpath(temporary)]))
  if (isWithin(project, below)) return yield* Effect.fail(refused("inProject"))
  yield* Effect.promise(() => removeLeftovers(below))
  const directory = Path.join(below, newName("checks"))
  // promised before it is begun: an interruption finds it half made
  yield* Effect.addFinalizer(() => Effect.promise(() => removeTree(directory)))
  yield* attempt("noCopy", () => mkdir(directory, { mode: 0o700 }))
  yield* attempt("gone", () => copyTo(from, directory))
  // of the copy, which nobody else changes
  const digest = yield* attempt("noCopy", () => digestOf(directory))
  const text = yield* attempt("gone", () => readFile(Path.join(directory, manifestName), "utf8"))
  const checks = digest === sha256 ? manifest(text) : null
  if (checks === null) return yield* Effect.fail(refused("changed"))
  return {
    directory,
    checkOf: (criterion) => {
      const found = checks.find((check) => check.criterion === criterion)
      if (found === undefined) return undefined
      const { command, timeout_ms } = found
      return timeout_ms === undefined ? { command } : { command, timeout_ms }
    }
  }
})

const attempt = <A>(sentence: keyof typeof sentences, run: () => Promise<A>): Effect.Effect<A, EscrowRefused> =>
  Effect.tryPromise({ try: run, catch: () => refused(sentence) })

/** What processes that do not live any more have left behind. */
const removeLeftovers = async (temporary: string): Promise<void> => {
  for (const name of (await readdir(temporary).catch(() => [])).filter((one) => isAbandoned(one, "checks"))) {
    const path = Path.join(temporary, name)
    if ((await lstat(path).catch(() => null))?.uid === process.getuid?.()) await removeTree(path)
  }
}
