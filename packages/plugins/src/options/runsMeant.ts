/** So many characters name a run at least. */
const leastNamed = 3

interface Named {
  readonly run_id: string
  readonly parent_run_id: string | null
}

/**
 * The runs that a name may mean, of the newest first: the id as a whole, `last`, or the beginning of an id or of the end of
 * it (`k3x9q2`).
 */
export const runsMeant = <Row extends Named>(named: string, rows: ReadonlyArray<Row>): ReadonlyArray<Row> => {
  const exact = rows.find(({ run_id }) => run_id === named)
  if (exact !== undefined) return [exact]
  const wholes = rows.filter(({ parent_run_id }) => parent_run_id === null)
  if (named === "last") return wholes.slice(0, 1)
  if (named.length < leastNamed) return []
  const isMeant = ({ run_id }: Named) =>
    run_id.startsWith(named) || run_id.slice(run_id.lastIndexOf("_") + 1).startsWith(named)
  // who names a run in short means no part of it, unless nothing else is called so
  const whole = wholes.filter(isMeant)
  return whole.length === 0 ? rows.filter(isMeant) : whole
}
