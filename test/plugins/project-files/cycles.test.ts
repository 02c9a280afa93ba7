import { it } from "@effect/vitest"
import { parseTasks } from "@proofline/plugins/adapters/project-files"
import { Schema } from "effect"
import { assert, describe } from "vitest"
import { often } from "../../often.ts"

/** Edges over a few nodes. */
const Edges = Schema.Array(
  Schema.Tuple([
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 7 })),
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 7 }))
  ])
)

/** Independent of the parser: a node lies on a cycle when the transitive closure leads it back to itself. */
const closure = (edges: ReadonlySet<string>, size: number): ReadonlyArray<ReadonlyArray<boolean>> => {
  const reach = Array.from({ length: size }, (_, a) => Array.from({ length: size }, (_, b) => edges.has(`${a}-${b}`)))
  for (let via = 0; via < size; via += 1) {
    for (const row of reach) {
      if (row[via]) for (let to = 0; to < size; to += 1) row[to] ||= reach[via]?.[to] ?? false
    }
  }
  return reach
}

const size = 8

const fileOf = (edges: ReadonlySet<string>): string => {
  const tasks = Array.from({ length: size }, (_, n) => {
    const targets = Array.from({ length: size }, (_, to) => to).filter((to) => edges.has(`${n}-${to}`))
    return `  - {id: t${n}, name: A, instruction: I, depends_on: [${targets.map((to) => `t${to}`).join(", ")}]}\n`
  })
  return `tasks:\n${tasks.join("")}`
}

const cyclesIn = (text: string): ReadonlyArray<ReadonlyArray<string>> =>
  parseTasks(text, "tasks.yaml")
    .problems.filter(({ code }) => code === "dependency_cycle")
    .map(({ message }) => /circle: (.*)\.$/.exec(message)?.[1]?.split(" → ") ?? [])

describe("circles of dependencies", () => {
  it.prop(
    "are found exactly where there are some",
    [Edges],
    ([pairs]) => {
      const edges = new Set(pairs.filter(([from, to]) => from !== to).map(([from, to]) => `${from}-${to}`))
      const reach = closure(edges, size)
      const cycles = cyclesIn(fileOf(edges))

      const shown = cycles.map((cycle) => cycle.join())
      assert.strictEqual(new Set(shown).size, shown.length, "each is told once")
      const covered = new Set<string>()
      for (const cycle of cycles) {
        assert.strictEqual(cycle[0], cycle.at(-1))
        assert.strictEqual(new Set(cycle).size, cycle.length - 1, "no task is passed twice")
        assert.strictEqual(cycle[0], cycle.toSorted()[0], "it begins with the first task of the file")
        for (const [at, from] of cycle.slice(0, -1).entries()) {
          const edge = `${from.slice(1)}-${cycle[at + 1]?.slice(1)}`
          assert.isTrue(edges.has(edge), "it follows dependencies")
          covered.add(edge)
        }
      }
      const onCycle = Array.from(edges).filter((edge) => {
        const [from = 0, to = 0] = edge.split("-").map(Number)
        return reach[to]?.[from]
      })
      assert.deepStrictEqual(covered, new Set(onCycle), "every dependency on a circle is shown on one")
    },
    { arbitrary: { runs: often(500) } }
  )

  it("are found in a chain of thousands of tasks", () => {
    const length = often(20_000)
    const tasks = Array.from(
      { length },
      (_, n) => `  - {id: t${n}, name: A, instruction: I, depends_on: t${(n + 1) % length}}\n`
    )
    assert.strictEqual(cyclesIn(`tasks:\n${tasks.join("")}`).length, 1)
  })

  it("are at most 100, however many there are", () => {
    const all = Array.from({ length: 60 }, (_, n) => `t${n}`)
    const tasks = all.map(
      (id) =>
        `  - {id: ${id}, name: A, instruction: I, depends_on: [${all.filter((other) => other !== id).join(", ")}]}\n`
    )
    assert.strictEqual(cyclesIn(`tasks:\n${tasks.join("")}`).length, 100)
  })
})
