import { Effect, type Scope } from "effect"
import { openObjects } from "../../git/objects.ts"
import { refsBelow } from "../../git/refs.ts"
import { commitsAmong } from "../../git/repository.ts"
import { type GitFailed, git } from "../../git/run.ts"
import { notesRef, receiptsRef, receiptsRefs } from "../../git/runRefs.ts"
import { type NotAttached, notesAmong } from "./attach.ts"
import { type Lines, linesIn, type Unread } from "./lines.ts"
import { type Notes, notesOf } from "./notes.ts"

/** All that is attached in a repository. */
export interface Attached {
  readonly notes: Notes
  /** Refs of receipts, with the blob of each. */
  readonly refs: ReadonlyMap<string, string>
  readonly read: (blob: string) => Effect.Effect<Lines | Unread, GitFailed>
}

export const attachedIn = Effect.fnUntraced(function* (
  root: string
): Effect.fn.Return<Attached, GitFailed | NotAttached, Scope.Scope> {
  const found = yield* refsBelow(root, notesRef, receiptsRefs)
  const tip = yield* notesAmong(found)
  const read = yield* openObjects(root)
  return {
    notes: tip === null ? new Map() : yield* notesOf(root, tip),
    refs: new Map(found.filter(({ ref }) => ref.startsWith(receiptsRefs)).map(({ object, ref }) => [ref, object])),
    read: (blob) => linesIn(read, blob)
  }
})

/** The blob of the receipts of a run; undefined: none are attached. */
export const receiptsOfRun = ({ refs }: Attached, run: string): string | undefined => refs.get(receiptsRef(run))

/** Commits that are looked through at most. */
const walkMax = 100_000

/** Commits of `head` that `base` has not, the newest first. */
export const commitsBetween = (
  root: string,
  base: string,
  head: string
): Effect.Effect<ReadonlyArray<string>, GitFailed> =>
  Effect.map(git(root, ["rev-list", "--topo-order", `--max-count=${walkMax}`, head, `^${base}`]), (printed) =>
    printed.split("\n").filter((id) => id !== "")
  )

/**
 * Of the commit and those before it the nearest with a note: those from which no other with a note follows. Of a merge that
 * may be one of each side.
 */
export const nearestWithNote = (
  root: string,
  head: string,
  notes: Notes
): Effect.Effect<ReadonlyArray<string>, GitFailed> =>
  notes.size === 0
    ? Effect.succeed([])
    : Effect.map(git(root, ["rev-list", "--topo-order", "--parents", `--max-count=${walkMax}`, head]), (printed) => {
        const nearest: Array<string> = []
        // children come first: whoever is behind one with a note is known when its turn comes
        const behind = new Set<string>()
        for (const line of printed.split("\n")) {
          const [commit = "", ...parents] = line.split(" ")
          const isNoted = notes.has(commit)
          if (isNoted && !behind.has(commit)) nearest.push(commit)
          if (isNoted || behind.has(commit)) for (const parent of parents) behind.add(parent)
        }
        return nearest
      })

/** Commits with a note that `base` does not follow from; also those that are not here: they were rebased or squashed away. */
export const notedElsewhere = Effect.fnUntraced(function* (
  root: string,
  notes: Notes,
  base: string | null
): Effect.fn.Return<ReadonlyArray<string>, GitFailed> {
  const all = [...notes.keys()]
  const here = yield* commitsAmong(root, all)
  if (base === null || here.size === 0) return all
  const input = [...here, `^${base}`].map((line) => `${line}\n`).join("")
  const unmerged = new Set((yield* git(root, ["rev-list", "--stdin"], { input })).split("\n"))
  return all.filter((commit) => !here.has(commit) || unmerged.has(commit))
})
