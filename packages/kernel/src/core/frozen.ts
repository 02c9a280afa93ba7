import { HashMap, HashSet } from "effect"

/**
 * The same value, which cannot be changed any more, so that whoever changes what it was given is found. What is frozen
 * already is not entered again: of a state only what is new costs something.
 */
export const frozen = <A>(value: A): A => {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  if (HashMap.isHashMap(value)) enterMap(value as MapInside)
  else if (HashSet.isHashSet(value)) enterMap((value as { readonly keyMap?: MapInside }).keyMap)
  else {
    Object.freeze(value)
    for (const inner of Object.values(value)) frozen(inner)
  }
  return value
}

/** Maps share the nodes of their trees; they keep hashes in them, so that they cannot be frozen themselves. */
interface Node {
  readonly children?: ReadonlyArray<Node | undefined>
  readonly entries?: ReadonlyArray<readonly [key: unknown, value: unknown]>
  readonly value?: unknown
}
interface MapInside {
  readonly _editable?: boolean
  readonly _root?: Node
}

const entered = new WeakSet<Node>()

const enterMap = (map: MapInside | undefined): void => {
  // its nodes are changed in place: what was entered would not stay so
  if (map?._root !== undefined && map._editable !== true) enter(map._root)
}

const enter = (node: Node): void => {
  const { children, entries, value } = node
  if (children !== undefined) {
    if (entered.has(node)) return
    entered.add(node)
    for (const child of children) if (child !== undefined) enter(child)
  } else if (entries !== undefined) {
    for (const [, one] of entries) frozen(one)
  } else frozen(value)
}
