import { LogUnavailable, type RunHead, RunHeads } from "@proofline/kernel"
import { Effect, Layer } from "effect"
import { wordsOf } from "../../git/paths.ts"
import type { GitFailed } from "../../git/run.ts"
import { fileOf, headInFile, headsInFiles, keepInFile } from "./files.ts"
import { headInGit, headsInGit, keepInGit } from "./git.ts"
import { isOfLog, logAt, type WrittenHead } from "./head.ts"

export { ignoreAll } from "./files.ts"

export interface RunHeadsOptions {
  /** The project directory. */
  readonly root: string
  /** Where the log is. */
  readonly stateDir: string
  /** Where heads are kept in a project without a repository; outside of the state directory. */
  readonly directory: string
}

/**
 * Heads of runs under `refs/proofline/<run>` in the repository of the project: no clean-up of the work tree takes them,
 * and `git gc` keeps them. Elsewhere, and where git does not work, one file for each run. Both are looked at.
 */
export const layer = (options: RunHeadsOptions): Layer.Layer<never> =>
  Layer.succeed(RunHeads, {
    keep: (head) => keep(options, { ...head, ...logAt(options.root, options.stateDir) }),
    of: (run) => headOf(options, run),
    all: Effect.suspend(() => {
      const here = logAt(options.root, options.stateDir)
      return Effect.map(Effect.catch(headsInGit(options.root), withoutGit([])), (inGit) =>
        latest([...inGit, ...headsInFiles(options.directory)].filter((head) => isOfLog(head, here))).map(headIn)
      )
    })
  })

const keep = ({ directory, root }: RunHeadsOptions, head: WrittenHead): Effect.Effect<void> =>
  Effect.catch(keepInGit(root, head), (failed) =>
    Effect.try({ try: () => keepInFile(directory, head), catch: wordsOf }).pipe(
      Effect.catch((why) =>
        Effect.logWarning(
          `The head of ${head.run_id} (event ${head.version}, ${head.hash}) could not be kept outside of the log: ${failed.message} ${why}`
        )
      )
    )
  )

const headOf = Effect.fnUntraced(function* (
  { directory, root }: RunHeadsOptions,
  run: string
): Effect.fn.Return<RunHead | null, LogUnavailable> {
  const inGit = yield* Effect.catch(headInGit(root, run), withoutGit(null))
  if (inGit?.head === null) return yield* unreadable(run, `the ref ${inGit.ref}`)
  const inFile = yield* Effect.try({
    try: () => headInFile(directory, run),
    catch: (cause) => unreadable(run, `${fileOf(directory, run)} (${wordsOf(cause)})`)
  })
  if (inFile === undefined) return yield* unreadable(run, fileOf(directory, run))
  const [head] = latest([inGit?.head ?? [], inFile ?? []].flat().filter(({ run_id }) => run_id === run))
  return head === undefined ? null : headIn(head)
})

const headIn = ({ hash, run_id, version }: WrittenHead): RunHead => ({ run_id, version, hash })

/** Of each run the last one. */
const latest = (heads: ReadonlyArray<WrittenHead>): ReadonlyArray<WrittenHead> =>
  [...Map.groupBy(heads, ({ run_id }) => run_id).values()].flatMap((same) =>
    same.toSorted((a, b) => b.version - a.version).slice(0, 1)
  )

/** A project needs no repository. Any other failure is said, since heads may lie behind it. */
const withoutGit =
  <A>(otherwise: A) =>
  ({ message, reason }: GitFailed): Effect.Effect<A> =>
    reason === "no_repository" || reason === "missing"
      ? Effect.succeed(otherwise)
      : Effect.as(Effect.logWarning(`Heads of runs in the repository were not looked at: ${message}`), otherwise)

const unreadable = (run: string, where: string): LogUnavailable =>
  new LogUnavailable({
    code: "log_corrupt",
    message: `The head of ${run} that was kept outside of the log cannot be read: ${where}.`,
    hint: "Restore it from a copy; without it nobody can tell whether the end of the run was cut off."
  })
