import { mkdir, writeFile } from "node:fs/promises"
import * as Path from "node:path"
import type { AggregationStrategy } from "@proofline/kernel"
import { Effect } from "effect"
import { keepBlob, openObjects } from "../../git/objects.ts"
import { type Checkout, git, gitBytes, gitLine } from "../../git/run.ts"
import { alwaysAt, type Change, changesBetween, commitTree, type Entry } from "../../git/tree.ts"
import { attempt, type Failing, type Git, type WorktreeStore, withScratch } from "./store.ts"

export interface Merged {
  /** Both sides' changes; where they conflict, theirs. */
  readonly tree: string
  /** Paths where they conflict, sorted. */
  readonly conflicts: ReadonlyArray<string>
  /** Paths of which ours is not there any more although theirs does not build on it, sorted; left out: none. */
  readonly given_up?: ReadonlyArray<string>
}

/** The same trees give the same commits, so that a merge that a person was asked for is known again. */
export const always = { GIT_AUTHOR_DATE: `${alwaysAt} +0000`, GIT_COMMITTER_DATE: `${alwaysAt} +0000` }

/** Both sides as commits with the tree that both come from as the only thing they have in common. */
export const sidesOf = Effect.fnUntraced(function* (checkout: Checkout, from: string, ours: string, theirs: string) {
  const common = yield* commitTree(checkout, from, [], "What both sides began with\n", always)
  return {
    ours: yield* commitTree(checkout, ours, [common], "What was there\n", always),
    theirs: yield* commitTree(checkout, theirs, [common], "What a subtask came to\n", always)
  }
})

/** A three-way merge of trees. Nothing is checked out. */
export const merge = Effect.fnUntraced(function* (
  store: WorktreeStore,
  from: string,
  ours: string,
  theirs: string
): Effect.fn.Return<Merged, Failing> {
  const checkout = store.repository
  if (theirs === from || theirs === ours) return { tree: ours, conflicts: [] }
  if (ours === from) return { tree: theirs, conflicts: [] }
  const sides = yield* sidesOf(checkout, from, ours, theirs)
  const printed = yield* git(checkout, ["merge-tree", "--write-tree", "-z", "--messages", sides.ours, sides.theirs], {
    mayFetch: true
  }).pipe(
    // exit code 1: there are conflicts
    Effect.catchTag("GitFailed", (failed) =>
      failed.exit_code === 1 ? Effect.succeed(failed.printed) : Effect.fail(failed)
    )
  )
  const [tree = "", ...rest] = printed.split("\0")
  const end = rest.indexOf("")
  const stages = stagesOf(rest.slice(0, end === -1 ? 0 : end))
  if (stages.size === 0) return { tree, conflicts: [] }
  const known = new Set(
    [...(yield* changesBetween(checkout, from, ours)), ...(yield* changesBetween(checkout, from, theirs))].map(
      ({ path }) => path
    )
  )
  const changes: Array<Change> = []
  const conflicts = new Set<string>()
  for (const [path, entry] of stages) {
    const targetPath =
      known.has(path) || (entry.before !== null && !path.includes("~")) ? path : displacedFrom(path, known)
    conflicts.add(targetPath)
    if (targetPath !== path) changes.push({ path, before: null, after: null })
    const after = yield* settled(store, entry)
    if (targetPath === path || after !== null) changes.push({ path: targetPath, before: null, after })
  }
  return { tree: yield* applied(store, tree, changes), conflicts: [...conflicts].sort() }
})

interface Stages {
  readonly before: Entry | null
  readonly ours: Entry | null
  readonly theirs: Entry | null
}

const stageNames: Readonly<Record<string, keyof Stages>> = { 1: "before", 2: "ours", 3: "theirs" }

/** `<mode> <id> <stage>\t<path>`. */
const stagesOf = (lines: ReadonlyArray<string>): ReadonlyMap<string, Stages> => {
  const found = new Map<string, Stages>()
  for (const line of lines) {
    const [, mode = "", id = "", stage = "", path = ""] = /^(\d+) ([0-9a-f]+) ([123])\t(.+)$/s.exec(line) ?? []
    const name = stageNames[stage]
    if (name === undefined) continue
    found.set(path, { ...(found.get(path) ?? { before: null, ours: null, theirs: null }), [name]: { mode, id } })
  }
  return found
}

