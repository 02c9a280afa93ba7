import { Effect, Schedule, Schema } from "effect"
import { type Ref, type RefChange, refsBelow, updateRefs } from "../../git/refs.ts"
import { type GitFailed, isLasting } from "../../git/run.ts"
import { notesRef, receiptsRef } from "../../git/runRefs.ts"
import { commitTree } from "../../git/tree.ts"
import { type Combine, isLines, isSame, keepLines, type Lines, readLines } from "./lines.ts"
import { notesOf, withNote } from "./notes.ts"

/** What is attached, and to what. */
export interface Attachment {
  readonly commit: string
  readonly run: string
  /** The envelope, without a line end. */
  readonly line: string
}

/** Why nothing was attached. */
export class NotAttached extends Schema.TaggedError<NotAttached>()("NotAttached", {
  reason: Schema.Literals(["notes_unreadable", "remote_failed", "remote_moving"]),
  /** One or more whole sentences. */
  message: Schema.String
}) {}

export type AttachFailing = GitFailed | NotAttached

/** How often somebody else may get ahead, before it is given up. */
const attempts = 100

/** Somebody else was at the ref, or has set it; not: it cannot be written. */
export const isContended = (failed: AttachFailing): boolean =>
  failed._tag === "GitFailed" && /cannot lock ref|reference already exists/.test(failed.message) && !isLasting(failed)

export const patiently = Schedule.jittered(Schedule.spaced("100 millis"))

/**
 * Puts a line into the note of a commit and under the ref of its run, both at once. Touches neither index nor checkout nor
 * HEAD; of many at the same time each comes to stand. False: it was there already, or what says more.
 */
export const attach = (root: string, attachment: Attachment, combine: Combine): Effect.Effect<boolean, AttachFailing> =>
  Effect.retry(attachOnce(root, attachment, combine), {
    times: attempts - 1,
    schedule: patiently,
    while: isContended
  })

const attachOnce = Effect.fnUntraced(function* (
  root: string,
  { commit, line, run }: Attachment,
  combine: Combine
): Effect.fn.Return<boolean, AttachFailing> {
  const ref = receiptsRef(run)
  const refs = yield* refsBelow(root, notesRef, ref)
  const tip = yield* notesAmong(refs)
  const under = refs.find((one) => one.ref === ref)
  const blobs = tip === null ? [] : ((yield* notesOf(root, tip)).get(commit) ?? [])
  const held = { note: yield* linesOrFault(root, blobs), ref: yield* linesOrFault(root, objectsOf(under)) }
  const wanted = { note: combine([...held.note, line]), ref: combine([...held.ref, line]) }
  const changes: Array<RefChange> = []
  if (!isSame(held.note, wanted.note)) {
    const tree = yield* withNote(root, tip, commit, yield* keepLines(root, wanted.note))
    const to = yield* commitTree(root, tree, tip === null ? [] : [tip], `Attach the receipts of ${run}\n`)
    changes.push({ ref: notesRef, to, from: tip })
  }
  if (!isSame(held.ref, wanted.ref))
    changes.push({ ref, to: yield* keepLines(root, wanted.ref), from: under?.object ?? null })
  if (changes.length > 0) yield* updateRefs(root, changes)
  return changes.length > 0
})

const objectsOf = (ref: { readonly object: string } | undefined): ReadonlyArray<string> =>
  ref === undefined ? [] : [ref.object]

/** The commit of the notes; null: there are none. */
export const notesTip = (root: string): Effect.Effect<string | null, GitFailed | NotAttached> =>
  Effect.flatMap(refsBelow(root, notesRef), notesAmong)

/** The same among refs that are known. */
export const notesAmong = Effect.fnUntraced(function* (
  refs: ReadonlyArray<Ref>
): Effect.fn.Return<string | null, NotAttached> {
  const found = refs.find(({ ref }) => ref === notesRef)
  if (found === undefined) return null
  if (found.type === "commit") return found.object
  return yield* unreadable(`The ref ${notesRef} leads to ${found.type === "" ? "nothing" : `a ${found.type}`}`)
})

export const linesOrFault = Effect.fnUntraced(function* (
  root: string,
  blobs: ReadonlyArray<string>
): Effect.fn.Return<Lines, AttachFailing> {
  const lines = yield* readLines(root, blobs)
  return isLines(lines) ? lines : yield* new NotAttached({ reason: "notes_unreadable", message: lines.message })
})

const unreadable = (what: string) =>
  new NotAttached({ reason: "notes_unreadable", message: `${what}, and not to notes of commits.` })
