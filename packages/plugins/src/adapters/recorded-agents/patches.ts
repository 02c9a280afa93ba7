import { copyFile, mkdir, stat, utimes } from "node:fs/promises"
import * as Path from "node:path"
import { Effect } from "effect"
import { removeTree } from "../../git/removeTree.ts"
import { ignoresAll, locate, prefixOf, type Repository } from "../../git/repository.ts"
import { type GitFailed, git, gitBytes, gitLine } from "../../git/run.ts"
import { alwaysDependencies } from "../../git/status.ts"
import { makeTemporary } from "../../processes/temporary.ts"
import type { Seen } from "./exchange.ts"

/** Work, and what changed in the directory meanwhile. The user's index and objects are read and not written. */
export const withPatch = <A, E, R>(
  directory: string,
  work: Effect.Effect<A, E, R>
): Effect.Effect<readonly [A, Seen], E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => makeTemporary()),
    (scratch) =>
      Effect.gen(function* () {
        const before = yield* Effect.result(begun(directory, scratch))
        const done = yield* work
        if (before._tag === "Failure") return [done, missing(before.failure)] as const
        const patch = yield* Effect.result(patchSince(before.success))
        return [done, patch._tag === "Failure" ? missing(patch.failure) : { patch: patch.success }] as const
      }),
    (scratch) => Effect.promise(() => removeTree(scratch))
  )

/** Why nobody can tell what changes in a directory; null: that can be told. */
export const filesMissing = (directory: string): Effect.Effect<string | null> =>
  Effect.match(repositoryOf(directory), { onFailure: ({ message }) => message, onSuccess: () => null })

const repositoryOf = Effect.fnUntraced(function* (directory: string) {
  const repository = yield* locate(directory)
  return (yield* ignoresAll(repository))
    ? yield* Effect.fail({ message: `The repository around ${directory} ignores all of it.` })
    : repository
})

const missing = ({ message }: Pick<GitFailed, "message">): Seen => ({ missing: message })

interface Begun {
  readonly repository: Repository
  readonly take: Effect.Effect<string, GitFailed>
  readonly tree: string
  readonly env: Readonly<Record<string, string>>
}

const begun = Effect.fnUntraced(function* (directory: string, scratch: string) {
  const repository = yield* repositoryOf(directory)
  const index = Path.join(scratch, "index")
  const objects = Path.join(scratch, "objects")
  yield* Effect.promise(async () => {
    await mkdir(objects)
    await copyIndex(Path.join(repository.own, "index"), index)
  })
  const env = {
    GIT_OBJECT_DIRECTORY: objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: Path.join(repository.common, "objects"),
    GIT_LITERAL_PATHSPECS: "0"
  }
  // the state directory ignores itself
  const left = alwaysDependencies.map((name) => `:(exclude,glob)**/${name}/**`)
  const within = repository.prefix === "" ? "." : `:(literal)${repository.prefix}`
  const take = Effect.andThen(
    git(repository, ["add", "-A", "--", within, ...left], { env, index }),
    gitLine(repository, ["write-tree"], { env, index })
  )
  return { repository, take, tree: yield* take, env } satisfies Begun
})

const copyIndex = async (from: string, to: string): Promise<void> => {
  const found = await stat(from).catch(() => null)
  if (found === null) return
  await copyFile(from, to)
  // git looks again at files that are as new as the index; a copy must not seem newer than it is
  const second = Math.floor(found.mtimeMs / 1_000)
  await utimes(to, second, second)
}

const patchSince = Effect.fnUntraced(function* ({ env, repository, take, tree }: Begun) {
  const now = yield* take
  if (now === tree) return new Uint8Array()
  return yield* gitBytes(
    repository,
    [
      ...[
        "diff-tree",
        "-p",
        "--binary",
        "--full-index",
        "--no-renames",
        "--no-color",
        "--no-ext-diff",
        "--no-textconv"
      ],
      ...["--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules=all"],
      ...(repository.prefix === "" ? [] : [`--relative=${repository.prefix}/`]),
      tree,
      now
    ],
    { env }
  )
})

/** Makes the changes of a patch in a directory, but for files that are so already. All of them are made, or none. */
export const applyPatch = (directory: string, patch: Uint8Array): Effect.Effect<void, GitFailed> =>
  patch.length === 0
    ? Effect.void
    : apply(directory, patch).pipe(
        Effect.catchIf(
          ({ reason }) => reason === "failed",
          () =>
            Effect.flatMap(
              Effect.filter(filesOf(patch), (file) => Effect.map(isMade(directory, file), (made) => !made)),
              (left) => (left.length === 0 ? Effect.void : apply(directory, Buffer.concat(left)))
            )
        )
      )

const apply = (directory: string, patch: Uint8Array, ...how: ReadonlyArray<string>) =>
  // git takes the paths of its patches from the top of the repository, wherever it is started
  Effect.flatMap(
    Effect.orElseSucceed(prefixOf(directory), () => ""),
    (prefix) =>
      Effect.asVoid(
        gitBytes(directory, ["apply", "--whitespace=nowarn", `--directory=${prefix}`, ...how], { input: patch })
      )
  )

const isMade = (directory: string, patch: Uint8Array): Effect.Effect<boolean> =>
  apply(directory, patch, "--check", "--reverse").pipe(
    Effect.as(true),
    Effect.orElseSucceed(() => false)
  )

/** A patch of each file. No line of a change begins like the line before one. */
const filesOf = (patch: Uint8Array): ReadonlyArray<Buffer> =>
  Buffer.from(patch)
    .toString("latin1")
    .split(/^(?=diff --git )/m)
    .map((file) => Buffer.from(file, "latin1"))
