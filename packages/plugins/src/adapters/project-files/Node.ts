/**
 * A parsed YAML value with its place in the file.
 *
 * Aliases are resolved: the node of an alias stands where the alias stands and shares the children of its anchor,
 * so the nodes form a graph without cycles, not a tree.
 */
export type Node = TextNode | NumberNode | BooleanNode | NullNode | ListNode | MappingNode | OtherNode

interface Place {
  /** Offset of the first character. Where a value was left out: of the key or dash it belongs to. */
  readonly start: number
  /** Offset behind the last character. */
  readonly end: number
}

export interface TextNode extends Place {
  readonly kind: "text"
  readonly value: string
}

export interface NumberNode extends Place {
  readonly kind: "number"
  readonly value: number
  /** As written. */
  readonly source: string
}

export interface BooleanNode extends Place {
  readonly kind: "boolean"
  readonly value: boolean
}

export interface NullNode extends Place {
  readonly kind: "null"
}

export interface ListNode extends Place {
  readonly kind: "list"
  readonly items: ReadonlyArray<Node>
}

export interface MappingNode extends Place {
  readonly kind: "mapping"
  /** In the order of the file, every key once. */
  readonly entries: ReadonlyArray<Entry>
}

/** A value that cannot be read, or of a YAML type that is used in none of our files (binary, timestamp, set). */
export interface OtherNode extends Place {
  readonly kind: "other"
  /** True when it was refused already where it was found. */
  readonly told: boolean
}

export interface Entry {
  readonly key: string
  readonly keyStart: number
  readonly keyEnd: number
  readonly value: Node
}
