import { Effect } from "effect"
import { type GitFailed, git } from "../../git/git.ts"
import { headRefs, ownRefs } from "../../git/runRefs.ts"
import { headText, type KeptHead, readHead } from "./head.ts"

/** How often somebody else may get ahead before it is given up. */
const attempts = 5

/** Notes nothing of these refs. */
const plain = ["-c", "core.logAllRefUpdates=false"]

/** What a ref of a head leads to; `head` is null where it cannot be read. */
export interface HeadInGit {
  readonly ref: string
  readonly object: string
  readonly head: KeptHead | null
}

/** The head of a run in the repository of the directory; null: there is none. */
export const headInGit = Effect.fnUntraced(function* (
  root: string,
  run: string
): Effect.fn.Return<HeadInGit | null, GitFailed> {
  const refs = headRefs(run)
  const found = (yield* refsBelow(root, refs[0])).find(({ ref }) => refs.includes(ref))
  if (found === undefined) return null
  const text = yield* Effect.catchTag(git(root, ["cat-file", "blob", found.object]), "GitFailed", (failed) =>
    // the object is not there, or is none of ours
    failed.reason === "failed" ? Effect.succeed("") : Effect.fail(failed)
  )
  return { ...found, head: readHead(text) }
})

/** All of them that can be read. */
export const headsInGit = Effect.fnUntraced(function* (
  root: string
): Effect.fn.Return<ReadonlyArray<KeptHead>, GitFailed> {
  const refs = (yield* refsBelow(root, ownRefs)).filter(({ ref }) => isHead.test(ref))
  if (refs.length === 0) return []
  const input = refs.map(({ object }) => `${object}\n`).join("")
  // one line for each object, with its size, then its text: that of a head is one line
  const printed = yield* git(root, ["cat-file", "--batch"], { input })
  return printed.split("\n").flatMap((line) => readHead(line) ?? [])
})

const isHead = /^refs\/proofline\/[^/]+(?:\/_head)?$/

const refsBelow = (root: string, prefix: string) =>
  Effect.map(git(root, ["for-each-ref", "--format=%(objectname) %(refname)", prefix]), (printed) =>
    printed.split("\n").flatMap((line) => {
      const [, object = "", ref = ""] = /^(\w+) (.+)$/.exec(line) ?? []
      return ref === "" ? [] : [{ ref, object }]
    })
  )

/** Keeps a head as a blob under its ref; needs nobody's name, touches neither index nor branches. */
export const keepInGit = Effect.fnUntraced(function* (root: string, head: KeptHead): Effect.fn.Return<void, GitFailed> {
  const input = headText(head)
  const object = (yield* git(root, ["hash-object", "-w", "--no-filters", "--stdin"], { input })).trim()
  const update = Effect.gen(function* () {
    const kept = yield* headInGit(root, head.run_id)
    if (kept?.head && kept.head.version >= head.version) return
    const [alone, beside] = headRefs(head.run_id)
    // the value it has now, or none: of two processes the one that is late looks again
    const set = (ref: string) => git(root, [...plain, "update-ref", ref, object, kept?.object ?? ""])
    yield* kept === null ? Effect.catch(set(alone), () => set(beside)) : set(kept.ref)
  })
  yield* Effect.retry(update, { times: attempts - 1, while: ({ reason }) => reason === "failed" })
})
