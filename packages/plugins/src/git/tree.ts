import { Effect } from "effect"
import { isId, objectMark, remembered } from "./remembered.ts"
import { type GitFailed, gitEntries, gitLine, gitNames, type NameOptions, type Where } from "./run.ts"

/** An entry of a tree. */
export interface Entry {
  /** As git writes it, e.g. `100644`. */
  readonly mode: string
  readonly id: string
}

export const submodule = "160000"
export const link = "120000"

export interface Change {
  /** From the top of the repository, `/` separated. */
  readonly path: string
  /** Null: there is none. */
  readonly before: Entry | null
  readonly after: Entry | null
}

/** Every file that a commit or tree holds, submodules too, below a folder and by path from there; the folder ends with a `/`. */
export const filesIn = (
  where: Where,
  tree: string,
  folder = ""
): Effect.Effect<ReadonlyMap<string, Entry>, GitFailed> =>
  Effect.map(
    gitNames(where, ["ls-tree", "-r", "-z", "--full-tree", tree, ...(folder === "" ? [] : [folder])], {
      unreadable: "left out"
    }),
    (lines) =>
      new Map(
        lines.flatMap((line) => {
          const [, mode = "", id = "", path = ""] = /^(\d+) \w+ ([0-9a-f]+)\t(.+)$/s.exec(line) ?? []
          return path.startsWith(folder) && id !== "" ? [[path.slice(folder.length), { mode, id }] as const] : []
        })
      )
  )

/** What changed from one commit or tree to another, without renames, sorted by path. */
export const changesBetween = (
  where: Where,
  from: string,
  to: string,
  options?: NameOptions
): Effect.Effect<ReadonlyArray<Change>, GitFailed> =>
  from === to
    ? Effect.succeed([])
    : Effect.map(
        gitEntries(
          where,
          ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--no-commit-id", from, to],
          options,
          1
        ),
        (entries) =>
          entries.flatMap(([told = "", path = ""]): ReadonlyArray<Change> => {
            const [, beforeMode, afterMode, before, after] = /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) \w/.exec(told) ?? []
            return [{ path, before: entryOf(beforeMode, before), after: entryOf(afterMode, after) }]
          })
      )

/** As git tells it of one side; null: there is none. */
export const entryOf = (mode = "0", id = ""): Entry | null => (/^0+$/.test(mode) ? null : { mode, id })

export const treeOf = (where: Where, commit: string): Effect.Effect<string, GitFailed> => {
  const asked = gitLine(where, ["rev-parse", "--verify", "--quiet", `${commit}^{tree}`])
  return isId(commit) ? remembered(`tree ${commit}`, () => objectMark(where, commit), asked, isId) : asked
}

export const emptyTree = (where: Where): Effect.Effect<string, GitFailed> =>
  gitLine(where, ["hash-object", "-t", "tree", "--stdin"], { input: "" })

/** The time of commits that Proofline makes of trees alone, s: the same trees give the same commits. */
export const alwaysAt = 946_684_800

export const commitTree = (
  where: Where,
  tree: string,
  parents: ReadonlyArray<string>,
  message: string,
  env: Readonly<Record<string, string>> = {}
): Effect.Effect<string, GitFailed> =>
  gitLine(where, ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent])], { env, input: message })
