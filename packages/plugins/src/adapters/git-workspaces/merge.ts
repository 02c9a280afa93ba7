import { mkdir, writeFile } from "node:fs/promises"
import * as Path from "node:path"
import type { AggregationStrategy } from "@proofline/kernel"
import { Effect } from "effect"
import { entries, type GitFailed, gitBytes } from "../../git/git.ts"
import { attempt, type Checkout, type Failing, type Git, gitAt, type WorktreeStore, withScratch } from "./store.ts"

/** An entry of a tree; null: there is none. */
export interface Entry {
  /** As git writes it, e.g. `100644`. */
  readonly mode: string
  readonly id: string
}

export interface Change {
  /** From the top of the repository, `/` separated. */
  readonly path: string
  readonly before: Entry | null
  readonly after: Entry | null
}

export interface Merged {
  /** Both sides' changes; where they conflict, theirs. */
  readonly tree: string
  /** Paths where they conflict, sorted. */
  readonly conflicts: ReadonlyArray<string>
}

export const submodule = "160000"

/** What changed from one tree to another, without renames, sorted by path. */
export const changesBetween = (
  checkout: Checkout,
  from: string,
  to: string
): Effect.Effect<ReadonlyArray<Change>, GitFailed> =>
  from === to
    ? Effect.succeed([])
    : Effect.map(
        gitAt(checkout, ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--no-commit-id", from, to]),
        (printed) => {
          const fields = entries(printed)
          return fields.flatMap((field, i): ReadonlyArray<Change> => {
            const [, beforeMode = "", afterMode = "", before = "", after = ""] =
              i % 2 === 1 ? [] : (/^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) \w/.exec(field) ?? [])
            const path = fields[i + 1]
            if (beforeMode === "" || path === undefined) return []
            return [{ path, before: entryOf(beforeMode, before), after: entryOf(afterMode, after) }]
          })
        }
      )

const entryOf = (mode: string, id: string): Entry | null => (/^0+$/.test(mode) ? null : { mode, id })

export const treeOf = (checkout: Checkout, commit: string): Effect.Effect<string, GitFailed> =>
  Effect.map(gitAt(checkout, ["rev-parse", "--verify", "--quiet", `${commit}^{tree}`]), (printed) => printed.trim())

export const commitTree = (
  checkout: Checkout,
  tree: string,
  parents: ReadonlyArray<string>,
  message: string,
  env: Readonly<Record<string, string>> = {}
): Effect.Effect<string, GitFailed> =>
  Effect.map(
    gitAt(checkout, ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent])], { env, input: message }),
    (printed) => printed.trim()
  )

/** The same trees give the same commits, so that a merge that a person was asked for is known again. */
export const always = { GIT_AUTHOR_DATE: "946684800 +0000", GIT_COMMITTER_DATE: "946684800 +0000" }

/** Both sides as commits with the tree that both come from as the only thing they have in common. */
export const sidesOf = Effect.fnUntraced(function* (checkout: Checkout, from: string, ours: string, theirs: string) {
  const common = yield* commitTree(checkout, from, [], "What both sides began with\n", always)
  return {
    ours: yield* commitTree(checkout, ours, [common], "What was there\n", always),
    theirs: yield* commitTree(checkout, theirs, [common], "What a subtask came to\n", always)
  }
})

/** Renames of folders are not applied to the files of others: evidence names files where they were put. */
const settings = ["-c", "merge.directoryRenames=false"]

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
  const printed = yield* gitAt(checkout, [
    ...settings,
    ...["merge-tree", "--write-tree", "-z", "--messages", sides.ours, sides.theirs]
  ]).pipe(
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
      const blobs = yield* Effect.forEach([ours, before, theirs], (entry) =>
        entry === null ? Effect.succeed(new Uint8Array()) : blobOf(checkout, entry.id)
      )
      const files = ["ours", "before", "theirs"].map((name) => Path.join(folder, name))
      yield* attempt(`${folder} cannot be written`, async () => {
        await mkdir(folder, { mode: 0o700 })
        for (const [i, file] of files.entries()) await writeFile(file, blobs[i] ?? "")
      })
      if (blobs.some((bytes) => bytes.includes(0))) return null
      const lines = yield* gitBytes(checkout.top, ["merge-file", "-p", "--theirs", ...files])
      return (yield* gitAt(checkout, ["hash-object", "-w", "--stdin"], { input: lines })).trim()
    })
  )

export const blobOf = ({ own, top }: Checkout, id: string): Effect.Effect<Uint8Array, GitFailed> =>
  gitBytes(top, ["cat-file", "blob", id], { env: { GIT_DIR: own, GIT_WORK_TREE: top } })

/** A tree with files set and removed. */
export const applied = (store: WorktreeStore, tree: string, changes: ReadonlyArray<Change>): Git<string> =>
  changes.length === 0
    ? Effect.succeed(tree)
    : withScratch(store, (index) =>
        Effect.gen(function* () {
          const checkout = store.repository
          yield* gitAt(checkout, ["read-tree", tree], { index })
          // first what goes: a file may come where a folder was, and the other way round
          const lines = [
            ...changes
              .filter(({ after }) => after === null)
              .map(({ path }) => `0 ${"0".repeat(tree.length)}\t${path}\0`),
            ...changes.flatMap(({ after, path }) => (after === null ? [] : [`${after.mode} ${after.id}\t${path}\0`]))
          ]
          yield* gitAt(checkout, ["update-index", "--add", "--replace", "-z", "--index-info"], {
            index,
            input: lines.join("")
          })
          return (yield* gitAt(checkout, ["write-tree"], { index })).trim()
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
  strategy.type === "last_wins"
    ? Effect.flatMap(changesBetween(store.repository, from, theirs), (changes) =>
        Effect.map(applied(store, ours, changes), (tree) => ({ tree, conflicts: [] }))
      )
    : merge(store, from, ours, theirs)
