import { Effect } from "effect"
import { refsBelow, updateRefs } from "../../git/refs.ts"
import { commitOf, mergeBase, withoutPassword } from "../../git/repository.ts"
import { type GitFailed, git } from "../../git/run.ts"
import { notesRef, receiptsRef } from "../../git/runRefs.ts"
import { commitTree, emptyTree } from "../../git/tree.ts"
import { type AttachFailing, isContended, linesOrFault, NotAttached, notesTip, patiently } from "./attach.ts"
import { type Combine, isSame, keepLines } from "./lines.ts"
import { notesOf, withNote } from "./notes.ts"

/** How often others may push first. */
const attempts = 10

const network = { mayFetch: true }

/**
 * Sends the notes and the receipts of a run to a remote. What others have attached there in the meantime is taken in
 * first; nothing of theirs is overwritten.
 */
export const push = (root: string, remote: string, run: string, combine: Combine): Effect.Effect<void, AttachFailing> =>
  Effect.retry(pushOnce(root, remote, run, combine), {
    times: attempts - 1,
    schedule: patiently,
    while: (failed) => isContended(failed) || (failed._tag === "NotAttached" && failed.reason === "remote_moving")
  })

const pushOnce = Effect.fnUntraced(function* (
  root: string,
  remote: string,
  run: string,
  combine: Combine
): Effect.fn.Return<void, AttachFailing> {
  const ref = receiptsRef(run)
  const there = yield* refsAt(root, remote, [notesRef, ref])
  if (there.size > 0) yield* fetch(root, remote, [...there.keys()])
  const notes = yield* takeIn(root, there.get(notesRef) ?? null, combine)
  const receipts = yield* together(root, ref, there.get(ref) ?? null, combine)
  const wanted = [
    [notesRef, notes],
    [ref, receipts]
  ] as const
  const changed = wanted.filter(([name, object]) => there.get(name) !== object)
  if (changed.length === 0) return
  yield* git(
    root,
    [
      ...["push", "-q", "--no-follow-tags", "--recurse-submodules=no"],
      // only from what was seen there
      ...changed.map(([name]) => `--force-with-lease=${name}:${there.get(name) ?? ""}`),
      ...["--", remote],
      ...changed.map(([name, object]) => `${object}:${name}`)
    ],
    network
  ).pipe(
    Effect.catch((failed) =>
      Effect.flatMap(refsAt(root, remote, [notesRef, ref]), (now) =>
        [...new Set([...there, ...now].map(([name]) => name))].some((name) => there.get(name) !== now.get(name))
          ? Effect.fail(
              new NotAttached({ reason: "remote_moving", message: `Others push to ${remote} at the same time.` })
            )
          : Effect.fail(unreachable(remote, "written", failed))
      )
    )
  )
})

/** The objects of these refs at a remote, where they are there. */
const refsAt = (root: string, remote: string, refs: ReadonlyArray<string>) =>
  git(root, ["ls-remote", "--", remote, ...refs], network).pipe(
    Effect.mapError((failed) => unreachable(remote, "read", failed)),
    Effect.map(
      (printed) =>
        new Map(
          printed.split("\n").flatMap((line): ReadonlyArray<readonly [string, string]> => {
            const [object = "", ref = ""] = line.split("\t")
            return refs.includes(ref) ? [[ref, object]] : []
          })
        )
    )
  )

/** Brings objects; no ref of the repository changes, whatever is set for the remote. */
const fetch = (root: string, remote: string, refs: ReadonlyArray<string>) =>
  git(
    root,
    [
      ...["fetch", "-q", "--no-tags", "--refmap=", "--no-write-fetch-head", "--no-recurse-submodules"],
      ...["--", remote, ...refs]
    ],
    network
  ).pipe(Effect.mapError((failed) => unreachable(remote, "read", failed)))

/** Our notes with those of somebody else among them, and the ref set to it. */
const takeIn = Effect.fnUntraced(function* (
  root: string,
  theirs: string | null,
  combine: Combine
): Effect.fn.Return<string, AttachFailing> {
  const ours = yield* notesTip(root)
  if (ours === null || theirs === ours) return yield* ours === null ? noNotes : Effect.succeed(ours)
  if (theirs === null) return ours
  if ((yield* commitOf(root, theirs)) === null) return yield* strange
  const base = yield* mergeBase(root, ours, theirs)
  if (base === theirs) return ours
  const merged = yield* mergeNotes(root, { base, ours, theirs }, combine)
  yield* updateRefs(root, [{ ref: notesRef, to: merged, from: ours }])
  return merged
})

const noNotes = new NotAttached({ reason: "notes_unreadable", message: `The ref ${notesRef} is gone again.` })

const strange = new NotAttached({
  reason: "notes_unreadable",
  message: `The ref ${notesRef} of the remote leads to no notes of commits.`
})

interface Sides {
  readonly base: string | null
  readonly ours: string
  readonly theirs: string
}

const mergeNotes = Effect.fnUntraced(function* (
  root: string,
  { base, ours, theirs }: Sides,
  combine: Combine
): Effect.fn.Return<string, AttachFailing> {
  const before = yield* notesOf(root, base ?? (yield* emptyTree(root)))
  const own = yield* notesOf(root, ours)
  const others = yield* notesOf(root, theirs)
  let tree = theirs
  for (const [commit, blobs] of own) {
    if (isSame(blobs, before.get(commit) ?? [])) continue
    const held = yield* linesOrFault(root, others.get(commit) ?? [])
    const wanted = combine([...held, ...(yield* linesOrFault(root, blobs))])
    if (!isSame(held, wanted)) tree = yield* withNote(root, tree, commit, yield* keepLines(root, wanted))
  }
  return yield* commitTree(
    root,
    tree === theirs ? `${theirs}^{tree}` : tree,
    [ours, theirs],
    "Take in receipts of others\n"
  )
})

/** The receipts of a run here and there, in one blob; the ref of ours is set to it. */
const together = Effect.fnUntraced(function* (
  root: string,
  ref: string,
  theirs: string | null,
  combine: Combine
): Effect.fn.Return<string, AttachFailing> {
  const ours = (yield* refsBelow(root, ref)).find((one) => one.ref === ref)?.object ?? null
  if (ours === null) return yield* noNotes
  if (theirs === null || theirs === ours) return ours
  const own = yield* linesOrFault(root, [ours])
  const merged = yield* keepLines(root, combine([...(yield* linesOrFault(root, [theirs])), ...own]))
  if (merged !== ours) yield* updateRefs(root, [{ ref, to: merged, from: ours }])
  return merged
})

const unreachable = (remote: string, done: "read" | "written", { message }: GitFailed) =>
  new NotAttached({
    reason: "remote_failed",
    message: withoutPassword(`The remote ${remote} cannot be ${done}: ${message}`)
  })
