import { saidOf } from "./said.ts"

/**
 * Whether an item asks to take something out, and for nothing else: `Remove the unused import of os`. What is left around
 * the place may then be nothing by itself. Pure.
 */
export const asksForRemoval = (item: string): boolean => {
  const text = saidOf(item)
  return (removing.test(text) || removingInJapanese.test(text)) && !more.test(text)
}

const removing =
  /^(?:remov(?:es?|ed|ing)|delet(?:es?|ed|ing)|drop(?:s|ped|ping)?|strip(?:s|ped|ping)?|(?:tak(?:es?|ing)|took) out|g[eo]t(?:s|ting)? rid of|do(?:es)? away with|clean(?:s|ed|ing)? up|prun(?:es?|ed|ing)|eliminat(?:es?|ed|ing)|kill(?:s|ed|ing)?|purg(?:es?|ed|ing))\b/i
const removingInJapanese = /を(?:すべて|全て)?(?:削除|除去|取り除|消)/
const more =
  /\b(?:and|then|;)\s+(?:also\s+|instead\s+)?(?:add|use|implement|replace|write|create|return|call|move|rename|test)\b|\b(?:replace|instead|so that|in favou?r of)\b|追加|実装|置き換/i

/** Whether taking something out may be all that an item asks for: `Reduce noise in tests`. Pure. */
export const mayTakeOut = (item: string): boolean => {
  const text = saidOf(item)
  return (
    /^[a-z]/i.test(text) &&
    !/^(?:adds?|creates?|defines?|documents?|implements?|introduces?|supports?|tests?|writes?)\b/i.test(text)
  )
}

/** Names of lines, of a change, behind which something was taken out. */
export const removalsIn = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.filter((name) => name.startsWith("-"))

/** What would show it, in a sentence. `places`: the lines around what was taken out of the file. */
export const toShowRemoval = (path: string, places: ReadonlyArray<string>): string =>
  places.length === 0
    ? `${nothingTaken} ${path} since the run began.`
    : `${takenOut} ${path} is shown by the lines around its place: cite ${places.map((lines) => `${path}:${lines}`).join(" or ")}.`

const nothingTaken = "Nothing but blanks and comments was taken out of"
const takenOut = "What was taken out of"

/** Whether words say the above. */
export const saysRemoval = (text: string): boolean =>
  text.includes(` ${nothingTaken} `) || text.includes(` ${takenOut} `)
