import { readDocument } from "./document.ts"
import type { Node } from "./Node.ts"

/** A key of a file, with what is written for it. */
export interface WrittenKey {
  /** From 1. */
  readonly line: number
  readonly value: unknown
}

/** By the path of each key of a YAML or JSON text, its parts with `.` between them. */
export const keysIn = (text: string): ReadonlyMap<string, WrittenKey> => {
  const { positions, root } = readDocument(text)
  const keys = new Map<string, WrittenKey>()
  const walk = (node: Node | null, before: string): void => {
    if (node?.kind !== "mapping") return
    for (const { key, keyStart, value } of node.entries) {
      const path = before === "" ? key : `${before}.${key}`
      keys.set(path, { line: positions.lineOf(keyStart), value: plainOf(value) })
      walk(value, path)
    }
  }
  walk(root, "")
  return keys
}

const plainOf = (node: Node): unknown => {
  switch (node.kind) {
    case "list":
      return node.items.map(plainOf)
    case "mapping":
      return Object.fromEntries(node.entries.map(({ key, value }) => [key, plainOf(value)]))
    case "null":
    case "other":
      return null
    default:
      return node.value
  }
}
