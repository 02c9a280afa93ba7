import { isUtf8 } from "node:buffer"
import { mkdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { Effect, type Scope } from "effect"
import { linkDependencies } from "../../git/dependencies.ts"
import { openObjects } from "../../git/objects.ts"
import { removeTree } from "../../git/removeTree.ts"
import { commitOf, ignoresAll, locate, type Repository } from "../../git/repository.ts"
import { GitFailed, git, gitFields } from "../../git/run.ts"
import { changesBetween } from "../../git/tree.ts"
import type { CheckoutRefused } from "../../port/index.ts"
import { newName } from "../../processes/names.ts"
import { attempt, outside } from "./checkout.ts"
import { abandonedIn } from "./remove.ts"

/** A commit with one parent. */
export interface Step {
  readonly commit: string
  readonly parent: string
  readonly subject: string
}

/** A text file that a commit has written; `before` is null where it is new. Path from the project's directory. */
export interface WrittenFile {
  readonly path: string
  readonly before: string | null
  readonly after: string
}

/** A throw-away repository with all commits of the project's, of which that one knows nothing. */
export interface ScratchClone {
  /** The project in it, absolute. */
  readonly directory: string
  /** A directory beside it, for whatever else is thrown away with it. */
  readonly beside: string
  /** HEAD of the project. */
  readonly commit: string
  /** The newest commits of its line, newest first. */
  readonly history: (most: number) => Effect.Effect<ReadonlyArray<Step>, GitFailed>
  readonly writtenBy: (step: Step) => Effect.Effect<ReadonlyArray<WrittenFile>, GitFailed>
  /** Makes the files those of a commit. */
  readonly checkout: (commit: string) => Effect.Effect<void, GitFailed>
  /** Writes a file of the project in it; null removes it. */
  readonly write: (path: string, text: string | null) => Effect.Effect<void, CheckoutRefused>
  /** Gives it the packages that are installed in the project. */
  readonly linkPackages: Effect.Effect<void, GitFailed>
}

const maxBytes = 1024 * 1024
const localOnly = { GIT_ALLOW_PROTOCOL: "file", GIT_LFS_SKIP_SMUDGE: "1" }

/**
 * A clone of the project's repository in the directory for temporary files, without what is not committed. Objects are
 * borrowed, not copied; nothing is written in the repository itself. Null: there is no commit yet.
 */
export const scratchClone = Effect.fnUntraced(function* ({
  root,
  temporary = tmpdir()
}: {
  readonly root: string
  readonly temporary?: string
}): Effect.fn.Return<ScratchClone | null, GitFailed | CheckoutRefused, Scope.Scope> {
  const repository = yield* locate(root)
  if (yield* ignoresAll(repository)) {
    return yield* new GitFailed({ ...nothing, message: `The repository around ${root} ignores it.` })
  }
  const commit = yield* commitOf(root, "HEAD")
  if (commit === null) return null
  const place = yield* outside(repository.top, temporary)
  for (const name of yield* Effect.promise(() => abandonedIn(place)))
    yield* Effect.promise(() => removeTree(Path.join(place, name)))
  const made = Path.join(place, newName("checkout"))
  const beside = Path.join(made, "beside")
  const top = Path.join(made, Path.basename(repository.top))
  // promised before it is begun: an interruption finds it half made
  yield* Effect.addFinalizer(() => Effect.promise(() => removeTree(made)))
  yield* attempt(`${made} could not be made`, () => mkdir(made, { mode: 0o700 }))
  yield* attempt(`${beside} could not be made`, () => mkdir(beside))
  yield* git(repository.top, ["clone", "-q", "--shared", "--no-checkout", "--no-tags", "--", repository.top, top], {
    env: localOnly
  })
  const checkout = (id: string) =>
    Effect.asVoid(git(top, ["checkout", "-q", "--force", "--detach", id], { env: localOnly }))
  yield* checkout(commit)
  const directory = Path.join(top, repository.prefix)
  yield* attempt(`${directory} could not be made`, () => mkdir(directory, { recursive: true }))
  const read = yield* openObjects(top)
  return {
    directory,
    beside,
    commit,
    checkout,
    history: (most) => historyOf(top, commit, most),
    writtenBy: ({ commit: now, parent }) =>
      Effect.gen(function* () {
        const changes = yield* changesBetween(top, parent, now, { unreadable: "left out" })
        const written = changes.flatMap(({ after, before, path }) => {
          const name = within(repository, path)
          const isFile = after?.mode.startsWith("100") === true && (before === null || before.mode.startsWith("100"))
          return name === null || !isFile ? [] : [{ name, after, before }]
        })
        const textOf = (id: string) =>
          Effect.map(read(id, maxBytes), (blob) =>
            blob instanceof Uint8Array && isUtf8(blob) ? Buffer.from(blob).toString() : null
          )
        const found: Array<WrittenFile> = []
        for (const { after, before, name } of written) {
          const text = yield* textOf(after.id)
          const old = before === null ? null : yield* textOf(before.id)
          if (text !== null && (before === null || old !== null)) found.push({ path: name, before: old, after: text })
        }
        return found
      }),
    write: (path, text) =>
      attempt(`${path} could not be changed in the copy`, async () => {
        const file = Path.join(directory, path)
        // never through a link, nor into an object that is borrowed
        await rm(file, { force: true })
        if (text === null) return
        await mkdir(Path.dirname(file), { recursive: true })
        await writeFile(file, text)
      }),
    linkPackages: linkDependencies(repository, top)
  }
})

const nothing = { reason: "no_repository", said: "", exit_code: null, printed: "" } as const

const within = ({ prefix }: Repository, path: string): string | null =>
  prefix === "" ? path : path.startsWith(`${prefix}/`) ? path.slice(prefix.length + 1) : null

const historyOf = (top: string, from: string, most: number): Effect.Effect<ReadonlyArray<Step>, GitFailed> =>
  Effect.map(
    gitFields(top, [
      ...["log", "-z", "--first-parent", "--no-merges", "--no-show-signature", `--max-count=${most}`],
      ...["--format=%H %P %s", from, "--"]
    ]),
    (lines) =>
      lines.flatMap((line): ReadonlyArray<Step> => {
        const [, commit, parent, subject] = /^(\w{40,64}) (\w{40,64}) (.*)$/s.exec(line ?? "") ?? []
        return commit === undefined || parent === undefined ? [] : [{ commit, parent, subject: subject ?? "" }]
      })
  )
