import * as Path from "node:path"
import type { AttemptTrees, ProjectTree, RunId } from "@proofline/kernel"
import { Clock, Effect, Semaphore, Stream } from "effect"
import { type Checkout, type GitFailed, git, gitBytes, gitLine, gitNames, isLasting } from "../../git/run.ts"
import { treesRef } from "../../git/runRefs.ts"
import { link, treeOf } from "../../git/tree.ts"
import type { Fingerprint, Watching } from "../../port/index.ts"
import { convertsFiles } from "./conversion.ts"
import { contentOf, type FileContent } from "./files.ts"
import { differingPrints, type FilesFingerprint, isOurs } from "./fingerprint.ts"
import { asRefusal, attempt, type Failing, fromProject, type Git, refused, type WorktreeStore } from "./store.ts"

/** Larger files are in no tree. */
const maxBytes = 64 * 1_024 * 1_024
/** Of all files that are taken at once; what is beyond is left out as if it was too large. */
const maxBytesTogether = 512 * 1_024 * 1_024
/** How often another process may get ahead of this one. */
const tries = 5
/** Trees of one attempt beside the first and the last. */
const maxSteps = 200
/** From one look at the steps of an attempt to the next; longer where a look takes long. */
const pauseMs = 500
/** A look may cost so much of the time from one to the next. */
const maxShare = 0.1

/** What this process knows of the newest tree of each run. */
export interface Newest {
  readonly runs: Map<RunId, Known>
  /** Each tree is made from the one before it. */
  readonly inOrder: Semaphore.Semaphore
}

export const nothingKept = (): Newest => ({ runs: new Map(), inOrder: Semaphore.makeUnsafe(1) })

interface Known {
  readonly commit: string
  /** What it holds; null: another process has made it. */
  readonly files: { readonly top: string; readonly prints: FilesFingerprint } | null
}

/** Keeps what checkouts hold, for one run. */
export interface TreeKeeper {
  readonly run: RunId
  /** A checkout as it was seen last. */
  readonly keep: (checkout: Checkout, seen: Fingerprint, message: string) => Git<KeptTree>
}

export interface KeptTree {
  readonly tree: ProjectTree
  readonly left_out: ReadonlyArray<string>
}

/**
 * Trees as commits, which one ref of the run keeps alive: each has the one before it as its parent, so that the ref can
 * be fetched and looked at as any branch. Nothing else of the repository is written, and one git is started for a tree.
 */
export const treeKeeper = (store: WorktreeStore, newest: Newest, run: RunId): TreeKeeper => {
  const ref = treesRef(run)
  const { repository } = store
  const keepOnce = Effect.fnUntraced(function* (
    checkout: Checkout,
    seen: FilesFingerprint,
    message: string
  ): Effect.fn.Return<KeptTree, Failing> {
    const known = newest.runs.get(run) ?? (yield* newestIn(repository, ref))
    const isConverted = yield* convertsFiles(checkout, seen)
    const { changes, large } = yield* changesTo(checkout, known?.files ?? null, seen)
    const left_out = [...seen.nested, ...large].map((path) => named(store, path))
    // only HEAD has moved, or what is left out has changed
    if (known !== null && changes.from === undefined && changes.files.size === 0)
      return { tree: { commit: known.commit }, left_out }
    const ids = isConverted ? yield* filteredIds(checkout, changes) : null
    const now = yield* Clock.currentTimeMillis
    const input = importOf({ ref, parent: known?.commit ?? null, message, now, changes, ids })
    const crashReport = (pid: number) => Path.join(repository.own, `fast_import_crash_${pid}`)
    const printed = yield* gitBytes(repository, ["fast-import", "--quiet", "--done"], { input, crashReport })
    const commit = printed.toString().trim()
    newest.runs.set(run, { commit, files: { top: checkout.top, prints: seen } })
    return { tree: { commit }, left_out }
  })
  return {
    run,
    keep: (checkout, seen, message) =>
      isOurs(seen)
        ? Effect.suspend(() => keepOnce(checkout, seen, message)).pipe(
            // another process may have added one
            Effect.tapError(() => Effect.sync(() => newest.runs.delete(run))),
            Effect.retry({ times: tries - 1, while: (failed) => failed._tag === "GitFailed" && !isLasting(failed) }),
            newest.inOrder.withPermit
          )
        : refused("workplace_mark", "The mark was not made by this process.")
  }
}

