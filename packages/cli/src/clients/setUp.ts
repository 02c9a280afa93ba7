import { Effect } from "effect"
import { exitCodes, stop } from "../base/problems.ts"
import { startWords } from "../process/output.ts"
import { placeOfBlock } from "./agentFiles.ts"
import { edited } from "./changes.ts"
import { type FileFor, installed, isIn, removed } from "./edit.ts"
import { type Change, type Found, find, writeAll } from "./files.ts"
import { type ClientName, clientNames, clients } from "./table.ts"

/** What of a client is put into files of a project, or taken out of them. */
export interface SetUp {
  readonly client: ClientName
  readonly remove: boolean
  readonly replace: boolean
}

/** Sets a client up again in one of its files: the commands in it are those of this Proofline then. */
export const setUpAgain = Effect.fnUntraced(function* (root: string, client: ClientName, path: string) {
  const all = yield* changesOf(root, { client, remove: false, replace: false })
  yield* writeAll(all.filter((change) => change.path === path && change.after !== change.text))
})

/** Every file with what becomes of it; fails with all that is wrong with any of them. */
export const changesOf = Effect.fnUntraced(function* (root: string, options: SetUp) {
  const { client, remove, replace } = options
  const start = startWords()
  const results = yield* Effect.forEach(clients[client].files(start), (one, index) =>
    Effect.gen(function* () {
      const file: FileFor = (words) => clients[client].files(words)[index] ?? one
      const found = yield* one.format === "markdown" ? placeOfBlock(root, one.path) : find(root, one.path)
      const isShared = remove && one.format === "markdown" && (yield* isUsedByOthers(root, client, found))
      if (isShared) return { ...found, after: found.text }
      const after = yield* edited(found, (text) =>
        remove ? removed(text, { file, replace }) : installed(text, { file, start, replace })
      )
      // a link is left, and what it leads to
      const emptied = found.isLink ? (one.format === "json" ? "{}\n" : "") : null
      return { ...found, after: after ?? emptied }
    }).pipe(Effect.result)
  )
  const problems = results.flatMap((result) => (result._tag === "Failure" ? result.failure.problems : []))
  if (problems.length > 0) return yield* stop(exitCodes.usage, ...problems)
  return results.flatMap((result): ReadonlyArray<Change> => (result._tag === "Success" ? [result.success] : []))
})

/** Several clients read one file: what is in it stays as long as another of them is set up. */
const isUsedByOthers = (root: string, client: ClientName, { file }: Found) =>
  Effect.map(
    Effect.forEach(
      clientNames.filter((name) => name !== client),
      (name) =>
        Effect.gen(function* () {
          const [first, ...others] = clients[name].files([])
          const shared = yield* Effect.forEach(others, ({ format, path }) =>
            format === "markdown" ? placeOfBlock(root, path) : find(root, path)
          )
          if (first === undefined || !shared.some((one) => one.file === file)) return false
          const { text } = yield* find(root, first.path)
          return text !== null && isIn(text, first)
        }).pipe(Effect.orElseSucceed(() => false))
    ),
    (uses) => uses.includes(true)
  )
