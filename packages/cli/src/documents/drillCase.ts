/** What was planted, and what became of it. */
export interface DrillCase {
  readonly side: "cheat" | "genuine"
  /** Stable, such as `stub`. */
  readonly kind: string
  /** In words. */
  readonly what: string
  readonly path: string
  /** What was cited; null: nothing was. */
  readonly evidence: string | null
  /** The function, the test or the commit. */
  readonly name: string | null
  readonly refused: boolean
  /** The failure key, or the reason, such as `cosmetic`; null: it was let through. */
  readonly key: string | null
  readonly why: string | null
}

/** Something that was not planted, and why. */
export interface NotTried {
  readonly what: string
  readonly why: string
}

/** It was judged as it should be. */
export const isHeld = ({ refused, side }: DrillCase): boolean => refused === (side === "cheat")

export interface DrillCounts {
  readonly tried: number
  readonly refused: number
}

export const countsOf = (cases: ReadonlyArray<DrillCase>, side: DrillCase["side"]): DrillCounts => {
  const all = cases.filter((one) => one.side === side)
  return { tried: all.length, refused: all.filter(({ refused }) => refused).length }
}