const named = (store: WorktreeStore, path: string): string =>
  path.endsWith("/") ? `${fromProject(store, path.slice(0, -1))}/` : fromProject(store, path)

const newestIn = (repository: Checkout, ref: string) =>
  Effect.map(gitLine(repository, ["for-each-ref", "--format=%(objectname)", ref]), (commit): Known | null =>
    commit === "" ? null : { commit, files: null }
  )

/** A file as it is to be in a tree; null: it is not there. */
type Content = FileContent | null

interface Changes {
  /** What the tree is made from; undefined: the one before it; null: nothing. */
  readonly from: string | null | undefined
  readonly files: ReadonlyMap<string, Content>
}

/** From the newest tree to what was seen; all that differs from HEAD where only that is known. */
const changesTo = Effect.fnUntraced(function* (checkout: Checkout, before: Known["files"], seen: FilesFingerprint) {
  const large: Array<string> = []
  const read = (paths: ReadonlyArray<string>) =>
    attempt(`${checkout.top} cannot be read`, async () => {
      const files = new Map<string, Content>()
      let left = maxBytesTogether
      for (const path of paths) {
        const found = await contentOf(Path.join(checkout.top, path), Math.min(maxBytes, left))
        if (found === "large") large.push(path)
        else {
          files.set(path, found)
          left -= found?.bytes.length ?? 0
        }
      }
      return files
    })
  if (before !== null && before.top === checkout.top && before.prints.head === seen.head) {
    const paths = differingPrints(before.prints, seen)
    const files = yield* read(paths)
    // as HEAD has it again, or ignored now: only HEAD tells
    if (paths.every((path) => seen.prints.has(path) || files.get(path) === null))
      return { changes: { from: undefined, files } satisfies Changes, large }
  }
  const from = seen.head === null ? null : yield* treeOf(checkout, seen.head)
  large.length = 0
  return { changes: { from, files: yield* read([...seen.prints.keys()]) } satisfies Changes, large }
})

/** Ids of the files as git would keep them, by path; what it takes from no list is kept as it is. */
const filteredIds = Effect.fnUntraced(function* (checkout: Checkout, { files }: Changes) {
  const listed = [...files].flatMap(([path, content]) =>
    content === null || content.mode === link || path.includes("\n") || path.startsWith('"') ? [] : [path]
  )
  if (listed.length === 0) return new Map<string, string>()
  const input = listed.map((path) => `${path}\n`).join("")
  const ids = (yield* git(checkout, ["hash-object", "-w", "--stdin-paths"], { input })).split("\n")
  return new Map(listed.map((path, i) => [path, ids[i] ?? ""]))
})

interface Import {
  readonly ref: string
  readonly parent: string | null
  readonly message: string
  readonly now: number
  readonly changes: Changes
  readonly ids: ReadonlyMap<string, string> | null
}

/** One commit, as `git fast-import` reads it; it answers with its id. */
const importOf = ({ changes, ids, message, now, parent, ref }: Import): Buffer => {
  const text = `${message}\n`
  const parts: Array<string | Uint8Array> = [
    `commit ${ref}\nmark :1\ncommitter Proofline <proofline@localhost> ${Math.floor(now / 1_000)} +0000\n`,
    `data ${Buffer.byteLength(text)}\n${text}`,
    parent === null ? "" : `from ${parent}\n`
  ]
  if (changes.from !== undefined) parts.push(changes.from === null ? "deleteall\n" : `M 040000 ${changes.from} ""\n`)
  const files = [...changes.files]
  // a file may stand where a folder was, and the other way round; behind a link are no files of the project
  for (const [path, content] of files) if (content === null) parts.push(`D ${quoted(path)}\n`)
  for (const isLink of [false, true])
    for (const [path, content] of files) {
      if (content === null || (content.mode === link) !== isLink) continue
      const id = ids?.get(path)
      parts.push(`M ${content.mode} ${id ?? "inline"} ${quoted(path)}\n`)
      if (id === undefined) parts.push(`data ${content.bytes.length}\n`, content.bytes, "\n")
    }
  parts.push("get-mark :1\ndone\n")
  return Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)))
}

