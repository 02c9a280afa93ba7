import { type Base, makeRecent, type ProjectTree } from "@proofline/kernel"
import { commitTree } from "@proofline/plugins/adapters/project-tree"
import type { ChangeSpan } from "@proofline/plugins/frontends/http"
import type { ChangesView } from "@proofline/plugins/frontends/http/api"
import { Baseline, type Before, type ProjectFiles } from "@proofline/plugins/ports"
import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from "diff"
import { Clock, Effect } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { changedSince, wholeOf } from "../project/changedSince.ts"
import { filesOf } from "../project/filesOf.ts"

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
  const known = makeRecent<string, { readonly until: number; readonly found: ChangesView | null }>(kept)
  return Effect.fnUntraced(function* (span: ChangeSpan) {
    const key = JSON.stringify(span)
    const before = known.get(key)
    if (before !== undefined && (yield* Clock.currentTimeMillis) < before.until) return before.found
    const found = yield* Effect.scoped(changesOf(root, span))
    const until = span.after === "now" ? (yield* Clock.currentTimeMillis) + fresh : Number.POSITIVE_INFINITY
    known.set(key, { until, found })
    return found
  })
}

const changesOf = Effect.fnUntraced(function* (root: string, { after, base, before, files }: ChangeSpan) {
  const paths = files ?? (yield* pathsSince(root, wholeOf(before) ?? base))
  if (paths === null) return null
  const fileBefore = yield* filesAt(root, before)
  const fileAfter = yield* filesAt(root, after)
  const changed: Array<ChangesView["files"][number]> = []
  let left_out = 0
  for (const path of paths) {
    const was = yield* fileBefore(path)
    const is = yield* fileAfter(path)
    if (was._tag === "absent" && is._tag === "absent") continue
    if (was._tag === "text" && is._tag === "text" && was.text === is.text) continue
    if (changed.length === filesMost) left_out++
    else changed.push({ path, ...patchOf(path, was, is) })
  }
  return { files: changed, left_out } satisfies ChangesView
})

/** Null: it cannot be found out. */
const pathsSince = (root: string, base: Base | null) =>
  base === null ? Effect.succeed(null) : Effect.orElseSucceed(changedSince(base, root, root), () => null)

/** How each file of the project was at a moment. */
const filesAt = Effect.fnUntraced(function* (root: string, moment: Base | ProjectTree | "now") {
  if (moment === "now") return readBy(yield* filesOf(root))
  const whole = wholeOf(moment)
  if (whole !== null) {
    const baseline = yield* Baseline
    return (path: string) => baseline.before(whole, path)
  }
  const { commit } = moment
  const tree = commit === null ? null : yield* Effect.option(commitTree({ root, ref: commit }))
  return tree?._tag === "Some" ? readBy(tree.value.projectFiles) : () => unknown
})

const unknown = Effect.succeed<Before>({ _tag: "unknown" })

const readBy =
  ({ readText }: Pick<ProjectFiles["Service"], "readText">) =>
  (path: string): Effect.Effect<Before> =>
    Effect.match(readText(path), {
      onSuccess: ({ text }): Before => ({ _tag: "text", text }),
      onFailure: ({ reason }): Before => (reason === "not_found" ? { _tag: "absent" } : { _tag: "other", sha256: null })
    })

/** Of what is no text, or too much of it, there is no patch; nor of what nobody can read any more. */
const patchOf = (path: string, was: Before, is: Before) => {
  const none = { added: null, removed: null, patch: null }
  if (!(isPatched(was) && isPatched(is))) return none
  const name = (side: string, { _tag }: Before) => (_tag === "absent" ? "/dev/null" : `${side}/${path}`)
  const names = [name("a", was), name("b", is)] as const
  const found = structuredPatch(...names, textOf(was), textOf(is), "", "", { context: 3, maxEditLength })
  if (found === undefined) return none
  const lines = found.hunks.flatMap((hunk) => hunk.lines)
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length
  const patch = formatPatch(found, FILE_HEADERS_ONLY)
  return { added: count("+"), removed: count("-"), patch: patch.length > patchMost ? null : patch }
}

const isPatched = ({ _tag }: Before): boolean => _tag === "text" || _tag === "absent"
const textOf = (file: Before): string => (file._tag === "text" ? file.text : "")
