/** Files of tasks and files of requirements are told apart by their keys. */
import { readDocument, type Source } from "./document.ts"
import type { Entry, Node } from "./Node.ts"
import { refuse } from "./Problem.ts"

export type FileKind = "tasks" | "requirements"

const kinds: ReadonlyArray<FileKind> = ["tasks", "requirements"]

const entryOf = (root: Node | null, kind: FileKind): Entry | undefined =>
  root?.kind === "mapping" ? root.entries.find(({ key }) => key === kind) : undefined

const kindOf = (root: Node | null): FileKind | null => {
  const [kind, another] = kinds.filter((candidate) => entryOf(root, candidate) !== undefined)
  return another === undefined ? (kind ?? null) : null
}

/** What the text of a file holds, by its keys `tasks` and `requirements`; null when it has none or both. Never throws. */
export const fileKindOf = (content: string): FileKind | null => kindOf(readDocument(content).root)

/** Whether `fileKindOf` is `requirements`. What does not even have the word need not be parsed to see it. */
export const isRequirementsFile = (content: string): boolean =>
  content.includes("requirements") && fileKindOf(content) === "requirements"

const commands: Record<FileKind, string> = { tasks: "proofline run", requirements: "proofline run-requirements" }

/** Tells a file of the other kind, of which nothing else needs to be said. Returns whether it is one. */
export const tellOtherKind = ({ findings, root }: Source, expectedKind: FileKind): boolean => {
  const kind = kindOf(root)
  const entry = kind === null || kind === expectedKind ? undefined : entryOf(root, kind)
  if (kind === null || entry === undefined) return false
  refuse(findings, {
    code: `not_${expectedKind}`,
    message: `The file holds ${kind}, not ${expectedKind}.`,
    hint: `Give it to \`${commands[kind]}\`, or write ${expectedKind} under the key \`${expectedKind}\`.`,
    start: entry.keyStart,
    end: entry.keyEnd
  })
  return true
}
