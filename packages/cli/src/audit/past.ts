import type { Commit } from "@proofline/plugins/adapters/git-history"

/** A list as a commit left it. */
export interface Revision {
  /** Index of the commit. */
  readonly commit: number
  readonly blob: string
}

/** What became of files over the commits of a project, which count from the newest. */
export interface Past {
  /** Today's name of a file that was moved; the same where it was not. */
  readonly nameNow: (path: string) => string
  /** Some commit had it. */
  readonly isKnown: (path: string) => boolean
  /** Files of any time whose path ends so. */
  readonly endingWith: (name: string) => ReadonlyArray<string>
  /** The newest commit that took it away; null: none did. */
  readonly deletedBy: (path: string) => number | null
  /** Whether any commit changed it but the given one and those that it stands on. */
  readonly isChangedSince: (path: string, commit: number) => boolean
  /** Whether the second commit stands on the first. */
  readonly isBefore: (first: number, second: number) => boolean
  /** What commits left of a file, the oldest first. */
  readonly revisions: (path: string) => ReadonlyArray<Revision>
  /** Short, for people. */
  readonly idOf: (commit: number) => string
}

export const pastOf = (commits: ReadonlyArray<Commit>): Past => {
  const indexes = new Map(commits.map(({ id }, index) => [id, index]))
  const names = new Map<string, string>()
  const nameNow = (path: string): string => names.get(path) ?? path
  const changes = new Map<string, Array<number>>()
  const revisions = new Map<string, Array<Revision>>()
  const deletions = new Map<string, number>()
  const known = new Set<string>()
  // children come before their parents: what a name became later is known when it is met
  for (const [commit, { changes: made }] of commits.entries()) {
    for (const { blob, path } of made) {
      for (const name of new Set([path, nameNow(path)])) {
        add(changes, name, commit)
        if (blob !== null) add(revisions, name, { commit, blob })
      }
      if (blob === null && !known.has(path)) deletions.set(path, commit)
      known.add(path)
    }
    for (const { from, path } of made) {
      if (from === null) continue
      if (!names.has(from)) names.set(from, nameNow(path))
      known.add(from)
    }
  }
  let byBase: ReadonlyMap<string, ReadonlyArray<string>> | null = null
  const standsOn = ancestors(commits, indexes)
  return {
    nameNow,
    isKnown: (path) => known.has(path),
    endingWith: (name) => {
      byBase ??= Map.groupBy(known, baseOf)
      return (byBase.get(baseOf(name)) ?? []).filter((path) => path.endsWith(`/${name}`))
    },
    deletedBy: (path) => deletions.get(nameNow(path)) ?? null,
    isChangedSince: (path, commit) => {
      const below = standsOn(commit)
      return (changes.get(path) ?? []).some((one) => one !== commit && !below.has(one))
    },
    isBefore: (first, second) => first !== second && standsOn(second).has(first),
    revisions: (path) => (revisions.get(path) ?? []).toReversed(),
    idOf: (commit) => commits[commit]?.id.slice(0, 8) ?? ""
  }
}

const baseOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

const add = <A>(lists: Map<string, Array<A>>, key: string, value: A): void => {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}

/** All commits that a commit stands on, by their indexes. */
const ancestors = (commits: ReadonlyArray<Commit>, indexes: ReadonlyMap<string, number>) => {
  const found = new Map<number, ReadonlySet<number>>()
  return (commit: number): ReadonlySet<number> => {
    const before = found.get(commit)
    if (before !== undefined) return before
    const below = new Set<number>()
    const open = [commit]
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      for (const parent of commits[at]?.parents ?? []) {
        const index = indexes.get(parent)
        if (index === undefined || below.has(index)) continue
        below.add(index)
        open.push(index)
      }
    }
    found.set(commit, below)
    return below
  }
}
