import { Effect } from "effect"
import { keepBlob, openObjects, type ReadBlob } from "../../git/objects.ts"
import { refsBelow } from "../../git/refs.ts"
import { type GitFailed, git } from "../../git/run.ts"
import { headRefs, ownRefs } from "../../git/runRefs.ts"
import { headText, readHead, type WrittenHead } from "./head.ts"

/** How often somebody else may get ahead before it is given up. */
const attempts = 5

/** What a ref of a head leads to; `head` is null where it cannot be read. */
export interface HeadInGit {
  readonly ref: string
  readonly object: string
  readonly head: WrittenHead | null
}

/** The head of a run in the repository of the directory; null: there is none. */
export const headInGit = Effect.fnUntraced(function* (
  root: string,
  run: string
): Effect.fn.Return<HeadInGit | null, GitFailed> {
  const refs = headRefs(run)
  const found = (yield* refsBelow(root, refs[0])).find(({ ref }) => refs.includes(ref))
  if (found === undefined) return null
  const head = yield* Effect.scoped(Effect.flatMap(openObjects(root), (read) => headOf(read, found.object)))
  return { ...found, head }
})

/** All of them that can be read. */
export const headsInGit = Effect.fnUntraced(function* (
  root: string
): Effect.fn.Return<ReadonlyArray<WrittenHead>, GitFailed> {
  const refs = (yield* refsBelow(root, ownRefs)).filter(({ ref }) => isHead.test(ref))
  if (refs.length === 0) return []
  const heads = yield* Effect.scoped(
    Effect.flatMap(openObjects(root), (read) => Effect.forEach(refs, ({ object }) => headOf(read, object)))
  )
  return heads.filter((head) => head !== null)
})

const maxHeadBytes = 64 * 1_024

/** Null: the object is not there, or is none of ours. */
const headOf = (read: ReadBlob, object: string): Effect.Effect<WrittenHead | null, GitFailed> =>
  read(object, maxHeadBytes).pipe(
    Effect.map((blob) => (blob instanceof Uint8Array ? readHead(Buffer.from(blob).toString()) : null)),
    Effect.catch((failed) => (failed.reason === "failed" ? Effect.succeed(null) : Effect.fail(failed)))
  )

const isHead = /^refs\/proofline\/[^/]+(?:\/_head)?$/

/** Keeps a head as a blob under its ref; needs nobody's name, touches neither index nor branches. */
export const keepInGit = Effect.fnUntraced(function* (
  root: string,
  head: WrittenHead
): Effect.fn.Return<void, GitFailed> {
  const object = yield* keepBlob(root, headText(head))
  const update = Effect.gen(function* () {
    const kept = yield* headInGit(root, head.run_id)
    if (kept?.head && kept.head.version >= head.version) return
    const [alone, beside] = headRefs(head.run_id)
    // the value it has now, or none: of two processes the one that is late looks again
    const set = (ref: string) => git(root, ["update-ref", ref, object, kept?.object ?? ""])
    yield* kept === null ? Effect.catch(set(alone), () => set(beside)) : set(kept.ref)
  })
  yield* Effect.retry(update, { times: attempts - 1, while: ({ reason }) => reason === "failed" })
})