/** A file that gave way to a folder, or a link to a file, has the name of its side behind a `~`. */
const displacedFrom = (path: string, known: ReadonlySet<string>): string => {
  for (let at = path.lastIndexOf("~"); at > 0; at = path.lastIndexOf("~", at - 1)) {
    const targetPath = path.slice(0, at)
    if (known.has(targetPath) || [...known].some((other) => other.startsWith(`${targetPath}/`))) return targetPath
  }
  return path
}

const isText = (entry: Entry | null): entry is Entry => entry?.mode.startsWith("100") === true

/** Theirs where both sides conflict: the lines of a text, otherwise the file or its absence. */
const settled = (store: WorktreeStore, { before, ours, theirs }: Stages): Git<Entry | null> =>
  isText(ours) && isText(theirs) && (before === null || isText(before))
    ? Effect.map(mergedLines(store, before, ours, theirs), (id) => ({ mode: theirs.mode, id: id ?? theirs.id }))
    : Effect.succeed(theirs)

/** Id of a blob; null for what has no lines. */
const mergedLines = (store: WorktreeStore, before: Entry | null, ours: Entry, theirs: Entry): Git<string | null> =>
  withScratch(store, (folder) =>
    Effect.gen(function* () {
      const checkout = store.repository
      const read = yield* openObjects(checkout, { mayFetch: true })
      const blobs = yield* Effect.forEach([ours, before, theirs], (entry) =>
        entry === null ? Effect.succeed(new Uint8Array()) : read(entry.id, maxTextBytes)
      )
      const texts = blobs.filter((blob) => blob instanceof Uint8Array).filter((bytes) => !bytes.includes(0))
      if (texts.length < blobs.length) return null
      const files = ["ours", "before", "theirs"].map((name) => Path.join(folder, name))
      yield* attempt(`${folder} cannot be written`, async () => {
        await mkdir(folder, { mode: 0o700 })
        for (const [i, file] of files.entries()) await writeFile(file, texts[i] ?? "")
      })
      return yield* keepBlob(checkout, yield* gitBytes(checkout.top, ["merge-file", "-p", "--theirs", ...files]))
    }).pipe(Effect.scoped)
  )

/** What is larger has no lines that anybody would merge. */
const maxTextBytes = 256 * 1_024 * 1_024

/** A tree with files set and removed. */
export const applied = (store: WorktreeStore, tree: string, changes: ReadonlyArray<Change>): Git<string> =>
  changes.length === 0
    ? Effect.succeed(tree)
    : withScratch(store, (index) =>
        Effect.gen(function* () {
          const checkout = store.repository
          yield* git(checkout, ["read-tree", tree], { index })
          // first what goes: a file may come where a folder was, and the other way round
          const lines = [
            ...changes
              .filter(({ after }) => after === null)
              .map(({ path }) => `0 ${"0".repeat(tree.length)}\t${path}\0`),
            ...changes.flatMap(({ after, path }) => (after === null ? [] : [`${after.mode} ${after.id}\t${path}\0`]))
          ]
          yield* git(checkout, ["update-index", "--add", "--replace", "-z", "--index-info"], {
            index,
            input: lines.join("")
          })
          return yield* gitLine(checkout, ["write-tree"], { index })
        })
      )

/** What a subtask changed, put onto what others did. With `last_wins` whole files, which never conflict. */
export const combine = (
  store: WorktreeStore,
  from: string,
  ours: string,
  theirs: string,
  strategy: AggregationStrategy
): Git<Merged> =>
  strategy.type === "last_wins" ? wholeFiles(store, from, ours, theirs) : merge(store, from, ours, theirs)

const wholeFiles = Effect.fnUntraced(function* (
  store: WorktreeStore,
  from: string,
  ours: string,
  theirs: string
): Effect.fn.Return<Merged, Failing> {
  const changes = yield* changesBetween(store.repository, from, theirs)
  const tree = yield* applied(store, ours, changes)
  // what we have changed, and what of it is other than we have left it
  const own = new Set((yield* changesBetween(store.repository, from, ours)).map(({ path }) => path))
  const lost = own.size === 0 ? [] : yield* changesBetween(store.repository, ours, tree)
  return {
    tree,
    conflicts: [],
    given_up: lost.flatMap(({ path }) => (own.has(path) ? [path] : [])).sort()
  }
})
