import type { AssignmentStatus } from "@proofline/kernel"
import type { Body } from "../../operations/Answer.ts"
import { jsonBytes, lineOf, maxResponseBytes } from "../../operations/sizeLimit.ts"
import type { TaskNode } from "./rules/taskTree.ts"

/** What is under way first, what is over last. */
const order: ReadonlyArray<AssignmentStatus> = ["in_progress", "blocked", "todo", "backlog", "done", "cancelled"]

export const rankOf = (status: AssignmentStatus): number => order.indexOf(status)

/** A body with trees of tasks; where they are too large, what is done and cancelled is left out first, and counted. */
export const withTrees = (rest: Body, tasks: ReadonlyArray<TaskNode>): Body => {
  const whole = { ...rest, tasks }
  if (jsonBytes(whole) <= maxResponseBytes) return whole
  const placed = flat(tasks, [])
  const all = countBy(placed.map(({ node }) => node.status))
  const kept = fittingNodes(placed, maxResponseBytes - jsonBytes({ ...rest, tasks: [], left_out: all }))
  const left = placed.filter(({ node }) => !kept.has(node)).map(({ node }) => node.status)
  return { ...rest, tasks: pruned(tasks, kept), left_out: countBy(left) }
}

interface Placed {
  readonly node: TaskNode
  /** What it is part of, the outermost first. */
  readonly above: ReadonlyArray<TaskNode>
}

const flat = (nodes: ReadonlyArray<TaskNode>, above: ReadonlyArray<TaskNode>): ReadonlyArray<Placed> =>
  nodes.flatMap((node) => [{ node, above }, ...flat(node.subtasks ?? [], [...above, node])])

/** The nodes that fit into so many bytes of JSON, the most important first; each with everything it is part of. */
const fittingNodes = (placed: ReadonlyArray<Placed>, bytes: number): ReadonlySet<TaskNode> => {
  let left = bytes
  const kept = new Set<TaskNode>()
  for (const { above, node } of placed.toSorted((a, b) => rankOf(a.node.status) - rankOf(b.node.status))) {
    const missing = [...above, node].filter((one) => !kept.has(one))
    const needed = missing.reduce((sum, one) => sum + jsonBytes(bare(one)) + 1, 0)
    if (needed > left) continue
    left -= needed
    for (const one of missing) kept.add(one)
  }
  return kept
}

const bare = (node: TaskNode): TaskNode => ({ ...node, title: lineOf(node.title, 120), subtasks: [] })

const pruned = (nodes: ReadonlyArray<TaskNode>, kept: ReadonlySet<TaskNode>): ReadonlyArray<TaskNode> =>
  nodes.flatMap((node) =>
    kept.has(node)
      ? [
          node.subtasks === undefined
            ? { ...node, title: lineOf(node.title, 120) }
            : { ...bare(node), subtasks: pruned(node.subtasks, kept) }
        ]
      : []
  )

const countBy = (statuses: ReadonlyArray<AssignmentStatus>): Body =>
  Object.fromEntries(
    order.flatMap((status) => {
      const count = statuses.filter((one) => one === status).length
      return count === 0 ? [] : [[status, count]]
    })
  )
