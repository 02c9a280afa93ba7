import type { Json } from "@proofline/kernel"

// Steps of the schema versions of this plugin's events, in words and literals of their own, so that they never change.

type Fields = Readonly<Record<string, Json>>
type List = ReadonlyArray<Fields>

/** Keys that may be left out were added: what was written before means the same. */
export const widened = (content: Json): Json => content

// Version 2: a receipt says of what kind it is.

const withKind = (one: Fields): Fields => {
  const receipt = one["receipt"]
  return { ...one, receipt: receipt === null ? null : { kind: "lines", ...(receipt as Fields) } }
}

const itemsOfKinds = (task: Fields): Fields => ({ ...task, items: (task["items"] as List).map(withKind) })

/** Of REQUIREMENTS_LOADED: what an earlier run has left. */
export const carriedOfKinds = (content: Json): Json => {
  const fields = content as Fields
  const carried = fields["carried"] as Fields | null
  return carried === null
    ? fields
    : { ...fields, carried: { ...carried, completed: (carried["completed"] as List).map(itemsOfKinds) } }
}

/** Of TASK_RUN_ENDED. */
export const tasksOfKinds = (content: Json): Json => {
  const fields = content as Fields
  return { ...fields, tasks: (fields["tasks"] as List).map(itemsOfKinds) }
}

/** Of REQUIREMENT_VERIFIED. */
export const opinionOfKinds = (content: Json): Json => {
  const fields = content as Fields
  const opinion = fields["opinion"] as Fields | null
  return opinion === null
    ? fields
    : { ...fields, opinion: { ...opinion, facts: (opinion["facts"] as List).map(withKind) } }
}
