/**
 * A parsed YAML value with its place in the file.
 *
 * Aliases are resolved: the node of an alias stands where the alias stands and shares the children of its anchor,
 * so the nodes form a graph without cycles, not a tree.
 */
export type Node = TextNode | NumberNode | BooleanNode | NullNode | ListNode | MappingNode | OtherNode

interface TextSpan {
  /** Offset of the first character. Where a value was left out: of the key or dash it belongs to. */
  readonly start: number
  /** Offset behind the last character. */
  readonly end: number
}

export interface TextNode extends TextSpan {
  readonly kind: "text"
  readonly value: string
}

export interface NumberNode extends TextSpan {
  readonly kind: "number"
  readonly value: number
  /** As written. */
  readonly source: string
}

export interface BooleanNode extends TextSpan {
  readonly kind: "boolean"
  readonly value: boolean
}

export interface NullNode extends TextSpan {
  readonly kind: "null"
}

export interface ListNode extends TextSpan {
  readonly kind: "list"
  readonly items: ReadonlyArray<Node>
}

export interface MappingNode extends TextSpan {
  readonly kind: "mapping"
  /** In the order of the file, every key once. */
  readonly entries: ReadonlyArray<Entry>
}

/** A value that cannot be read, or of a YAML type that is used in none of our files (binary, timestamp, set). */
export interface OtherNode extends TextSpan {
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
