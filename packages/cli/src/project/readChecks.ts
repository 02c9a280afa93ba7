import { realpathSync } from "node:fs"
import * as Path from "node:path"
import type { EscrowedCheck, RunConfig } from "@proofline/kernel"
import { CannotTake, digestOf, keep, kept, manifestName } from "@proofline/plugins/adapters/escrowed-checks"
import { type KnownIds, parseChecks } from "@proofline/plugins/adapters/project-files"
import { Effect } from "effect"
import { isWithin, type ProjectPaths, statOf } from "../base/paths.ts"
import { exitCodes, type Problem, type Stop, stop } from "../base/problems.ts"
import { say, sayProblems } from "../process/output.ts"
import { readText } from "./files.ts"

/** Where the checks are said to be; messages never name the place, for agents may read them. */
export interface Places {
  /** On the command line, or in a request. */
  readonly said?: string | undefined
  /** In proofline.yaml. */
  readonly ofFile: string | null
}

export interface Place {
  readonly directory: string
  readonly name: string
}

const refused = (code: string, message: string, hint: string): Effect.Effect<never, Stop> =>
  Effect.fail(stop(exitCodes.usage, { code, message, hint }))

const outside = "Name a directory outside of the project: an agent reads all that is in it."

/** The directory with its links resolved; refused where it is none, or lies where agents work. */
const existing = Effect.fnUntraced(function* ({ directory, name }: Place, paths: ProjectPaths) {
  const found = statOf(directory)
  if (found === undefined) {
    return yield* refused(
      "checks_from_missing",
      `There is no directory of the name that ${name} gives.`,
      "Name one that exists: a relative name counts from the current directory, in proofline.yaml from the project."
    )
  }
  if (!found.isDirectory()) {
    return yield* refused(
      "checks_from_no_directory",
      `What ${name} names is no directory.`,
      `Name the directory that holds ${manifestName}.`
    )
  }
  const real = realpathSync(directory)
  const project = realpathSync(paths.root)
  if (isWithin(project, real) || isWithin(real, project))
    return yield* refused("checks_from_inside", `What ${name} names lies in the project, or holds it.`, outside)
  return real
})

const unreadable = (name: string, cause: unknown) =>
  refused(
    cause instanceof CannotTake ? "checks_from_unusable" : "checks_from_unreadable",
    cause instanceof CannotTake
      ? `The directory that ${name} names cannot be used. ${cause.message}`
      : `The directory that ${name} names cannot be read (${(cause as NodeJS.ErrnoException).code ?? "unknown"}).`,
    "Give a directory of files that you may read, and nothing that they do not need beside them."
  )

const digestFor = (name: string, directory: string) =>
  Effect.tryPromise({ try: () => digestOf(directory), catch: (cause) => cause }).pipe(
    Effect.catch((cause) => unreadable(name, cause))
  )

/** Reads a directory of checks, and keeps where it is. */
const readChecks = Effect.fnUntraced(function* (place: Place, paths: ProjectPaths, known: KnownIds) {
  const { name } = place
  const directory = yield* existing(place, paths)
  const sha256 = yield* digestFor(name, directory)
  if (statOf(Path.join(directory, manifestName))?.isFile() !== true) {
    return yield* refused(
      "checks_file_missing",
      `The directory that ${name} names holds no ${manifestName}.`,
      "Write one: `checks:` with a list of `criterion` and `run`."
    )
  }
  const text = yield* readText(Path.join(directory, manifestName), manifestName)
  const { checks, problems, warnings } = parseChecks(text, manifestName, known)
  yield* sayProblems(warnings, "warning")
  if (checks === null) return yield* stop(exitCodes.usage, ...problems)
  yield* Effect.tryPromise({ try: () => keep(keeping(paths), sha256, directory), catch: (cause) => cause }).pipe(
    Effect.catch((cause) =>
      refused(
        "checks_from_not_kept",
        `Where the checks lie cannot be kept for a resume (${(cause as NodeJS.ErrnoException).code ?? "unknown"}).`,
        "Make ~/.local/state writable, or set XDG_STATE_HOME to a directory of yours."
      )
    )
  )
  const told = checks.map(({ command: _, timeout_ms: __, ...check }): EscrowedCheck => check)
  return { sha256, checks: told }
})

const keeping = ({ state }: ProjectPaths) => ({ state })

const withEscrow = (config: RunConfig, escrow: Effect.Success<ReturnType<typeof readChecks>>): RunConfig => ({
  ...config,
  proof: { ...config.proof, escrow }
})

/** The run with the checks that lie there. */
export const withRead = Effect.fnUntraced(function* (
  config: RunConfig,
  place: Place,
  paths: ProjectPaths,
  known: KnownIds
) {
  return withEscrow(config, yield* readChecks(place, paths, known))
})

const changed: Problem = {
  code: "checks_from_changed",
  kind: "conflict",
  message: "The escrowed checks are not what they were when this run began, and nobody says who has changed them.",
  hint: "Look at what was changed. Go on with them as they are now by naming the directory with --checks-from, or bring back what they were."
}

const lost: Problem = {
  code: "checks_from_lost",
  kind: "conflict",
  message: "This run has escrowed checks, and where they lie is not known here any more, or they are gone.",
  hint: "Name the directory with --checks-from."
}

/**
 * On a resume the checks are those of before. Other ones are taken where they are named on the command line, and the log
 * has their digest from then on: an agent may have written what a file of the project names.
 */
export const readAgain = Effect.fnUntraced(function* (
  config: RunConfig,
  places: Places,
  place: Place | null,
  paths: ProjectPaths,
  known: KnownIds
) {
  const before = config.proof.escrow
  if (before === undefined) return place === null ? config : yield* withRead(config, place, paths, known)
  if (places.said !== undefined && place !== null) {
    const escrow = yield* readChecks(place, paths, known)
    if (escrow.sha256 !== before.sha256)
      yield* say(
        "NOTE: the escrowed checks are not those with which this run began. From now on those that were named decide; what was completed by the old ones stays completed."
      )
    return withEscrow(config, escrow)
  }
  const found = yield* Effect.promise(() => kept(keeping(paths), before.sha256))
  const directory = found ?? place?.directory ?? null
  if (directory === null || statOf(directory)?.isDirectory() !== true) return yield* stop(exitCodes.usage, lost)
  const again = { directory, name: "--checks-from of before" }
  const sha256 = yield* digestFor(again.name, yield* existing(again, paths))
  if (sha256 !== before.sha256) return yield* stop(exitCodes.usage, changed)
  if (found === null) yield* readChecks(again, paths, known)
  return config
})
