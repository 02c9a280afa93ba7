import type { AssignmentStatus } from "@proofline/kernel"
import type { Body } from "../../operations/Answer.ts"
import { jsonBytes, lineOf, maxResponseBytes } from "../../operations/sizeLimit.ts"
import type { TaskNode } from "./rules/taskTree.ts"

/** What is under way first, what is over last. */
const order: ReadonlyArray<AssignmentStatus> = ["in_progress", "blocked", "todo", "backlog", "done", "cancelled"]

export const rankOf = (status: AssignmentStatus): number => order.indexOf(status)

/**
 * A body with trees of tasks. Where they are too large it holds the first of them, what is under way before what is over,
 * each with everything it is part of; `left_out` counts the others, and `next_offset` is where they go on.
 */
export const withTrees = (rest: Body, tasks: ReadonlyArray<TaskNode>, offset = 0): Body => {
  const whole = { ...rest, tasks }
  if (offset === 0 && jsonBytes(whole) <= maxResponseBytes) return whole
  const placed = flat(tasks, []).toSorted((a, b) => rankOf(a.node.status) - rankOf(b.node.status))
  const more = { more: placed.length, next_offset: placed.length }
  const all = { ...rest, tasks: [], left_out: countBy(placed.map(({ node }) => node.status)), ...more }
  const { count, kept } = fittingNodes(placed.slice(offset), maxResponseBytes - jsonBytes(all))
  const left = placed.filter(({ node }) => !kept.has(node)).map(({ node }) => node.status)
  const next_offset = offset + count
  return {
    ...rest,
    tasks: pruned(tasks, kept),
    left_out: countBy(left),
    ...(next_offset < placed.length ? { more: placed.length - next_offset, next_offset } : {})
  }
}

interface Placed {
  readonly node: TaskNode
  /** What it is part of, the outermost first. */
  readonly above: ReadonlyArray<TaskNode>
}

const flat = (nodes: ReadonlyArray<TaskNode>, above: ReadonlyArray<TaskNode>): ReadonlyArray<Placed> =>
  nodes.flatMap((node) => [{ node, above }, ...flat(node.subtasks ?? [], [...above, node])])

/** The first nodes that fit into so many bytes of JSON, one at least; each with everything it is part of. */
const fittingNodes = (
  placed: ReadonlyArray<Placed>,
  bytes: number
): { readonly count: number; readonly kept: ReadonlySet<TaskNode> } => {
  let left = bytes
  const kept = new Set<TaskNode>()
  for (const [count, { above, node }] of placed.entries()) {
    const missing = [...above, node].filter((one) => !kept.has(one))
    left -= missing.reduce((sum, one) => sum + jsonBytes(bare(one)) + 1, 0)
    if (left < 0 && count > 0) return { count, kept }
    for (const one of missing) kept.add(one)
  }
  return { count: placed.length, kept }
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
