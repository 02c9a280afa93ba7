/** How long programs that are asked for their version have to answer, ms. */
export const answersWithinMs = 10_000
