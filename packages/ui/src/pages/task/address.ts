/** The attempt that the query of an address names, e.g. `attempt=2`; null: none. */
export const attemptIn = (query: string): number | null => {
  const named = new URLSearchParams(query).get("attempt")
  return named !== null && /^[1-9]\d{0,8}$/.test(named) ? Number(named) : null
}
