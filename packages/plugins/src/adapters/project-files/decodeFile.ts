/** Decodes what a file holds by the file's schema, and tells all that is wrong with it at once. */
import { Schema, type SchemaAST, type SchemaIssue } from "effect"
import type { Source } from "./document.ts"
import type { Entry, MappingNode, Node } from "./Node.ts"
import { refuse } from "./Problem.ts"
import { type Judged, type Spot, type Syntax, tellIssue } from "./tellIssues.ts"

/** Values read in one file, more than one without aliases can hold; aliases can make a small file stand for an endless one. */
const maxValues = 1_000_000

/** What was read of a value: parts that were refused or left out are undefined. */
export type Found<A> =
  | undefined
  | (A extends ReadonlyArray<infer Item>
      ? ReadonlyArray<Found<Item>>
      : A extends object
        ? { readonly [K in keyof A]?: Found<A[K]> }
        : A)

/** A step into a value: a key, or the index of an item. */
export type Path = ReadonlyArray<string | number>

/** What a file says as far as it is sound, each part where it stands. */
export interface Decoded<A> {
  readonly found: Found<A>
  /** Null: something was refused. */
  readonly value: A | null
  /** The node at a path; the nearest one above it where there is none. */
  readonly at: (...path: Path) => Node
  /** The entry of the last key of a path. */
  readonly keyAt: (...path: Path) => Entry | undefined
}

type Contents = ReadonlyArray<Entry> | ReadonlyArray<Node>

const contentsOf = (node: Node): Contents =>
  node.kind === "mapping" ? node.entries : node.kind === "list" ? node.items : []

/** How many values a node stands for with its aliases written out. */
const sizeOf = (node: Node, known: Map<Contents, number>): number => {
  const contents = contentsOf(node)
  const before = known.get(contents)
  if (before !== undefined) return before
  let size = 1
  for (const part of contents) size += sizeOf("value" in part && "key" in part ? part.value : (part as Node), known)
  if (contents.length > 0) known.set(contents, size)
  return size
}

/** Values of nodes, each made once however many aliases lead to it. `without`: nodes left out. */
const plainValues = (without: ReadonlySet<Node>) => {
  const made = new Map<Contents, unknown>()
  const plainOf = (node: Node): unknown => {
    if (without.has(node)) return undefined
    switch (node.kind) {
      case "text":
      case "number":
      case "boolean":
        return node.value
      case "null":
        return null
      case "other":
        return undefined
      default: {
        const contents = contentsOf(node)
        const before = made.get(contents)
        if (before !== undefined) return before
        const value = node.kind === "list" ? node.items.map(plainOf) : ofMapping(node)
        made.set(contents, value)
        return value
      }
    }
  }
  // of entries, so that any key can be one
  const ofMapping = ({ entries }: MappingNode) =>
    Object.fromEntries(entries.map(({ key, value }) => [key, plainOf(value)]))
  return plainOf
}

const step = (node: Node | undefined, part: string | number): Node | undefined =>
  node?.kind === "list"
    ? node.items[Number(part)]
    : node?.kind === "mapping"
      ? node.entries.find(({ key }) => key === part)?.value
      : undefined

/**
 * `root` is decoded by the schema; what is wrong becomes findings of the source. Values that are refused are left out,
 * so that the others can still be compared.
 */
export const decodeFile = <S extends Schema.Constraint & { readonly DecodingServices: never }>(
  schema: S,
  root: Node,
  { findings }: Source,
  syntax: Syntax
): Decoded<S["Type"]> => {
  const place = placesOf<S["Type"]>(root)
  if (sizeOf(root, new Map()) > maxValues) {
    const message = `With its aliases written out, the file holds more than ${maxValues} values.`
    refuse(findings, {
      code: "yaml_alias_limit",
      message,
      hint: "Use fewer aliases.",
      start: root.start,
      end: root.end
    })
    return { ...place, found: undefined, value: null }
  }
  const plainOf = plainValues(new Set())
  const result = Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })(plainOf(root))
  if (result._tag === "Success") return { ...place, found: result.success as Found<S["Type"]>, value: result.success }
  const judged: Judged = { findings, syntax, plainOf, refused: new Set() }
  const issue: SchemaIssue.Issue = result.failure.issue
  tellIssue(issue, schema.ast, { node: root, name: "the file", otherwise: "" }, judged)
  return { ...place, found: plainValues(judged.refused)(root) as Found<S["Type"]>, value: null }
}

/** What a schema that is not ours found wrong with one value of a file. */
export const tellAt = (
  issue: SchemaIssue.Issue,
  ast: SchemaAST.AST,
  spot: Spot,
  findings: Source["findings"],
  expectedBy: Judged["expectedBy"] & {}
): void =>
  tellIssue(issue, ast, spot, {
    findings,
    syntax: "yaml",
    plainOf: plainValues(new Set()),
    refused: new Set(),
    expectedBy
  })

/** One value of a file that is not decoded as a whole; undefined: refused, and told. */
export const decodeAt = <S extends Schema.Constraint & { readonly DecodingServices: never }>(
  schema: S,
  spot: Spot,
  findings: Source["findings"]
): S["Type"] | undefined => {
  const plainOf = plainValues(new Set())
  const result = Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })(plainOf(spot.node))
  if (result._tag === "Success") return result.success
  tellIssue(result.failure.issue, schema.ast, spot, { findings, syntax: "yaml", plainOf, refused: new Set() })
  return undefined
}

const placesOf = <A>(root: Node): Pick<Decoded<A>, "at" | "keyAt"> => ({
  at: (...path) => {
    let node = root
    for (const part of path) {
      const next = step(node, part)
      if (next === undefined) return node
      node = next
    }
    return node
  },
  keyAt: (...path) => {
    const node = path.slice(0, -1).reduce<Node | undefined>(step, root)
    return node?.kind === "mapping" ? node.entries.find(({ key }) => key === path.at(-1)) : undefined
  }
})

/** What is a list, or a single item that stands for a list of one, with the paths of the items that were not refused. */
export const eachOf = <A>(
  value: Found<A | ReadonlyArray<A>> | ReadonlyArray<Found<A>>,
  ...path: Path
): ReadonlyArray<{ readonly item: NonNullable<Found<A>>; readonly path: Path }> => {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) return [{ item: value as NonNullable<Found<A>>, path }]
  return value.flatMap((item, index) => (item === undefined ? [] : [{ item, path: [...path, index] }]))
}

/** A list, or a list of the one that stands for it. */
export const asList = <A>(value: A | ReadonlyArray<A> | undefined): ReadonlyArray<A> =>
  value === undefined ? [] : Array.isArray(value) ? value : [value as A]
