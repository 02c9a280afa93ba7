/** The known word that was probably meant; undefined: none is like it. */
export const meant = <A extends string>(word: string, known: ReadonlyArray<A>): A | undefined =>
  known.find((one) => isNear(one, word))

/** At most two letters are wrong, missing or too many. */
const isNear = (a: string, b: string): boolean => {
  const row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    let diagonal = i - 1
    row[0] = i
    for (let j = 1; j <= b.length; j++) {
      const above = row[j] ?? 0
      row[j] = Math.min(above + 1, (row[j - 1] ?? 0) + 1, diagonal + Number(a[i - 1] !== b[j - 1]))
      diagonal = above
    }
  }
  return (row[b.length] ?? 9) <= 2
}
