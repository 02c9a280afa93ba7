import { assert, describe, it } from "@effect/vitest"
import { chainLengths, findCycle, graphProblem, inDependencyOrder } from "@proofline/kernel"
import { often } from "../../often.ts"
import { forSeeds, type Random } from "../support/random.ts"

interface Node {
  readonly id: string
  readonly depends_on: ReadonlyArray<string>
}

const node = (id: string, ...depends_on: ReadonlyArray<string>): Node => ({ id, depends_on })

/** Any graph: with cycles, self-loops, doubled and unknown dependencies. */
const anyGraph = (random: Random): ReadonlyArray<Node> => {
  const ids = Array.from({ length: random.below(9) }, (_, i) => `t${i}`)
  const density = random.pick([0.05, 0.15, 0.4])
  return random.shuffled(
    ids.map((id) => {
      const some = [...ids, "elsewhere"].filter(() => random.chance(density))
      return node(id, ...random.shuffled(random.chance(0.1) ? [...some, ...some] : some))
    })
  )
}

/** The naive way: who can be reached from whom, by repeating one step until nothing is added. */
const reachability = (graph: ReadonlyArray<Node>): ReadonlyMap<string, ReadonlySet<string>> => {
  const known = new Set(graph.map(({ id }) => id))
  const reach = new Map(graph.map(({ depends_on, id }) => [id, new Set(depends_on.filter((to) => known.has(to)))]))
  for (let round = 0; round < graph.length; round++) {
    for (const set of reach.values())
      for (const to of [...set]) for (const further of reach.get(to) ?? []) set.add(further)
  }
  return reach
}

const isCyclic = (graph: ReadonlyArray<Node>): boolean => [...reachability(graph)].some(([id, reach]) => reach.has(id))

/** The naive way: try every chain. */
const longestFrom = (graph: ReadonlyArray<Node>, id: string): number =>
  1 + Math.max(0, ...graph.filter((task) => task.depends_on.includes(id)).map((task) => longestFrom(graph, task.id)))

describe("the task graph", () => {
  it("finds a cycle exactly when a task can be reached from itself, and names a real one", () => {
    let cyclic = 0
    forSeeds(often(3_000), (random) => {
      const graph = anyGraph(random)
      const cycle = findCycle(graph)
      assert.strictEqual(cycle !== null, isCyclic(graph))
      if (cycle === null) return
      cyclic++
      assert.strictEqual(new Set(cycle).size, cycle.length)
      const dependenciesOf = (id: string) => graph.find((task) => task.id === id)?.depends_on ?? []
      for (const [i, id] of cycle.entries()) {
        assert.include(dependenciesOf(id), cycle[(i + 1) % cycle.length] as string)
      }
    })
    assert.isAbove(cyclic, often(300))
    assert.isBelow(cyclic, often(2_700))
  })

  it("puts every task after what it depends on, all of them once, and keeps the order of free ones", () => {
    forSeeds(often(3_000), (random) => {
      const graph = anyGraph(random).filter((_, i, all) => !isCyclic(all.slice(0, i + 1)))
      if (isCyclic(graph)) return
      const order = inDependencyOrder(graph).map(({ id }) => id)
      assert.sameMembers(
        order,
        graph.map(({ id }) => id)
      )
      for (const { depends_on, id } of graph) {
        for (const dependency of depends_on) assert.isBelow(order.indexOf(dependency), order.indexOf(id))
      }
      const free = graph.filter((task) => task.depends_on.every((id) => !order.includes(id))).map(({ id }) => id)
      assert.deepStrictEqual(
        order.filter((id) => free.includes(id)),
        free
      )
    })
  })

  it("measures the longest chain that begins at a task", () => {
    forSeeds(often(2_000), (random) => {
      const graph = anyGraph(random)
      if (isCyclic(graph)) return
      const lengths = chainLengths(graph)
      for (const { id } of graph) assert.strictEqual(lengths.get(id), longestFrom(graph, id), id)
    })
  })

  it("takes a chain of 50,000 tasks, in either order, and finds the cycle that closes it", () => {
    const chain = Array.from({ length: 50_000 }, (_, i) => node(`t${i}`, ...(i === 0 ? [] : [`t${i - 1}`])))
    for (const tasks of [chain, chain.toReversed()]) {
      assert.isNull(graphProblem(tasks, new Set()))
      assert.strictEqual(chainLengths(tasks).get("t0"), 50_000)
      assert.deepStrictEqual(inDependencyOrder(tasks)[49_999]?.id, "t49999")
    }
    const closed = [node("t0", "t49999"), ...chain.slice(1)]
    assert.strictEqual(findCycle(closed)?.length, 50_000)
  })

  it("takes 50,000 tasks that wait for one", () => {
    const star = [node("hub"), ...Array.from({ length: 50_000 }, (_, i) => node(`t${i}`, "hub"))]
    assert.isNull(graphProblem(star, new Set()))
    assert.strictEqual(chainLengths(star).get("hub"), 2)
  })

  it("names ids that are used twice, before anything else", () => {
    const problem = graphProblem([node("a", "nowhere"), node("a"), node("b"), node("b"), node("c")], new Set())
    assert.strictEqual(problem?.code, "task_id_duplicate")
    assert.deepStrictEqual(problem?.open, ["a", "b"])
    assert.include(problem?.message, "a, b")
  })

  it("refuses a task that was completed in an earlier run", () => {
    const problem = graphProblem([node("a"), node("b")], new Set(["b"]))
    assert.strictEqual(problem?.code, "task_id_duplicate")
    assert.deepStrictEqual(problem?.open, ["b"])
  })

  it("names unknown dependencies, each once, before a cycle", () => {
    const problem = graphProblem([node("a", "b", "x"), node("b", "a", "x", "y")], new Set())
    assert.strictEqual(problem?.code, "task_dependency_unknown")
    assert.deepStrictEqual(problem?.open, ["x", "y"])
  })

  it("knows tasks completed elsewhere as dependencies", () => {
    assert.isNull(graphProblem([node("a", "before")], new Set(["before"])))
  })

  it("names the cycle in words", () => {
    const problem = graphProblem([node("a", "b"), node("b", "c"), node("c", "a"), node("d")], new Set())
    assert.strictEqual(problem?.code, "task_dependency_cycle")
    assert.strictEqual(problem?.message, "Tasks wait for each other: a → b → c → a.")
    assert.strictEqual(graphProblem([node("a", "a")], new Set())?.message, "Tasks wait for each other: a → a.")
  })
})