const quoted = (path: string): string =>
  `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`

/** What of the trees of an attempt is known so far. */
export interface AttemptLooks {
  before?: ProjectTree
  after?: ProjectTree
  readonly steps: Array<{ readonly since: number; readonly step: number; readonly tree: ProjectTree }>
  amongOthers: boolean
  readonly leftOut: Set<string>
  problem: string | null
  /** No later look can be kept either; each would leave parts of objects in the repository. */
  isOver: boolean
}

export const noLooks = (): AttemptLooks => ({
  steps: [],
  amongOthers: false,
  leftOut: new Set(),
  problem: null,
  isOver: false
})

/** Undefined: there is nothing to tell. */
export const treesOf = (
  { after, amongOthers, before, leftOut, problem, steps }: AttemptLooks,
  isWorktree: boolean
): AttemptTrees | undefined => {
  const trees = {
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    ...(steps.length === 0 ? {} : { steps }),
    ...(problem === null ? {} : { problem })
  }
  return Object.keys(trees).length === 0
    ? undefined
    : {
        ...trees,
        ...(isWorktree ? { worktree: true } : {}),
        ...(amongOthers ? { among_others: true } : {}),
        ...(leftOut.size === 0 ? {} : { left_out: [...leftOut].sort() })
      }
}

/** A tree that cannot be kept is told of, and is no reason to end the work. */
export const looking = (
  looks: AttemptLooks,
  look: Git<KeptTree | null>,
  found: (tree: ProjectTree) => void
): Effect.Effect<void> =>
  Effect.match(look, {
    onFailure: (failed) => {
      looks.problem = (failed._tag === "GitFailed" ? asRefusal(failed) : failed).message
      looks.isOver = failed._tag === "GitFailed" && isLasting(failed)
    },
    onSuccess: (kept) => {
      for (const path of kept?.left_out ?? []) looks.leftOut.add(path)
      if (kept !== null) found(kept.tree)
    }
  })

/** Looks again and again while an attempt tells of steps that may have changed files. `look`: null where nothing has changed. */
export const lookAtSteps = (
  looks: AttemptLooks,
  { steps, told }: Watching,
  look: Git<KeptTree | null>
): Effect.Effect<void> => {
  const once = Effect.gen(function* () {
    const since = told()
    const began = yield* Clock.currentTimeMillis
    yield* looking(looks, look, (tree) => {
      looks.steps.push({ since, step: told(), tree })
    })
    const took = (yield* Clock.currentTimeMillis) - began
    yield* Effect.sleep(Math.max(pauseMs, took / maxShare))
  })
  return steps.pipe(
    Stream.buffer({ capacity: 1, strategy: "sliding" }),
    Stream.runForEach(() => (looks.steps.length < maxSteps && !looks.isOver ? once : Effect.void))
  )
}

/** A file that differs between two commits; no numbers of lines where it is no text. */
export interface ChangedLines {
  readonly path: string
  readonly added: number | null
  readonly removed: number | null
}

/** What differs between two commits in the project's folder, paths from there. */
export const changedLines = (
  root: string,
  from: string,
  to: string
): Effect.Effect<ReadonlyArray<ChangedLines>, GitFailed> =>
  Effect.map(
    gitNames(
      root,
      [
        ...["diff-tree", "-r", "-z", "--numstat", "--no-renames", "--no-ext-diff", "--no-textconv", "--relative"],
        ...[from, to]
      ],
      { unreadable: "left out" }
    ),
    (lines) =>
      lines.flatMap((line) => {
        const [added = "", removed = "", path = ""] = line.split("\t")
        const numberOf = (text: string) => (text === "-" ? null : Number(text))
        return path === "" ? [] : [{ path, added: numberOf(added), removed: numberOf(removed) }]
      })
  )
