/** What stands in a file twice. */

import { quoted } from "../../options/words.ts"
import type { Source } from "./document.ts"
import type { Node } from "./Node.ts"
import { refuse, warn } from "./Problem.ts"

/** A text, and where it stands. */
export interface Placed {
  readonly text: string
  readonly node: Node
}

/** Those that were there before, each with the line of the first. */
const repeatsOf = (all: ReadonlyArray<Placed>, { positions }: Source) => {
  const first = new Map<string, Node>()
  return all.flatMap(({ node, text }) => {
    const earlier = first.get(text)
    if (earlier === undefined) first.set(text, node)
    return earlier === undefined
      ? []
      : [{ text, start: node.start, end: node.end, line: positions.lineOf(earlier.start) }]
  })
}

/** `what`: a task or a requirement. */
export const refuseTakenIds = (what: string, ids: ReadonlyArray<Placed>, source: Source): void => {
  for (const { end, line, start, text } of repeatsOf(ids, source)) {
    refuse(source.findings, {
      code: "id_duplicate",
      message: `The id ${quoted(text)} is already taken by the ${what} on line ${line}.`,
      hint: `Give every ${what} an id of its own.`,
      start,
      end
    })
  }
}

/** The words of a check name it. */
export const refuseEqual = (what: string, all: ReadonlyArray<Placed>, source: Source): void => {
  for (const { end, line, start, text } of repeatsOf(all, source)) {
    refuse(source.findings, {
      code: `${what}_duplicate`,
      message: `The ${what} ${quoted(text)} is already on line ${line}.`,
      hint: "Say what is different, or remove one of them.",
      start,
      end
    })
  }
}

export const warnOfEqual = (
  what: string,
  code: string,
  demand: string,
  all: ReadonlyArray<Placed>,
  source: Source
): void => {
  for (const { end, line, start, text } of repeatsOf(all, source)) {
    warn(source.findings, {
      code,
      message: `The ${what} ${quoted(text)} is already on line ${line}.`,
      hint: `Remove it, or say what is different; as it is, each of the two must be ${demand}.`,
      start,
      end
    })
  }
}
