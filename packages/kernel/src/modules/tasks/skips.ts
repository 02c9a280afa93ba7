/** Why a task was skipped of which something that it depends on is not completed, and why a part was. Stable codes. */
export const dependencyNotCompleted = "dependency_not_completed"
export const dependencyFailed = "dependency_failed"

const ofDependency: ReadonlySet<string> = new Set([dependencyNotCompleted, dependencyFailed])

/** Why a task was skipped, for people, as the end of a sentence or as one; a reason without words of its own as it is. */
export const whySkipped = ({
  reason,
  waiting_for
}: {
  readonly reason: string
  readonly waiting_for: ReadonlyArray<string>
}): string => {
  if (!ofDependency.has(reason)) return reason
  return waiting_for.length === 0
    ? "something that it depends on was not completed"
    : `it depends on ${waiting_for.join(", ")}, which ${waiting_for.length === 1 ? "was" : "were"} not completed`
}
