/** A block of lines between two comments in a file for people and agents. */
import { alone, appended, cutOut } from "./appended.ts"
import { ConfigFault } from "./ConfigFault.ts"

const begin = "<!-- proofline:begin -->"
const end = "<!-- proofline:end -->"

const blockOf = (lines: ReadonlyArray<string>): ReadonlyArray<string> => [begin, ...lines, end]

export interface Block {
  readonly lines: ReadonlyArray<string>
  readonly start: number
  readonly end: number
}

/** The block of a file; null: it has none. */
export const blockIn = (text: string): Block | null => {
  const markers = Array.from(text.matchAll(/^[ \t]*<!-- proofline:(begin|end) -->[ \t]*\r?(?:\n|$)/gm))
  const [first, last] = markers
  if (first === undefined) return null
  if (markers.length !== 2 || first[1] !== "begin" || last?.[1] !== "end") {
    throw new ConfigFault(
      "invalid",
      `\`${begin}\` and \`${end}\` do not stand there once each, in this order`,
      first.index
    )
  }
  const inside = text.slice(first.index + first[0].length, last.index)
  return { lines: inside.split(/\r?\n/).slice(0, -1), start: first.index, end: last.index + last[0].length }
}

export const freshBlock = (lines: ReadonlyArray<string>): string => alone(blockOf(lines))

export const withBlock = (text: string, lines: ReadonlyArray<string>): string => appended(text, blockOf(lines))

export const withoutBlock = (text: string, { end, start }: Block): string => cutOut(text, start, end)
