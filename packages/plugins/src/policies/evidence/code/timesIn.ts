/** How often a name stands in a text as a word of its own. Pure. */
export const timesIn = (text: string, name: string): number => {
  if (name === "") return 0
  let times = 0
  // made an expression of, each name of a file would have to be compiled
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length))
    if (!ofWord.test(before(text, at)) && !ofWord.test(behind(text, at + name.length))) times++
  return times
}

const ofWord = /^[\p{L}\p{N}_$]$/u

/** The characters beside a place; one outside of the first plane is two of the text. */
const before = (text: string, at: number): string => Array.from(text.slice(Math.max(0, at - 2), at)).at(-1) ?? ""
const behind = (text: string, at: number): string => String.fromCodePoint(text.codePointAt(at) ?? 0)
