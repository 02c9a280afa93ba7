/** The grammars: loaded when code is shown for the first time. */
import { common, createLowlight } from "lowlight"
import { dockerfile, scala } from "./grammars.ts"
import { isColourable, type Line, linesOf, plainLines, withoutReturn } from "./lines.ts"

const lowlight = createLowlight({ ...common, dockerfile, scala })

/** Lines in the colours of their language; plain where no grammar is known or they are no code for one. */
export const highlight = (language: string, lines: ReadonlyArray<string>): ReadonlyArray<Line> => {
  if (!lowlight.registered(language) || !isColourable(lines)) return plainLines(lines)
  const coloured = linesOf(lowlight.highlight(language, lines.map(withoutReturn).join("\n")))
  // a line that went lost or came from nowhere would put every number after it beside the wrong line
  return coloured.length === lines.length ? coloured : plainLines(lines)
}
