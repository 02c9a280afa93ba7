/** What each node points to. Every target is itself a key. */
export type Graph = ReadonlyMap<string, ReadonlyArray<string>>

/** Cycles listed for one graph. */
const maxCycles = 100

/** Nodes in the order in which they are left for the last time; iterative, because chains can be long. */
const postorder = (graph: Graph): ReadonlyArray<string> => {
  const seen = new Set<string>()
  const order: Array<string> = []
  for (const root of graph.keys()) {
    if (seen.has(root)) continue
    seen.add(root)
    const path = [{ node: root, next: 0 }]
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const target = graph.get(top.node)?.[top.next]
      top.next += 1
      if (target === undefined) {
        order.push(top.node)
        path.pop()
      } else if (!seen.has(target)) {
        seen.add(target)
        path.push({ node: target, next: 0 })
      }
    }
  }
  return order
}

const reversed = (graph: Graph): Graph => {
  const back = new Map<string, Array<string>>(Array.from(graph.keys(), (node) => [node, []]))
  for (const [node, targets] of graph) for (const target of targets) back.get(target)?.push(node)
  return back
}

/** Strongly connected components (Kosaraju): two nodes have the same number when each reaches the other. */
const componentsOf = (graph: Graph): ReadonlyMap<string, number> => {
  const back = reversed(graph)
  const component = new Map<string, number>()
  let number = 0
  for (const root of postorder(graph).toReversed()) {
    if (component.has(root)) continue
    number += 1
    component.set(root, number)
    const waiting = [root]
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      for (const source of back.get(node) ?? []) {
        if (component.has(source)) continue
        component.set(source, number)
        waiting.push(source)
      }
    }
  }
  return component
}

/** The shortest way between two nodes of one component, both included. */
const shortestPath = (
  graph: Graph,
  component: ReadonlyMap<string, number>,
  from: string,
  to: string
): ReadonlyArray<string> => {
  const cameFrom = new Map<string, string | null>([[from, null]])
  // a Map also hands out the entries that are added while it is walked
  for (const [node] of cameFrom) {
    if (node === to) break
    for (const next of graph.get(node) ?? []) {
      if (component.get(next) === component.get(from) && !cameFrom.has(next)) cameFrom.set(next, node)
    }
  }
  const path: Array<string> = []
  for (let node: string | null = to; node !== null; node = cameFrom.get(node) ?? null) path.push(node)
  return path.toReversed()
}

/** The same cycle, beginning with the node that comes first in the graph. */
const fromFirst = (cycle: ReadonlyArray<string>, rank: ReadonlyMap<string, number>): ReadonlyArray<string> => {
  const ranks = cycle.map((node) => rank.get(node) ?? 0)
  const first = ranks.indexOf(Math.min(...ranks))
  return [...cycle.slice(first), ...cycle.slice(0, first)]
}

/**
 * Cycles, each once and as short as possible, so that every edge that lies on any cycle is on one of them (as long as
 * there are at most 100). Not all simple cycles: there can be exponentially many, and cutting these repairs the graph.
 */
export const cyclesOf = (graph: Graph): ReadonlyArray<ReadonlyArray<string>> => {
  const component = componentsOf(graph)
  const rank = new Map(Array.from(graph.keys(), (node, index) => [node, index]))
  const covered = new Set<string>()
  const edge = (from: string, to: string): string => JSON.stringify([from, to])
  const cycles: Array<ReadonlyArray<string>> = []
  for (const [node, targets] of graph) {
    for (const target of targets) {
      if (cycles.length === maxCycles) return cycles
      if (component.get(node) !== component.get(target) || covered.has(edge(node, target))) continue
      const cycle = shortestPath(graph, component, target, node)
      for (const [index, from] of cycle.entries()) covered.add(edge(from, cycle[(index + 1) % cycle.length] ?? from))
      cycles.push(fromFirst(cycle, rank))
    }
  }
  return cycles
}
