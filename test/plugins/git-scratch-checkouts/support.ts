import { createHash } from "node:crypto"
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import * as Path from "node:path"
import { layer } from "@proofline/plugins/adapters/git-scratch-checkouts"
import { ScratchCheckouts } from "@proofline/plugins/ports"
import { Effect } from "effect"
import { begin, type Files, filesOf, room, write } from "../repositories.ts"

export { commit, contentOf, git, isAlive, until, write } from "../repositories.ts"

/** A repository with these files committed, and beside it a directory for temporary files. Gone after the test. */
export const repository = (files: Files) =>
  Effect.map(room("proofline-test-"), (room) => {
    const root = Path.join(room, "project")
    const temporary = Path.join(room, "tmp")
    mkdirSync(root)
    mkdirSync(temporary)
    return { room, root, temporary, base: begin(root, files) }
  })

/** The same without a repository. */
export const directory = (files: Files) =>
  Effect.map(room("proofline-test-"), (room): Place & { readonly room: string } => {
    const root = Path.join(room, "project")
    const temporary = Path.join(room, "tmp")
    mkdirSync(root)
    mkdirSync(temporary)
    write(root, files)
    return { room, root, temporary }
  })

export interface Place {
  readonly root: string
  readonly temporary: string
}

/** Uses a checkout and removes it. */
export const within = <A, E, R>(
  { root, temporary }: Place,
  options: { readonly commit: string; readonly overlay: boolean; readonly root?: string },
  use: (worktree: {
    readonly directory: string
    readonly write: (path: string, text: string) => Effect.Effect<void, unknown>
  }) => Effect.Effect<A, E, R>
) =>
  Effect.scoped(
    Effect.flatMap(
      Effect.flatMap(ScratchCheckouts, (checkouts) => checkouts.make(options)),
      use
    )
  ).pipe(Effect.provide(layer({ root, temporary })))

/** Why there is no checkout. */
export const refusal = (place: Place, commit: string) =>
  within(place, { commit, overlay: true }, () => Effect.void).pipe(
    Effect.flip,
    Effect.map((error) => (error as { readonly message: string }).message)
  )

/** Every byte, mode, inode and time of every file of a project, its repository included. */
export const printOf = (root: string): ReadonlyArray<string> =>
  filesOf(root).map((file) => {
    const { ino, mode, mtimeNs, nlink, size } = lstatSync(Path.join(root, file), { bigint: true })
    const bytes = lstatSync(Path.join(root, file)).isFile() ? readFileSync(Path.join(root, file)) : ""
    return `${file} ${ino} ${mode} ${mtimeNs} ${nlink} ${size} ${createHash("sha256").update(bytes).digest("hex")}`
  })

/** What is left of checkouts, in the directory for temporary files and in the repository. */
export const leftOf = ({ root, temporary }: Place): ReadonlyArray<string> => [
  ...readdirSync(temporary),
  ...(existsSync(Path.join(root, ".git/worktrees")) ? readdirSync(Path.join(root, ".git/worktrees")) : [])
]
