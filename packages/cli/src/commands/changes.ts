import type { Base } from "@proofline/kernel"
import { ignoredAmong } from "@proofline/plugins/adapters/git-workspaces"
import type { ChangeSpan } from "@proofline/plugins/frontends/http"
import type { ChangesView } from "@proofline/plugins/frontends/http/api"
import { Baseline } from "@proofline/plugins/ports"
import { createTwoFilesPatch, FILE_HEADERS_ONLY, structuredPatch } from "diff"
import { Clock, Effect, Result } from "effect"
import type { ProjectPaths } from "../paths.ts"
import { textAt } from "./evidenceNow.ts"
import { filesOf } from "./filesOf.ts"

/** More files are counted, and longer patches left out. */
const filesMost = 30
const patchMost = 20_000
/** Edits looked for in one file: the effort grows with their square. */
const maxEditLength = 2_000
/** What the files say now is looked up again after so long, ms. */
const fresh = 5_000
const kept = 32

/** What changed in the project between two moments. What was found before is answered again. */
export const makeChanges = ({ root }: ProjectPaths) => {
  const known = new Map<string, { readonly until: number; readonly found: ChangesView | null }>()
  return Effect.fnUntraced(function* (span: ChangeSpan) {
    const key = JSON.stringify(span)
    const now = yield* Clock.currentTimeMillis
    const before = known.get(key)
    if (before !== undefined && now < before.until) return before.found
    const found = yield* changesOf(root, span)
    known.delete(key)
    known.set(key, { until: span.after === "now" ? now + fresh : Number.POSITIVE_INFINITY, found })
    for (const oldest of known.keys()) {
      if (known.size <= kept) break
      known.delete(oldest)
    }
    return found
  })
}

const changesOf = Effect.fnUntraced(function* (root: string, { after, base, before, files }: ChangeSpan) {
  const paths = files ?? (yield* changedSince(root, base))
  if (paths === null) return null
  const now = yield* filesOf(root)
  const textNow = (path: string) =>
    Effect.map(Effect.result(now.readText(path)), (file) => (Result.isSuccess(file) ? file.success.text : null))
  const changed: Array<ChangesView["files"][number]> = []
  let left_out = 0
  for (const path of paths) {
    const was = yield* textAt(root, before, path)
    const is = after === "now" ? yield* textNow(path) : yield* textAt(root, after, path)
    if (was === is && was !== null) continue
    if (changed.length === filesMost) left_out++
    else changed.push({ path, ...patchOf(path, was, is) })
  }
  return { files: changed, left_out } satisfies ChangesView
})

/** Null: it cannot be found out. */
const changedSince = Effect.fnUntraced(
  function* (root: string, base: Base | null) {
    if (base === null) return null
    const paths = yield* (yield* Baseline).changedIn(base, root, () => true)
    const ignored = yield* ignoredAmong(root, paths)
    return paths.filter((path) => !ignored.has(path))
  },
  Effect.orElseSucceed(() => null)
)

/** Of what is no text, or too much of it, there is no patch. */
const patchOf = (path: string, was: string | null, is: string | null) => {
  const none = { added: null, removed: null, patch: null }
  if (was === null && is === null) return none
  const options = { context: 3, maxEditLength }
  const hunks = structuredPatch(path, path, was ?? "", is ?? "", "", "", options)?.hunks
  if (hunks === undefined) return none
  const lines = hunks.flatMap((hunk) => hunk.lines)
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length
  const names = [was === null ? "/dev/null" : `a/${path}`, is === null ? "/dev/null" : `b/${path}`] as const
  const patch =
    createTwoFilesPatch(...names, was ?? "", is ?? "", "", "", { ...options, headerOptions: FILE_HEADERS_ONLY }) ?? null
  return {
    added: count("+"),
    removed: count("-"),
    patch: patch !== null && patch.length > patchMost ? null : patch
  }
}
