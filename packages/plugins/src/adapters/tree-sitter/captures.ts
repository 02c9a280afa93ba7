import type { Node, QueryMatch } from "web-tree-sitter"
import type { Declaration } from "../../port/index.ts"
import type { Loaded } from "./engine.ts"
import { isUnfinished } from "./words.ts"

/** A declaration as the query found it. */
export interface Found {
  readonly node: Node
  readonly kind: Declaration["kind"]
  readonly name: string | null
  readonly body: Node | null
}

type Nodes = ReadonlyMap<number, Node>

/** What a query captured, by the ids of the nodes; outline.ts tells what the captures mean. */
export interface Captured {
  readonly declarations: ReadonlyMap<number, Found>
  readonly wrappers: Nodes
  readonly leads: Nodes
  readonly exempt: Nodes
  readonly exemptMembers: Nodes
  readonly comments: Nodes
  readonly imports: Nodes
  readonly nothing: Nodes
  readonly stubs: Nodes
  readonly idle: Nodes
  readonly transparent: Nodes
  readonly constants: Nodes
  readonly failures: Nodes
  readonly replaceable: Nodes
  readonly hoisted: Nodes
  readonly kept: Nodes
  readonly reopened: Nodes
  readonly rebindings: ReadonlyArray<NamedNode>
  readonly exported: ReadonlyArray<NamedNode>
  readonly exportedWhole: ReadonlyArray<NamedNode>
  readonly strings: ReadonlyArray<Node>
  readonly faults: ReadonlyArray<Node>
}

/** A statement that gives a name something else. */
export interface NamedNode {
  readonly node: Node
  readonly name: string
}

/** The captures of all matches whose predicates hold. */
export const collect = (predicates: Loaded["predicates"], matches: ReadonlyArray<QueryMatch>): Captured => {
  const declarations = new Map<number, Found>()
  const captured = new Map<string, Array<Node>>()
  const named: Record<NamedKind, Array<NamedNode>> = { rebindings: [], exported: [], exportedWhole: [] }
  for (const match of matches) {
    if (!isFulfilled(predicates, match)) continue
    for (const { name, node } of match.captures) {
      const bound = namedNodes[name]
      if (bound !== undefined) named[bound].push({ node, name: nameIn(match) })
      if (name === "function" || name === "type" || name === "group") declare(declarations, node, name, match)
      const same = captured.get(name)
      if (same === undefined) captured.set(name, [node])
      else same.push(node)
    }
  }
  const list = (name: string): ReadonlyArray<Node> => captured.get(name) ?? []
  const byId = (name: string): Nodes => new Map(list(name).map((node) => [node.id, node]))
  return {
    declarations,
    wrappers: byId("wrapper"),
    leads: byId("lead"),
    exempt: byId("exempt"),
    exemptMembers: byId("exempt.members"),
    comments: byId("comment"),
    imports: byId("import"),
    nothing: byId("nothing"),
    stubs: byId("stub"),
    idle: byId("idle"),
    transparent: byId("transparent"),
    constants: byId("constant"),
    failures: byId("failure"),
    replaceable: byId("replaceable"),
    hoisted: byId("hoisted"),
    kept: byId("kept"),
    reopened: byId("reopened"),
    ...named,
    strings: list("string"),
    faults: list("fault")
  }
}

type NamedKind = "rebindings" | "exported" | "exportedWhole"

const namedNodes: Readonly<Record<string, NamedKind>> = {
  rebinding: "rebindings",
  exported: "exported",
  "exported.whole": "exportedWhole"
}

const nameIn = ({ captures }: QueryMatch): string => tidy(captures.find(({ name }) => name === "name")?.node.text ?? "")

const isFulfilled = (predicates: Loaded["predicates"], { captures, patternIndex }: QueryMatch): boolean =>
  (predicates[patternIndex] ?? []).every(({ operands, operator }) => {
    if (operator !== "unfinished?" && operator !== "not-unfinished?") return true
    const names = operands.flatMap((operand) => (operand.type === "capture" ? [operand.name] : []))
    const holds = captures.some(({ name, node }) => names.includes(name) && isUnfinished(node.text))
    return holds === (operator === "unfinished?")
  })

/** The same node may be found by several patterns; the one that knows more of it counts. */
const declare = (
  declarations: Map<number, Found>,
  node: Node,
  kind: Declaration["kind"],
  { captures }: QueryMatch
): void => {
  const of = (name: string): Node | undefined => captures.find((capture) => capture.name === name)?.node
  const before = declarations.get(node.id)
  const parts = [of("scope")?.text, of("name")?.text].flatMap((part) => (part === undefined ? [] : [tidy(part)]))
  const name = parts.length === 0 ? (before?.name ?? null) : parts.join(".")
  declarations.set(node.id, { node, kind: before?.kind ?? kind, name, body: of("body") ?? before?.body ?? null })
}

/** A name as people say it: without quotes, blanks and pointer stars. */
const tidy = (name: string): string =>
  name
    .replace(/^["'`]|["'`]$/g, "")
    .replace(/\s+/g, " ")
    .replace(/^[*&\s]+/, "")
    .slice(0, 200)

export const children = (node: Node): ReadonlyArray<Node> =>
  node.namedChildren.filter((child): child is Node => child !== null)
