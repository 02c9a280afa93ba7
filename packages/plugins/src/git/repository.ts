import * as Path from "node:path"
import { Effect, Result } from "effect"
import { placeOf, surroundings } from "./places.ts"
import { isId, objectMark, remembered } from "./remembered.ts"
import { type Checkout, type GitFailed, git, gitNames, type Where } from "./run.ts"

/** Where the project lies in its repository. Absolute paths, links resolved. */
export interface Repository extends Checkout {
  /** From the top to the project, `/` separated; empty when they are the same. */
  readonly prefix: string
  /** What all checkouts of the repository share. */
  readonly common: string
}

/** The repository the directory is part of. */
export const locate = (directory: string): Effect.Effect<Repository, GitFailed> =>
  Effect.suspend(() => {
    let place: ReturnType<typeof placeOf> = null
    const markOf = () => {
      place = placeOf(directory)
      return place === "none" ? `none\n${surroundings()}` : (place?.mark ?? null)
    }
    const holds = (answer: Result.Result<Repository, GitFailed>): boolean =>
      place === "none"
        ? Result.isFailure(answer) && answer.failure.reason === "no_repository"
        : // its files may be said to be elsewhere
          Result.isSuccess(answer) && answer.success.top === place?.top
    return remembered(`locate ${directory}`, markOf, Effect.result(askedWhere(directory)), holds)
  }).pipe(Effect.flatMap(Effect.fromResult))

const askedWhere = (directory: string): Effect.Effect<Repository, GitFailed> =>
  git(directory, ["rev-parse", ...asks]).pipe(
    Effect.map((printed) => printed.split("\n").slice(0, -1)),
    Effect.flatMap((lines) =>
      lines.length === asks.length
        ? Effect.succeed(lines)
        : // a name on the way has a line feed in it
          Effect.forEach(asks, (one) => Effect.map(git(directory, ["rev-parse", one]), (line) => line.slice(0, -1)))
    ),
    Effect.map(([top = "", prefix = "", common = "", own = ""]) => ({
      ...{ top, prefix: prefix.replace(/\/$/, ""), common: Path.resolve(directory, common), own }
    }))
  )

const asks = ["--show-toplevel", "--show-prefix", "--git-common-dir", "--absolute-git-dir"]

/** The folder of a directory within its repository, with a `/` at the end; empty at the top. There need be no checkout. */
export const prefixOf = (directory: string): Effect.Effect<string, GitFailed> =>
  inCheckout(
    directory,
    ({ prefix }) => (prefix === "" ? "" : `${prefix}/`),
    Effect.map(git(directory, ["rev-parse", "--show-prefix"]), (printed) => printed.replace(/\n$/, ""))
  )

/** What its place tells of a repository; `otherwise` where it has no checkout. */
export const inCheckout = <A>(
  directory: string,
  told: (repository: Repository) => A,
  otherwise: Effect.Effect<A, GitFailed>
): Effect.Effect<A, GitFailed> =>
  Effect.map(locate(directory), told).pipe(
    Effect.catch((failed) => (failed.reason === "no_repository" ? otherwise : Effect.fail(failed)))
  )

/** Whether the repository of a directory ignores a path in it; false where there is none. */
export const ignores = (directory: string, path: string): Effect.Effect<boolean> =>
  // this command refuses to be told that paths are literal, and takes them so but for a colon at the beginning
  git(directory, ["check-ignore", "--quiet", "--", `./${path}`], { env: { GIT_LITERAL_PATHSPECS: "0" } }).pipe(
    Effect.as(true),
    // it fails where it does not ignore it
    Effect.orElseSucceed(() => false)
  )

/** Those of some paths in a directory that its repository ignores; none where there is none. */
export const ignoredAmong = (directory: string, paths: ReadonlyArray<string>): Effect.Effect<ReadonlySet<string>> =>
  gitNames(directory, ["check-ignore", "-z", "--stdin"], {
    env: { GIT_LITERAL_PATHSPECS: "0" },
    input: paths.map((path) => `./${path}\0`).join("")
  }).pipe(
    Effect.map((names) => new Set(names.map((name) => name.slice(2)))),
    // it fails where it ignores none of them
    Effect.orElseSucceed(() => new Set<string>())
  )

/** A repository around the project that ignores all of it knows nothing of it. */
export const ignoresAll = ({ prefix, top }: Repository): Effect.Effect<boolean> =>
  prefix === "" ? Effect.succeed(false) : ignores(top, prefix)

/** The id of the commit that a name of any kind means; null: there is none. */
export const commitOf = (where: Where, name: string): Effect.Effect<string | null, GitFailed> =>
  isId(name)
    ? remembered(
        `commit ${name}`,
        () => objectMark(where, name),
        askedFor(where, name),
        (found) => found === name
      )
    : askedFor(where, name)

const askedFor = (where: Where, name: string): Effect.Effect<string | null, GitFailed> =>
  git(where, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]).pipe(
    Effect.map((printed) => printed.trim()),
    Effect.catchTag("GitFailed", (failed) =>
      failed.reason === "failed" && failed.exit_code !== null ? Effect.succeed(null) : Effect.fail(failed)
    )
  )

/** The newest commit that both follow from; null: none, or it is not here. */
export const mergeBase = (where: Where, one: string, other: string): Effect.Effect<string | null, GitFailed> =>
  git(where, ["merge-base", one, other]).pipe(
    Effect.map((printed) => printed.trim()),
    Effect.catchTag("GitFailed", (failed) =>
      failed.reason === "failed" && failed.exit_code === 1 ? Effect.succeed(null) : Effect.fail(failed)
    )
  )

/** A sentence without the names and passwords that stand in URLs. */
export const withoutPassword = (said: string): string => said.replaceAll(/:\/\/[^/@\s]*@/g, "://")

/** The commits among these ids that are in the repository. */
export const commitsAmong = (
  where: Where,
  ids: ReadonlyArray<string>
): Effect.Effect<ReadonlySet<string>, GitFailed> =>
  ids.length === 0
    ? Effect.succeed(new Set())
    : Effect.map(
        git(where, ["cat-file", "--batch-check=%(objecttype)"], { input: ids.map((id) => `${id}\n`).join("") }),
        (printed) => {
          const types = printed.split("\n")
          return new Set(ids.filter((_, i) => types[i] === "commit"))
        }
      )

/** Makes a directory a repository with all of its files in a first commit. */
export const makeRepository = Effect.fnUntraced(function* (directory: string, message: string) {
  yield* git(directory, ["init", "-q"])
  yield* git(directory, ["add", "-A"])
  yield* git(directory, ["commit", "-q", "-m", message])
})
