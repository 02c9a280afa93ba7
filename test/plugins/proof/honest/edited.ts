/** A text with parts of it replaced; every part must be there, and the first place counts. */
export const edited = (text: string, ...edits: ReadonlyArray<readonly [part: string, by: string]>): string =>
  edits.reduce((left, [part, by]) => {
    if (!left.includes(part)) throw new Error(`There is no "${part}".`)
    return left.replace(part, () => by)
  }, text)
