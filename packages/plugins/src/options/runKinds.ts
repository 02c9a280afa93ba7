const own = ["tasks", "requirements", "prompt", "session"]

/** The kinds of runs there are: Proofline's own, and those that plugins have brought to these runs. */
export const runKinds = (runs: ReadonlyArray<{ readonly kind: string }>): ReadonlyArray<string> => [
  ...new Set([...own, ...runs.map(({ kind }) => kind)])
]
