import * as Path from "node:path"
import { Effect } from "effect"
import { exitCodes } from "../base/problems.ts"
import { actionOf, diffOf } from "../clients/changes.ts"
import { writeAll } from "../clients/files.ts"
import { changesOf, type SetUp } from "../clients/setUp.ts"
import { clients } from "../clients/table.ts"
import { mcpInstallDocument } from "../documents/others.ts"
import { isAgreedUpon, isTerminal } from "../process/agreed.ts"
import { print, printDocument } from "../process/output.ts"
import { existingProject } from "../project/files.ts"
import { plain } from "../render/style.ts"

export interface McpInstallOptions extends SetUp {
  readonly cwd?: string | undefined
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
