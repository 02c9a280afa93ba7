/**
 * The same JSON with the keys of its objects in the order in which a log gives them back (that of their code units, as
 * in RFC 8785): what is decided must not depend on whether it was read from a log.
 */
export const inOrder = <A>(value: A): A => {
  if (Array.isArray(value)) return value.map(inOrder) as A
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).map(([key, one]) => [key, inOrder(one)] as const)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))) as A
}
