import * as Path from "node:path"
import { Effect } from "effect"
import { exitCodes, stop } from "../base/problems.ts"
import { placeOfBlock } from "../clients/agentFiles.ts"
import { actionOf, diffOf, edited } from "../clients/changes.ts"
import { type FileFor, installed, isIn, removed } from "../clients/edit.ts"
import { type Change, type Found, find, writeAll } from "../clients/files.ts"
import { type ClientName, clientNames, clients } from "../clients/table.ts"
import { mcpInstallDocument } from "../documents/others.ts"
import { isAgreedUpon, isTerminal } from "../process/agreed.ts"
import { print, printDocument, startWords } from "../process/output.ts"
import { existingProject } from "../project/files.ts"
import { plain } from "../render/style.ts"

export interface McpInstallOptions {
  readonly client: ClientName
  readonly cwd?: string | undefined
  readonly remove: boolean
  readonly replace: boolean
  readonly yes: boolean
  readonly json: boolean
}

type Data = typeof mcpInstallDocument.data.Type

/** `proofline mcp install CLIENT`: what a client needs to work with Proofline, into files of the project and out of them. */
export const mcpInstall = Effect.fnUntraced(function* (options: McpInstallOptions) {
  const { root } = yield* existingProject(options)
  const all = yield* changesOf(root, options)
  const changes = all.filter(({ after, text }) => after !== text)
  const files = all.map((change): Data["files"][number] => ({
    path: change.path,
    action: actionOf(change),
    diff: diffOf(change)
  }))
  const dataOf = (action: Data["action"]): Data => ({ client: options.client, remove: options.remove, action, files })
  if (!options.json) yield* print(plain(files.map(({ diff }) => diff).join("")))
  const isAgreed = changes.length > 0 && (options.yes || (!options.json && (yield* isAgreedUpon("Write this?"))))
  if (isAgreed) yield* writeAll(changes)
  const data = dataOf(changes.length === 0 ? "unchanged" : isAgreed ? "written" : "planned")
  yield* options.json ? printDocument(mcpInstallDocument, data) : print(textOf(data))
  return exitCodes.proven
})

/** Sets a client up again in one of its files: the commands in it are those of this Proofline then. */
export const setUpAgain = Effect.fnUntraced(function* (root: string, client: ClientName, path: string) {
  const all = yield* changesOf(root, { client, remove: false, replace: false, yes: true, json: false })
  yield* writeAll(all.filter((change) => change.path === path && change.after !== change.text))
})

/** Every file with what becomes of it; fails with all that is wrong with any of them. */
const changesOf = Effect.fnUntraced(function* (root: string, options: McpInstallOptions) {
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

const done = { create: "created", change: "changed", remove: "removed", unchanged: "kept" } as const

const textOf = ({ action, client, files, remove }: Data): string => {
  const { title, trust } = clients[client]
  if (action === "unchanged") {
    return remove
      ? `Nothing is to be done: ${title} is not set up for Proofline in this project.\n`
      : `Nothing is to be done: ${title} is set up for Proofline in this project.\n`
  }
  if (action === "planned") return isTerminal() ? "Nothing was written.\n" : "Nothing was written: add --yes.\n"
  const lines = files.map((file) => `${done[file.action].padEnd(7)} ${Path.normalize(file.path)}\n`)
  return `${lines.join("")}${remove || trust === undefined ? "" : `\n${trust}\n`}`
}
