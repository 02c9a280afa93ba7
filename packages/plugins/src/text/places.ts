/** Where a part stands in a text, one place after the other; nowhere where there is nothing to look for. */
export const placesOf = function* (text: string, part: string): Generator<number> {
  if (part === "") return
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) yield at
}
