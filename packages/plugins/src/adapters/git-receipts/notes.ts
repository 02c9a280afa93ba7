/**
 * Notes as git keeps them: a tree whose files are named by the ids of commits, some with folders of two letters each
 * (`ab/cd…`). Written without an index, a checkout and the user's settings.
 */
import { Effect } from "effect"
import { type GitFailed, gitBytes, gitLine } from "../../git/run.ts"
import { filesIn } from "../../git/tree.ts"

/** By commit: the blobs of its note. There may be more than one, in folders of other depths. */
export type Notes = ReadonlyMap<string, ReadonlyArray<string>>

export const notesOf = (root: string, tree: string): Effect.Effect<Notes, GitFailed> =>
  Effect.map(filesIn(root, tree), (files) => {
    const notes = new Map<string, Array<string>>()
    for (const [path, { id, mode }] of files) {
      const commit = path.replaceAll("/", "")
      if (!mode.startsWith("100") || !/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit)) continue
      notes.set(commit, [...(notes.get(commit) ?? []), id])
    }
    return notes
  })

/** From so many names on, a folder is told apart by the next two letters. */
const folderMax = 256

/** The tree with this note of the commit; null: there is no tree so far. What notes are at another depth stays. */
export const withNote = Effect.fnUntraced(function* (
  root: string,
  tree: string | null,
  commit: string,
  blob: string
): Effect.fn.Return<string, GitFailed> {
  const entries = tree === null ? [] : yield* entriesOf(root, tree)
  return yield* writeTree(root, yield* placed(root, entries, commit, blob))
})

interface TreeEntry {
  readonly mode: string
  readonly type: string
  readonly id: string
  /** As bytes, one character each: names that are none of ours stay as they are. */
  readonly name: string
}

const placed = Effect.fnUntraced(function* (
  root: string,
  entries: ReadonlyArray<TreeEntry>,
  name: string,
  blob: string
): Effect.fn.Return<ReadonlyArray<TreeEntry>, GitFailed> {
  const others = entries.filter((entry) => entry.name !== name)
  const [two, rest] = [name.slice(0, 2), name.slice(2)]
  const folder = others.find((entry) => entry.name === two && entry.type === "tree")
  const isFolded = others.some(({ name, type }) => type === "tree" && /^[0-9a-f]{2}$/.test(name))
  if (folder === undefined && !isFolded && others.length < folderMax)
    return [...others, { mode: "100644", type: "blob", id: blob, name }]
  const inside = folder === undefined ? [] : yield* entriesOf(root, folder.id)
  const id = yield* writeTree(root, yield* placed(root, inside, rest, blob))
  return [...others.filter((entry) => entry !== folder), { mode: "040000", type: "tree", id, name: two }]
})

const entriesOf = (root: string, tree: string): Effect.Effect<ReadonlyArray<TreeEntry>, GitFailed> =>
  Effect.map(gitBytes(root, ["ls-tree", "-z", "--full-tree", tree]), (bytes) =>
    bytes
      .toString("latin1")
      .split("\0")
      .flatMap((line) => {
        const [, mode = "", type = "", id = "", name = ""] = /^(\d+) (\w+) ([0-9a-f]+)\t(.+)$/s.exec(line) ?? []
        return name === "" ? [] : [{ mode, type, id, name }]
      })
  )

// others may have left out what notes hold
const writeTree = (root: string, entries: ReadonlyArray<TreeEntry>): Effect.Effect<string, GitFailed> =>
  gitLine(root, ["mktree", "-z", "--missing"], {
    input: Buffer.from(entries.map(({ id, mode, name, type }) => `${mode} ${type} ${id}\t${name}\0`).join(""), "latin1")
  })
