/** What stands in a file twice. */

import { madeOf } from "@proofline/kernel"
import { quoted } from "../../options/words.ts"
import type { Source } from "./document.ts"
import type { Node } from "./Node.ts"
import { refuse, warn } from "./Problem.ts"

/** A text, and where it stands. */
export interface Placed {
  readonly text: string
  readonly node: Node
}

/** Those that were there before, each with the line of the first. Letters are the same however Unicode spells them. */
const repeatsOf = (all: ReadonlyArray<Placed>, { positions }: Source) => {
  const first = new Map<string, Placed>()
  return all.flatMap(({ node, text }) => {
    const normal = text.normalize("NFC")
    const earlier = first.get(normal)
    if (earlier === undefined) first.set(normal, { node, text })
    return earlier === undefined
      ? []
      : [
          {
            text,
            start: node.start,
            end: node.end,
            line: positions.lineOf(earlier.node.start),
            isSpelledAlike: earlier.text === text
          }
        ]
  })
}

/** `what`: a task or a requirement. */
export const refuseTakenIds = (what: string, ids: ReadonlyArray<Placed>, source: Source): void => {
  for (const { end, isSpelledAlike, line, start, text } of repeatsOf(ids, source)) {
    refuse(source.findings, {
      code: "id_duplicate",
      message: isSpelledAlike
        ? `The id ${quoted(text)} is already taken by the ${what} on line ${line}.`
        : `The id ${quoted(text)} differs from that of the ${what} on line ${line} only in its Unicode normalisation.`,
      hint: `Give every ${what} an id of its own.`,
      start,
      end
    })
  }
}

/** A task whose parts or attempts would have ids of other tasks is neither split nor attempted several times. */
export const warnOfIdsOfParts = (
  ids: ReadonlyArray<Placed>,
  mayBeMade: (task: string, what: "part" | "attempt") => boolean,
  source: Source
): void => {
  for (const { node, text } of ids) {
    const made = madeOf(text)
    if (made === null || !mayBeMade(made.task, made.what)) continue
    const { task, what } = made
    warn(source.findings, {
      code: "id_of_part",
      message: `The id ${quoted(text)} is the one that ${what === "part" ? "a part of" : "an attempt at"} task ${quoted(task)} would get.`,
      hint: `Give it another id; as it is, task ${quoted(task)} is ${what === "part" ? "run in one piece" : "attempted once"}, whatever is asked for.`,
      start: node.start,
      end: node.end
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
